"""Proofs of large games: rounds are cut, seats that are alike are looked at once, what a promise does not need is left
out. All of it makes proofs cheaper; none of it may prove what is false."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest
from small_games import FRAME, TINY, flow_game, game_of
from test_symbolic import FALSE, HARD, PLAY, STEPS, proofs, proved, small, solve

import seaspec
from seaspec.analysis.control import loop_heads
from seaspec.backends.symbolic.cuts import next_cut, rounds
from seaspec.backends.symbolic.paths.paths import explore, explore_cut
from seaspec.backends.symbolic.seats import Seats
from seaspec.backends.symbolic.values.world import PLACES, World
from seaspec.core import flow, ir
from seaspec.game import Game
from seaspec.prove.cone import idle_variables, sights
from seaspec.prove.entail import in_waves
from seaspec.prove.facts import Fact, facts_of
from seaspec.prove.houdini import Houdini
from seaspec.prove.induction import Induction
from seaspec.prove.proofs import MOST_TOGETHER, prove_in_steps

WAITING = "invariant few_marks: every p in Player: mark[p] <= {most}\n"
ONE_SEAT = """
action cheat(p: Player) "{p} cheats"
  needs mine: p is seat(2) "only the second may"
  mark[p] := 9
action rest(p: Player) "{p} rests": mark[p] := 1
"""


def players_may(menu: str, more: str, promise: str) -> Game:
    return game_of(FRAME.format(players=3) + STEPS + more + PLAY.format(menu=menu) + promise)


# ------------------------------------------------------------------------------------------------------ rounds, seats


def test_a_round_is_cut_and_one_player_stands_for_all() -> None:
    game = small(HARD[0] + "\n")
    whole, cut = World(game.flow, 8, True), World(game.flow, 8, True)
    paths = explore_cut(cut)
    assert cut.alike is not None and len(rounds(game.flow).rounds) == 1
    assert len(paths.paths) < len(explore(whole).paths)
    assert any(place.turned for place in paths.locations)


def test_a_rule_for_one_seat_is_seen() -> None:
    game = players_may("cheat or rest", ONE_SEAT, WAITING.format(most=1))
    seats = Seats(game.flow)
    assert not all(map(seats.are_alike_in, range(len(game.flow.blocks))))
    world = World(game.flow, 8, True)
    explore_cut(world)
    assert world.alike is None


def test_cases_that_name_no_player_are_alike_for_all_seats() -> None:
    game = flow_game("seat(1) may bump\nmatch light\n  red: nothing\n  amber, green: count_up := 1")
    (switch,) = (block.exit for block in game.flow.blocks if isinstance(block.exit, flow.Switch))
    assert Seats(game.flow).are_alike_for(switch)


def test_what_only_one_seat_breaks_is_not_proved() -> None:
    assert not proved(players_may("cheat or rest", ONE_SEAT, WAITING.format(most=8)))
    assert proved(players_may("cheat or rest", ONE_SEAT, WAITING.format(most=9)))
    assert proved(players_may("rest", ONE_SEAT, WAITING.format(most=1)))


@pytest.mark.parametrize("value", ["if p is seat(2) then 9 else 1", "9 * size of {q in Player while q is not p}"])
def test_what_one_seat_breaks_at_once_is_not_proved(value: str) -> None:
    """In the same breath in which it is said whose turn it is; the second: who sits first has none before."""
    at_once = f"seat(1)\n      mark[p] := min(9, {value})\n      turn(p)"
    play = PLAY.format(menu="climb or sink").replace("repeat 9 times", "repeat").replace("seat(1): turn(p)", at_once)
    game = game_of(FRAME.format(players=3) + STEPS + play + WAITING.format(most=8))
    assert not proved(game)


def test_a_promise_for_one_seat_is_not_taken_for_all() -> None:
    """Whoever is next is counted as the first seat; the first seat itself is somebody else then."""
    others = "invariant first_rests: mark[seat(1)] <= 1\n"
    alike = ONE_SEAT.replace('  needs mine: p is seat(2) "only the second may"\n', "")
    assert not proved(players_may("cheat or rest", alike, others))
    endless = PLAY.replace("repeat 9 times", "repeat")
    clean = endless.replace("  p chooses {menu}", "  mark[p] := 0\n  p chooses {menu}\n  mark[p] := 9")
    tidy = game_of(FRAME.format(players=3) + STEPS + clean.format(menu="climb or sink") + others)
    assert not proved(tidy)  # who is next has none; the first seat does, in the turns of others
    (promise,) = tidy.rules.promises
    assert alone(tidy, promise, None)  # so it would be taken for all, if it were not looked whom a promise names


def test_ways_are_cut_at_loops() -> None:
    game = small(HARD[0] + "\n")
    heads = loop_heads(game.flow)
    cuts = rounds(game.flow)
    assert cuts.blocks <= heads
    (other,) = [head for head in heads if head not in cuts.blocks][:1]
    assert next_cut(game.flow, cuts, {other: 3, game.flow.start: 9}) == other
    assert all(not flow.is_node(game.flow.blocks[head].exit) for head in heads - cuts.blocks if head != other)


# ------------------------------------------------------------------------------------------------------------- sights


def alone(game: Game, promise: ir.Promise, sight: frozenset[str] | None) -> bool:
    return Induction(game.flow, [promise], solve, lambda: True, True, sight).run()[promise.name].proved


@pytest.mark.parametrize("promise", FALSE)
def test_what_is_false_is_not_proved_by_looking_at_less(promise: str) -> None:
    game = small(promise + "\n")
    for found in game.rules.promises:
        facts = facts_of(game.rules, found) if isinstance(found, ir.Invariant | ir.Always) else ()
        for sight in sights(game.flow, list(facts)) if not isinstance(found, ir.Lemma) else ():
            assert not alone(game, found, sight)


@pytest.mark.parametrize("promise", [p for p in HARD if not p.startswith("lemma")])
def test_what_is_true_is_proved_by_looking_at_less(promise: str) -> None:
    game = small(promise + "\n")
    (found,) = game.rules.promises
    assert isinstance(found, ir.Invariant | ir.Always)
    assert any(alone(game, found, sight) for sight in sights(game.flow, list(facts_of(game.rules, found))))


def test_sights_grow() -> None:
    game = small("invariant in_range: count_up in 0..9\n")
    (found,) = game.rules.promises
    assert isinstance(found, ir.Invariant)
    several = list(sights(game.flow, list(facts_of(game.rules, found))))
    assert several[0] == {"count_up"} and PLACES in several[-1] and len(several) == len(set(several))


def test_a_large_game_is_looked_at_promise_by_promise() -> None:
    """At full size, where it can not be looked at as a whole: no ship fires more shots than it has."""
    game = seaspec.load("admiral")
    assert len(game.flow.blocks) > MOST_TOGETHER
    wanted = [promise for promise in game.rules.promises if promise.name in ("budgets", "two_courses")]
    found, steps = prove_in_steps(game.flow, wanted, solve)
    assert found["budgets"].proved and found["two_courses"].proved
    assert any(step.of is None for step in steps)


def test_what_counts_rounds_of_settling_decides_nothing() -> None:
    game = seaspec.load("admiral")
    assert "rounds" in {name.name for name in idle_variables(game.flow)}


# ------------------------------------------------------------------------------------------------ what has no encoding


def test_what_has_no_encoding_may_be_anything() -> None:
    """A rule that can not be said in logic does not keep others from being proved."""
    counted = "size of {n * n for n in 1..9 where n * n * n > count_up * count_up}"
    odd = f'action odd(p: Player) "{{p}} looks": mark[p] := {counted}\n'
    game = players_may(
        "climb or odd",
        odd,
        "invariant in_range: count_up in 0..9\ninvariant small_mark: every p in Player: mark[p] <= 3\n",
    )
    found = proofs(game)
    assert found["in_range"].proved and not found["small_mark"].proved


def test_what_takes_long_to_read_may_be_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    promises = "invariant in_range: count_up in 0..9\nalways more after wait(p): mark[p] >= old mark[p]\n"
    assert proved(small(promises)) == {"in_range", "more"}
    monkeypatch.setattr("seaspec.backends.symbolic.values.world.MOST_AT_ONCE", 0)
    assert proved(small(promises)) == {"in_range"}  # whatever a step does, it does not leave the range


@pytest.mark.parametrize("amount", ["least_given", "count_up"])
def test_how_many_are_meant_may_be_left_out(amount: str) -> None:
    """Where it is not looked at how many cards are given, none is lost on the way all the same."""
    text = f"""
state least_given: 0..9 = 2
action give_some(p: Player) "{{p}} gives some"
  move up to {amount} B from stock to hand[p]
  least_given := count_up
"""
    promises = (
        "invariant all_there: size of stock + (sum size of hand[p] for p in Player) = size of Piece\n"
        "invariant few: every p in Player: size of hand[p] <= 1\n"
    )
    game = game_of(FRAME.format(players=2) + text + PLAY.format(menu="give_some or bump") + promises)
    found = {p.name: alone(game, p, frozenset({PLACES})) for p in game.rules.promises}
    assert found == {"all_there": True, "few": False}


# ------------------------------------------------------------------------------------------------ what may be relied on


def test_what_is_not_proved_is_not_relied_on() -> None:
    game = small("invariant rarely: mark[seat(1)] <= 0\n" + HARD[0] + "\n")
    induction = Induction(game.flow, game.rules.promises, solve, lambda: True, False)
    found = induction.run()
    assert found["kept"].proved and not found["rarely"].proved
    left = {fact.promise for facts in induction.known.alive.values() for fact in facts}
    assert "kept" in left and "rarely" not in left


def test_what_is_dropped_by_one_path_is_not_asked_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    game = small("invariant never_up: count_up = 0\n")
    asked: list[int] = []
    keep = Houdini.keep_what_follows

    def watched(self: Houdini, wave: Sequence[tuple[int, Fact]]) -> set[tuple[int, Fact]]:
        assert all(fact in self.known.targets(self.known.paths.paths[place]) for place, fact in wave)
        asked.extend(place for place, fact in wave if fact.promise == "never_up")
        return keep(self, wave)

    monkeypatch.setattr(Houdini, "keep_what_follows", watched)
    induction = Induction(game.flow, game.rules.promises, solve, lambda: True, False)
    induction.run()
    (fact,) = induction.facts["never_up"]
    paths = induction.paths.paths
    coming = [(place, fact) for place, path in enumerate(paths) if path.target is not None]
    assert asked and len(set(asked)) < len(coming)
    waves = list(in_waves(coming, paths))
    assert sorted(chain.from_iterable(waves)) == sorted(coming) and len(waves) > 1
    targets = [paths[place].target for place, _ in waves[0]]
    assert len(targets) == len(set(targets)) == len({paths[place].target for place, _ in coming})


def test_binders_that_leave_a_few_members_are_written_out() -> None:
    """That each row of an empty board has an empty cell: somebody has to name it."""
    rows = (
        "lemma open_rows: (every c in Sea: field[c] is empty) implies "
        "(every r in 1..4: some c in Sea where c.row = r: field[c] is empty)\n"
        "lemma sixth_row: (every c in Sea: field[c] is empty) implies "
        "(every r in 1..6: some c in Sea where c.row = r: field[c] is empty)\n"
    )
    assert proved(game_of(TINY.replace("grid 3 by 2", "grid 5 by 4") + rows)) == {"open_rows"}
