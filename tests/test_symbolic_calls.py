"""Proofs procedure by procedure: a call is one step, and what it does not change is as it was. Nothing that is false
may be proved so."""

from __future__ import annotations

import pytest
from small_games import FRAME, game_of
from test_symbolic import FALSE, TRUE, small, solve

import seaspec
from seaspec.backends.symbolic.paths.apart import explore_apart
from seaspec.backends.symbolic.paths.changing import Changing
from seaspec.backends.symbolic.paths.paths import explore_cut, type_of
from seaspec.backends.symbolic.values.world import PLACES, World
from seaspec.core import flow, ir, types
from seaspec.game import Game
from seaspec.prove.cone import sights
from seaspec.prove.facts import facts_of
from seaspec.prove.induction import Induction
from seaspec.prove.proofs import provable_parts, prove_in_steps
from seaspec.prove.refute import Seen

VISITS = """
to visit(p: Player)
  light := amber
  rest(p)
  rest(p)
  light := red
to rest(q: Player): q chooses lift or give_up
action lift(q: Player) "{{q}} lifts a mark": mark[{whose}] := min(9, mark[{whose}] + 1)
action give_up(q: Player) "{{q}} gives up"
  count_up := 9
  {ending}
to play
  repeat
    for each p in Player in order from seat(1)
      visit(p)
      rest(p)
"""
OTHERS = "always others after visit(p): every q in Player where q is not p: mark[q] = old mark[q]\n"
STILL = "always still after visit(p): count_up = old count_up\n"
RED = "invariant red outside visit: light is red\n"


def visits(promises: str, whose: str = "q", ending: str = "win for q", without: str = "") -> Game:
    text = VISITS.format(whose=whose, ending=ending)
    assert without in text
    return game_of(FRAME.format(players=3) + (text.replace(without, "") if without else text) + promises)


def apart(game: Game, sight: frozenset[str] | None = None) -> set[str]:
    parts = {promise.name: provable_parts(game.flow, promise) for promise in game.rules.promises}
    wanted = [part for several in parts.values() for part in several]
    found = Induction(game.flow, wanted, solve, lambda: True, False, sight, apart=True).run()
    return {name for name, several in parts.items() if all(found[part.name].proved for part in several)}


def test_each_procedure_is_looked_at_once() -> None:
    """However many calls there are: `rest` is called three times, and looked at in one or two ways."""
    game = visits("")
    paths = explore_apart(World(game.flow, 8, True), frozenset(), frozenset())
    assert sum(place.within is not None and place.within.procedure == "rest" and place.is_exit
               for place in paths.locations) == 1  # fmt: skip
    told_apart = explore_apart(World(game.flow, 8, True), frozenset(), {"visit"})
    ends = [place.within for place in told_apart.locations if place.within and place.is_exit]
    assert sorted("visit" in within.running for within in ends if within.procedure == "rest") == [False, True]


ASKS = """
to ask(q: Player): q may repeatedly lift
action lift(q: Player) "{q} lifts a mark": mark[q] := min(9, mark[q] + 1)
to visit(p: Player)
  ask(p)
  ask(next(p))
  ask(p)
  CALL
to play
  repeat
    for each p in Player in order from seat(1): visit(p)
"""


@pytest.mark.parametrize(
    ("call", "marked", "is_shared"),
    [
        ("ask(p)", "", True),
        ("nobody wins", "", False),
        ("ask(p)", "ask", False),
        ("ask(p)", "visit", True),
        ("ask(p)", "lift", False),
    ],
)
def test_only_what_many_ways_lead_to_is_looked_at_for_itself(call: str, marked: str, is_shared: bool) -> None:
    """And only if it does not matter when it runs."""
    game = game_of(FRAME.format(players=4) + ASKS.replace("CALL", call))
    paths = explore_cut(World(game.flow, 8, True), marked=frozenset({marked} & game.flow.routines.keys()))
    assert {place.within.procedure for place in paths.locations if place.within} == ({"ask"} if is_shared else set())


def test_what_comes_next_in_a_loop_is_the_first_that_is_left() -> None:
    game = game_of(FRAME.format(players=2) + ASKS.replace("CALL", "for each k in 1..4: mark[p] := k"))
    paths = explore_apart(World(game.flow, 8, True), frozenset(), frozenset())
    (head,) = (place.number for place in paths.locations if "rest_of_k" in {name.name for name in place.loose})
    assert sum(path.source == path.target == head for path in paths.paths) == 1


def test_a_call_leaves_other_instances_alone() -> None:
    assert apart(visits(OTHERS)) == {"others"}


@pytest.mark.parametrize("whose", ["next(q)", "seat(1)"])
def test_a_call_that_changes_another_instance_is_seen(whose: str) -> None:
    assert not apart(visits(OTHERS, whose=whose))


def test_what_is_done_on_the_way_to_the_end_changes_nothing_for_the_caller() -> None:
    game = visits(STILL)
    assert "count_up" not in Changing(game.flow).of("rest").states
    assert apart(game) == {"still"}


def test_what_is_done_without_an_end_is_seen() -> None:
    game = visits(STILL, ending="mark[q] := 0")
    assert "count_up" in Changing(game.flow).of("rest").states
    assert not apart(game)


def test_what_holds_outside_a_procedure_is_made_good_before_it_ends() -> None:
    on = "mark[q] := 0"
    assert apart(visits(RED, ending=on)) == {"red"}
    assert not apart(visits(RED, ending=on, without="  light := red\n"))
    assert not apart(visits(RED.replace(" outside visit", ""), ending=on))
    assert not apart(visits(RED))  # the game may end in the middle


def test_what_a_procedure_promises_is_relied_on_where_it_has_come_back() -> None:
    more = "track lifts: 0..99 = 0 until end of visit\nafter rest(q): lifts := min(99, lifts + 1)\n"
    counts = "always counts after rest(q): lifts > old lifts or lifts = 99\n"
    two = "always two after visit(p): lifts >= {least}\n"
    no_clock = more.replace(" until end of visit", "")
    assert apart(visits(no_clock + counts + two.format(least=2))) == {"counts", "two"}
    assert apart(visits(no_clock + counts + two.format(least=3))) == {"counts"}
    false = counts.replace("lifts >", "lifts > 1 +")
    assert apart(visits(no_clock + false + two.format(least=4))) == set()


@pytest.mark.parametrize("promise", FALSE)
def test_what_is_false_is_not_proved(promise: str) -> None:
    game = small(promise + "\n")
    for found in game.rules.promises:
        facts = facts_of(game.rules, found) if isinstance(found, ir.Invariant | ir.Always) else ()
        for sight in (None, *sights(game.flow, list(facts))) if not isinstance(found, ir.Lemma) else ():
            assert not apart(game, sight)


@pytest.mark.parametrize("promise", [p for p in TRUE if not p.startswith("lemma")])
def test_what_is_true_is_proved(promise: str) -> None:
    assert apart(small(promise + "\n"))


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("pirate_bay", {"sound_hulls", "whole_again"}),
        ("pirate_bay", {"crews"}),
        ("admiral", {"one_salvo", "salvos_noted"}),
    ],
)
def test_promises_of_a_large_game(name: str, names: set[str]) -> None:
    """At full size, on all cells: what a procedure does to whom, and what needs what another promise says."""
    game = seaspec.load(name)
    wanted = [promise for promise in game.rules.promises if promise.name in names]
    found, steps = prove_in_steps(game.flow, wanted, solve)
    assert {name for name, proof in found.items() if proof.proved} == names
    assert any(step.of is None for step in steps)


STOPS = """
action seize(p: Player) "{p} seizes"
  needs some_left: count_up > 0 "nothing is left"
  count_up := count_up - 1
action wait(p: Player) "{p} waits": nothing
to inner(p: Player)
  p chooses seize or wait
  if count_up < 5: stop visit
  p chooses wait
to middle(p: Player)
  inner(p)
  AFTER
to visit(p: Player)
  middle(p)
  count_up := 5
to play
  count_up := 5
  repeat
    for each p in Player: visit(p)
"""


@pytest.mark.parametrize("after", ["p chooses wait", "nobody wins"])
def test_who_stops_its_caller_does_not_come_back_behind_the_call(after: str) -> None:
    """What stands behind a call is not done then; what the callee has changed stays so, also where all ways behind the
    call lead to the end of the game."""
    promises = "invariant full at end of visit: count_up = 5\ninvariant enough at visit: count_up >= 5\n"
    game = game_of(FRAME.format(players=2) + STOPS.replace("AFTER", after) + promises)
    assert apart(game) == apart(game, frozenset({"count_up"})) == set()
    never = STOPS.replace("  if count_up < 5: stop visit\n", "").replace("AFTER", after)
    kept = game_of(FRAME.format(players=2) + never + promises)
    assert apart(kept, frozenset({"count_up"})) == {"full", "enough"}


PICKS = """
to play
  repeat
    for each p in Player: visit(p)
to visit(p: Player)
  p chooses x in {y in mine(p) where y is not A}
    move x to hand[p]
  otherwise: move all C from hand[p] to stock
define mine(p: Player) = {y in stock where LIGHT and y is not B}
"""


@pytest.mark.parametrize(("light", "kept"), [("light is red", {"cs"}), ("(mark[p] = 0 or y is B)", {"cs"})])
def test_what_can_be_said_of_an_option_is_used(light: str, kept: set[str]) -> None:
    """What is chosen from belongs to a set of which not all can be said, for states are not looked at."""
    promises = """
invariant cs: every p in Player: (count B in hand[p]) + (count A in hand[p]) = 0
invariant none_taken: every p in Player: (count C in hand[p]) = 0
"""
    game = game_of(FRAME.format(players=2) + PICKS.replace("LIGHT", light) + promises)
    assert apart(game, frozenset({PLACES})) == kept


DRAWS = """
to play
  move all Piece from stock to heap
  repeat
    for each p in Player: visit(p)
to visit(p: Player)
  if heap is filled
    draw 1 from heap to hand[p] as card
    if card is not A: count_up := 9
  p chooses bump
action bump(p: Player) "{p} bumps": count_up := 0
invariant never_nine: count_up < 9
invariant some_left: heap is filled
"""


def test_what_is_drawn_is_nothing_before_and_that_contradicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name stands for nothing until a piece is drawn. If only pieces were thought of there, all would be proved,
    where no play happens to speak against that it is nothing."""
    monkeypatch.setattr(Seen, "speaks_against", lambda *_: False)
    game = game_of(FRAME.format(players=2).replace('action bump(p: Player) "{p} bumps"\n  count_up += 1\n', "") + DRAWS)
    assert not apart(game)
    assert not apart(game, frozenset({"count_up"}))
    world = World(game.flow, 8, True)
    assert {variable.name for variable in world.none_at_first} == {"card"}


@pytest.mark.parametrize(
    "name", ["calm", "admiral", "pirate_bay", "admiral + storming", "calm + storms", "hanabi", "backgammon"]
)
def test_what_a_name_stands_for_is_what_is_thought_of(name: str) -> None:
    """No value is ever given to a name that is not one of those that are supposed where a path begins."""
    graph = seaspec.load(name).flow
    world = World(graph, 8, True)
    for step in (step for block in graph.blocks for step in block.steps if isinstance(step, flow.Set)):
        assert _is_within(step.value.type, type_of(world, step.variable)), step


def _is_within(ty: types.Type, wider: types.Type) -> bool:
    match ty, wider:
        case (types.Optional(inner), types.Optional(of)) | (inner, types.Optional(of)):
            return isinstance(inner, types.Never) or _is_within(inner, of)
        case types.Int(low, high), types.Int(least, most):
            return least <= low and high <= most
        case types.Pieces(_, members), types.Pieces(_, all_of):
            return set(members) <= set(all_of)
        case types.SetOf(inner), types.SetOf(of):
            return isinstance(inner, types.Never) or _is_within(inner, of)
    return type(ty) is type(wider)


CUT = """game Cut "Short procedures with ways that part"
const players = 1
state a: 0..3 = 0
action wait(p: Player, n: 0..3) "wait": a := n
to part
  if a = 1: a := 2
  if a = 3: a := 1
to play
  repeat 2 times
    seat(1) chooses wait
    part
    part
invariant few: a < 4
invariant not_three: a != 3
invariant not_two: a != 2
"""


def test_what_is_gone_through_where_it_is_called_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where paths would be cut there, it would not be known who has called it."""
    monkeypatch.setattr("seaspec.backends.symbolic.run.onward.MOST_VISITS", 10)
    monkeypatch.setattr("seaspec.prove.proofs.MOST_TOGETHER", 0)
    game = game_of(CUT)
    steps, _ = prove_in_steps(game.flow, game.rules.promises, solve)
    assert {name for name, proof in steps.items() if proof.proved} == {"few", "not_three"}
