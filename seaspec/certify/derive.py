"""Facts are derived again: at each place where the game rests, by each way that leads there.

All facts that the certificate gives for a place are supposed where ways begin, and asked for where they end; what does
not follow is dropped there, and what began there is asked again, until nothing changes. So what is left holds in every
position of every play: at the beginning, and with each step. Then each promise is asked for, wherever it is claimed.
Where the certificate says that a proof took several steps in a row, what does not follow from one is asked of so many:
whatever led to where the last one begins is gone through, too.

A *place* is here a block where the game rests, and what of the frame is known there; the rest may be anything. Besides
the facts, it is tried that values lie in their types, and that rules which settle of themselves have nothing to do:
nothing of that is taken for granted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seaspec.certify import values as v
from seaspec.certify.position import Position, World
from seaspec.certify.reading import Reader, every
from seaspec.certify.rules import At, Rules, Said
from seaspec.certify.solving import Z3Exception, apart, denies, exchanged, fails_in, follows, script
from seaspec.certify.steps import Moment, Run, Walker, some_option
from seaspec.certify.values import Bool, TooLarge, Value, and_
from seaspec.core import flow, ir, types
from seaspec.core.definedness import BOOL, negated
from seaspec.core.ir import Claim, Expr, FoldKind, Variable

MOST_PLACES = 250
MOST_VALUES = 12
"""A number of the frame that may have more values is not told apart by them, if the certificate does not do it."""
MOST_BEFORE = 60
"""So many ways to the beginning of a step are looked at."""
NO_ENCODING = (TypeError, ValueError, LookupError, AttributeError, RecursionError, Z3Exception)
"""What is raised where values are of another sort than the encoding knows: nothing is shown then."""
NO_TIME = "there is no time left"
Asked = list[tuple[Sequence[Bool], Bool]]
"""What was supposed, and what followed."""


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


@dataclass(eq=False)
class _Place:
    """`terms`: of each fact that it holds there. `again`: the position with other `names`, each of them with the one
    that it stands for, where that is set apart."""

    block: int
    known: Mapping[Variable, Value]
    position: Position
    again: Position
    names: Sequence[tuple[Value, Value]]
    terms: dict[object, Bool] = field(default_factory=dict)


@dataclass(eq=False)
class _Path:
    source: _Place | None
    run: Run
    target: _Place | None


@dataclass(frozen=True, eq=False)
class _Goal:
    """What is to be shown on a path, after so many of its tests (None: all)."""

    path: _Path
    tests: int | None
    test: Bool


@dataclass(frozen=True)
class _Measured:
    """That what an `ends within` measures has not risen since its procedure began last; `step`: that it has fallen."""

    promise: ir.EndsWithin
    step: int


def derive(rules: Rules, wanted: Sequence[str], go_on: Callable[[], bool] = lambda: True) -> Derivation:
    """Derive again what the places of rules say, and the promises of these names."""
    promises = {promise.name: promise for promise in rules.game.rules.promises if promise.name in wanted}
    found = {name: Derived(name, False, "there is no such promise") for name in wanted}
    try:
        deriving = _Deriving(rules, list(promises.values()), go_on)
    except (TooLarge, *NO_ENCODING) as why:
        return Derivation(found | {name: Derived(name, False, _because(why)) for name in promises})
    try:
        deriving.explore()
        deriving.settle()
    except (TooLarge, *NO_ENCODING) as why:
        deriving.uncovered.append(_because(why))
    found |= {name: deriving.judge(promise) for name, promise in promises.items()}
    return Derivation(found, *deriving.counted(), len(deriving.places))


def _because(why: Exception) -> str:
    return str(why) if isinstance(why, TooLarge) else f"something in it has no encoding ({type(why).__name__})"


class _Deriving:
    """`before`: the paths that lead to each place. `trusted`: what was supposed in reading the steps from each.
    `uncovered`: why nothing is shown."""

    def __init__(self, rules: Rules, promises: Sequence[ir.Promise], go_on: Callable[[], bool]) -> None:
        self.graph = rules.graph
        self.game = rules.game.rules
        self.rules = rules
        self.go_on = go_on
        self.world = World(rules.graph)
        self.at: dict[int, list[At]] = {}
        for at in rules.places:
            self.at.setdefault(at.place.block, []).append(at)
        passed = {block for block, here in self.at.items() if all(at.place.passed for at in here)}
        watched = {name for p in promises if isinstance(p, ir.Always) for name, _, _ in p.after}
        self.walker = Walker(self.world, frozenset(passed), frozenset(watched & set(self.graph.routines)))
        self.told = {name for at in rules.places for name in at.known}
        self.told |= {routine.back for routine in self.graph.routines.values()}
        self.places: dict[object, _Place] = {}
        self.paths: list[_Path] = []
        self.before: dict[_Place, list[_Path]] = {}
        self.trusted: dict[_Place | None, list[Bool]] = {}
        self.uncovered: list[str] = []

    # ------------------------------------------------------------------------------------------------------- places

    def explore(self) -> None:
        """Find all places and ways."""
        waiting: list[_Place | None] = [None]
        while waiting:
            source = waiting.pop()
            if not self.go_on() or len(self.places) > MOST_PLACES:
                raise TooLarge(f"more than {MOST_PLACES} places where the game rests" if self.go_on() else NO_TIME)
            ways = self.walker.begin() if source is None else self.walker.from_node(source.position, source.block)
            self.walker.trusted = self.trusted[source] = []
            for run in ways:
                known = {name: one for name, one in run.position.frame.items() if self._is_told_apart(name, one)}
                said = sorted((id(name), repr(value)) for name, value in known.items())
                key = run.block, frozenset(run.position.frame), tuple(said), tuple(sorted(run.position.begun))
                if key not in self.places:
                    self.places[key] = place = self._place(run, known)
                    waiting.append(place)
                self.paths.append(_Path(source, run, self.places[key]))
                self.before.setdefault(self.places[key], []).append(self.paths[-1])

    def _is_told_apart(self, name: Variable, value: Value) -> bool:
        """Whether a value of the frame is known at a place; else anything of its type must stand for it."""
        ty = name.type
        many = types.size(ty) if isinstance(ty, types.Int) else 0
        if v.is_known(value) and (name in self.told or many <= MOST_VALUES):
            return True
        match ty:
            case types.Optional():
                return False
            case types.SetOf(of, ordered) if value is not None:
                group = v.group(value)
                if {member for member, _ in group.members} - set(v.listed(of)) or (group.ranks and not ordered):
                    raise TooLarge(f"the set {name.name}")
            case _:  # cautious: what has no value here is given up
                if value is None:
                    raise TooLarge(f"the name {name.name}, which may have no value")
        return False

    def _place(self, run: Run, known: Mapping[Variable, Value]) -> _Place:
        made, is_over = self.world.names.made, run.position.over
        start = len(made)
        first, again = (self._anything(run.position, known) for _ in range(2))
        count = (len(made) - start) // 2
        pairs = zip(made[start : start + count], made[start + count :], strict=True)
        place = _Place(run.block, known, first, again, [(new, apart(old)) for old, new in pairs])
        if not is_over and run.block not in self.at:
            self.uncovered.append(f"the certificate says nothing of a place in {self.graph.blocks[run.block].owner}")
        place.terms["ranks"] = self.world.ranked(first)
        for what in self._facts(place):
            term = self._holds(what, first)
            if term is not None and (term is not True or isinstance(what, Said)):
                place.terms[what] = term
        return place

    def _anything(self, like: Position, known: Mapping[Variable, Value]) -> Position:
        make = self.world.names.value
        frame = {name: known[name] if name in known else make(name.name, name.type) for name in like.frame}
        then = {}
        for procedure in sorted(like.begun):
            own = {name: make(f"then {name.name}", name.type) for name in self.graph.routines[procedure].params}
            then[procedure] = self.world.anything(own, False)
        return replace(self.world.anything(frame, like.over), begun=then)

    # -------------------------------------------------------------------------------------------------------- facts

    def _facts(self, place: _Place) -> Iterator[object]:
        """What may hold at a place."""
        position = place.position
        yield from (("in", None, what) for what in self.world.parts(position))
        for procedure, then in position.begun.items():
            yield from (("in", procedure, what) for what in self.world.parts(then))
            yield from (("kept", procedure, name) for name in then.frame.keys() & position.frame.keys())
        measuring = (p for p in self.game.promises if isinstance(p, ir.EndsWithin) and p.measure is not None)
        yield from (_Measured(promise, step) for promise in measuring for step in (0, 1))
        if not position.over:
            yield from map(_settled, self.game.whenevers)
        for said in self._said_at(place):
            if said.after is None or said.after in position.begun:
                yield said

    def _said_at(self, place: _Place) -> Iterator[Said]:
        """What the certificate says of a place; where it does not tell of this one, what it says of others like it."""
        frame, live = place.position.frame, self.graph.blocks[place.block].live

        def is_so(name: Variable, value: Value) -> bool:
            if name in place.known:
                return bool(place.known[name] == value)
            return name not in frame and (value is None or name not in live)

        here = self.at.get(place.block, [])
        meant = [at for at in here if all(is_so(name, value) for name, value in at.known.items())]
        yield from dict.fromkeys(said for at in meant or here for said in at.facts)

    def _holds(self, what: object, position: Position) -> Bool | None:
        """That a fact holds, has a value, and is read rightly; None if it has no encoding."""
        try:
            match what:
                case Said(_, test, after, names):
                    old = None if after is None else position.begun[after]
                    params = () if after is None else self.graph.routines[after].params
                    env = {n: old.frame[p] for n, p in zip(names, params, strict=False)} if old is not None else {}
                    return self._read(test, position, old, env)
                case _Measured(ir.EndsWithin(name, measure=measure), step) if measure is not None:
                    reader = Reader(self.world, position)
                    value = v.add(reader.value(measure), step)
                    return and_(value <= position.measured[name], *reader.owed, *reader.trusted)
                case "kept", str(procedure), Variable() as name:
                    then = position.begun[procedure].frame
                    return name in position.frame and v.same(position.frame[name], then[name], name.type)
                case "in", procedure, part:
                    there = position if procedure is None else position.begun[str(procedure)]
                    return v.ranges(*self.world.parts(there)[part])
                case _:  # cautious: it is no fact
                    return None
        except (TooLarge, *NO_ENCODING):
            return None

    def _read(
        self, test: Expr, position: Position, old: Position | None = None, env: Mapping[Variable, Value] | None = None
    ) -> Bool:
        reader = Reader(self.world, position, old)
        reader.env = dict(env or {})
        return and_(reader.value(test), *reader.owed, *reader.trusted)

    # ------------------------------------------------------------------------------------------------------ derived

    def settle(self) -> None:
        """Drop what does not follow, until nothing changes."""
        waiting = dict.fromkeys(self.paths)
        far: set[_Path] = set()
        """Ways at whose end something was shown over several steps."""
        while waiting:
            path = next(iter(waiting))
            del waiting[path]
            if not self.go_on():
                raise TooLarge(NO_TIME)
            gone, looked_back = self._gone(path)
            far |= {path} if looked_back else set()
            for what in gone:
                assert path.target is not None
                del path.target.terms[what]
            if gone:
                waiting.update((one, None) for one in self.paths if one.source is path.target or one in far)
        for source, trusted in self.trusted.items():  # steps were read rightly, by the ranges of values alone
            terms = {} if source is None else source.terms
            if not follows([term for what, term in terms.items() if not isinstance(what, Said)], and_(*trusted))[0]:
                raise TooLarge("a number that may lie outside of its range")

    def given(self, path: _Path, tests: int | None = None) -> list[Bool]:
        """What is supposed on a path, up to a point."""
        return [*(() if path.source is None else path.source.terms.values()), *path.run.tests[:tests]]

    def _gone(self, path: _Path) -> tuple[list[object], bool]:
        """The facts that do not follow at the end of a path; whether it took several steps for others."""
        assert path.target is not None
        found = {what: self._holds(what, path.run.position) for what in path.target.terms if what != "ranks"}
        goals = {what: False if goal is None else goal for what, goal in found.items()}
        left = {what: goal for what, goal in goals.items() if goal is not True}
        gone: list[object] = []
        given = self.given(path)
        while left:
            shown, model = follows(given, and_(*left.values()))
            if shown:
                break
            failing = [what for what, goal in left.items() if model is not None and fails_in(model, goal)]
            if not failing:  # a solver does not decide: one after the other
                gone += [what for what, goal in left.items() if not follows(given, goal)[0]]
                break
            gone += failing
            left = {what: goal for what, goal in left.items() if what not in set(failing)}
        if self.rules.over < 2:
            return gone, False
        stays = {what for what in gone if self._shown(_Goal(path, None, goals[what]))}
        return [what for what in gone if what not in stays], bool(stays)

    def _shown(self, goal: _Goal) -> Asked | None:
        """The questions by which a goal follows: of one step, or of as many in a row as the certificate says."""
        asked: Asked = []
        ways: list[tuple[_Path, ...]] = [(goal.path,)]
        while ways:
            way = ways.pop()
            given, test = self._in_a_row(way, goal)
            if follows(given, test)[0]:
                asked.append((given, test))
                continue
            source = way[-1].source
            most = len(way) >= self.rules.over or len(ways) + len(asked) > MOST_BEFORE
            if source is None or most or not self.go_on():
                return None
            ways += [(*way, before) for before in self.before[source]]
        return asked

    def _in_a_row(self, way: Sequence[_Path], goal: _Goal) -> tuple[list[Bool], Bool]:
        """What is supposed where paths come one after the other (the last first), and the goal at their end: each with
        names of its own, and what one begins with is what the one before it ends with."""
        given, test = self.given(goal.path, goal.tests), goal.test
        for path in way[1:]:
            assert path.target is not None
            joined = self.world.same(path.target.again, path.run.position)
            given = [*map(apart, given), exchanged(joined, path.target.names), *self.given(path)]
            test = apart(test)
        return given, test

    def counted(self) -> tuple[int, int]:
        """How many facts of the certificate hold at all places that they are about, of how many."""
        every: dict[Said, bool] = {}
        for place in self.places.values():
            for said in self._said_at(place):
                every[said] = every.get(said, True) and said in place.terms
        return sum(every.values()), len(every)

    # ----------------------------------------------------------------------------------------------------- promises

    def judge(self, promise: ir.Promise) -> Derived:
        """Whether a promise follows wherever it is claimed; the second solver is asked, too."""
        if self.uncovered and not isinstance(promise, ir.Lemma):
            return Derived(promise.name, False, self.uncovered[0])
        asked: Asked = []
        try:
            for goal in self._goals(promise):
                shown = self._shown(goal) if self.go_on() else None
                if shown is None:
                    return Derived(promise.name, False, self._way(goal.path) if self.go_on() else NO_TIME)
                asked += shown
        except (TooLarge, *NO_ENCODING) as why:
            return Derived(promise.name, False, _because(why))
        if any(not isinstance(goal, bool) and denies(script(given, goal)) for given, goal in asked):
            return Derived(promise.name, False, "cvc5 says the contrary of Z3", denied=True)
        return Derived(promise.name, True)

    def _goals(self, promise: ir.Promise) -> Iterator[_Goal]:
        match promise:
            case ir.Invariant(_, Claim.NODES | Claim.OUTSIDE, procedures, test):
                for path, tests, position, _ in self._rests():
                    if not any(self.graph.routines[p].back in position.frame for p in procedures):
                        yield _Goal(path, tests, self._read(test, position))
            case ir.Invariant(_, claim, procedures, test):
                for path, moment in self._moments(procedures, ends=claim is Claim.AT_END):
                    yield _Goal(path, moment.tests, self._read(test, moment.position))
            case ir.Always(_, (), test):
                for path in self.paths:
                    before = None if path.source is None else path.source.position
                    rests = [(one.tests, one.position) for one in path.run.moments if one.procedure is None]
                    for tests, here in (*rests, (None, path.run.position)):
                        if before is not None:
                            yield _Goal(path, tests, self._read(test, here, before))
                        before = here
            case ir.Always(_, after):
                for procedure, names, test in after:
                    params = self.graph.routines[procedure].params
                    for path, moment in self._moments((procedure,), ends=True):
                        old = moment.position.begun[procedure]
                        env = {n: old.frame[p] for n, p in zip(names, params, strict=False)}
                        yield _Goal(path, moment.tests, self._read(test, moment.position, old, env))
            case ir.NeverStuck():
                for path, tests, position, block in self._rests():
                    exit = self.graph.blocks[block].exit
                    if isinstance(exit, flow.Decision) and exit.nothing is None:
                        some = some_option(self.game, exit)
                        if some is None:
                            raise TooLarge("whether there is anything to choose")
                        yield _Goal(path, tests, self._read(some, position))
            case ir.EndsWithin(measure=measure) if measure is not None:
                for path, moment in self._moments((promise.procedure,), ends=False):
                    yield _Goal(path, moment.tests, moment.falls[promise.name])
            case ir.Lemma(_, params, test):  # at any position at all whose values lie in their types
                binders = [ir.Binder(p.variable, p.domain or every(p.variable.type), p.test) for p in params]
                run = Run(self.world.anything({}, over=True), 0)  # somebody may have won then, or nobody
                parts = self.world.parts(run.position).values()
                run.tests = [self.world.ranked(run.position), *(v.ranges(*part) for part in parts)]
                trusted: list[Bool] = []
                self.walker.trusted = trusted
                for bound, reader in self.walker.bound(run, Reader(self.world, run.position), binders):
                    yield _Goal(_Path(None, bound, None), None, self._read(test, run.position, None, reader.env))
                yield _Goal(_Path(None, run, None), None, and_(*trusted))
            case _:  # cautious: it is not derived, and that is said
                raise TooLarge("proofs of promises of this kind have no facts")

    def _way(self, path: _Path) -> str:
        begins = "the beginning" if path.source is None else self.walker.line(path.source.block)
        return f"from {begins} to {'anywhere' if path.target is None else self.walker.line(path.target.block)}"

    def _rests(self) -> Iterator[tuple[_Path, int | None, Position, int]]:
        """Where the game rests: on the way, and at the ends of ways."""
        for path in self.paths:
            for moment in path.run.moments:
                if moment.procedure is None:
                    yield path, moment.tests, moment.position, moment.block
            yield path, None, path.run.position, path.run.block

    def _moments(self, procedures: Sequence[str], *, ends: bool) -> Iterator[tuple[_Path, Moment]]:
        for path in self.paths:
            for moment in path.run.moments:
                if moment.procedure in procedures and moment.ends is ends:
                    yield path, moment


def _settled(rule: ir.Whenever) -> Said:
    """That a rule which settles of itself has nothing to do, as it should be wherever the game rests."""
    fires = ir.Fold(BOOL, FoldKind.SOME, rule.witnesses, rule.test) if rule.witnesses else rule.test
    return Said(f"{rule.name} has settled", negated(fires))
