"""What is so: every position that the interpreter comes to is looked at, and every step between two of them.

No positions are merged (pieces that are alike are told apart), nothing is guessed, nothing of what gives verdicts is
used. Of identical pieces one is offered, as in any play. A position here is: where the play rests, which of the
procedures that promises name are running, and, of each `always .. after` that is under way, how it was when it began;
so what is claimed of a procedure in which somebody is asked is followed to its end, on every way.

What is broken is broken whether or not all positions could be looked at; what is kept is known only if they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir, types

Test = Callable[..., Any]
Begun = tuple[tuple[str, tuple[Any, ...], tuple[Any, ...]], ...]
NOWHERE = -1
"""Where a step leads in which the rules fail."""
OTHERS, MOST_VALUES = 150, 300
"""So many positions are made up to try lemmas at; of states with few values."""
STEPS = 12
"""So many steps for each position, after which one gives up."""


@dataclass(frozen=True, eq=False)
class Position:
    """Where a play rests; `running`: the procedures that promises name; `begun`: how it was when they began."""

    state: State
    running: frozenset[str]
    begun: Begun
    calls: int = 0


@dataclass
class Truth:
    """What is so of each promise, by its name: broken, and how; or met. `complete`: all positions were looked at."""

    complete: bool = False
    positions: list[Position] = field(default_factory=list)
    onward: list[list[tuple[Answer, int, Counter[str]]]] = field(default_factory=list)
    """Of each position: what may be answered, to which position it leads, and which procedures begin meanwhile."""
    broken: dict[str, str] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    """Where the rules fail: the place in the text, and the message."""
    stuck: bool = False
    endings: set[tuple[Any, ...]] = field(default_factory=set)
    wrong: Counter[str] = field(default_factory=Counter)
    """How often each promise does not hold."""
    looked: Counter[str] = field(default_factory=Counter)

    def kept(self, promise: ir.Promise) -> bool | None:
        """Whether what is promised is so (of a myth: whether what it says is so); None: that is not known."""
        if isinstance(promise, ir.Reachable):
            return True if promise.name in self.met else False if self.complete else None
        if promise.name in self.broken:
            return False
        is_known = isinstance(promise, ir.Invariant | ir.Always | ir.NeverStuck | ir.EndsWithin | ir.Winnable)
        return True if self.complete and is_known else None


def plain(graph: flow.Flow) -> Machine:
    """A machine that tells all pieces apart."""
    machine = Machine(graph)
    machine.layout.twins.alone = (True,) * len(graph.game.pieces)
    return machine


def answers(machine: Machine, state: State) -> Iterator[Answer]:
    if state.result is not None:
        return
    if machine.is_chance(state):
        yield from machine.outcomes(state).each()
    else:
        yield from machine.options(state)


def truth(graph: flow.Flow, limit: int) -> Truth:
    """Look at all positions, as long as there are no more than these."""
    return _Search(graph).run(limit)


class _Search:
    """Positions are numbered as they are found."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.machine = Machine(graph)
        self.found = Truth()
        self.numbers: dict[Any, int] = {}
        self.running: set[str] = set()
        self.begun: dict[str, Look] = {}
        self.calls: Counter[str] = Counter()
        self.nodes: list[tuple[str, Test, frozenset[str]]] = []
        self.steps: list[tuple[str, Test]] = []
        self.at: dict[str, list[tuple[str, Test]]] = {}
        self.at_end: dict[str, list[tuple[str, Test]]] = {}
        self.after: dict[str, list[tuple[str, Test, tuple[int, ...]]]] = {}
        self.reachable: list[tuple[str, Test]] = []
        self.named: set[str] = set()
        self.counted = {p.procedure for p in graph.game.promises if isinstance(p, ir.EndsWithin)}
        for promise in graph.game.promises:
            self._note(promise)

    def _compile(self, test: ir.Expr, params: tuple[ir.Variable, ...] = ()) -> Test:
        return self.machine.program.compile(test, params, "truth")

    def _note(self, promise: ir.Promise) -> None:
        match promise:
            case ir.Invariant(name, claim, procedures, test):
                found = self._compile(test)
                if claim in (ir.Claim.NODES, ir.Claim.OUTSIDE):
                    self.named |= set(procedures)
                    self.nodes.append((name, found, frozenset(procedures)))
                for procedure in procedures:
                    if claim is ir.Claim.AT:
                        self.at.setdefault(procedure, []).append((name, found))
                    elif claim is ir.Claim.AT_END:
                        self.at_end.setdefault(procedure, []).append((name, found))
            case ir.Always(name, after, test):
                if not after:
                    self.steps.append((name, self._compile(test)))
                for procedure, variables, claimed in after:
                    routine = self.graph.routines.get(procedure)
                    if routine is not None:
                        slots = tuple(self.machine.layout.frame[v] for v in routine.params[: len(variables)])
                        entry = (name, self._compile(claimed, variables), slots)
                        self.after.setdefault(procedure, []).append(entry)
            case ir.Reachable(name, test):
                self.reachable.append((name, self._compile(test)))
            case _:
                pass

    # ------------------------------------------------------------------------------ told by the machine as it runs

    def begin(self, procedure: str, look: Look) -> None:
        if procedure in self.counted:
            self.calls[procedure] += 1
        if procedure in self.named:
            self.running.add(procedure)
        for name, test in self.at.get(procedure, ()):
            self._judge(name, test, look)
        if procedure in self.after:
            self.begun[procedure] = Look(self.machine.program, tuple(look.s), tuple(look.w))

    def finish(self, procedure: str, look: Look) -> None:
        self.running.discard(procedure)
        for name, test in self.at_end.get(procedure, ()):
            self._judge(name, test, look)
        if procedure in self.begun:
            old = self.begun.pop(procedure)
            here = Look(self.machine.program, tuple(look.s), tuple(look.w), old)
            for name, test, slots in self.after[procedure]:
                self._judge(name, test, here, *(old.s[slot] for slot in slots))

    def _judge(self, name: str, test: Test, look: Look, *values: Any) -> None:
        self.found.looked[name] += 1
        try:
            why = "" if test(look, *values) else "it does not hold"
        except RuleError as error:
            why = f"it has no value: {error.message}"
        if why:
            self.found.wrong[name] += 1
            self.found.broken.setdefault(name, why)

    # -------------------------------------------------------------------------------------------------------- search

    def run(self, limit: int) -> Truth:
        found, machine = self.found, self.machine
        try:
            first = machine.begin(watch=self)
        except RuleError as error:
            self._failed(error)
            found.complete = True
            for promise in self.graph.game.promises:
                if isinstance(promise, ir.EndsWithin) and self.calls[promise.procedure] > promise.calls:
                    found.broken[promise.name] = "there are more calls"
            return found
        at_first = Counter(self.calls)
        self._arrive(None, first)
        number = steps = 0
        while number < len(found.positions):
            position = found.positions[number]
            onward = found.onward[number]
            try:
                for answer in answers(machine, position.state):
                    steps += 1
                    self._step(position, answer, onward)
                    if steps > STEPS * limit:
                        return found
            except RuleError as error:
                self._failed(error)
            number += 1
            if len(found.positions) > limit:
                return found
        found.complete = True
        self._conclude(at_first)
        return found

    def _step(self, position: Position, answer: Answer, onward: list[tuple[Answer, int, Counter[str]]]) -> None:
        self.running = set(position.running)
        self.begun = {name: Look(self.machine.program, s, w) for name, s, w in position.begun}
        self.calls = Counter()
        try:
            after = self.machine.step(position.state, answer, watch=self)
        except RuleError as error:
            self._failed(error)
            onward.append((answer, NOWHERE, self.calls))  # what has begun before the rules fail has begun
            return
        onward.append((answer, self._arrive(position.state, after), self.calls))

    def _arrive(self, before: State | None, state: State) -> int:
        """A play comes to a position."""
        found = self.found
        if self.steps and before is not None:
            here = Look(self.machine.program, state.slots, state.where, self.machine.look(before))
            for name, test in self.steps:
                self._judge(name, test, here)
        begun = tuple((name, tuple(look.s), tuple(look.w)) for name, look in sorted(self.begun.items()))
        running = frozenset(self.running)
        key = state.slots, running, begun
        if key in self.numbers:
            return self.numbers[key]
        number = self.numbers[key] = len(found.positions)
        found.positions.append(Position(state, running, begun))
        found.onward.append([])
        look = self.machine.look(state)
        for name, test, outside in self.nodes:
            if state.result is not None or not outside & running:  # when the game is over, nothing runs
                self._judge(name, test, look)
        for name, test in self.reachable:
            if holds(test, look):
                found.met.add(name)
        if state.result is not None:
            found.endings.add((state.result[0], state.result[1]))
        return number

    def _failed(self, error: RuleError) -> None:
        if error.message.startswith("stuck:"):
            self.found.stuck = True
            for promise in self.graph.game.promises:
                if isinstance(promise, ir.NeverStuck):
                    self.found.broken[promise.name] = error.message
        else:
            self.found.failures.setdefault(str(error.span), error.message)

    # ------------------------------------------------------------------------------------- what the whole of it says

    def _conclude(self, at_first: Counter[str]) -> None:
        for promise in self.graph.game.promises:
            match promise:
                case ir.EndsWithin(name, most, procedure):
                    if self._calls(procedure, at_first[procedure], most) > most:
                        self.found.broken[name] = "there are more calls"
                case ir.Winnable(name, needed, test):
                    self._winnable(name, needed, test)
                case _:
                    pass

    def _calls(self, procedure: str, at_first: int, most: int) -> int:
        """How often a procedure may be called; more than it may be is enough to know."""
        best = {0: at_first}
        todo = [0]
        while todo:
            here = todo.pop()
            for _, onward, calls in self.found.onward[here]:
                many = best[here] + calls[procedure]
                if many > most:
                    return many
                if onward != NOWHERE and many > best.get(onward, -1):
                    best[onward] = many
                    todo.append(onward)
        return max(best.values())

    def _winnable(self, name: str, needed: ir.Expr | None, test: ir.Expr) -> None:
        positions, machine = self.found.positions, self.machine
        met = self._compile(test)
        back: dict[int, list[int]] = {}
        for number, steps in enumerate(self.found.onward):
            for _, onward, _ in steps:
                back.setdefault(onward, []).append(number)
        saved = {number for number, p in enumerate(positions) if holds(met, machine.look(p.state))}
        todo = list(saved)
        while todo:
            for number in back.get(todo.pop(), ()):
                if number not in saved:
                    saved.add(number)
                    todo.append(number)
        has = None if needed is None else self._compile(needed)
        for number, position in enumerate(positions):
            state = position.state
            if state.result is not None or machine.is_chance(state):
                continue
            if has is None and number not in saved:
                self.found.broken[name] = "there is a decision from which nothing gets there"
            if has is not None and number in saved and not holds(has, machine.look(state)):
                self.found.broken[name] = "something gets there without it"


def holds(test: Test, look: Look, *values: Any) -> bool:
    """Whether a test holds; without a value it does not."""
    try:
        return bool(test(look, *values))
    except RuleError:
        return False


def lemma_fails(graph: flow.Flow, lemma: ir.Lemma, found: Truth) -> bool:
    """Whether a lemma fails at a position at which all invariants hold that are claimed there: at one that was found,
    or at one that no play may come to, with other values of states."""
    machine = plain(graph)
    params = tuple(param.variable for param in lemma.params)
    test = machine.program.compile(lemma.test, params, "truth")
    claimed = [p for p in graph.game.promises if isinstance(p, ir.Invariant) and not p.myth]
    if any(p.claim in (ir.Claim.NODES, ir.Claim.OUTSIDE) and p.name in found.broken for p in claimed):
        return False
    for state in (*(State(p.state.slots, p.state.where) for p in found.positions), *_others(machine, found, claimed)):
        look = machine.look(state)
        for values in _values(machine, look, lemma, params):
            if not holds(test, look, *values):
                return True
    return False


def _others(machine: Machine, found: Truth, claimed: list[ir.Invariant]) -> Iterator[State]:
    """Positions in which states have other values than in those of plays, and all invariants hold that say something of
    every position. Where others speak of certain moments, what they leave is not known. What never changes in plays
    has its one value."""
    if any(p.claim is not ir.Claim.NODES for p in claimed):
        return
    layout, random = machine.layout, Random("others")
    tests = [machine.program.compile(p.test, (), "truth") for p in claimed]
    free = [
        (slot, list(types.values(thing.type)))
        for name, family in layout.states.items()
        for thing in (machine.game.states[name],)
        if thing.until is None and thing.while_in is None and thing.bound is None and not thing.fixed
        if not isinstance(thing.type, types.SetOf | types.Map) and types.size(thing.type) <= MOST_VALUES
        if any(len({p.state.slots[slot] for p in found.positions}) > 1 for slot in family.all_slots)
        for slot in family.all_slots
    ]
    if not free or not found.positions:
        return
    for _ in range(OTHERS):
        here = random.choice(found.positions).state
        slots = list(here.slots)
        for slot, values in random.sample(free, min(len(free), random.randint(1, 3))):
            slots[slot] = random.choice(values)
        state = State(tuple(slots), here.where)
        if here.result is None and all(holds(test, machine.look(state)) for test in tests):
            yield state


def _values(
    machine: Machine, look: Look, lemma: ir.Lemma, params: tuple[ir.Variable, ...], given: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """All values for the parameters of a lemma."""
    if len(given) == len(params):
        yield given
        return
    param = lemma.params[len(given)]
    among = types.values(param.variable.type)
    if param.domain is not None:
        try:
            among = machine.program.compile(param.domain, params[: len(given)], "truth")(look, *given)
        except RuleError:
            return
    for value in among:
        here = (*given, value)
        if param.test is None or holds(machine.program.compile(param.test, params[: len(here)], "truth"), look, *here):
            yield from _values(machine, look, lemma, params, here)
