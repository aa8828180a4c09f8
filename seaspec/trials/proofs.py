"""Proofs: which promises hold in all positions, by induction over the paths between locations.

All promises are taken together. What they say is split into *facts*, and each fact is supposed to hold at each location
where it makes sense; then every path is looked at: do the facts at its beginning give each fact at its end? What does
not follow is dropped at that location, and what rested on it is looked at again, until nothing changes. What is left
holds in every position that a play can reach, for it holds at the beginning and every step keeps it. A promise is
proved if its facts are left wherever it is claimed. Conditions of the rules themselves (tests, guards, values of
names) are facts that help, if a first round without them is not enough; they are tried promise by promise.

Only what a solver finds impossible counts: an answer that is not `unsat` drops the fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.paths import Location, Path, Paths, anything, at, explore
from seaspec.backends.symbolic.position import Position
from seaspec.backends.symbolic.runs import Moment, Run
from seaspec.backends.symbolic.smtlib import Script, script
from seaspec.backends.symbolic.solve import Answer, Reply
from seaspec.backends.symbolic.terms import NO, YES, Kind, Term, and_, post_order
from seaspec.backends.symbolic.world import World
from seaspec.core import flow, ir
from seaspec.core.ir import Claim
from seaspec.trials.facts import Fact, facts_of, helping_facts, reads, sharper, where_none_lie

Solver = Callable[[Sequence[Script], int], Iterable[Sequence[Reply]]]
"""Answers questions in their order, a reply for each goal; what it has no time for is unknown. Also told: how patient
to be, as a multiple of the usual time."""

Given = list[tuple[Term, Fact | None]]
"""What may be relied on, with the fact that it says."""
CHUNK = 16
"""So many scripts are asked before it is looked at what came out."""
HOPELESS = 3
"""A fact that has had so many answers that nothing is known is given up."""
AT_ONCE = 12
"""So many goals are asked in one script at most."""
FEW, MANY = 8, 200
"""Types with at most so many values are written out."""
PATIENT, VERY_PATIENT = 4, 20
"""How much more time there is for what decides a promise."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What came out for a promise. `why`: where it failed, if it is not proved."""

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
        self.helping: dict[tuple[frozenset[str], tuple[ir.Variable, ...]], list[Fact]] = {}
        self.read_by: dict[Fact, frozenset[str]] = {}
        self.memo: dict[tuple[int, int], tuple[Term, Term] | None] = {}
        self.told: dict[int, list[Term]] = {}
        self.kept: list[object] = []
        self.given: dict[int, Given] = {}
        self.unknown: Counter[Fact | None] = Counter()
        self.first_helped: ir.Promise | None = None
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
        self.suppose(None)
        for promise in rest:
            self.decide(promise, found, self.is_proved)
        for again in range(2):
            for promise in rest:
                if not found[promise.name].proved and self.go_on():
                    if not again:
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
            if isinstance(promise, ir.Always):
                watched |= {procedure for procedure, _, _ in promise.after} & set(self.graph.routines)
        self.paths = explore(self.world, frozenset(watched))
        locations = self.paths.locations
        self.first: dict[int, Run] = {place.number: at(self.world, place, frozenset(watched)) for place in locations}
        self.alive: dict[int, dict[Fact, None]] = {place.number: {} for place in locations}
        self.rests: dict[tuple[int, Fact], frozenset[Fact]] = {}
        self.none_lie = list(where_none_lie(self.game))

    # ------------------------------------------------------------------------------------------------ facts

    def running(self, location: Location) -> frozenset[str]:
        """The procedures that run at a location, and may still end."""
        backs = {routine.back: name for name, routine in self.graph.routines.items()}
        return frozenset(backs[name] for name in location.known if name in backs)

    def suppose(self, promise: ir.Promise | None) -> None:
        """Suppose more facts, besides those that hold already, and see what is left.

        First what all promises say; then what may help a promise: what it says, more sharply, and what the rules say of
        the places and states that it is about.
        """
        new: dict[int, dict[Fact, None]] = {}
        for location in self.paths.locations:
            new[location.number] = {}
            for fact in self.candidates(location, promise):
                found = self.read(fact, self.first[location.number].position)
                if found is not None and and_(*found) is not YES and fact not in self.alive[location.number]:
                    new[location.number][fact] = None
        for number, facts in new.items():
            self.alive[number].update(facts)
        self.settle(new)

    def candidates(self, location: Location, promise: ir.Promise | None) -> Iterator[Fact]:
        """What may hold at a location."""
        if isinstance(self.graph.blocks[location.block].exit, flow.Over):
            return
        running = self.running(location)
        begun = self.first[location.number].position.begun
        own = [
            fact
            for facts in self.facts.values()
            for fact in facts
            if fact.after is None or (fact.after in running and fact.after in begun)
        ]
        if promise is None:
            yield from own
            return
        yield from (fact for fact in own if fact.promise == promise.name)
        frame = tuple(self.first[location.number].position.frame)
        key = (running, frame)
        if key not in self.helping:
            self.helping[key] = [*sharper(own), *helping_facts(self.graph, running, frame)]
        if promise is self.first_helped:
            yield from self.none_lie
        about = self.about([fact for fact in own if fact.promise == promise.name])
        for fact in self.helping[key]:
            if isinstance(promise, ir.NeverStuck) or self.about([fact]) <= about:
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
            self.given = {}
            goals = [self.step(place, fact) for place, fact in waiting]
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

    def step(self, place: int, fact: Fact) -> _Goal:
        """That a fact holds at the end of a path."""
        path = self.paths.paths[place]
        if path.source is not None and fact.is_untouched(self.game, path.start, path.run.position):
            found = self.read(fact, path.start)
        else:
            found = self.read(fact, path.run.position)
        if place not in self.given:
            told: Given = [(term, None) for term in self.told.get(id(path.run.position), [])]
            self.given[place] = [*self.hypothesis(path), *told]
        return _Goal(self.given[place], NO if found is None else and_(*found), path, fact)

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
        together: dict[tuple[int, int], list[int]] = {}
        for place, goal in enumerate(goals):
            if results[place] is None and goal.goal is not NO:
                together.setdefault((id(goal.path), id(goal.given)), []).append(place)
        asked: list[tuple[list[int], Given]] = []
        for places in together.values():
            for at_once in (places[i : i + AT_ONCE] for i in range(0, len(places), AT_ONCE)):
                given = _relevant(goals[at_once[0]].given, [goals[place].goal for place in at_once])
                asked.append((at_once, given))
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
        """Ask some questions at once. A fact for which there is never an answer in time is not asked for any more."""
        if not self.go_on():
            return
        questions: list[Script] = []
        places: list[tuple[list[int], Given]] = []
        for at_once, given in asked:
            hopeful = [place for place in at_once if self.unknown[goals[place].fact] < HOPELESS]
            if hopeful:
                questions.append(script([term for term, _ in given], [goals[place].goal for place in hopeful]))
                places.append((hopeful, given))
        for (hopeful, given), replies in zip(places, self.solve(questions, patience), strict=True):
            for place, reply in zip(hopeful, replies, strict=True):
                if reply.answer is Answer.IMPOSSIBLE:
                    used = (given[number][1] for number in reply.used)
                    results[place] = frozenset(fact for fact in used if fact is not None)
                elif reply.answer is Answer.UNKNOWN and goals[place].fact is not None:
                    self.unknown[goals[place].fact] += 1

    # ---------------------------------------------------------------------------------------------- verdicts

    def is_proved(self, promise: ir.Promise) -> bool:
        match promise:
            case ir.Invariant(name, Claim.NODES | Claim.OUTSIDE, procedures):
                return all(self.holds_at(name, path, procedures) for path in self.paths.paths)
            case ir.Invariant(name, claim, procedures):
                ends = claim is Claim.AT_END
                return self.all_hold(name, list(self.at_moments(name, procedures, ends)))
            case ir.Always(name, ()):
                return self.all_hold(name, [goal for path in self.paths.paths for goal in self.over_step(name, path)])
            case ir.Always(name):
                procedures = tuple(procedure for procedure, _, _ in promise.after)
                return self.all_hold(name, list(self.at_moments(name, procedures, True)))
            case ir.NeverStuck(name):
                return self.all_hold(name, list(self.choices()))
            case _:
                raise Unsupported("no proof is tried for a promise of this kind")

    def holds_at(self, name: str, path: Path, outside: Sequence[str]) -> bool:
        """Whether the facts of an invariant hold where a path ends."""
        if path.target is None:
            return True
        location = self.paths.locations[path.target]
        if outside and self.running(location) & set(outside):
            return True
        if isinstance(self.graph.blocks[location.block].exit, flow.Over):
            given = self.hypothesis(path)
            goals = [self.goal(fact, path, given, path.run.position) for fact in self.facts[name]]
            return self.all_hold(name, goals)
        alive = self.alive[path.target]
        for fact in self.facts[name]:
            read = self.read(fact, self.first[path.target].position)
            if read is None:
                self.why[name] = "it has no encoding"
                return False
            if fact not in alive and and_(*read) is not YES:
                self.why[name] = f"{path.word} may break it"
                return False
        return True

    def goal(self, fact: Fact, path: Path, given: Given, position: Position, old: Position | None = None) -> _Goal:
        read = self.read(fact, position, old)
        if read is None:
            raise Unsupported("it has no encoding")
        told: Given = [(term, None) for term in self.told.get(id(position), ())]
        return _Goal([*given, *told], and_(*read), path, fact)

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
            self.given = {}
            goals = [self.step(place, fact) for fact in self.targets(path)]
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
        given = self.hypothesis(path)
        for fact in self.facts[name]:
            yield self.goal(fact, path, given, path.run.position, path.start)

    def choices(self) -> Iterable[_Goal]:
        """That there is something to choose, wherever somebody must."""
        for path in self.paths.paths:
            for owed in path.run.owed:
                if owed.stuck:
                    yield _Goal(self.hypothesis(path, owed.assumed), owed.test, path, None)

    def all_hold(self, name: str, goals: Sequence[_Goal]) -> bool:
        for goal, holds in zip(goals, self.hold(goals, PATIENT), strict=True):
            if holds is None:
                self.why[name] = f"{goal.path.word} may break it"
                return False
        self.shown.append((name, goals))
        return True

    def lemma(self, promise: ir.Lemma) -> bool:
        """A lemma at any position: with quantifiers, then written out."""
        counted = bool(self.game.pieces)
        for few in (FEW, MANY):
            if self.lemma_in(promise, World(self.graph, few, counted, self.go_on)):
                return True
        self.why[promise.name] = "not shown for all positions"
        return False

    def lemma_in(self, promise: ir.Lemma, world: World) -> bool:
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
        holds = self.hold(goals, VERY_PATIENT)[0] is not None
        if holds:
            self.shown.append((promise.name, goals))
        return holds


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
