"""What is said of promises after plays, exploration of the game, and of small worlds: never more than is known.

Of myths, of what is said to break, and of what can be reached it is the other way round; all of them are in one table.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_games import game_of

from seaspec.explore.reference import Explored, explore
from seaspec.game import Game
from seaspec.prove.proof import Proof
from seaspec.sampling.watch import Found
from seaspec.verdict import check
from seaspec.verdict.check import Checked, check_game, look_into_worlds
from seaspec.verdict.verdicts import (
    PromiseVerdict,
    Verdict,
    World,
    missed,
    says_more,
    shown_in,
    with_proof,
    with_refuted,
)

GAME = """\
game Steps "Up to {top} in steps of one or two, and there is a trap door at the end of a row of right answers"
const players = 1
const top = {top}
state at: 0..9 = 0
state right: 0..9 = 0
action step(p: Player) "a step"
  needs room: at < top "that is the top"
  at += 1
action leap(p: Player) "two steps"
  needs room: at + 1 < top "too high"
  at += 2
action answer(p: Player, n: 1..40) "{{p}} says {{n}}"
  needs low: at = 0 "too late"
  right := if n = right + 1 then right + 1 else 0
to play
  repeat 6 times
    seat(1) chooses step or leap or answer
    otherwise: nobody wins
"""

PLAYED, EXPLORED, IN_WORLD, PLAYED_IN_WORLD = "plays", "exploration", "a world", "plays in a world"
MOST_POSITIONS = {EXPLORED: 5_000, IN_WORLD: 500, PLAYED_IN_WORLD: 0}
SAID = [
    # the promise, where it is looked at, what is said, and whether it is kept
    ("invariant low: at <= 3", PLAYED, Verdict.TESTED, True),
    ("invariant low: at <= 3", EXPLORED, Verdict.EXHAUSTIVE, True),
    ("invariant low: at <= 2", PLAYED, Verdict.BROKEN, False),
    ("invariant low: at <= 2", EXPLORED, Verdict.BROKEN, False),
    ("invariant unlikely: right < 4", PLAYED, Verdict.TESTED, True),
    ("invariant unlikely: right < 4", EXPLORED, Verdict.BROKEN, False),
    ("myth invariant low: at <= 3", PLAYED, Verdict.UNDECIDED, None),
    ("myth invariant low: at <= 3", EXPLORED, Verdict.BROKEN, False),
    ("myth invariant low: at <= 2", PLAYED, Verdict.REFUTED, True),
    ("myth invariant low: at <= 2", EXPLORED, Verdict.REFUTED, True),
    ("myth invariant unlikely: right < 4", PLAYED, Verdict.UNDECIDED, None),
    ("myth invariant unlikely: right < 4", EXPLORED, Verdict.REFUTED, True),
    ("reachable high: at = 3", PLAYED, Verdict.WITNESSED, True),
    ("reachable high: at = 3", EXPLORED, Verdict.WITNESSED, True),
    ("reachable high: at = 4", PLAYED, Verdict.UNDECIDED, None),
    ("reachable high: at = 4", EXPLORED, Verdict.BROKEN, False),
    ("reachable unlikely: right = 4", PLAYED, Verdict.UNDECIDED, None),
    ("reachable unlikely: right = 4", EXPLORED, Verdict.WITNESSED, True),
    ("myth reachable high: at = 3", PLAYED, Verdict.BROKEN, False),
    ("myth reachable high: at = 3", EXPLORED, Verdict.BROKEN, False),
    ("myth reachable high: at = 4", PLAYED, Verdict.UNDECIDED, None),
    ("myth reachable high: at = 4", EXPLORED, Verdict.REFUTED, True),
    ("myth reachable unlikely: right = 4", PLAYED, Verdict.UNDECIDED, None),
    ("myth reachable unlikely: right = 4", EXPLORED, Verdict.BROKEN, False),
    ("winnable all: at <= 3", PLAYED, Verdict.UNDECIDED, None),
    ("winnable all: at <= 3", EXPLORED, Verdict.EXHAUSTIVE, True),
    ("winnable all: at = 0 and right = 1", EXPLORED, Verdict.BROKEN, False),
    ("myth winnable all: at <= 3", PLAYED, Verdict.UNDECIDED, None),
    ("myth winnable all: at <= 3", EXPLORED, Verdict.BROKEN, False),
    ("myth winnable all: at = 0 and right = 1", EXPLORED, Verdict.REFUTED, True),
    ("always rising: at >= old at", PLAYED, Verdict.TESTED, True),
    ("always rising: at >= old at", EXPLORED, Verdict.EXHAUSTIVE, True),
    ("always rising: at > old at", EXPLORED, Verdict.BROKEN, False),
    ("myth always rising: at >= old at", EXPLORED, Verdict.BROKEN, False),
    ("never stuck", PLAYED, Verdict.TESTED, True),
    ("never stuck", EXPLORED, Verdict.EXHAUSTIVE, True),
    ("invariant low: at <= 2", IN_WORLD, Verdict.EXHAUSTIVE, True),
    ("invariant low: at <= 1", IN_WORLD, Verdict.BROKEN, False),
    ("myth invariant low: at <= 2", IN_WORLD, Verdict.UNDECIDED, None),
    ("myth invariant low: at <= 1", IN_WORLD, Verdict.REFUTED, True),
    ("reachable high: at = 2", IN_WORLD, Verdict.WITNESSED, True),
    ("reachable high: at = 3", IN_WORLD, Verdict.UNDECIDED, None),
    ("myth reachable high: at = 2", IN_WORLD, Verdict.BROKEN, False),
    ("myth reachable high: at = 3", IN_WORLD, Verdict.UNDECIDED, None),
    ("never stuck", IN_WORLD, Verdict.EXHAUSTIVE, True),
    ("invariant low: at <= 1", PLAYED_IN_WORLD, Verdict.BROKEN, False),
    ("invariant low: at <= 2", PLAYED_IN_WORLD, Verdict.TESTED, True),
    ("myth invariant low: at <= 1", PLAYED_IN_WORLD, Verdict.REFUTED, True),
    ("reachable high: at = 2", PLAYED_IN_WORLD, Verdict.WITNESSED, True),
    ("myth reachable high: at = 2", PLAYED_IN_WORLD, Verdict.BROKEN, False),
    ("myth reachable high: at = 3", PLAYED_IN_WORLD, Verdict.UNDECIDED, None),
]


def checked(promise: str, where: str) -> Checked:
    """What is known after looking so far: in a world, without any play of the game itself."""
    game = game_of(GAME.format(top=3) + promise + "\n")
    is_here = where in (PLAYED, EXPLORED)
    found = check_game(game, 20 if is_here else 0, 1, lambda label, total: lambda done: None, lambda options: game)
    if where is PLAYED:
        return found

    def looked(game: Game, named: str) -> Explored:
        return explore(game.machine, MOST_POSITIONS[where] if is_here or named != "the game" else 0)

    low = World("low", game_of(GAME.format(top=2) + promise + "\n"))
    return look_into_worlds(found, [] if is_here else [low], 20, 1, looked, True)


@pytest.mark.parametrize(("promise", "where", "said", "kept"), SAID)
def test_what_is_said(promise: str, where: str, said: Verdict, kept: bool | None) -> None:
    (verdict,) = checked(promise, where).promises
    assert (verdict.verdict, verdict.kept) == (said, kept), verdict.detail
    is_of_world = where in (IN_WORLD, PLAYED_IN_WORLD) and kept is not None
    assert (verdict.world is not None) is is_of_world
    if said in (Verdict.BROKEN, Verdict.REFUTED) and verdict.found is not None and verdict.kind == "invariant":
        assert verdict.found.answers, "a play shows it"


def test_a_world_is_looked_into_for_what_is_open_beside_a_secret() -> None:
    """Of two positions side by side plays in a world say nothing; of all else they do."""
    text = GAME + "state code[p: Player]: 0..2 = 0 seen by p\nsecret code\ninvariant low: at <= 1\n"
    game = game_of(text.format(top=3))
    found = check_game(game, 0, 1, lambda label, total: lambda done: None, lambda options: game)
    low = World("low", game_of(text.format(top=2)))
    seen = look_into_worlds(found, [low], 20, 1, lambda game, named: explore(game.machine, 0), False)
    assert {promise.name: promise.verdict for promise in seen.promises} == {
        "low": Verdict.BROKEN,
        "secret code": Verdict.UNDECIDED,
    }


def test_a_proof_is_none_if_it_fails_in_a_play() -> None:
    (low,) = checked("invariant low: at <= 3", EXPLORED).promises
    proved = replace(low, verdict=Verdict.PROVED, kept=True)
    assert with_refuted(proved, {"low"}).verdict is Verdict.UNDECIDED
    assert with_refuted(proved, {"high"}) is proved and with_refuted(low, {"low"}) is low


@pytest.mark.parametrize(("positions", "said"), [(1, "10^19"), (2, "10^18"), (10**9, "10^1"), (10**10, "some")])
def test_how_likely_it_is_that_a_position_was_missed(positions: int, said: str) -> None:
    assert missed(Explored(positions=positions)) == ""
    assert said in missed(Explored(positions=positions, prints=True))


@pytest.mark.parametrize(
    ("new", "old", "says"),
    [
        (Found((0,) * 3), None, False),
        (Found((0,) * 3), Found((0,) * 29), False),
        (Found((0,) * 14), Found((0,) * 31), True),
        (Found((0,) * 20), Found((0,) * 40), False),
        (Found((0,) * 9, back=0), Found((0,) * 4), True),
        (Found((0,) * 3), Found((0,) * 40, back=0), False),
    ],
    ids=["nothing was known", "short enough", "much shorter", "not much shorter", "for ever", "no more for ever"],
)
def test_a_play_of_a_small_world_is_shown_only_if_it_says_more(new: Found, old: Found | None, says: bool) -> None:
    assert says_more(new, old) is says


KINDS = """
invariant held: at < 9
always so: at >= old at
never stuck
ends within 9 calls of turn
winnable top: at = 9
lemma known(n: 0..9): n < 10
secret code
reachable half: at = 4
"""
CODE = "state code[p: Player]: 0..2 = 0 seen by p\nto turn(p: Player): nothing\n"


def test_which_promises_small_worlds_say_more_of() -> None:
    """Explored completely, or played in by the interpreter, where machine code has played before and where not."""
    game = game_of(GAME.format(top=3) + CODE + KINDS)
    plays = check_game(game, 1, 1, lambda label, total: lambda done: None, lambda options: game)
    explored, played, alone = set(), set(), set()
    for promise in game.rules.promises:
        kind = type(promise).__name__
        verdict = PromiseVerdict(promise.name, kind, promise, Verdict.TESTED, "", True)
        explored |= {kind} if check.may_be_exhaustive(replace(plays, promises=(verdict,))) else set()
        played |= {kind} if check._is_for_plays(promise, replace(plays.plays, compiled=1)) else set()
        alone |= {kind} if check._is_for_plays(promise, replace(plays.plays, compiled=0)) else set()
    assert explored == {"Invariant", "Always", "NeverStuck", "EndsWithin", "Winnable"}
    assert played == {"Lemma", "Winnable"}
    assert alone == explored | played | {"Reachable"}


def test_why_there_is_no_proof_is_told_beside_what_is_known() -> None:
    (promise,) = game_of(FAILING).rules.promises
    failed = Proof(promise.name, False, "too much")
    for known, said in (("", "not proved: too much"), ("tested", "tested; not proved: too much")):
        verdict = PromiseVerdict(promise.name, "ends", promise, Verdict.TESTED, known, True)
        assert with_proof(verdict, failed).detail == said


def test_who_interrupts_what_comes_after_the_plays_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "secret_trial", interrupted)
    game = game_of(GAME.format(top=3) + "state code[p: Player]: 0..2 = 0 seen by p\nsecret code\n")
    found = check_game(game, 2, 1, lambda label, total: lambda done: None, lambda options: game)
    assert found.plays.interrupted


FAILING = """\
game Round "The rules run on for ever once nobody has a card: calls in that step are not counted"
const players = 1
component Leaf
  Leaf times 1
place hand set of Leaf open
place heap set of Leaf open
action act(p: Player, c: Leaf in hand) "acts"
  move c to heap
to setup: move all Leaf from box to hand
to turn(p: Player)
  p chooses act
  otherwise: nothing
to play
  repeat
    for each p in Player in order from seat(1): turn(p)
ends within 6 calls of turn
"""


def test_calls_in_a_step_that_fails_are_not_counted_so_nothing_is_exhaustive() -> None:
    game = game_of(FAILING)
    explored = explore(game.machine, 100)
    assert explored.complete and explored.failed and not explored.too_long
    (promise,) = game.rules.promises
    assert shown_in(promise, explored) == (None, False)
