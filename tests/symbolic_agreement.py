"""The symbolic back end beside the interpreter: every step of a play must be one of the paths between locations.

For a position that a play comes to, and each answer there, the interpreter says which position is next. The paths from
the locations that fit are looked through for one whose conditions hold and that ends at exactly that position. Where a
path claims to be exact, it must not end anywhere else. Where the interpreter says that the rules fail, some path must
owe something that does not hold. The values of promises are compared, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import OUT, State
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import substitute
from seaspec.backends.symbolic.logic.smtlib import script
from seaspec.backends.symbolic.logic.solve import Answer as Verdict
from seaspec.backends.symbolic.logic.solve import ask
from seaspec.backends.symbolic.logic.terms import NO, YES, Kind, Term, and_, eq, iff, not_, number, truth
from seaspec.backends.symbolic.paths.paths import Location, Path, Paths, explore, explore_far
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.values.position import Entries, Position, Result
from seaspec.backends.symbolic.values.sets import NONE, Listed, Map, Value, Where
from seaspec.backends.symbolic.values.world import World, as_number, numbers_of
from seaspec.core import flow, ir, types
from seaspec.core.types import Type
from seaspec.game import Game
from seaspec.sampling.plays import answers_at

MOST_FOLLOWING = 12
"""With more answers than this it is not asked whether a path ends elsewhere."""


@dataclass
class Tally:
    """What was compared."""

    steps: int = 0
    answers: int = 0
    failures: int = 0
    tests: int = 0
    ends: int = 0
    asked: int = 0
    passed: int = 0
    unknown: int = 0
    missed: list[str] = field(default_factory=list)


class Comparison:
    """A game in both back ends."""

    def __init__(self, game: Game, few: int = 10**6, counted: bool = False, far: bool = False) -> None:
        self.machine: Machine = game.machine
        self.layout = self.machine.layout
        self.world = World(game.flow, few, counted)
        self.world.notes_all = True
        self.paths: Paths = (explore_far if far else explore)(self.world)
        self.graph = game.flow
        self.tally = Tally()
        self.tests = [
            (promise.name, promise.test)
            for promise in game.rules.promises
            if isinstance(promise, ir.Invariant | ir.Reachable)
        ]

    # ------------------------------------------------------------------------------------------------ plays

    def play(self, seed: int, steps: int, answers: int) -> None:
        """A random play; some answers are compared at each step."""
        random = Random(seed)
        state = self.machine.begin()
        self.compare_first(state)
        for _ in range(steps):
            if state.result is not None:
                return
            self.tally.steps += 1
            self.compare_tests(state)
            if self.is_passed(state):
                state = self.machine.step(state, random.choice(list(answers_at(self.machine, state))))
                continue
            self.compare_ends(state)
            following = list(answers_at(self.machine, state))
            for answer in random.sample(following, min(answers, len(following))):
                self.compare(state, answer, random)
            try:
                state = self.machine.step(state, random.choice(following))
            except RuleError:
                return

    def compare_first(self, state: State) -> None:
        paths = [path for path in self.paths.paths if path.source is None]
        assert any(self.leads(path, {}, state) for path in paths), "the play does not begin so"

    def compare(self, state: State, answer: Answer, random: Random) -> None:
        """The step after an answer; where paths pass a location, also the one after that."""
        self.tally.answers += 1
        paths = [(path, known) for location in self.locations_of(state) for path, known in self.starts(location, state)]
        assert paths, f"no location for block {state.block}"
        try:
            after = self.machine.step(state, answer)
            if self.is_passed(after):
                self.tally.passed += 1
                after = self.machine.step(after, random.choice(list(answers_at(self.machine, after))))
        except RuleError as error:
            self.tally.failures += 1
            assert any(self.fails(path, known) for path, known in paths), f"{error.message}, after {answer}"
            return
        found = [path for path, known in paths if self.leads(path, known, after)]
        assert found, f"no path for {answer} at block {state.block} to block {after.block}"

    def is_passed(self, state: State) -> bool:
        """Whether no path begins or ends here."""
        return any(location.number in self.paths.passed for location in self.locations_of(state))

    def compare_ends(self, state: State) -> None:
        """Paths that are exact end nowhere but where some answer leads (where no pieces are alike)."""
        following = list(answers_at(self.machine, state))
        if self.world.counted or len(following) > MOST_FOLLOWING or not all(self.layout.twins.alone):
            return
        try:
            ends = [self.machine.step(state, answer) for answer in following]
        except RuleError:
            return
        for location in self.locations_of(state):
            for path, known in self.starts(location, state):
                if path.run.exact and path.target is not None:
                    self.tally.ends += 1
                    others = [not_(self.end(path, after)) for after in ends]
                    possible = self.possible([*path.run.hypothesis(), *others], known)
                    assert not possible, f"{path.word} at block {state.block} ends where no answer leads"

    def compare_tests(self, state: State) -> None:
        """Promises have the same value."""
        position = self.constant(state)
        look = self.machine.look(state)
        for name, test in self.tests:
            reader = Reader(self.world, position)
            try:
                found = reader.test(test)
            except Unsupported:
                self.tally.unknown += 1
                continue
            try:
                expected = bool(self.machine.effects.value(look, test))
            except RuleError:
                assert reader.defined(test) is not YES, name
                continue
            self.tally.tests += 1
            if reader.told or found.height:
                (reply,) = ask(script(reader.told, [iff(found, truth(expected))]), 2_000)
                assert reply.answer is not Verdict.POSSIBLE, f"{name}: the interpreter says {expected}"
                self.tally.asked += reply.answer is Verdict.IMPOSSIBLE
                continue
            assert found is truth(expected), f"{name}: {found}, and the interpreter says {expected}"

    # ------------------------------------------------------------------------------------------------ matching

    def locations_of(self, state: State) -> Iterator[Location]:
        for location in self.paths.locations:
            if location.block == state.block and self.fits(location, state):
                yield location

    def fits(self, location: Location, state: State) -> bool:
        """Whether what is known of the frame at a location is so."""
        if isinstance(self.graph.blocks[location.block].exit, flow.Over):
            return True
        live = self.graph.blocks[location.block].live
        have = {v for v in live if state.slots[self.layout.frame[v]] is not None}
        if have - {*location.known, *location.loose}:
            return False
        for variable, value in location.known.items():
            if self.same(value, state.slots[self.layout.frame[variable]], variable.type) is not YES:
                return False
        return True

    def starts(self, location: Location, state: State) -> Iterator[tuple[Path, dict[Term, Term]]]:
        for path in self.paths.paths:
            if path.source == location.number:
                yield path, self.bindings(path.start, state)

    def bindings(self, position: Position, state: State) -> dict[Term, Term]:
        """The variables of a free position, and its functions at each index, as they are in a state."""
        found = {term: value for term, value in self.pairs(position, state) if term.kind in (Kind.VAR, Kind.APPLY)}
        for term, value in found.items():
            assert term.low is None or term.low <= value.value, f"{term} is {value}"
            assert term.high is None or value.value <= term.high, f"{term} is {value}"
        return found

    def pairs(self, position: Position, state: State) -> Iterator[tuple[Term, Term]]:
        """What a position says in terms, beside what it is in a state."""
        for name, rules in self.world.game.states.items():
            for key, slot in zip(self.world.states[name].keys, self.layout.states[name].all_slots, strict=True):
                family = position.states[name]
                try:
                    value = family.read(tuple(map(number, key)))
                except Unsupported:
                    continue
                yield from self.parts(value, state.slots[slot], rules.type)
        for piece, slot in enumerate(state.where):
            yield position.places.slot_of(number(piece)), number(self.slot(slot))
        for (place, sort), family in position.places.counts.items():
            for key, slot in zip(self.world.places[place].keys, self.layout.places[place].all_slots, strict=True):
                count = sum(state.where[piece] == slot for piece in self.world.sorts[sort])
                value = family.read(tuple(map(number, key)))
                assert isinstance(value, Term)
                yield value, number(count)
        for place, family in position.places.holder.items():
            for key, slot in zip(self.world.places[place].keys, self.layout.places[place].all_slots, strict=True):
                lying = [piece for piece, there in enumerate(state.where) if there == slot]
                value = family.read(tuple(map(number, key)))
                assert isinstance(value, Term)
                yield value, number(lying[0]) if lying else NONE
        for seat, out in enumerate(position.out):
            yield out, truth(seat in state.slots[OUT])
        for variable, value in position.frame.items():
            if variable in self.layout.frame:
                held = state.slots[self.layout.frame[variable]]
                if held is not None or isinstance(variable.type, types.Optional):
                    yield from self.parts(value, held, variable.type)

    def parts(self, value: Value, held: Any, ty: Type) -> Iterator[tuple[Term, Term]]:
        if isinstance(value, Term):
            is_truth = isinstance(ty, types.Bool)
            yield value, truth(held) if is_truth else number(as_number(held))
        elif isinstance(value, Map):
            assert isinstance(ty, types.Map)
            for entry, part in zip(value.entries, held, strict=True):
                yield from self.parts(entry, part, ty.values)
        elif isinstance(value, Where):
            assert isinstance(ty, types.SetOf)
            for member in numbers_of(ty.of):
                yield value.member(number(member)), truth(member in [as_number(one) for one in held])
        elif isinstance(value, Listed) and isinstance(ty, types.SetOf):
            if not value.ordered:
                yield self.same(value, held, ty), YES
                return
            for place, (there, item) in enumerate(value.items):
                yield there, truth(place < len(held))
                assert isinstance(item, Term)
                if place < len(held):
                    yield item, number(as_number(held[place]))

    def same(self, value: Value, held: Any, ty: Type) -> Term:
        if held is None and not isinstance(ty, types.Optional):
            return NO
        if isinstance(value, Listed) and isinstance(ty, types.SetOf):
            return and_(
                *(value.member(self.world.constant(one, ty.of)) for one in held),
                eq(value.size, number(len(held))),
            )
        return and_(*(iff(a, b) if a.sort is b.sort else NO for a, b in self.parts(value, held, ty)))

    def slot(self, slot: int) -> int:
        """The number of an instance of a place, as this back end counts."""
        for name, family in self.layout.places.items():
            if family.base <= slot < family.end:
                return self.world.places[name].base + slot - family.base
        raise AssertionError(slot)

    def constant(self, state: State) -> Position:
        """A state as a position of constants."""
        path = next(path for path in self.paths.paths if path.source is None)
        states = {}
        for name, rules in self.world.game.states.items():
            keys = self.world.states[name].keys
            slots = self.layout.states[name].all_slots
            values = {
                k: self.world.constant(state.slots[slot], rules.type) for k, slot in zip(keys, slots, strict=True)
            }
            states[name] = Entries(values)
        where = Entries({(piece,): number(self.slot(slot)) for piece, slot in enumerate(state.where)})
        counts = {}
        for place, sort in path.start.places.counts:
            held = {}
            for key, slot in zip(self.world.places[place].keys, self.layout.places[place].all_slots, strict=True):
                held[key] = number(sum(state.where[piece] == slot for piece in self.world.sorts[sort]))
            counts[place, sort] = Entries(held)
        holder = {}
        for place in path.start.places.holder:
            lying = {}
            for key, slot in zip(self.world.places[place].keys, self.layout.places[place].all_slots, strict=True):
                found = [piece for piece, there in enumerate(state.where) if there == slot]
                lying[key] = number(found[0]) if found else NONE
            holder[place] = Entries(lying)
        places = replace(path.start.places, where=where, counts=counts, holder=holder, known={})
        out = tuple(truth(seat in state.slots[OUT]) for seat in self.world.seats)
        position = replace(path.start, states=states, places=places, out=out)
        if state.result is not None:
            winners, losers, _ = state.result
            seats = self.world.seats
            said = Result(tuple(truth(s in winners) for s in seats), tuple(truth(s in losers) for s in seats))
            position = replace(position, result=said)
        return position

    # ------------------------------------------------------------------------------------------------ asking

    def leads(self, path: Path, known: dict[Term, Term], after: State) -> bool:
        """Whether a path can end at a position."""
        end = self.end(path, after)
        return end is not NO and self.possible([*path.run.hypothesis(), end], known)

    def end(self, path: Path, after: State) -> Term:
        """That a path ends at a position."""
        if path.target is None:
            return NO
        location = self.paths.locations[path.target]
        if location.block != after.block or not self.fits(location, after):
            return NO
        run = path.run
        ends = [eq(a, b) for a, b in self.pairs(run.position, after)]
        if after.result is not None:
            assert run.position.result is not None
            for seat in self.world.seats:
                ends.append(eq(run.position.result.winners[seat], truth(seat in after.result[0])))
                ends.append(eq(run.position.result.losers[seat], truth(seat in after.result[1])))
        return and_(*ends)

    def fails(self, path: Path, known: dict[Term, Term]) -> bool:
        run = path.run
        return any(self.possible([*run.hypothesis(owed.assumed), not_(owed.test)], known) for owed in run.owed)

    def possible(self, tests: Sequence[Term], known: dict[Term, Term]) -> bool:
        functions = [eq(term, value) for term, value in known.items() if term.kind is Kind.APPLY]
        left = and_(*(substitute(test, known) for test in tests))
        if not left.is_const:
            left = and_(left, *functions)
        if left.is_const:
            return left is YES
        (reply,) = ask(script([left]), 20_000)
        assert reply.answer is not Verdict.UNKNOWN, reply.reason
        return reply.answer is Verdict.POSSIBLE
