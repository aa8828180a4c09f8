"""What each player sees of two plays side by side, from the position, the options and the events of each back end.

Native code has no views. But it has all that they are made of: the position, decoded; the options; what happened on the
way, piece by piece (a machine that traces). From these, with the native numbers of pieces, a view is made as from the
interpreter's own, and both must be equal for each player at each node: places and states as seen, who is asked, what is
offered, and the log since the node before.

Of the log, native code tells which piece went from where to where in which order, between what other events, and who
dropped out; what lies in a place that is shown is followed through the moves. Who saw a move is judged at the positions
before and after; where these differ for a place, that is left out (`unsettled` counts how often). The words that are
said, to whom, and the table as it was when a joint choice began are the interpreter's on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from native_whole import Disagreement

from seaspec.backends.interpreter.chance import Drawn
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved, Out, ShownPlace, Unveiled, Veiled
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import Step, View, view
from seaspec.backends.native.expressions.emitter import Happening
from seaspec.core import flow
from seaspec.core.ir import BOX
from seaspec.game import Game

MANY_OPTIONS = 100
"""Of more options than this the texts of some are compared."""

Traced = Sequence[tuple[Happening, Any]]
"""What native code noted, with the slots of the interpreter."""


class Views:
    """Compares the views along one play; the tables and offers at one of so many nodes, `every`, the log of all."""

    def __init__(self, game: Game, every: int = 1) -> None:
        self.game = game
        self.machine = game.machine
        self.every = every
        self.sight = game.machine.effects.sight
        self.unsettled = 0
        self.compared = 0
        self.begin()

    def begin(self) -> None:
        """A new play."""
        self.before: tuple[State, State] | None = None
        self.answer: Any = None
        self.steps: tuple[list[Step], list[Step]] = [], []
        self.veiled = False
        self.node = 0

    def arrive(self, ours: State, events: Sequence[Event], theirs: State, traced: Traced) -> bool:
        """A node is reached: whether the views were compared at it. `theirs`: the native position; `traced`: what
        native code did on the way to it."""
        mine, other = self.before or (ours, theirs)
        sights = {slot: self._sight(slot, other, theirs) for slot in self._passed(events, traced)}
        told = self._native_events(events, other, theirs, traced)
        self.steps[0].append((mine, self._plain(events, sights)))
        self.steps[1].append((other, self._plain(told, sights)))
        for event in events:
            self.veiled = isinstance(event, Veiled) or (self.veiled and not isinstance(event, Unveiled))
        self.before, self.answer = (ours, theirs), None
        self.node += 1
        if self.node % self.every:
            return False
        for seat in self.machine.effects.seats:
            self._equal(
                seat, *(view(self.machine, s, steps, seat) for s, steps in zip((ours, theirs), self.steps, strict=True))
            )
            if self.veiled:  # the table as it is
                self._equal(seat, *(view(self.machine, state, (), seat) for state in (ours, theirs)))
        if not self.veiled:  # what was seen so far is the same, and can not come up again
            self.steps = [], []
        return True

    def same_offer(self, ours: State, options: Iterable[Any], theirs: State, offered: Iterable[Any]) -> None:
        """What the player who is asked may choose from, in words."""
        mine, other = (
            sorted(
                Notation(self.machine, state).text(choice, lambda piece, s=state: self._piece(s, piece))
                for choice in of
            )
            for state, of in ((ours, options), (theirs, offered))
        )
        if mine != other:
            raise Disagreement(f"{mine} are offered, or {other}")

    def _piece(self, state: State, piece: int) -> str:
        where = self.machine.effects.slot_name(self.machine.look(state).w[piece])
        return f"{self.game.rules.pieces[piece].title} in {where}"

    def _equal(self, seat: int, mine: View, other: View) -> None:
        self.compared += 1
        if mine != other:
            raise Disagreement(f"{self.game.players[seat]} sees " + _difference(mine, other))

    # ---------------------------------------------------------------------------------------------------- events

    def _passed(self, events: Sequence[Event], traced: Traced) -> set[int]:
        """The slots that something left or came to."""
        found = {slot for event in events if isinstance(event, Moved) for slot in (event.origin, event.target)}
        return found | {slot for happening, values in traced if happening is Happening.MOVED for slot in values[1:]}

    def _sight(self, slot: int, before: State, after: State) -> frozenset[int] | None:
        """Who sees a place, if that does not change."""
        then, now = (frozenset(self.sight[slot](self.machine.look(state))) for state in (before, after))
        self.unsettled += then != now
        return now if then == now else None

    def _plain(self, events: Sequence[Event], sights: dict[int, frozenset[int] | None]) -> list[Event]:
        """Moves piece by piece, those that follow one another in a fixed order; unsettled sights left out."""
        found: list[Event] = []
        for is_move, run in groupby(events, key=lambda event: isinstance(event, Moved)):
            if not is_move:
                found += run
                continue
            moves = []
            for event in run:
                assert isinstance(event, Moved)
                leaving = frozenset() if sights[event.origin] is None else event.seen_leaving
                coming = frozenset() if sights[event.target] is None else event.seen_coming
                moves += [Moved((p,), event.origin, event.target, leaving, coming) for p in event.pieces]
            found += sorted(moves, key=self._order)
        return found

    def _order(self, move: Moved) -> Any:
        title = self.game.rules.pieces[move.pieces[0]].title
        return title, move.origin, move.target, sorted(move.seen_leaving), sorted(move.seen_coming)

    def _native_events(self, ours: Sequence[Event], before: State, after: State, traced: Traced) -> list[Event]:
        """The events of native code; what it does not tell stands in the interpreter's at the same place."""
        where = self._where_first(before, after, traced)
        others = iter([event for event in ours if not isinstance(event, Moved | Answered | Happened)])
        found: list[Event] = []
        blind = self.answer is not None and isinstance(self.answer[0], flow.DrawNode)
        for happening, values in traced:
            if happening is Happening.MOVED:
                piece, origin, target = values
                in_box = self.machine.layout.place_of[origin][0].name == BOX
                leaving = frozenset() if blind and in_box else frozenset(self.sight[origin](self.machine.look(before)))
                coming = frozenset(self.sight[target](self.machine.look(after)))
                found.append(Moved((piece,), origin, target, leaving, coming))
                where[piece] = target
                blind = False  # only what is drawn, and that moves first
                continue
            other = next(others)
            if isinstance(other, ShownPlace):
                lying = [piece for piece, slot in enumerate(where) if slot == other.slot]
                other = replace(other, pieces=tuple(lying))
            elif happening is Happening.OUT:
                other = Out(*values)
            found.append(other)
        return [*self._answered(before, found), *found]

    def _where_first(self, before: State, after: State, traced: Traced) -> list[int]:
        """Where each piece lay before all moves, told backwards from where it lies now."""
        where = list(after.where)
        for happening, values in reversed(traced):
            if happening is Happening.MOVED:
                piece, origin, target = values
                if where[piece] != target:
                    raise Disagreement(f"piece {piece} went to slot {target}, but lies in {where[piece]}")
                where[piece] = origin
        if self.before is not None and tuple(where) != before.where:
            raise Disagreement("not all moves were noted")
        return where

    def _answered(self, before: State, events: Sequence[Event]) -> list[Event]:
        """The event of the answer or outcome that led here. It shows a piece also to those who saw it move."""
        if self.answer is None or isinstance(self.answer[1], Drawn):
            return []
        node, answer, seat = self.answer
        shown = [set(pieces) for pieces in self.machine.shown(before, answer)]
        for event in events:
            if isinstance(event, Moved):
                for seer in event.seen_leaving | event.seen_coming:
                    shown[seer].update(event.pieces)
        audience = tuple(frozenset(pieces) for pieces in shown)
        if not isinstance(node, flow.Decision):
            return [Happened(answer, before.block, audience, self.machine.seer(before))]
        return [Answered(seat, answer, before.block, node.privately or node.secretly, node.secretly, audience)]


def _difference(mine: View, other: View) -> str:
    for part in ("log", "asked", "menu", "over", "number_of_options"):
        if getattr(mine, part) != getattr(other, part):
            return f"{part} {getattr(mine, part)}, or {getattr(other, part)}"
    for part in ("places", "states"):
        ours, theirs = getattr(mine, part), getattr(other, part)
        wrong = [f"{name}: {ours.get(name)}, or {theirs.get(name)}" for name in ours if ours[name] != theirs.get(name)]
        if wrong:
            return "; ".join(wrong)
    return f"{mine}, or {other}"
