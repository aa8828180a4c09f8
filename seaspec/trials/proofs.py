"""Proofs: which promises hold in all positions, by induction over the paths between locations.

What a promise says is split into *facts*, and each fact is supposed to hold at each location where it makes sense,
besides all that is known to hold already; then every path is looked at: do the facts at its beginning give each fact at
its end? What does not follow is dropped at that location, and what rested on it is looked at again, until nothing
changes. What is left holds in every position that a play can reach, for it holds at the beginning and every step keeps
it. A promise is proved if its facts are left wherever it is claimed. This is done promise by promise; conditions of the
rules themselves (tests, guards, values of names) are facts that help, too. What fails in some random play is not
supposed in the first place.

Only what a solver finds impossible counts: an answer that is not `unsat` drops the fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from seaspec.backends.symbolic.changes import by_change
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.paths import Location, Path, Paths, anything, at, beginning, explore_far
from seaspec.backends.symbolic.position import Position
from seaspec.backends.symbolic.runs import Moment, Run
from seaspec.backends.symbolic.smtlib import Script, script
from seaspec.backends.symbolic.solve import Answer, Reply
from seaspec.backends.symbolic.terms import NO, YES, Kind, Term, and_, post_order
from seaspec.backends.symbolic.world import World
from seaspec.core import flow, ir
from seaspec.core.ir import Claim
from seaspec.core.ops import Op
from seaspec.trials.facts import Fact, facts_of, first_values, helping_facts, reads, sharper, where_none_lie
from seaspec.trials.seen import Seen
from seaspec.trials.supposed import described

Solver = Callable[[Sequence[Script], int], Iterable[Sequence[Reply]]]
"""Answers questions in their order, a reply for each goal; what it has no time for is unknown. Also told: how patient
to be, as a multiple of the usual time."""

Given = list[tuple[Term, Fact | None]]
"""What may be relied on, with the fact that it says."""
CHUNK = 16
"""So many scripts are asked before it is looked at what came out."""
AT_ONCE = 12
"""So many goals are asked in one script at most."""
SEVERAL = 100
"""So many goals of a promise are tried before it is looked whether one fails."""
FEW, MANY = 8, 200
"""Types with at most so many values are written out."""
PATIENT = 4
"""How much more time there is for what decides a promise."""
LEMMA_TRIES = ((FEW, 1), (MANY, 4), (FEW, 20), (MANY, 20))
"""How many values are written out, and how much more time there is, when a lemma is tried."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What came out for a promise. `why`: where it failed, if it is not proved, and from which position."""

    name: str
    proved: bool
    why: str = ""


@dataclass(eq=False)
class _Goal:
    """Something to be shown: from what is given it follows."""

    given: Given
    goal: Term
    path: Path
    fact: Fact | None


def prove(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> dict[str, Proof]:
    """Try to prove promises: invariants, `always`, lemmas, `never stuck`; nothing is said of others.

    `go_on` is asked now and then whether there is time left.
    """
    provable = [promise for promise in wanted if is_provable(graph.game, promise)]
    return _Induction(graph, provable, solve, go_on).run()


def certificate(
    graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> Iterator[Script]:
    """All that the proofs of promises rest on: scripts in which every goal follows (each check answers `unsat`)."""
    provable = [promise for promise in wanted if is_provable(graph.game, promise)]
    induction = _Induction(graph, provable, solve, go_on)
    found = induction.run()
    names = [name for name, proof in found.items() if proof.proved]
    yield from induction.certificate(names)


def is_provable(game: ir.Game, promise: ir.Promise) -> bool:
    """Whether a proof may be tried: not of what is known to be false."""
    kinds = ir.Invariant | ir.Always | ir.Lemma | ir.NeverStuck
    return isinstance(promise, kinds) and not promise.myth and promise.name not in game.breaks


class _Induction:
    def __init__(
        self, graph: flow.Flow, wanted: Sequence[ir.Promise], solve: Solver, go_on: Callable[[], bool]
    ) -> None:
        self.graph = graph
        self.game = graph.game
        self.solve = solve
        self.go_on = go_on
        self.wanted = wanted
        self.paths = Paths(World(graph, FEW, False))
        self.why: dict[str, str] = {}
        self.facts: dict[str, list[Fact]] = {}
        self.lasting: list[Fact] = []
        """Those of them that are about one moment, and may hold at a location."""
        self.helping: dict[tuple[frozenset[str], tuple[ir.Variable, ...]], list[Fact]] = {}
        self.read_by: dict[Fact, frozenset[str]] = {}
        self.memo: dict[tuple[int, int], tuple[Term, Term] | None] = {}
        self.told: dict[int, list[Term]] = {}
        self.kept: list[object] = []
        self.given: dict[tuple[int, int, int], Given] = {}
        self.supposed: dict[Fact | None, tuple[Path, dict[str, int]]] = {}
        """Of facts that do not follow: a path that breaks them, from a position that the solver made up."""
        self.first_helped: ir.Promise | None = None
        self.patient = False
        self.shown: list[tuple[str, Sequence[_Goal]]] = []
        """What each proof comes down to at last, besides the induction."""

    def run(self) -> dict[str, Proof]:
        found: dict[str, Proof] = {}
        for lemma in self.wanted:
            if isinstance(lemma, ir.Lemma):
                self.decide(lemma, found, self.lemma)
        rest = [promise for promise in self.wanted if not isinstance(promise, ir.Lemma)]
        if not rest:
            return found
        try:
            self.prepare(rest)
        except Unsupported as unknown:
            where = f" ({unknown.where.span})" if unknown.where is not None else ""
            found.update({promise.name: Proof(promise.name, False, f"{unknown.what}{where}") for promise in rest})
            return found
        for self.patient in (False, True):
            for promise in rest:
                if promise.name not in found or (not found[promise.name].proved and self.go_on()):
                    self.first_helped = self.first_helped or promise
                    self.suppose(promise)
                    self.decide(promise, found, self.is_proved)
        return found

    def decide(self, promise: ir.Promise, found: dict[str, Proof], proves: Callable[[Any], bool]) -> None:
        """Note what comes out for a promise."""
        name = promise.name
        try:
            proved = proves(promise)
        except Unsupported as unknown:
            proved = False
            self.why[name] = unknown.what
        if not proved and not self.go_on():
            self.why[name] = "no time left"
        found[name] = Proof(name, proved, "" if proved else self.why.get(name, ""))

    def prepare(self, wanted: Sequence[ir.Promise]) -> None:
        """Find the locations and paths; split the promises."""
        self.world = World(self.graph, FEW, bool(self.game.pieces), self.go_on)
        watched = set()
        for promise in wanted:
            if isinstance(promise, ir.Invariant | ir.Always):
                self.facts[promise.name] = list(facts_of(self.game, promise))
            if isinstance(promise, ir.Invariant) or (isinstance(promise, ir.Always) and promise.after):
                self.lasting += self.facts[promise.name]
            if isinstance(promise, ir.Always):
                watched |= {procedure for procedure, _, _ in promise.after} & set(self.graph.routines)
        self.paths = explore_far(self.world, frozenset(watched))
        locations = [place for place in self.paths.locations if place.number not in self.paths.passed]
        self.first: dict[int, Run] = {place.number: at(self.world, place, frozenset(watched)) for place in locations}
        self.alive: dict[int, dict[Fact, None]] = {place.number: {} for place in locations}
        self.rests: dict[tuple[int, Fact], frozenset[Fact]] = {}
        self.beginning = beginning(self.world)
        self.none_lie = list(where_none_lie(self.game))
        self.firsts = list(first_values(self.game))
        self.seen = Seen(self.graph, frozenset(watched), self.go_on)

    # ------------------------------------------------------------------------------------------------ facts

    def running(self, location: Location) -> frozenset[str]:
        """The procedures that run at a location, and may still end."""
        backs = {routine.back: name for name, routine in self.graph.routines.items()}
        return frozenset(backs[name] for name in location.known if name in backs)

    def suppose(self, promise: ir.Promise) -> None:
        """Suppose more facts, besides those that hold already, and see what is left.

        They are what a promise says, also more sharply, and what the rules say of the places and states that it is
        about.
        """
        new: dict[int, dict[Fact, None]] = {}
        for location in self.paths.locations:
            if location.number in self.paths.passed:
                continue
            new[location.number] = {}
            for fact in self.candidates(location, promise):
                if fact in self.alive[location.number] or self.seen.speaks_against(fact, location):
                    continue
                found = self.read(fact, self.first[location.number].position)
                if found is not None and and_(*found) is not YES:
                    new[location.number][fact] = None
        for number, facts in new.items():
            self.alive[number].update(facts)
        self.settle(new)

    def candidates(self, location: Location, promise: ir.Promise) -> Iterator[Fact]:
        """What may hold at a location."""
        if self.is_over(location):
            return
        running = self.running(location)
        begun = self.first[location.number].position.begun
        own = [fact for fact in self.lasting if fact.after is None or (fact.after in running and fact.after in begun)]
        yield from (fact for fact in own if fact.promise == promise.name)
        frame = tuple(self.first[location.number].position.frame)
        key = (running, frame)
        if key not in self.helping:
            self.helping[key] = [*sharper(self.game, own), *self.firsts, *helping_facts(self.graph, running, frame)]
        if promise is self.first_helped:
            yield from self.none_lie
        about = self.about([fact for fact in own if fact.promise == promise.name])
        for fact in self.helping[key]:
            here = self.about([fact])
            if isinstance(promise, ir.NeverStuck) or here <= about or (_says_a_name(fact) and here & about):
                yield fact

    def about(self, facts: Sequence[Fact]) -> frozenset[str]:
        """The places and states that facts read."""
        found: frozenset[str] = frozenset()
        for fact in facts:
            if fact not in self.read_by:
                places, states, _ = reads(self.game, fact.test, *fact.guards)
                self.read_by[fact] = places | states
            found |= self.read_by[fact]
        return found

    def read(self, fact: Fact, position: Position, old: Position | None = None) -> tuple[Term, Term] | None:
        """A fact at a position, and that it has a value there; None if it can not be said."""
        key = (id(fact), id(position))
        if old is None and key in self.memo:
            return self.memo[key]
        told = self.told.setdefault(id(position), [])
        self.kept += (fact, position)
        try:
            found: tuple[Term, Term] | None = fact.read(self.world, position, told, old)
        except Unsupported:
            found = None
        if old is None:
            self.memo[key] = found
        return found

    # -------------------------------------------------------------------------------------------- induction

    def settle(self, new: dict[int, dict[Fact, None]]) -> None:
        """Drop what does not follow, until nothing changes. Facts that are not new hold without the new ones."""
        waiting = [
            (place, fact)
            for place, path in enumerate(self.paths.paths)
            if path.target is not None
            for fact in new[path.target]
        ]
        while waiting:
            if not self.go_on():
                self.give_up(new)
                return
            goals = self.steps(waiting)
            dropped: set[tuple[int, Fact]] = set()
            for (place, fact), used in zip(waiting, self.hold(goals), strict=True):
                target = self.paths.paths[place].target
                assert target is not None
                if used is not None:
                    self.rests[place, fact] = used
                elif fact in self.alive[target]:
                    del self.alive[target][fact]
                    dropped.add((target, fact))
            waiting = [
                (place, fact)
                for place, path in enumerate(self.paths.paths)
                for fact in self.targets(path)
                if any((path.source, other) in dropped for other in self.rests[place, fact])
            ]

    def give_up(self, new: dict[int, dict[Fact, None]]) -> None:
        """There is no time: of what is new nothing holds."""
        for number, facts in new.items():
            for fact in facts:
                self.alive[number].pop(fact, None)

    def targets(self, path: Path) -> Iterable[Fact]:
        return () if path.target is None else self.alive[path.target]

    def steps(self, asked: Iterable[tuple[int, Fact]]) -> list[_Goal]:
        """That facts hold at the ends of paths. What reading one of them names is known to all on that path."""
        read = [(self.paths.paths[place], fact) for place, fact in asked]
        ends = [self.at_end(path, fact) for path, fact in read]
        given: dict[Path, Given] = {}
        goals = []
        for (path, fact), found in zip(read, ends, strict=True):
            if path not in given:
                told: Given = [(term, None) for term in self.told.get(id(path.run.position), ())]
                given[path] = [*self.hypothesis(path), *told]
            goals.append(_Goal(given[path], NO if found is None else self.by_change(and_(*found), path), path, fact))
        return goals

    def at_end(self, path: Path, fact: Fact) -> tuple[Term, Term] | None:
        """A fact at the end of a path."""
        if path.source is not None and fact.is_untouched(self.game, path.start, path.run.position):
            return self.read(fact, path.start)
        return self.read(fact, path.run.position)

    def by_change(self, term: Term, path: Path) -> Term:
        """A goal at the end of a path: its sums by what has changed since the beginning."""
        known = (_names(term) for term, _ in self.known_at(path.source, path.start)) if path.source is not None else ()
        return by_change(term, frozenset[str]().union(*known))

    def hypothesis(self, path: Path, assumed: int | None = None) -> Given:
        """What is known on a path: how it came about, and what held where it began."""
        given: Given = [(term, None) for term in path.run.hypothesis(assumed)]
        if path.source is not None:
            given += self.known_at(path.source, path.start)
        return given

    def known_at(self, location: int, start: Position) -> Given:
        found: Given = []
        for fact in self.alive[location]:
            read = self.read(fact, start)
            if read is not None:
                found.append((read[0], fact))
        return [*((term, None) for term in self.told.get(id(start), ())), *found]

    def hold(self, goals: Sequence[_Goal], patience: int = 1) -> list[frozenset[Fact] | None]:
        """For each goal, None if it is not known to follow, else the facts that it rests on."""
        results = [_plainly(goal) for goal in goals]
        for simpler in (True, False):
            together: dict[tuple[int, int], list[int]] = {}
            for place, goal in enumerate(goals):
                if results[place] is None and goal.goal is not NO:
                    together.setdefault((id(goal.path), id(goal.given)), []).append(place)
            asked: list[tuple[list[int], Given]] = []
            for places in together.values():
                given = _simpler(goals[places[0]].given) if simpler else goals[places[0]].given
                if simpler and len(given) == len(goals[places[0]].given):
                    continue
                for at_once in (places[i : i + AT_ONCE] for i in range(0, len(places), AT_ONCE)):
                    asked.append((at_once, _relevant(given, [goals[place].goal for place in at_once])))
            for several in (asked[i : i + CHUNK] for i in range(0, len(asked), CHUNK)):
                self._ask(goals, several, results, patience)
        return results

    def _ask(
        self,
        goals: Sequence[_Goal],
        asked: Sequence[tuple[list[int], Given]],
        results: list[frozenset[Fact] | None],
        patience: int,
    ) -> None:
        """Ask some questions at once."""
        if not self.go_on():
            return
        questions = [
            script([term for term, _ in given], [goals[place].goal for place in places], thorough=patience > 1)
            for places, given in asked
        ]
        for (places, given), replies in zip(asked, self.solve(questions, patience), strict=True):
            for place, reply in zip(places, replies, strict=True):
                if reply.answer is Answer.IMPOSSIBLE:
                    used = (given[number][1] for number in reply.used)
                    results[place] = frozenset(fact for fact in used if fact is not None)
                elif reply.answer is Answer.POSSIBLE and goals[place].fact is not None:
                    self.supposed[goals[place].fact] = goals[place].path, reply.values

    # ---------------------------------------------------------------------------------------------- verdicts

    def is_proved(self, promise: ir.Promise) -> bool:
        match promise:
            case ir.Invariant(name, Claim.NODES | Claim.OUTSIDE, procedures):
                is_left = all(self.is_left(name, path, procedures) for path in self.paths.paths)
                return is_left and self.all_hold(name, self.at_nodes(name, procedures))
            case ir.Invariant(name, claim, procedures):
                ends = claim is Claim.AT_END
                return self.all_hold(name, self.at_moments(name, procedures, ends))
            case ir.Always(name, ()):
                return self.all_hold(name, (goal for path in self.paths.paths for goal in self.over_step(name, path)))
            case ir.Always(name):
                procedures = tuple(procedure for procedure, _, _ in promise.after)
                return self.all_hold(name, self.at_moments(name, procedures, True))
            case ir.NeverStuck(name):
                return self.all_hold(name, self.choices())
            case _:
                raise Unsupported("no proof is tried for a promise of this kind")

    def is_left(self, name: str, path: Path, outside: Sequence[str]) -> bool:
        """Whether the facts of an invariant are left where a path ends, if it is claimed there."""
        if path.target is None:
            return True
        location = self.paths.locations[path.target]
        if self.running(location) & set(outside) or self.is_over(location):
            return True
        for fact in self.facts[name]:
            read = self.read(fact, self.first[path.target].position)
            if read is None:
                self.why[name] = "it has no encoding"
                return False
            if fact not in self.alive[path.target] and and_(*read) is not YES:
                self.why[name] = self.hint(path, fact)
                return False
        return True

    def at_nodes(self, name: str, outside: Sequence[str]) -> Iterable[_Goal]:
        """The facts of an invariant where paths rest on the way, and where the game is over."""
        for path in self.paths.paths:
            for rest in path.run.rests:
                if not self.running(self.paths.locations[rest.location]) & set(outside):
                    given = self.hypothesis(path, rest.assumed)
                    yield from (self.goal(fact, path, given, rest.position) for fact in self.facts[name])
            if path.target is not None and self.is_over(self.paths.locations[path.target]):
                given = self.hypothesis(path)
                yield from (self.goal(fact, path, given, path.run.position) for fact in self.facts[name])

    def is_over(self, location: Location) -> bool:
        return isinstance(self.graph.blocks[location.block].exit, flow.Over)

    def hint(self, path: Path, fact: Fact | None) -> str:
        """What stands in the way of a proof: what may break it, and from which position, if that is known."""
        found, values = self.supposed.get(fact, (path, {}))
        said = described(self.world, found.start, self.beginning, values)
        what = f"{found.word} may break it"
        return f"{what}, from a position that no play may reach: {said}" if said else what

    def goal(self, fact: Fact, path: Path, given: Given, position: Position, old: Position | None = None) -> _Goal:
        read = self.read(fact, position, old)
        if read is None:
            raise Unsupported("it has no encoding")
        told = self.told.get(id(position), ())
        key = id(given), id(position), len(told)
        if key not in self.given:
            self.kept.append(given)
            self.given[key] = [*given, *((term, None) for term in told)]
        return _Goal(self.given[key], self.by_change(and_(*read), path), path, fact)

    def at_moments(self, name: str, procedures: Sequence[str], ends: bool) -> Iterable[_Goal]:
        """The facts of a promise where procedures begin or end."""
        for path in self.paths.paths:
            for moment in path.run.moments:
                if moment.procedure not in procedures or moment.ends is not ends:
                    continue
                given = self.hypothesis(path, moment.assumed)
                for fact in self.facts[name]:
                    if fact.after is not None and fact.after != moment.procedure:
                        continue
                    old = self.old_of(fact, moment)
                    yield self.goal(fact, path, given, moment.position, old)

    def old_of(self, fact: Fact, moment: Moment) -> Position | None:
        if fact.after is None:
            return None
        if moment.before is None:
            raise Unsupported("the moment when a procedure began")
        return moment.before

    def certificate(self, names: Sequence[str]) -> Iterator[Script]:
        """That the facts that are left are kept by every path, and that these promises follow from them."""
        for place, path in enumerate(self.paths.paths):
            goals = self.steps((place, fact) for fact in self.targets(path))
            yield from self._scripts(f"{self.place_of(path)}: what holds there is kept", goals)
        for name, goals_shown in self.shown:
            if name in names:
                yield from self._scripts(f"{name} follows", goals_shown)

    def place_of(self, path: Path) -> str:
        if path.source is None:
            return path.word
        location = self.paths.locations[path.source]
        return f"{path.word}, from place {path.source} in {self.graph.blocks[location.block].owner}"

    def _scripts(self, comment: str, goals: Sequence[_Goal]) -> Iterator[Script]:
        for goal in goals:
            if _plainly(goal) is None:
                given = _relevant(goal.given, [goal.goal])
                yield script([term for term, _ in given], [goal.goal], comment)

    def over_step(self, name: str, path: Path) -> Iterable[_Goal]:
        """The facts of a promise about each step."""
        if path.source is None or path.target is None:
            return
        before = path.start
        for rest in path.run.rests:
            given = self.hypothesis(path, rest.assumed)
            yield from (self.goal(fact, path, given, rest.position, before) for fact in self.facts[name])
            before = rest.position
        given = self.hypothesis(path)
        for fact in self.facts[name]:
            yield self.goal(fact, path, given, path.run.position, before)

    def choices(self) -> Iterable[_Goal]:
        """That there is something to choose, wherever somebody must."""
        for path in self.paths.paths:
            for owed in path.run.owed:
                if owed.stuck:
                    yield _Goal(self.hypothesis(path, owed.assumed), owed.test, path, None)

    def all_hold(self, name: str, goals: Iterable[_Goal]) -> bool:
        """Whether all goals follow. Those that do not soon are asked for again with patience, if it is the last try."""
        waiting, shown = iter(goals), list[_Goal]()
        while several := list(islice(waiting, SEVERAL)):
            open_ = [goal for goal, used in zip(several, self.hold(several), strict=True) if used is None]
            for goal in open_:
                if not self.patient or self.hold([goal], PATIENT)[0] is None:
                    self.why[name] = self.hint(goal.path, goal.fact)
                    return False
            shown += several
        self.shown.append((name, shown))
        return True

    def lemma(self, promise: ir.Lemma) -> bool:
        """A lemma at any position: with quantifiers, then written out."""
        counted = bool(self.game.pieces)
        for few, patience in LEMMA_TRIES:
            if self.lemma_in(promise, World(self.graph, few, counted, self.go_on), patience):
                return True
        self.why[promise.name] = "not shown for all positions"
        return False

    def lemma_in(self, promise: ir.Lemma, world: World, patience: int) -> bool:
        told: list[Term] = []
        run = Run(world, anything(world, told))
        run.told = told
        reader = run.reader()
        for param in promise.params:
            domain = reader.domain(param)
            value = world.free(param.variable.name, param.variable.type, told)
            reader.env[param.variable] = value
            run.assume(domain.member(value))
            if param.test is not None:
                run.assume(reader.test(param.test))
        before = len(reader.duties)
        test = reader.test(promise.test)
        goal = and_(test, *(duty.test for duty in reader.duties[before:]))
        given: Given = [(term, None) for term in run.hypothesis()]
        path = Path(None, "some position", run.position, run, None)
        goals = [_Goal(given, goal, path, None)]
        holds = self.hold(goals, patience)[0] is not None
        if holds:
            self.shown.append((promise.name, goals))
        return holds


def _says_a_name(fact: Fact) -> bool:
    """Whether a fact says what a name of the rules stands for."""
    return isinstance(fact.test, ir.Apply) and fact.test.op is Op.EQUAL and isinstance(fact.test.arguments[0], ir.Local)


def _plainly(goal: _Goal) -> frozenset[Fact] | None:
    """What a goal rests on, if it can be seen to follow without a solver."""
    if goal.goal is YES:
        return frozenset()
    known = dict(reversed(goal.given))
    parts = goal.goal.args if goal.goal.kind is Kind.AND else (goal.goal,)
    if not all(part in known for part in parts):
        return None
    used = (known[part] for part in parts)
    return frozenset(fact for fact in used if fact is not None)


def _simpler(given: Given) -> Given:
    """What is given without what says much at once of the way of a path (that there is an option, at its end)."""
    return [(term, fact) for term, fact in given if fact is not None or term.height <= 1]


def _relevant(given: Given, goals: Sequence[Term]) -> Given:
    """What has names in common with the goals, directly or by way of others."""
    left = list(dict(given).items())
    reached = {name for goal in goals for name in _names(goal)}
    chosen: Given = [(term, fact) for term, fact in left if not _names(term)]
    while True:
        here = [(term, fact) for term, fact in left if _names(term) & reached]
        if not here:
            return chosen
        chosen += here
        for term, _ in here:
            reached |= _names(term)
        taken = {term for term, _ in here}
        left = [(term, fact) for term, fact in left if term not in taken]


@lru_cache(100_000)
def _names(term: Term) -> frozenset[str]:
    return frozenset(p.name for p in post_order(term) if p.kind in (Kind.VAR, Kind.APPLY) and p.name[0] != "?")
