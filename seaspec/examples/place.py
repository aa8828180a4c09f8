"""Where the flow stands in an example: a way through the flow graph to the choice that is wanted.

The way is looked for without effects: places and states stay as they are given, only variables of the frame are set,
so that `let unlaid = ..` in the procedure has the value it has in this position. Calls of procedures that do not lead
to the choice are stepped over, and so are other choices and throws. Tests are followed as they turn out; if that leads
nowhere, either way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir, types
from seaspec.core.flow import SETTLING, Block
from seaspec.core.types import Value
from seaspec.core.walk import walk

Frame = tuple[Any, ...]
Spot = tuple[Block, Frame]

SPOTS = 20_000
"""So many spots are looked at before the search is given up."""


def find_choice(
    machine: Machine,
    position: Look,
    wanted: Callable[[State], bool],
    within: tuple[str, tuple[Value, ...]] | None = None,
    number: int = 1,
) -> State | None:
    """A state at this position that rests at a choice that is wanted; `within`: inside this call, the `number`-th."""
    nodes = {number for number, block in enumerate(machine.flow.blocks) if isinstance(block.exit, flow.Decision)}
    for either in (False, True):
        walk = _Walk(machine, position, either, _leading_to(machine, nodes))
        if within is None:
            begin: Spot | None = walk.start(ir.PLAY)
        elif number > 1:
            begin = _later_call(machine, position, *within, number)
        else:
            begin = walk.find_call(walk.start(None), *within) or walk.called(*within)
        state = None if begin is None else walk.find_node(begin, wanted)
        if state is not None:
            return state
    return None


def find_call(machine: Machine, position: Look, procedure: str, arguments: tuple[Value, ...]) -> Spot:
    """The spot at which a procedure begins, called with these arguments; when it ends, the flow rests (`Outside`)."""
    entry = machine.flow.routines[procedure].entry
    for either in (False, True):
        walk = _Walk(machine, position, either, _leading_to(machine, {entry}))
        spot = walk.find_call(walk.start(None), procedure, arguments)
        if spot is not None:
            return walk.detached(spot, procedure)
    return _Walk(machine, position, False, frozenset()).called(procedure, arguments)


def _later_call(
    machine: Machine, position: Look, procedure: str, arguments: tuple[Value, ...], number: int
) -> Spot | None:
    """Where the `number`-th such call begins. To count them right, none is stepped over, nor what leads to one; tests
    are followed as they turn out."""
    entry = machine.flow.routines[procedure].entry
    walk = _Walk(machine, position, False, _leading_to(machine, {entry}), stepping_over=False)
    return walk.find_call(walk.start(None), procedure, arguments, number)


def unknown_names(machine: Machine, state: State) -> list[str]:
    """The names that are still needed at a choice and have no value there, for what gives it was stepped over."""
    empty = [v for v in machine.flow.blocks[state.block].live if state.slots[machine.layout.frame[v]] is None]
    return [v.name for v in empty if v in _written(machine) and not isinstance(v.type, types.Optional)]


@lru_cache(maxsize=8)
def _written(machine: Machine) -> frozenset[ir.Variable]:
    """The names that the rules themselves read; the flow has more."""
    return frozenset(node.variable for node in walk(machine.game) if isinstance(node, ir.Local))


def set_up(machine: Machine, seed: int) -> State:
    """A position in which the game begins: it is set up, with this luck, and all choices on the way made at random."""
    state = machine.begin()
    random = Random(seed)
    setting_up = _called_by(machine, ir.SETUP)
    while machine.flow.blocks[state.block].owner != ir.PLAY and not awaits_action(machine, state):
        if machine.is_chance(state):
            state = machine.step(state, machine.outcomes(state).sample(random))
        elif isinstance(machine.node(state), flow.Decision) and machine.flow.blocks[state.block].owner in setting_up:
            state = machine.step(state, machine.options(state).random(random))
        else:
            break
    return state


def awaits_action(machine: Machine, state: State) -> bool:
    """An action has to be chosen: nobody would call that a detail left open."""
    node = machine.node(state)
    return isinstance(node, flow.Decision) and bool(node.launches) and node.passing is None


def resume(machine: Machine, position: Look, spot: Spot) -> Look:
    """A look at the position whose frame is that of the spot, ready to be run from there."""
    slots = list(position.s)
    slots[machine.layout.frame_start :] = spot[1]
    return Look(machine.program, slots, list(position.w))


def _called_by(machine: Machine, procedure: str) -> frozenset[str]:
    """A procedure, and all that it calls, or has chosen."""
    found = {procedure}
    waiting = [procedure]
    while waiting:
        caller = waiting.pop()
        for block in machine.flow.blocks:
            if block.owner == caller:
                new = set(_callees(block.exit)) - found
                found |= new
                waiting += new
    return frozenset(found)


def _callees(exit: flow.Exit) -> list[str]:
    if isinstance(exit, flow.Enter):
        return [exit.procedure]
    return [launch.action for launch in exit.launches] if isinstance(exit, flow.Decision | flow.ChanceNode) else []


def _leading_to(machine: Machine, blocks: set[Block]) -> frozenset[str]:
    """The procedures in which, or in what they call, one of the blocks stands."""
    found = {machine.flow.blocks[block].owner for block in blocks}
    calls: dict[str, set[str]] = {}
    for block in machine.flow.blocks:
        calls.setdefault(block.owner, set()).update(_callees(block.exit))
    before = 0
    while len(found) != before:
        before = len(found)
        found |= {caller for caller, callees in calls.items() if callees & found}
    return frozenset(found)


class _Walk:
    """One search."""

    def __init__(
        self, machine: Machine, position: Look, either: bool, leading: frozenset[str], *, stepping_over: bool = True
    ) -> None:
        self.machine = machine
        self.flow = machine.flow
        self.frame = machine.layout.frame
        self.start_of_frame = machine.layout.frame_start
        self.either = either
        self.leading = leading
        self.stepping_over = stepping_over
        self.look = Look(machine.program, list(position.s), list(position.w))
        self.read: dict[Block, tuple[int, ...]] = {}

    def slot(self, variable: ir.Variable) -> int:
        return self.frame[variable] - self.start_of_frame

    def empty(self) -> Frame:
        return (None,) * (self.machine.layout.size - self.start_of_frame)

    def start(self, procedure: str | None) -> Spot:
        """The start of the game, or of its `play`."""
        if procedure is None or procedure not in self.flow.routines:
            return self.flow.start, self.empty()
        routine = self.flow.routines[procedure]
        frame = list(self.empty())
        frame[self.slot(routine.back)] = len(routine.returns) - 1
        return routine.entry, tuple(frame)

    def called(self, procedure: str, arguments: Sequence[Value]) -> Spot:
        """A procedure that is called by nobody. States that only last while another one runs can be set: it would."""
        routine = self.flow.routines[procedure]
        frame = list(self.empty())
        for state in self.machine.game.states.values():
            if state.until is not None and state.until in self.flow.routines:
                frame[self.slot(self.flow.routines[state.until].back)] = 0
        for variable, value in zip(routine.params, arguments, strict=True):
            frame[self.slot(variable)] = value
        frame[self.slot(routine.back)] = 0
        return routine.entry, tuple(frame)

    def detached(self, spot: Spot, procedure: str) -> Spot:
        """The same, but the procedure comes back to nobody."""
        frame = list(spot[1])
        frame[self.slot(self.flow.routines[procedure].back)] = 0
        return spot[0], tuple(frame)

    def find_node(self, begin: Spot, wanted: Callable[[State], bool]) -> State | None:
        for (block, frame), _ in self._spots(begin):
            if isinstance(self.flow.blocks[block].exit, flow.Decision):
                state = self._state(block, frame)
                if wanted(state):
                    return state
        return None

    def find_call(self, begin: Spot, procedure: str, arguments: tuple[Value, ...], number: int = 1) -> Spot | None:
        """The spot at which the `number`-th such call begins, on some way."""
        routine = self.flow.routines[procedure]
        params = [self.slot(variable) for variable in routine.params]

        def is_meant(spot: Spot) -> bool:
            return spot[0] == routine.entry and tuple(spot[1][slot] for slot in params) == arguments

        found = (spot for spot, met in self._spots(begin, is_meant, routine.entry) if met == number and is_meant(spot))
        return next(found, None)

    def _state(self, block: Block, frame: Frame) -> State:
        slots = list(self.look.s)
        slots[self.start_of_frame :] = frame
        return self.machine.rest(Look(self.machine.program, slots, list(self.look.w)), block)

    def _spots(
        self, begin: Spot, is_meant: Callable[[Spot], bool] | None = None, goal: Block | None = None
    ) -> Iterator[tuple[Spot, int]]:
        """All spots on the way, each once, in the order in which the flow comes to them, and how many of those that are
        meant the way has met so far.

        Spots are the same if all that may still be read is; but at the goal, where one looks at arguments.
        """
        seen: set[tuple[Spot, int]] = set()
        waiting = [(begin, 0)]
        while waiting and len(seen) < SPOTS:
            spot, met = waiting.pop()
            if is_meant is not None and is_meant(spot):
                met += 1
            block, frame = spot
            known = spot if block == goal else (block, tuple([frame[slot] for slot in self._read_at(block)]))
            if (known, met) in seen:
                continue
            seen.add((known, met))
            yield spot, met
            try:
                waiting.extend((onward, met) for onward in reversed(list(self._onward(*spot))))
            except (RuleError, TypeError, LookupError):
                continue  # a variable that a choice stepped over would have set

    def _read_at(self, block: Block) -> tuple[int, ...]:
        """Where in the frame stands what may still be read when a block begins."""
        if block not in self.read:
            self.read[block] = tuple(self.slot(variable) for variable in self.flow.blocks[block].live)
        return self.read[block]

    def _onward(self, block: Block, frame: Frame) -> Iterator[Spot]:
        self.look.s[self.start_of_frame :] = frame
        basic = self.flow.blocks[block]
        steps, follow = self.machine.blocks[block]
        for step, effect in zip(basic.steps, steps, strict=True):
            if isinstance(step, flow.Set | flow.Take | flow.Pop):
                effect(self.look)
        exit = basic.exit
        match exit:
            case flow.Enter(procedure, back, target):
                if procedure in self.leading and procedure != SETTLING:
                    yield self._with(target, self.flow.routines[procedure].back, back)
                    if not self.stepping_over:
                        return
                yield self._here(self.flow.routines[procedure].returns[back])
            case flow.Return():
                yield self._here(follow(self.look))
            case flow.Test(_, then, otherwise) if self.either:
                yield from (self._here(then), self._here(otherwise))
            case flow.Goto() | flow.Test() | flow.Switch():
                yield self._here(follow(self.look))
            case flow.Finding():
                yield self._here(exit.otherwise)
            case flow.Decision() | flow.ChanceNode():
                if isinstance(exit, flow.Decision) and exit.passing is not None:
                    yield self._here(exit.passing)
                for launch in exit.launches:
                    yield self._here(self.flow.routines[launch.action].returns[launch.back])
                for onward in (exit.target, exit.nothing):
                    if onward is not None:
                        yield self._here(onward)
            case flow.DrawNode():
                yield self._here(exit.target)
                if exit.nothing is not None:
                    yield self._here(exit.nothing)
            case flow.RollNode() | flow.ThrowNode():
                yield self._here(exit.target)
            case flow.Over() | flow.Outside():
                return
            case _:
                assert_never(exit)

    def _here(self, block: Block) -> Spot:
        return block, tuple(self.look.s[self.start_of_frame :])

    def _with(self, block: Block, variable: ir.Variable, value: Value) -> Spot:
        frame = list(self.look.s[self.start_of_frame :])
        frame[self.slot(variable)] = value
        return block, tuple(frame)
