"""Induction over several steps in a row: what follows only from how a play came there is proved; what breaks after just
so many steps is not."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from cli_runner import seaspec
from small_games import game_of

from seaspec.backends.symbolic.logic.formulas import forall
from seaspec.backends.symbolic.logic.solve import Answer, ask
from seaspec.backends.symbolic.logic.terms import Function, Sort, add, bound, less, number, variable
from seaspec.backends.symbolic.values.joints import Apart
from seaspec.cli.checking.provers import Provers
from seaspec.explore.reference import explore
from seaspec.game import Game
from seaspec.prove.induction import Induction
from seaspec.prove.lookback import MOST_STEPS, Behind
from seaspec.prove.proof import Proof
from seaspec.prove.proofs import certificate, prove
from seaspec.prove.refute import Seen

RING = """game Ring
option players: 1..3 = {players}
state at: 0..9 = {first}
state mark[p: Player]: 0..9 = {first}
action go(p: Player)
  at := if at = 2 then 0 else min(9, at + 1)
  mark[p] := if mark[p] = 2 then 0 else min(9, mark[p] + 1)
to play
  repeat
    for each p in Player in order from seat(1)
      p chooses go
{promise}
"""
"""It goes round from 0 to 2. Nothing leads to 3, and from there on to 9."""


def ring(promise: str, players: int = 2, first: int = 0) -> Game:
    return game_of(RING.format(players=players, first=first, promise=promise))


def proof_of(game: Game) -> Proof:
    with Provers(1, None, 5_000) as provers:
        (found,) = prove(game.flow, game.rules.promises, provers.solve).values()
    return found


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions of plays speak against nothing: all has to be found out by proofs."""
    monkeypatch.setattr(Seen, "speaks_against", lambda *any_: False)


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("never, steps", [(3, 1), (4, 2), (5, 3)])
def test_what_takes_several_steps_is_proved(players: int, never: int, steps: int) -> None:
    found = proof_of(ring(f"invariant never: not at = {never}", players))
    assert found.proved and found.over == steps


def test_what_takes_more_steps_is_not_looked_at() -> None:
    assert MOST_STEPS == 3
    assert not proof_of(ring("invariant never: not at = 6")).proved


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4])
def test_what_breaks_after_so_many_steps_is_not_proved(players: int, steps: int) -> None:
    """From 3 on it goes up: each number is come to after just so many steps from the beginning."""
    broken = ring(f"invariant never: not at = {3 + steps}", players, first=3)
    assert not proof_of(broken).proved
    last = ring(f"invariant never: at = {3 + steps} implies at = 9", players, first=3)
    assert not proof_of(last).proved


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("late", [1, 2, 3])
def test_a_bug_that_bites_late_is_found(late: int) -> None:
    """The same ring, but after so many steps it leads out of it."""
    text = RING.format(players=2, first=0, promise="invariant never: not at = 4")
    buggy = text.replace("state mark", "state steps: 0..9 = 0\nstate mark").replace(
        "  at := if at = 2", f"  steps := min(9, steps + 1)\n  if steps = {late}: at := 3\n  at := if at = 2"
    )
    assert buggy.count("steps") == 4
    assert not proof_of(game_of(buggy)).proved
    tame = buggy.replace(f"if steps = {late}: at := 3", f"if steps = {late}: at := 0")
    assert proof_of(game_of(tame)).over == 2


def test_the_beginning_counts() -> None:
    """The step holds for three in a row, and for the first ones it does not."""
    assert proof_of(ring("invariant never: not at = 5")).proved
    assert not proof_of(ring("invariant never: not at = 5", first=3)).proved
    assert not proof_of(ring("invariant never: not at = 5", first=4)).proved
    assert proof_of(ring("invariant never: not at = 5", first=6)).over == 3


def test_what_belongs_to_a_player_is_not_followed_from_turn_to_turn() -> None:
    """Where one player stands for all, nobody knows who the player of the step before was."""
    assert not proof_of(ring("invariant never: every p in Player: not mark[p] = 4", 2)).proved
    assert proof_of(ring("invariant never: every p in Player: not mark[p] = 4", 1)).over == 2


@pytest.mark.usefixtures("unseen")
def test_who_acts_next_is_somebody_else() -> None:
    """Each player goes on once. Who took the one who acts now for the one before would prove that only one does."""
    once = "  at := if mark[p] = 0 then min(9, at + 1) else at\n  mark[p] := 1\n"
    text = RING.format(players=2, first=0, promise="invariant never: not at = 2")
    own = text[: text.index("  at :=")] + once + text[text.index("to play") :]
    assert not proof_of(game_of(own)).proved
    assert not proof_of(game_of(own.replace("not at = 2", "not at = 1"))).proved


def test_what_is_a_certain_players_own_is_followed() -> None:
    found = proof_of(ring("invariant never: not mark[seat(2)] = 3 and not at = 4", 2))
    assert found.proved and found.over == 2
    assert not proof_of(ring("invariant never: not mark[seat(2)] = 3 and not at = 4", 2, first=3)).proved


@pytest.mark.parametrize("claim", ["at go", "at end of go"])
def test_a_promise_on_certain_moments_is_looked_back_for(claim: str) -> None:
    assert proof_of(ring(f"invariant never {claim}: not at = 4")).over == 2
    assert not proof_of(ring(f"invariant never {claim}: not at = {3 if claim == 'at go' else 4}", first=3)).proved


def test_what_one_step_shows_is_not_looked_back_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*any_: object) -> None:
        raise AssertionError("it was looked back")

    monkeypatch.setattr(Behind, "follow", fail)
    assert proof_of(ring("invariant never: not at = 3")) == Proof("never", True)
    with pytest.raises(AssertionError, match="looked back"):
        proof_of(ring("invariant never: not at = 4"))


def test_other_promises_and_guards_on_the_way_are_named() -> None:
    text = RING.format(players=2, first=0, promise="invariant never: not at = 4\ninvariant low: mark[seat(1)] <= 9")
    guarded = text.replace("  at := if at = 2", "  needs three: not at = 9\n  at := if at = 2")
    needing = guarded.replace("else min(9, at + 1)", "else if at = 9 then 3 else at + 1")
    assert guarded.count("needs") == 1 and needing != guarded
    with Provers(1, None, 5_000) as provers:
        game = game_of(needing)
        found = prove(game.flow, game.rules.promises, provers.solve)["never"]
    assert found.over == 2 and found.rests_on == ("guard three of go",)


@pytest.mark.parametrize("players", [1, 2])
def test_all_steps_can_be_asked_again(players: int) -> None:
    game = ring("invariant never: not at = 5", players)
    with Provers(1, None, 5_000) as provers:
        scripts = list(certificate(game.flow, game.rules.promises, provers.solve))
    assert scripts
    for script in scripts:
        answers = [reply.answer for reply in ask(script, 5_000)]
        assert answers == [Answer.IMPOSSIBLE] * max(1, script.goals), script.text
    with Provers(1, None, 5_000) as provers:
        induction = Induction(game.flow, game.rules.promises, provers.solve, lambda: True, True)
        assert not induction.run()["never"].proved
        assert induction.look_back()["never"].over == 3
    ways = [way for shown in induction.known.shown_by.values() for way in shown.ways]
    assert ways and any(way[-1].source is None for way in ways)  # behind the beginning there is nothing


def test_names_are_told_apart() -> None:
    x, f, n = variable("x", 0, 9), Function("f", 1, Sort.INT, 0, 5), bound(0, 3)
    term = forall((n,), less(f(n), add(x, number(1))))
    apart = Apart("'")(term)
    assert repr(apart) == repr(term).replace("*x ", "*x' ").replace("(f ", "(f' ")
    assert Apart("'")(term) is apart and apart is not term


def test_a_check_tells_over_how_many_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "cache"))
    promises = "invariant never: not at = 4\ninvariant at_most: at <= 9"
    Path("ring.sea").write_text(RING.format(players=2, first=0, promise=promises))
    how = ("check", "ring.sea", "--plays", "0")
    for cached in (False, True):
        (subject,) = json.loads(seaspec(*how, "--json").out)["subjects"]
        steps = {promise["name"]: promise["steps_in_a_row"] for promise in subject["promises"]}
        assert subject["cached"] is cached and steps == {"never": 2, "at_most": 1}
    assert "proved: never (for all positions, by induction over 2 steps)" in seaspec(*how, "--verbose").out


# ----------------------------------------------------------------------------------------------------- games at random

SIZE = 6
SEEDS = (0, 1, 5, 7, 10, 11)
"""Of games in which something takes several steps to be proved."""
CLAIMS = """invariant at_{n}: not at = {n}
invariant mark_{n}: every p in Player: not mark[p] = {n}
invariant both_{n}: every p in Player: not (mark[p] = {n} and at = {m})
invariant first_{n}: not mark[seat(1)] = {n}
"""


def some_game(random: Random) -> Game:
    """A game that is small enough to be gone through, with claims of which many are true."""

    def mapped(name: str) -> str:
        values = [random.randrange(SIZE) for _ in range(SIZE)]
        return "".join(f"if {name} = {n} then {value} else " for n, value in enumerate(values[1:], 1)) + str(values[0])

    effects = [
        f"at := {mapped('at')}",
        f"at := {mapped('at')}\n  mark[p] := {mapped('mark[p]')}",
        f"mark[next(p)] := {mapped('mark[p]')}",
        f"mark[p] := {mapped('mark[next(p)]')}\n  at := {mapped('at')}",
    ]
    chosen = random.sample(effects, random.choice([1, 2]))
    text = RING[: RING.index("action")].format(players=random.choice([1, 2, 3]), first=random.randrange(SIZE))
    text += "".join(f"action act_{n}(p: Player)\n  {effect}\n" for n, effect in enumerate(chosen))
    text += "to play\n  repeat\n    for each p in Player in order from seat(1)\n      p chooses "
    text += " or ".join(f"act_{n}" for n in range(len(chosen)))
    text += random.choice(["\n", f"\n    at := {mapped('at')}\n"])
    return game_of(text + "".join(CLAIMS.format(n=n, m=random.randrange(SIZE)) for n in range(SIZE)))


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proved_of_a_game_at_random_is_so(seed: int) -> None:
    game = some_game(Random(seed))
    explored = explore(game.machine, 50_000)
    assert explored.complete
    with Provers(1, None, 500) as provers:
        found = prove(game.flow, game.rules.promises, provers.solve)
    proved = {name for name, proof in found.items() if proof.proved}
    assert proved and not proved & set(explored.watched.broken)
    assert max(found[name].over for name in proved) > 1
