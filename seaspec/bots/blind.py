"""Steps of a play that are the same whichever pieces go: cards are dealt, and nobody looks at them.

A supposed play in which two pieces have changed their parts is gone again step by step, and most of these steps are of
that sort. From a draw to the next draw, if all rules on the way ask of pieces only how many lie somewhere, what comes
of the other piece is what has come of the first with the two exchanged; nothing needs to be run. `Blind` knows between
which draws that is so (from the flow graph alone), and exchanges two pieces in a position.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, assert_never, get_args
from weakref import WeakKeyDictionary

from seaspec.backends.interpreter.choices import mentions
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import Layout, State
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, PlaceOrder
from seaspec.core.ops import Op
from seaspec.core.walk import Node, children

_EXPRESSIONS = get_args(Expr)
_CHANGING = (ir.Assign, ir.Move, ir.MoveSome, ir.Shuffle, ir.DropOut, flow.Reset)


MOST_SPOTS = 20_000
"""So many blocks, each as often as it is come to in another way, are looked at after a draw."""
Calls = frozenset[tuple[str, int]]


class Seen(Enum):
    """What the rules may have looked at on a way: of pieces only how many lie somewhere; also whether there is anything
    to be settled, and nothing has changed since; or more."""

    NOTHING = 0
    SETTLED = 1
    PIECES = 2


_Spot = tuple[flow.Block, Seen, Calls]


def blind_in(machine: Machine) -> Blind:
    """What is known of a game; it is found out once."""
    if machine not in _known:
        _known[machine] = Blind(machine)
    return _known[machine]


class Blind:
    """What is known of one game."""

    def __init__(self, machine: Machine) -> None:
        self.flow, self.game, self.program = machine.flow, machine.game, machine.program
        self.order = machine.effects.order
        self._functions: dict[str, bool] = {}
        graph, layout = machine.flow, machine.layout
        self._settling: dict[flow.Block, Callable[[Look], bool]] = {}
        self._onward = {
            number: self._draws_after(block.exit.target)
            for number, block in enumerate(graph.blocks)
            if isinstance(block.exit, flow.DrawNode)
        }
        families = [(layout.states[name], state.type) for name, state in machine.game.states.items()]
        states = [(slot, ty) for family, ty in families for slot in family.all_slots]
        held = [*states, *((slot, variable.type) for variable, slot in layout.frame.items())]
        self._holding = [(slot, ty) for slot, ty in held if types.pieces_in(ty)]
        self._marks = _marked(layout)
        sights = {place.name: place.sight.by for place in machine.game.places.values()}
        counting = {name: by is None or self._only_counts(by) for name, by in sights.items()}
        self._by_counting = {slot: counting[place.name] for slot, (place, _) in layout.place_of.items()}
        self._fits = [
            tuple(place.name for place in machine.game.places.values() if piece.id in types.pieces_of(place.holds))
            for piece in machine.game.pieces
        ]

    def leads(self, state: State, after: State) -> bool:
        """Whether a step from the one position to the other is of this sort, if `is_settled`; both are at draws."""
        return after.block in self._onward.get(state.block, ())

    def is_settled(self, state: State) -> bool:
        """Whether no `whenever` rule that may be looked at between draws has anything to do."""
        look = Look(self.program, state.slots, state.where)
        return not any(test(look) for test in self._settling.values())

    def sees_by_counting(self, slot: int) -> bool:
        """Whether it does not matter for who sees a place which pieces lie where."""
        return self._by_counting[slot]

    def can_change(self, one: int, other: int) -> bool:
        """Whether two pieces can lie in the same places."""
        return self._fits[one] == self._fits[other]

    def exchanged(self, state: State, one: int, other: int) -> State | None:
        """The position with two pieces in each other's place; None if states or names of the rules speak of them."""
        slots = state.slots
        for slot, ty in self._holding:
            value = slots[slot]
            if value is not None and any(piece in (one, other) for piece, _ in mentions(value, ty)):
                return None
        marks = [[slots[slot] for slot in self._marks.get(piece, ())] for piece in (one, other)]
        if marks[0] != marks[1]:
            return None
        changed, where = list(slots), list(state.where)
        for slot in {where[one], where[other]}:
            changed[slot] = self._in_each_others_place(slot, slots[slot], one, other)
        where[one], where[other] = where[other], where[one]
        return State(tuple(changed), tuple(where))

    def _in_each_others_place(self, slot: int, lies: tuple[Any, ...], one: int, other: int) -> tuple[Any, ...]:
        match self.order[slot]:
            case PlaceOrder.ROW:
                return tuple(_swapped(lies, one, other))
            case PlaceOrder.PILE:
                layers = list(lies)
                for number, layer in enumerate(lies):
                    if one in layer or other in layer:
                        layers[number] = tuple(sorted(_swapped(layer, one, other)))
                return tuple(layers)
            case PlaceOrder.SET | PlaceOrder.BAG | PlaceOrder.SLOT:
                return tuple(sorted(_swapped(lies, one, other)))
            case never:
                assert_never(never)

    # ------------------------------------------------------------------------------------------------ the flow graph

    def _draws_after(self, target: flow.Block) -> frozenset[flow.Block]:
        """The draws that are come to from a block, if on no way to them the rules look at pieces; but that nothing had
        to be settled, just before the next draw."""
        start: _Spot = (target, Seen.NOTHING, frozenset())
        reached = {start}
        waiting = [start]
        while waiting:
            if len(reached) > MOST_SPOTS:
                return frozenset()
            new = [spot for spot in self._passed(*waiting.pop()) if spot not in reached]
            reached.update(new)
            waiting += new
        draws = {number for number, _, _ in reached if isinstance(self.flow.blocks[number].exit, flow.DrawNode)}
        return frozenset(draws - {number for number, seen, _ in reached if seen is Seen.PIECES})

    def _passed(self, number: flow.Block, seen: Seen, calls: Calls) -> list[_Spot]:
        """Where one may come from a block, and what the rules may have looked at until then. `calls`: to where the
        procedures come back that were entered on the way."""
        block = self.flow.blocks[number]
        if not all(map(self._is_blind_step, block.steps)) or not self._is_blind_exit(block.exit):
            seen = Seen.PIECES
        if seen is Seen.SETTLED and any(isinstance(step, _CHANGING) for step in block.steps):
            seen = Seen.PIECES
        match block.exit:
            case flow.Finding(then=then, otherwise=otherwise, test=test) as exit if not self._only_counts(exit):
                self._settling[number] = self.program.compile(test, name="whenever")
                settled = Seen.SETTLED if seen is Seen.NOTHING else seen
                return [(then, Seen.PIECES, calls), (otherwise, settled, calls)]
            case flow.Enter(procedure, back, target):
                return [(target, seen, calls | {(procedure, back)})]
            case flow.Return(procedure, targets):
                known = [back for entered, back in calls if entered == procedure]
                calls = frozenset(call for call in calls if call[0] != procedure)
                return [(targets[back], seen, calls) for back in known or range(len(targets))]
            case _:  # cautious: all others call nothing
                return [(then, seen, calls) for then in self._at_once(block.exit)]

    def _at_once(self, exit: flow.Exit) -> list[flow.Block]:
        """Where an exit may lead without anybody being asked, and nothing being drawn."""
        match exit:
            case flow.Decision() | flow.ChanceNode() | flow.DrawNode():
                found = [] if exit.nothing is None else [exit.nothing]
                alone = isinstance(exit, flow.Decision) and exit.alone and exit.target is not None
                return [*found, exit.target] if alone and exit.target is not None else found
            case flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside():
                return []
            case flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return() | flow.Finding():
                return list(flow.targets(exit))
            case _:
                assert_never(exit)

    def _is_blind_exit(self, exit: flow.Exit) -> bool:
        match exit:
            case flow.Goto() | flow.Enter() | flow.Return():
                return True
            case flow.Test() | flow.Switch():
                return self._only_counts(exit)
            case flow.DrawNode(_, to):
                return self._only_counts(exit) and self._is_room_counted(to)
            case flow.Finding(witnesses):
                return not witnesses
            case (
                flow.Decision() | flow.ChanceNode() | flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside()
            ):  # fmt: skip
                return False
            case _:
                assert_never(exit)

    def _is_blind_step(self, step: flow.Step) -> bool:
        match step:
            case flow.Begin() | flow.Finish() | flow.Reset() | flow.Veil():
                return True
            case flow.Pop(variable):
                return not types.pieces_in(variable.type)
            case flow.Set(_, ir.Local()):
                return True
            case flow.Set() | flow.Take() | flow.Require() | ir.Assign() | ir.Shuffle():
                return self._only_counts(step)
            case ir.Move(cargo, whole, target, _, None):
                if self.game.places[target.place].order is PlaceOrder.ROW:
                    return False  # several come into it in the order of their numbers
                is_plain = isinstance(cargo, ir.Local) if whole is None else self._only_counts(whole)
                return is_plain and self._only_counts(target) and self._is_room_counted(target)
            case ir.Move():
                return False
            case flow.Judge() | ir.MoveSome() | ir.Say() | ir.Show() | ir.DropOut():
                return False
            case _:
                assert_never(step)

    def _is_room_counted(self, target: ir.Target) -> bool:
        capacity = self.game.places[target.place].capacity
        return capacity is None or self._only_counts(capacity)

    def _only_counts(self, node: Node) -> bool:
        """Whether all that is asked of pieces in it is how many lie somewhere."""
        match node:
            case ir.Source() | ir.Const(_, None | ()):
                return True
            case ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, _, indices),)):
                return all(map(self._only_counts, indices))
            case ir.Can() | ir.Asked():
                return False
            case ir.Call(_, function) if not self._is_blind_function(function):
                return False
            case _:  # cautious: what is not one of these is looked into, and may name no pieces
                names_pieces = type(node) in _EXPRESSIONS and bool(types.pieces_in(node.type))
                return not names_pieces and all(map(self._only_counts, children(node)))

    def _is_blind_function(self, name: str) -> bool:
        if name not in self._functions:
            self._functions[name] = True  # a call of itself asks nothing more
            self._functions[name] = self._only_counts(self.game.functions[name].body)
        return self._functions[name]


def _swapped(pieces: tuple[int, ...], one: int, other: int) -> list[int]:
    return [other if piece == one else one if piece == other else piece for piece in pieces]


def _marked(layout: Layout) -> dict[int, list[int]]:
    """For each piece the slots of states that are indexed by it, in an order that is the same for all."""
    found: dict[int, list[int]] = {}
    for family in layout.states.values():
        for key, slot in family.slots.items():
            for piece, ty in zip(key, family.index, strict=True):
                if isinstance(piece, int) and types.pieces_of(ty):
                    found.setdefault(piece, []).append(slot)
    return found


_known: WeakKeyDictionary[Machine, Blind] = WeakKeyDictionary()
