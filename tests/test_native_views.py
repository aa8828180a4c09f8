"""What players see of native positions, options and events (native_views.py); that comparison itself, with faults.

Each fault is put in after all else was compared, so that nothing but the views can find it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from native_agreement import Comparison
from native_views import Views
from native_whole import Disagreement
from small_games import flow_game

from seaspec.backends.interpreter.choices import Act, Values
from seaspec.backends.interpreter.state import State
from seaspec.backends.native.expressions.emitter import Happening
from seaspec.backends.native.machine import Machine
from seaspec.game import Game

BODY = """
move A to line
move all C from stock to line
move 1 B from stock to hand[seat(1)]
move 1 B from stock to hand[seat(2)]
show hand[seat(1)] to seat(2)
say "ready"
repeat 4 times
  seat(1) chooses bump or take or leave
  seat(2) chooses n in 0..2
    mark[seat(2)] := n
  roll 1 d2 as m
  roll 1 d2 as own seen by seat(2)
  chance chooses dark in 1..2 seen by seat(1)
  if m = 1 and line is filled: move (first x in line) to heap
  seat(2) privately chooses k in 0..2
    count_up := k
  if m = 2 and heap is filled: draw 1 from heap to hand[seat(2)]
"""
THINGS = """
action leave(p: Player, x: Piece in hand[p]) "{p} gives {x} back"
  move x to stock
"""
PLIES = 400


def compare(fault: Callable[[Views], None], views_every: int = 1) -> Comparison:
    game = flow_game(BODY, THINGS)
    comparison = Comparison(game, Machine(game.flow, traces=True), views_every)
    fault(comparison.views)
    comparison.plies(PLIES, seed=1)
    return comparison


@pytest.mark.parametrize("views_every", [1, 3])
def test_views_agree(views_every: int) -> None:
    comparison = compare(lambda views: None, views_every)
    assert comparison.views.compared > PLIES // views_every
    assert comparison.views.unsettled == 0


def with_changed(change: Callable[[Game, State, list[Any]], tuple[State, list[Any]]]) -> Callable[[Views], None]:
    """The native position, and what native code noted, are changed before they are seen."""

    def plant(views: Views) -> None:
        arrive = views.arrive

        def other(ours: State, events: Sequence[Any], theirs: State, traced: Sequence[Any]) -> bool:
            return arrive(ours, events, *change(views.game, theirs, list(traced)))

        views.arrive = other  # type: ignore[method-assign]

    return plant


def happened(*dropped: Happening) -> Callable[[Views], None]:
    """Something of these sorts was not noted."""
    return with_changed(lambda game, state, traced: (state, [event for event in traced if event[0] not in dropped]))


def placed(change: Callable[[Game, dict[str, Any]], None]) -> Callable[[Views], None]:
    """Other things lie in some places, or other values stand in states."""

    def changed(game: Game, state: State, traced: list[Any]) -> tuple[State, list[Any]]:
        layout = game.machine.layout
        families = layout.places | layout.states
        values = {name: list(state.slots[family.base : family.end]) for name, family in families.items()}
        change(game, values)
        slots = list(state.slots)
        for name, family in families.items():
            slots[family.base : family.end] = values[name]
        return State(tuple(slots), state.where), traced

    return with_changed(changed)


def turn_line(game: Game, values: dict[str, Any]) -> None:
    values["line"][0] = values["line"][0][::-1]


def exchange(game: Game, values: dict[str, Any]) -> None:
    """What lies in the hand of the one who sees it is another piece."""
    if values["stock"][0] and values["hand"][0]:
        values["hand"][0] = (*values["hand"][0][1:], next(iter(values["line"][0]), 0))


def add_mark(game: Game, values: dict[str, Any]) -> None:
    values["mark"][1] = 9 - values["mark"][1]


def hide_one(game: Game, values: dict[str, Any]) -> None:
    values["heap"][0] = values["heap"][0][1:]


def moved_elsewhere(game: Game, state: State, traced: list[Any]) -> tuple[State, list[Any]]:
    """A piece went from somewhere else."""
    stock = game.machine.layout.places["stock"].base
    slot = game.machine.layout.places["slot"].base
    return state, [
        (kind, (values[0], slot, values[2])) if kind is Happening.MOVED and values[1] == stock else (kind, values)
        for kind, values in traced
    ]


def another_answer(views: Views) -> None:
    arrive = views.arrive

    def other(*arguments: Any) -> bool:
        if views.answer is not None and isinstance(views.answer[1], Values):
            node, answer, seat = views.answer
            views.answer = node, Values((answer.values[0] ^ 1,)), seat
        return arrive(*arguments)

    views.arrive = other  # type: ignore[method-assign]


def another_seat(views: Views) -> None:
    arrive = views.arrive

    def other(*arguments: Any) -> bool:
        if views.answer is not None and views.answer[2] is not None:
            node, answer, seat = views.answer
            views.answer = node, answer, 1 - seat
        return arrive(*arguments)

    views.arrive = other  # type: ignore[method-assign]


def offered(change: Callable[[list[Any]], list[Any]]) -> Callable[[Views], None]:
    """Other options."""

    def plant(views: Views) -> None:
        same_offer = views.same_offer
        views.same_offer = lambda *given: same_offer(*given[:3], change(list(given[3])))  # type: ignore[method-assign]

    return plant


def give_c(options: list[Any]) -> list[Any]:
    return [
        replace(o, arguments=(o.arguments[0], 0)) if isinstance(o, Act) and o.action == "take" else o for o in options
    ]


FAULTS = {
    "nothing is said": happened(Happening.SAID),
    "nothing is shown": happened(Happening.SHOWN),
    "moves are not noted": happened(Happening.MOVED),
    "a piece came from elsewhere": with_changed(moved_elsewhere),
    "a row is in another order": placed(turn_line),
    "another piece in a hand": placed(exchange),
    "another value": placed(add_mark),
    "fewer hidden pieces": placed(hide_one),
    "another answer": another_answer,
    "another player answers": another_seat,
    "an option less": offered(lambda options: options[1:]),
    "an option twice": offered(lambda options: [*options[1:], options[-1]]),
    "another piece is offered": offered(give_c),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(name: str) -> None:
    with pytest.raises(Disagreement):
        compare(FAULTS[name])


def test_what_nobody_sees_is_in_no_view() -> None:
    """The order of a hidden pile; that is found where positions are compared, not here."""

    def turn_heap(game: Game, values: dict[str, Any]) -> None:
        values["heap"][0] = values["heap"][0][::-1]

    compare(placed(turn_heap))
