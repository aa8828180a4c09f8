"""Proofs about loops in which somebody is asked by way of what they call: such a loop is looked at once, and what may
be supposed there is found. Nothing that is false may be proved so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest
from small_games import FRAME, game_of
from test_symbolic import proved, solve

from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.solve import Answer, Reply
from seaspec.backends.symbolic.logic.terms import Term
from seaspec.backends.symbolic.paths.paths import Location, explore_cut
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow, ir
from seaspec.game import Game
from seaspec.prove import induction, knowledge
from seaspec.prove.entail import Goal, Solver
from seaspec.prove.facts import Fact, facts_of, negated
from seaspec.prove.induction import Induction
from seaspec.prove.knowledge import Knowledge
from seaspec.prove.miners.candidates import Help
from seaspec.prove.miners.tested import OnTheWay
from seaspec.prove.proofs import provable_parts
from seaspec.prove.refute import Seen

LOOP = """
to many(p: Player)
  {head}
    ask(p{more})
{ask}
to visit(p: Player)
  many(p)
  many(p)
  many(next(p))
  many(p)
to play
  repeat
    for each p in Player in order from seat(1): visit(p)
"""
EXCESS = """
to ask(q: Player)
  mark[q] := 9
  let excess = max(0, mark[q] - {kept})
  q chooses n in 0..3
    count_up := n
  mark[q] := mark[q] - excess
"""
LOW = "invariant low at visit: every q in Player: mark[q] <= 5\n"
PIECES = """
to ask(q: Player, x: Piece)
  if x in hand[q]
    q chooses n in 0..3
      count_up := n
    move x to {place}
    move x to hand[next(q)]
"""
FULL = "invariant full: size of stock >= 4\n"


def loop(ask: str, promises: str, head: str = "repeat 3 times", more: str = "") -> Game:
    frame = FRAME.format(players=3).replace("seen by p", "open")
    frame = frame.replace("to setup: nothing", "to setup: move 2 B from stock to hand[seat(1)]")
    return game_of(frame + LOOP.format(head=head, more=more, ask=ask) + promises)


def pieces(place: str) -> Game:
    return loop(PIECES.format(place=place), FULL, "for each x in hand[p]", ", x")


def without_help(game: Game, solve: Solver = solve) -> bool:
    """Whether all is proved with nothing but what the promises say, and what the rules say at each place."""
    tried = Induction(game.flow, game.rules.promises, solve, lambda: True, alike=True)
    return all(proof.proved for proof in tried.run().values()) and tried.helped == {Help.NONE}


def locations(game: Game) -> list[Location]:
    return explore_cut(World(game.flow, 8, True), marked=frozenset({"visit"})).locations


def test_a_loop_that_asks_by_way_of_what_it_calls_is_looked_at_once() -> None:
    within = {place.within.procedure for place in locations(loop(EXCESS.format(kept=5), LOW)) if place.within}
    assert within == {"many"}


def test_all_others_keep_a_promise_while_a_loop_is_at_work_on_one() -> None:
    """And what a name stands for is known there, of what the loop calls."""
    assert without_help(loop(EXCESS.format(kept=5), LOW))
    assert proved(loop(EXCESS.format(kept=6), LOW)) == set()


def test_where_a_named_piece_lies_it_lies_nowhere_else() -> None:
    """Though the promise says nothing of that place."""
    assert without_help(pieces("heap"))


def test_positions_on_the_way_speak_against_what_is_false() -> None:
    """Also where no play ever rests."""
    game = loop(EXCESS.format(kept=5), LOW + "invariant still: count_up = 0\n")
    places = [place for place in locations(game) if not flow.is_node(game.flow.blocks[place.block].exit)]
    facts = (next(facts_of(game.rules, promise)) for promise in game.rules.promises)
    low, still = (replace(fact, promise=None) for fact in facts)
    for known in (places, []):
        seen = Seen(game.flow, frozenset(), lambda: True, frozenset({"many"}), known)
        assert any(seen.speaks_against(still, place) for place in places) is bool(known)
        assert not any(seen.speaks_against(low, place) for place in places if place.within is None)


def test_positions_are_turned_to_where_one_player_stands_for_all() -> None:
    """Whoever is asked in a play: here the first seat is; and the next seat is the next."""
    turn = "to visit(p: Player)\n  mark[p] := 1\n  p chooses n in 1..2\n    count_up := n\n  mark[p] := 0\n"
    play = "to play\n  repeat\n    for each p in Player in order from seat(1): visit(p)\n"
    game = game_of(FRAME.format(players=3) + turn + play + "invariant rested: every p in Player: mark[p] = 0\n")
    seen = Seen(game.flow, frozenset(), lambda: True)
    (place,) = (p for p in locations(game) if isinstance(game.flow.blocks[p.block].exit, flow.Decision))
    first, second, third = (fact for promise in game.rules.promises for fact in facts_of(game.rules, promise))
    assert place.turned and {by for _, by in seen._positions(place)} == {0, 1, 2}
    assert [seen.speaks_against(fact, place) for fact in (first, second, third)] == [True, False, False]


def test_what_was_tested_on_every_way_is_known() -> None:
    game = loop(EXCESS.format(kept=5), "", "repeat until count_up >= 3 or light is amber")
    (asking,) = (n for n, block in enumerate(game.flow.blocks) if isinstance(block.exit, flow.Decision))
    tests = [(block.owner, block.exit.test) for block in game.flow.blocks if isinstance(block.exit, flow.Test)]
    (until,) = (test for owner, test in tests if owner == "many")
    calls = [(block.owner, block.exit) for block in game.flow.blocks if isinstance(block.exit, flow.Enter)]
    (call,) = (exit.back for owner, exit in calls if owner == "many")
    found = OnTheWay(game.flow).tested(asking, {"ask": call})
    assert isinstance(until, ir.Apply) and found == {negated(part) for part in until.arguments}
    assert OnTheWay(game.flow).tested(asking, {}) == frozenset()


def test_what_is_given_is_no_goal_in_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    changed: list[Term] = []
    by_change = knowledge.by_change
    monkeypatch.setattr(knowledge, "by_change", lambda term, known: changed.append(term) or by_change(term, known))
    game = loop(EXCESS.format(kept=5), LOW)
    steps = Knowledge.steps

    def watched(self: Knowledge, asked: Iterable[tuple[int, Fact]], go_on: Callable[[], bool]) -> Iterator[Goal]:
        for goal in steps(self, asked, go_on):
            asked_so = {term for term in changed[-1:] if not term.is_const}
            assert asked_so.isdisjoint(term for term, _ in goal.given)
            yield goal

    monkeypatch.setattr(Knowledge, "steps", watched)
    assert proved(game) == {"low"} and changed


def test_more_time_comes_before_more_help() -> None:
    """What is not decided soon is not given up at once."""
    turn = "to visit(p: Player)\n  p chooses n in 1..2\n    count_up := if count_up >= 4 then 0 else count_up + n\n"
    play = "to play\n  repeat\n    for each p in Player in order from seat(1): visit(p)\n"
    game = game_of(FRAME.format(players=3) + turn + play + "invariant low: count_up <= 5\n")

    def slow(scripts: Iterable[Script], patience: int) -> list[list[Reply]]:
        unknown = [Reply(Answer.UNKNOWN)]
        return [solve([one], 1)[0] if patience > 1 else unknown * max(1, one.goals) for one in scripts]

    assert without_help(game, slow)


def test_invariants_are_tried_before_steps() -> None:
    texts = "always onward: count_up >= 0\ninvariant up: count_up >= 0\nnever stuck\n"
    game = loop(EXCESS.format(kept=5), texts)
    parts = [part for promise in game.rules.promises for part in provable_parts(game.flow, promise)]
    groups = [[part.name for part in group] for group in induction._in_turn(parts)]
    assert groups[:2] == [["up", "onward"], []]
    assert groups[2] and all(name.startswith("never stuck") for name in groups[2])
