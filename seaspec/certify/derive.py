"""Facts are derived again: at each place where the game rests, by each way that leads there.

All facts that the certificate gives for a place are supposed where ways begin, and asked for where they end; what does
not follow is dropped there, and what began there is asked again, until nothing changes. So what is left holds in every
position of every play: at the beginning, and with each step. Then each promise is asked for, wherever it is claimed.

A *place* is here a block where the game rests, and what of the frame is known there; the rest may be anything. Besides
the facts, it is tried that values lie in their types, and that rules which settle of themselves have nothing to do:
nothing of that is taken for granted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from seaspec.certify import asking
from seaspec.certify import values as v
from seaspec.certify.position import Position, World
from seaspec.certify.reading import Reader
from seaspec.certify.rules import At, Rules, Said
from seaspec.certify.solving import PATIENT, Z3Exception, denies, fails_in, follows, script
from seaspec.certify.steps import Moment, Run, Walker, Way
from seaspec.certify.values import Bool, TooLarge, Value, and_, implies
from seaspec.core import flow, ir, types
from seaspec.core.ir import Claim, Expr, FoldKind, Variable
from seaspec.core.ops import Op

MOST_PLACES = 250
NO_ENCODING = (TypeError, ValueError, LookupError, RecursionError, Z3Exception)
"""What is raised where values are of another sort than the encoding knows: nothing is shown then."""
MOST_VALUES = 12
"""A name that has more values at one block is not told apart by them."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What came out for a promise: whether it was derived again; why not. `denied`: cvc5 says the contrary of Z3."""

    name: str
    again: bool
    why: str = ""
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Derivation:
    """What came out for all promises that the certificate names, and for how many facts, of how many."""

    promises: Mapping[str, Derived]
    facts: int = 0
    of: int = 0
    places: int = 0


@dataclass(frozen=True, eq=False)
class _Fact:
    """Something that may hold at a place; `said` None: that a value lies in its type."""

    what: object
    read: Callable[[Position], tuple[Bool, Bool, Bool]]
    """Whether it holds, whether it has a value, whether the reading is right."""
    said: Said | None


@dataclass(eq=False)
class _Place:
    number: int
    block: int
    position: Position
    known: Mapping[Variable, Value]
    facts: dict[object, _Fact] = field(default_factory=dict)
    terms: dict[object, Bool] = field(default_factory=dict)
    """Of each fact: that it holds there."""


@dataclass(eq=False)
class _Path:
    source: _Place | None
    run: Run
    target: _Place


def derive(rules: Rules, wanted: Sequence[str], go_on: Callable[[], bool] = lambda: True) -> Derivation:
    """Derive again what the places of rules say, and the promises of these names."""
    promises = {promise.name: promise for promise in rules.game.rules.promises if promise.name in wanted}
    found = {name: Derived(name, False, "there is no such promise") for name in wanted}
    try:
        deriving = _Deriving(rules, list(promises.values()), go_on)
        deriving.explore()
        deriving.settle()
    except (TooLarge, *NO_ENCODING) as why:
        found |= {name: Derived(name, False, _because(why)) for name in promises}
        lemmas = [promise for promise in promises.values() if isinstance(promise, ir.Lemma)]
        found |= {lemma.name: _lemma(rules, lemma) for lemma in lemmas}
        return Derivation(found)
    found |= {name: deriving.judge(promise) for name, promise in promises.items()}
    return Derivation(found, *deriving.counted(), len(deriving.places))


def _lemma(rules: Rules, lemma: ir.Lemma) -> Derived:
    """A lemma, at any position at all whose values lie in their types."""
    try:
        world = World(rules.graph)
        position = world.anything("", {}, world.names.bool("over"))
        reader = Reader(world, position)
        given = [test for _, test in world.in_range(position)]
        for param in lemma.params:
            value = reader.env[param.variable] = world.names.value(param.variable.name, param.variable.type)
            given.append(v.ranges(value, param.variable.type))
            if param.domain is not None:
                members = reader.domain(param.domain).members
                given.append(v.or_(*(and_(there, v.equal(value, one)) for one, there in members)))
            if param.test is not None:
                given.append(reader.test(param.test))
        before = len(reader.owed)
        test = reader.test(lemma.test)
        goal = and_(test, *reader.owed[before:])
        return _asked(lemma.name, [(given, and_(goal, *reader.trusted), "it does not follow")])
    except (TooLarge, *NO_ENCODING) as why:
        return Derived(lemma.name, False, _because(why))


def _because(why: Exception) -> str:
    return str(why) if isinstance(why, TooLarge) else f"something in it has no encoding ({type(why).__name__})"


def _asked(name: str, goals: Sequence[tuple[Sequence[Bool], Bool, str]]) -> Derived:
    """Whether all goals follow; the second solver is asked, too."""
    for given, goal, where in goals:
        if not follows(given, goal)[0]:
            return Derived(name, False, where)
    for given, goal, where in goals:
        if not isinstance(goal, bool) and denies(script(given, goal)):
            return Derived(name, False, f"{where}: cvc5 says the contrary of Z3", denied=True)
    return Derived(name, True)


class _Deriving:
    def __init__(self, rules: Rules, promises: Sequence[ir.Promise], go_on: Callable[[], bool]) -> None:
        self.rules = rules
        self.graph = rules.graph
        self.game = rules.game.rules
        self.go_on = go_on
        self.world = World(rules.graph)
        self.at: dict[int, list[At]] = {}
        for at in rules.places:
            self.at.setdefault(at.block, []).append(at)
        passed = {block for block, here in self.at.items() if all(at.passed for at in here)}
        watched = {name for p in promises if isinstance(p, ir.Always) for name, _, _ in p.after}
        self.watched = frozenset(watched & set(self.graph.routines))
        self.walker = Walker(self.world, frozenset(passed), self.watched)
        self.places: list[_Place] = []
        self.paths: list[_Path] = []
        self.numbers: dict[object, _Place] = {}
        self.loose: set[tuple[int, Variable]] = set()
        self.uncovered: list[str] = []
        self.settled = [_settled(rule) for rule in self.game.whenevers]

    # ------------------------------------------------------------------------------------------------------- places

    def explore(self) -> None:
        """Find all places and ways; where a name has too many values, they are not told apart, and all is done anew."""
        while not self._explored():
            pass

    def _explored(self) -> bool:
        self.places, self.paths, self.numbers, self.uncovered = [], [], {}, []
        for way in self.walker.begin():
            self._add(None, way)
        done = 0
        while done < len(self.places):
            if not self.go_on():
                raise TooLarge("there is no time left")
            if len(self.places) > MOST_PLACES:
                raise TooLarge(f"more than {MOST_PLACES} places where the game rests")
            place = self.places[done]
            done += 1
            if isinstance(self.graph.blocks[place.block].exit, flow.Over | flow.Outside):
                continue
            for way in self.walker.from_node(place.position, place.block):
                self._add(place, way)
            if self._loosens(place.block):
                return False
        return True

    def _loosens(self, block: int) -> bool:
        """Whether some name has too many values at a block: the one that has most is let go."""
        here = [place for place in self.places if place.block == block]
        values: dict[Variable, set[object]] = {}
        for place in here:
            for name, value in place.known.items():
                if not self._is_back(name):
                    values.setdefault(name, set()).add(value)
        most = max(values, key=lambda name: len(values[name]), default=None)
        if most is None or len(values[most]) <= MOST_VALUES:
            return False
        self.loose |= {(number, most) for number in range(len(self.graph.blocks))}
        return True

    def _is_back(self, name: Variable) -> bool:
        return any(routine.back is name for routine in self.graph.routines.values())

    def _add(self, source: _Place | None, way: Way) -> None:
        frame = way.run.position.frame
        known = {
            name: value for name, value in frame.items() if v.is_known(value) and (way.block, name) not in self.loose
        }
        begun = tuple(sorted(way.run.position.begun))
        key = way.block, frozenset(frame), tuple(sorted((id(n), repr(one)) for n, one in known.items())), begun
        if key not in self.numbers:
            for name in frame:
                if name not in known:
                    _check(frame[name], name)
            self.numbers[key] = self._place(way.block, known, tuple(frame), begun)
        else:
            for name in frame:
                if name not in known:
                    _check(frame[name], name)
        self.paths.append(_Path(source, way.run, self.numbers[key]))

    def _place(
        self, block: int, known: Mapping[Variable, Value], names: Sequence[Variable], begun: Sequence[str]
    ) -> _Place:
        world = self.world
        frame = {name: known[name] if name in known else world.names.value(name.name, name.type) for name in names}
        is_over = isinstance(self.graph.blocks[block].exit, flow.Over)
        position = world.anything("", frame, is_over)
        if is_over:
            position = replace(position, over=True)
        then = {}
        for procedure in begun:
            params = self.graph.routines[procedure].params
            own = {name: world.names.value(f"then {name.name}", name.type) for name in params}
            then[procedure] = world.anything(f"{procedure}.", own, False)
        position = replace(position, begun=then)
        place = _Place(len(self.places), block, position, known)
        self.places.append(place)
        for fact in self._facts(place):
            place.facts[fact.what] = fact
        if not is_over and block not in self.at:
            self.uncovered.append(f"the certificate says nothing of a place in {self.graph.blocks[block].owner}")
        return place

    # -------------------------------------------------------------------------------------------------------- facts

    def _facts(self, place: _Place) -> Iterator[_Fact]:
        for what in dict(self.world.in_range(place.position)):
            yield _Fact(what, partial(self._in_range, what, None), None)
        for procedure, then in place.position.begun.items():
            for what in dict(self.world.in_range(then)):
                yield _Fact((procedure, what), partial(self._in_range, what, procedure), None)
            for variable in then.frame:
                if variable in place.position.frame:
                    yield _Fact((procedure, "kept", variable), partial(_kept, procedure, variable), None)
        for name in place.position.measured:
            for step in (0, 1):
                yield _Fact(("measured", name, step), partial(self._measured, name, step), None)
        if not place.position.over:
            for rule in self.settled:
                yield _Fact((rule, ()), partial(self._said, rule, ()), rule)
        for at in self.at.get(place.block, ()):
            for guard in self._conditions(at, place):
                for said in at.facts:
                    if said.after is None or said.after in place.position.begun:
                        what = said, tuple((name, repr(value)) for name, value in guard)
                        yield _Fact(what, partial(self._said, said, guard), said)

    def _conditions(self, at: At, place: _Place) -> Iterator[Sequence[tuple[Variable, Value]]]:
        """Under which conditions on the frame a place of the certificate is this one; nothing, if it is not."""
        guard = []
        for name, value in at.known.items():
            if name in place.known:
                if place.known[name] != value:
                    return
            elif name in place.position.frame:
                guard.append((name, value))
            elif value is not None and name in self.graph.blocks[place.block].live:
                return
        yield tuple(guard)

    def _in_range(self, what: object, procedure: str | None, here: Position) -> tuple[Bool, Bool, Bool]:
        position = here if procedure is None else here.begun[procedure]
        return dict(self.world.in_range(position)).get(what, True), True, True

    def _measured(self, name: str, step: int, position: Position) -> tuple[Bool, Bool, Bool]:
        promise = next(p for p in self.game.promises if p.name == name)
        assert isinstance(promise, ir.EndsWithin)
        if promise.measure is None:
            return True, True, True
        reader = Reader(self.world, position)
        return v.at_most(v.add(reader.value(promise.measure), step), position.measured[name]), *_right(reader)

    def _said(self, said: Said, guard: Sequence[tuple[Variable, Value]], position: Position) -> tuple[Bool, Bool, Bool]:
        there = and_(*(v.same(position.frame.get(name), value, name.type) for name, value in guard))
        if there is False:
            return True, True, True
        old = None if said.after is None else position.begun[said.after]
        reader = Reader(self.world, position, old)
        if old is not None and said.after is not None:
            params = self.graph.routines[said.after].params
            reader.env = {n: old.frame[p] for n, p in zip(said.names, params, strict=False)}
        with reader.under(there):
            test = implies(there, reader.test(said.test))
        return test, *_right(reader)

    # ------------------------------------------------------------------------------------------------------ derived

    def settle(self) -> None:
        """Drop what does not follow, until nothing changes."""
        for place in self.places:
            for what, fact in list(place.facts.items()):
                try:
                    holds, has_value, is_right = fact.read(place.position)
                except (TooLarge, *NO_ENCODING):
                    del place.facts[what]
                    continue
                place.terms[what] = implies(is_right, and_(holds, has_value))
        waiting = dict.fromkeys(range(len(self.paths)))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            if not self.go_on():
                raise TooLarge("there is no time left")
            path = self.paths[number]
            if self._drops(path):
                waiting.update((other, None) for other, one in enumerate(self.paths) if one.source is path.target)

    def given(self, path: _Path, tests: int | None = None) -> list[Bool]:
        """What is supposed on a path, up to a point."""
        source = path.source
        held = [] if source is None else [source.terms[what] for what in source.facts]
        return [*held, *path.run.tests[:tests]]

    def _drops(self, path: _Path) -> bool:
        """Drop the facts that do not follow at the end of a path; whether there are any."""
        target, given = path.target, self.given(path)
        goals: dict[object, Bool] = {}
        gone: list[object] = []
        is_right = self._is_right(path)
        for what, fact in target.facts.items():
            try:
                holds, has_value, right = fact.read(path.run.position)
                goals[what] = and_(holds, has_value, right)
            except (TooLarge, *NO_ENCODING):
                goals[what] = False
        gone = [what for what, goal in goals.items() if goal is False or not is_right]
        left = {what: goal for what, goal in goals.items() if what not in set(gone) and goal is not True}
        while left:
            every, model = follows(given, and_(*left.values()), PATIENT)
            if every:
                break
            failing = [what for what, goal in left.items() if model is not None and fails_in(model, goal)]
            if not failing:  # a solver does not decide: one after the other
                failing = [what for what, goal in left.items() if not follows(given, goal)[0]]
                gone += failing
                break
            gone += failing
            left = {what: goal for what, goal in left.items() if what not in set(failing)}
        if gone and follows(given, False)[0]:
            return False  # nobody can go this way
        for what in gone:
            del target.facts[what]
        return bool(gone)

    def _is_right(self, path: _Path) -> bool:
        """Whether the steps of a path were read rightly: what was trusted follows from the ranges of values alone."""
        source = path.source
        held = [] if source is None else [source.terms[w] for w, f in source.facts.items() if f.said is None]
        return follows(held, and_(*path.run.trusted))[0]

    def counted(self) -> tuple[int, int]:
        """How many facts of the certificate hold at all places that they are about, of how many."""
        every: dict[Said, bool] = {}
        for place in self.places:
            for at in self.at.get(place.block, ()):
                for guard in self._conditions(at, place):
                    for said in at.facts:
                        what = said, tuple((name, repr(value)) for name, value in guard)
                        every[said] = every.get(said, True) and what in place.facts
        return sum(every.values()), len(every)

    # ----------------------------------------------------------------------------------------------------- promises

    def judge(self, promise: ir.Promise) -> Derived:
        """Whether a promise follows wherever it is claimed."""
        if isinstance(promise, ir.Lemma):
            return _lemma(self.rules, promise)
        if self.uncovered:
            return Derived(promise.name, False, self.uncovered[0])
        try:
            goals = list(self._goals(promise))
        except (TooLarge, *NO_ENCODING) as why:
            return Derived(promise.name, False, _because(why))
        return _asked(promise.name, goals)

    def _goals(self, promise: ir.Promise) -> Iterator[tuple[Sequence[Bool], Bool, str]]:
        match promise:
            case ir.Invariant(_, Claim.NODES | Claim.OUTSIDE, procedures, test):
                for path, tests, position, _ in self._rests():
                    if not any(self.graph.routines[p].back in position.frame for p in procedures):
                        yield self._goal(path, tests, position, test)
            case ir.Invariant(_, claim, procedures, test):
                for path, moment in self._moments(procedures, ends=claim is Claim.AT_END):
                    yield self._goal(path, moment.tests, moment.position, test)
            case ir.Always(_, (), test):
                for path in self.paths:
                    before = None if path.source is None else path.source.position
                    rests = [one for one in path.run.moments if one.procedure is None]
                    for tests, here in (*((one.tests, one.position) for one in rests), (None, path.run.position)):
                        if before is not None:
                            yield self._goal(path, tests, here, test, before)
                        before = here
            case ir.Always(_, after):
                for procedure, names, test in after:
                    params = self.graph.routines[procedure].params
                    for path, moment in self._moments((procedure,), ends=True):
                        old = moment.position.begun.get(procedure)
                        if old is None:
                            raise TooLarge(f"where {procedure} began")
                        env = {n: old.frame[p] for n, p in zip(names, params, strict=False)}
                        yield self._goal(path, moment.tests, moment.position, test, old, env)
            case ir.NeverStuck():
                for path, tests, position, block in self._rests():
                    exit = self.graph.blocks[block].exit
                    if isinstance(exit, flow.Decision) and exit.nothing is None:
                        there = asking.is_anything(self.world, Run(position), exit)
                        if there is None:
                            raise TooLarge("whether there is anything to choose")
                        there = and_(there, self._is_right(path))
                        yield self.given(path, tests), there, f"a choice in {self.graph.blocks[block].owner}"
            case ir.EndsWithin(measure=measure) if measure is not None:
                for path in self.paths:
                    for claimed in path.run.claimed:
                        if claimed.promise == promise.name:
                            falls = and_(claimed.test, self._is_right(path))
                            yield self.given(path, claimed.tests), falls, self._way(path)
            case _:  # cautious: it is not derived, and that is said
                raise TooLarge("proofs of promises of this kind have no facts")

    def _goal(
        self,
        path: _Path,
        tests: int | None,
        position: Position,
        test: Expr,
        old: Position | None = None,
        env: Mapping[Variable, Value] | None = None,
    ) -> tuple[Sequence[Bool], Bool, str]:
        reader = Reader(self.world, position, old)
        reader.env = dict(env or {})
        goal = and_(self._is_right(path), reader.test(test), *reader.owed, *reader.trusted)
        return self.given(path, tests), goal, self._way(path)

    def _way(self, path: _Path) -> str:
        begins = "the beginning" if path.source is None else self._said_of(path.source)
        return f"from {begins} to {self._said_of(path.target)}"

    def _said_of(self, place: _Place) -> str:
        block = self.graph.blocks[place.block]
        source = getattr(block.exit, "source", None)
        return str(source.span) if isinstance(source, ir.Source) else f"the end ({block.owner})"

    def _rests(self) -> Iterator[tuple[_Path, int | None, Position, int]]:
        """Where the game rests: on the way, and at the ends of ways."""
        for path in self.paths:
            for moment in path.run.moments:
                if moment.procedure is None:
                    yield path, moment.tests, moment.position, moment.block
            yield path, None, path.run.position, path.target.block

    def _moments(self, procedures: Sequence[str], *, ends: bool) -> Iterator[tuple[_Path, Moment]]:
        for path in self.paths:
            for moment in path.run.moments:
                if moment.procedure in procedures and moment.ends is ends:
                    yield path, moment


def _settled(rule: ir.Whenever) -> Said:
    """That a rule which settles of itself has nothing to do, as it should be wherever the game rests."""
    fires = ir.Fold(types.Bool(), FoldKind.SOME, rule.witnesses, rule.test) if rule.witnesses else rule.test
    return Said(f"{rule.name} has settled", ir.Apply(types.Bool(), Op.NOT, (fires,)))


def _right(reader: Reader) -> tuple[Bool, Bool]:
    """Whether what was read has a value, and whether it was read rightly."""
    return and_(*reader.owed), and_(*reader.trusted)


def _kept(procedure: str, name: Variable, position: Position) -> tuple[Bool, Bool, Bool]:
    then = position.begun[procedure].frame
    if name not in then or name not in position.frame:
        return False, True, True
    return v.same(position.frame[name], then[name], name.type), True, True


def _check(value: Value, name: Variable) -> None:
    """Whether a value may be let go: that anything of its type stands for it."""
    ty: Any = name.type
    if isinstance(ty, types.Optional):
        return
    if value is None or isinstance(value, v.Maybe):
        raise TooLarge(f"the name {name.name}, which may have no value")
    if isinstance(ty, types.SetOf):
        members = v.group(value)
        outside = {member for member, _ in members.members} - set(v.listed(ty.of))
        if outside or (isinstance(value, tuple) and ty.ordered is False and value != types.as_set(value)):
            raise TooLarge(f"the set {name.name}")
        if not members.in_order and not ty.ordered:
            raise TooLarge(f"the order of {name.name}")
