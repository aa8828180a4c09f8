"""Induction over the paths between locations: which promises hold in all positions that a play can reach.

What a promise says is split into *facts*, and each fact is supposed to hold at each location where it makes sense,
besides all that is known to hold already; then every path is looked at: do the facts at its beginning give each fact at
its end? What does not follow is dropped at that location, and what rested on it is looked at again, until nothing
changes. What is left holds in every position that a play can reach, for it holds at the beginning and every step keeps
it. A promise is proved if its facts are left wherever it is claimed. This is done promise by promise; conditions of the
rules themselves (tests, guards, values of names) are facts that help, too. What fails in some random play is not
supposed in the first place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import NO, YES, Term, made
from seaspec.backends.symbolic.paths.apart import explore_apart
from seaspec.backends.symbolic.paths.paths import (
    Location,
    Path,
    Paths,
    at,
    beginning,
    explore_cut,
)
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.changes import by_change
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow, ir
from seaspec.core.ir import Claim
from seaspec.prove import lemmas
from seaspec.prove.cone import idle_variables
from seaspec.prove.entail import Entailment, Given, Goal, Solver, in_waves, names
from seaspec.prove.explain.grounds import Ground, Rooted, grounds, in_words, rooted
from seaspec.prove.explain.supposed import described
from seaspec.prove.facts import Fact, Reading, facts_of, told_with
from seaspec.prove.lookback import NOTHING, Behind, Shown
from seaspec.prove.miners.candidates import Candidates, Help
from seaspec.prove.obligations import Claims
from seaspec.prove.proof import FROM_A_POSITION, Proof
from seaspec.prove.refute import Seen
from seaspec.prove.related import outside_of, procedures_of
from seaspec.prove.stuck import Offered
from seaspec.prove.termination import OF_WHOLE_PLAYS, AtBegin, Between, Provable

SEVERAL = 100
"""So many goals of a promise are tried before it is looked whether one fails."""
MOST_BLOCKS, MOST_WORK_ON_WAYS = 30_000, 4_000_000
"""So many blocks are gone through, and so many terms are made, to find all ways through the rules."""
MOST_WORK = 1_000_000
"""So many terms are made for one promise at a time; what it would say more is not looked at."""
MOST_TO_HELP, MOST_OF_GUARD = 2_800, 12_000
"""A fact that only helps is not supposed if it takes more terms to be read; guards are few, and most worth it."""
PATIENT = 4
"""How much more time there is for what decides a promise."""


class Induction:
    def __init__(
        self,
        graph: flow.Flow,
        wanted: Sequence[Provable],
        solve: Solver,
        go_on: Callable[[], bool],
        alike: bool,
        sight: frozenset[str] | None = None,
        apart: bool = False,
    ) -> None:
        self.apart = apart
        """Whether each procedure is looked at for itself."""
        self.alike = alike
        """Whether one player may stand for all: not if a promise is about certain seats."""
        self.sight = sight
        self.waiting: list[Provable] = []
        """What is not proved, and may be tried again."""
        self.is_too_much = False
        """Whether the rules can not be looked at as a whole."""
        self.found: dict[str, Proof] = {}
        self.graph = graph
        self.game = graph.game
        self.entailment = Entailment(solve, go_on, self.ground, self.is_near)
        self.hold = self.entailment.hold
        self.go_on = go_on
        self.wanted = wanted
        self.paths = Paths(World(graph, lemmas.FEW, bool(self.game.pieces), go_on))
        self.why: dict[str, str] = {}
        self.facts: dict[str, list[Fact]] = {}
        self.lasting: list[Fact] = []
        """Those of them that are about one moment, and may hold at a location."""
        self.changes = 0
        """How often what holds has changed."""
        self.told_at: dict[tuple[int, int], tuple[int, Given]] = {}
        """What holds at a location, said of a position, and after so many changes."""
        self.names_at: dict[tuple[int, int], frozenset[str]] = {}
        self.memo: dict[tuple[int, ...], Reading | None] = {}
        self.kept: list[object] = []
        self.claims = Claims(self)
        self.helped: set[Help] = set()
        """Which help what many promises have in common was tried with."""
        self.tried: Provable | None = None
        self.help = Help.NONE
        """With help there is also more time for what decides a promise (see `is_patient`)."""
        self.is_broken = False
        """Whether something that is promised, and was supposed last, does not follow somewhere."""
        self.shown: list[tuple[str, Sequence[Shown]]] = []
        """What each proof comes down to at last, besides the induction."""
        self.alive: dict[int, dict[Fact, None]] = {}
        self.shown_by: dict[tuple[int, Fact], Shown] = {}
        """How each fact is shown at the end of each path."""
        self.dear: set[Fact] = set()
        """What only helps and takes long to read is not read again."""
        self.spare: dict[tuple[int, Fact], list[Fact]] = {}
        """What is supposed at a location only if something that says more does not hold there."""

    def run(self) -> dict[str, Proof]:
        """What comes out for each promise."""
        rest: list[Provable] = [promise for promise in self.wanted if not isinstance(promise, ir.Lemma)]
        for promise in self.wanted:
            if isinstance(promise, ir.Lemma):
                self.decide(promise, self.found, self.lemma)
        if rest:
            self.induct(rest)
        return self.found

    def induct(self, rest: list[Provable]) -> None:
        """Try to prove promises about what a play comes to."""
        try:
            self.prepare(rest)
        except Unsupported as unknown:
            self.is_too_much = self.go_on()
            where = f" ({unknown.where.span})" if unknown.where is not None else ""
            self.found.update({promise.name: Proof(promise.name, False, f"{unknown.what}{where}") for promise in rest})
            return
        for group in _in_turn(rest):
            self.help = Help.NONE
            self.try_all(group)
            more = True
            while group and (more or self.help < Help.FAR):
                self.help = Help(min(self.help + 1, Help.FAR))
                more = self.try_all(group)
            self.waiting += group
        self.tried = None

    def look_back(self) -> dict[str, Proof]:
        """At last: try again what is not proved, with what happened before each step. What is proved so."""
        self.help = Help.BEHIND
        waiting = list(self.waiting)
        if waiting and self.go_on():
            self.try_all(self.waiting)
        return {promise.name: self.found[promise.name] for promise in waiting if self.found[promise.name].proved}

    def try_all(self, waiting: list[Provable]) -> bool:
        """Try to prove promises; those that need not be tried again wait no more. Whether one is proved."""
        found = self.found
        before = len(waiting)
        for promise in list(waiting):
            if promise.name in found and not self.go_on():
                return False
            self.tried = promise
            if self.help and isinstance(promise, AtBegin | Between):
                self.decide(promise, found, self.is_proved)  # what holds already may be enough
            is_worked_out = False
            if promise.name not in found or not found[promise.name].proved:
                self.suppose(promise)
                is_worked_out = self.world.is_worked_out
                self.decide(promise, found, self.is_proved)
            if found[promise.name].proved or is_worked_out or self.world.is_worked_out:
                waiting.remove(promise)
            if not found[promise.name].proved:
                self.forget(promise)
        return len(waiting) < before

    def decide(self, promise: Provable, found: dict[str, Proof], proves: Callable[[Any], bool]) -> None:
        """Note what comes out for a promise."""
        name = promise.name
        try:
            proved = proves(promise)
        except Unsupported as unknown:
            proved = False
            self.why[name] = unknown.what
        if not proved and not self.go_on():
            self.why[name] = "no time left"
        found[name] = self.proof_of(promise) if proved else Proof(name, False, self.why.get(name, ""))

    def prepare(self, wanted: Sequence[Provable]) -> None:
        """Find the locations and paths; split the promises."""
        self.world = World(self.graph, lemmas.FEW, bool(self.game.pieces), self.go_on)
        self.world.sight = self.sight
        watched = set()
        for promise in wanted:
            if isinstance(promise, ir.Invariant | ir.Always | Offered | AtBegin | Between):
                self.facts[promise.name] = list(facts_of(self.game, promise))
            if isinstance(promise, ir.Invariant | Offered) or (isinstance(promise, ir.Always) and promise.after):
                self.lasting += self.facts[promise.name]
            if isinstance(promise, ir.Always):
                watched |= {procedure for procedure, _, _ in promise.after} & set(self.graph.routines)
        self.world.budget = MOST_BLOCKS
        self.world.limit_work(MOST_WORK_ON_WAYS)
        if self.sight is not None:
            self.world.idle = idle_variables(self.graph)
            self.world.marked = frozenset(watched).union(*map(procedures_of, wanted))
        outside = outside_of(wanted) & set(self.graph.routines)
        if self.apart:
            self.paths = explore_apart(self.world, frozenset(watched), outside)
        else:
            marked = outside.union(*map(procedures_of, wanted)) & set(self.graph.routines)
            self.paths = explore_cut(self.world, frozenset(watched), self.alike, marked)
        locations = [place for place in self.paths.locations if place.number not in self.paths.passed]
        self.first: dict[int, Run] = {place.number: at(self.world, place, frozenset(watched)) for place in locations}
        self.alive = {place.number: {} for place in locations}
        self.beginning = beginning(self.world)
        self.candidates = Candidates(self.world, self.facts, self.lasting)
        self.behind = Behind(self.paths, self.hypothesis, self.hold)
        marked = outside if self.world.apart is None else self.world.apart.kept_apart
        self.seen = Seen(self.graph, frozenset(watched), self.go_on, marked, locations)

    # ------------------------------------------------------------------------------------------------ facts

    def suppose(self, promise: Provable) -> None:
        """Suppose more facts, besides those that hold already, and see what is left.

        They are what a promise says, also more sharply, and what the rules say of the places and states that it is
        about.
        """
        self.world.limit_work(MOST_WORK)
        self.is_broken = False
        self.spare = {}
        for fact in self.facts.get(promise.name, ()):
            self.entailment.supposed.pop(fact, None)
        new: dict[int, dict[Fact, None]] = {}
        is_first = self.help not in self.helped
        self.helped.add(self.help)
        for location in self.paths.locations:
            if location.number in self.paths.passed:
                continue
            new[location.number] = {}
            start = self.first[location.number].position
            for fact in self.candidates.at(location, start, promise, self.help, is_first):
                if fact in self.alive[location.number] or self.seen.speaks_against(fact, location):
                    continue
                stronger = fact.weaker_than
                if stronger in new[location.number] or stronger in self.alive[location.number]:
                    assert stronger is not None
                    self.spare.setdefault((location.number, stronger), []).append(fact)
                    continue
                found = self.read(fact, start)
                if found is not None and found.goal is not YES:
                    new[location.number][fact] = None
            self.candidates.complete(location, new[location.number], self.alive[location.number])
        for number, facts in new.items():
            self.alive[number].update(facts)
        self.changes += 1
        self.settle(new)

    def read(self, fact: Fact, position: Position, old: Position | None = None) -> Reading | None:
        """A fact at a position; None if it can not be said."""
        key = (id(fact), *map(id, fact.depends_on(self.game, position)))
        if old is None and key in self.memo:
            return self.memo[key]
        self.kept += (fact, position)
        found: Reading | None = None
        if fact not in self.dear:
            before = made()
            most = MOST_TO_HELP if fact.guard is None else MOST_OF_GUARD
            try:
                with self.world.briefly(most) if fact.promise is None else nullcontext():
                    found = fact.read(self.world, position, old)
            except Unsupported:
                if fact.promise is None and made() - before >= most:
                    self.dear.add(fact)
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
            dropped: set[tuple[int, Fact]] = set()
            weaker: list[tuple[int, Fact]] = []
            for wave in in_waves(waiting, self.paths.paths):
                left = [(place, fact) for place, fact in wave if fact in self.targets(self.paths.paths[place])]
                here = self.keep_what_follows(left)
                dropped |= here
                if not self.go_on() or (dropped and self.help is Help.BEHIND):
                    self.give_up(new)
                    return
                weaker += self.weaker_than(here, new)  # at once: what comes later may need no more
            waiting = list(dict.fromkeys([*self.resting_on(dropped), *weaker]))

    def weaker_than(
        self, dropped: Collection[tuple[int, Fact]], new: dict[int, dict[Fact, None]]
    ) -> list[tuple[int, Fact]]:
        """What may hold still where something that says more does not, at the ends of paths: it is supposed now."""
        weaker: dict[int, dict[Fact, None]] = {}
        for number, fact in dropped:
            for less in self.spare.pop((number, fact), ()):
                if self.read(less, self.first[number].position) is not None:
                    weaker.setdefault(number, {})[less] = None
        for number, facts in weaker.items():
            self.candidates.complete(self.paths.locations[number], facts, self.alive[number])
            self.alive[number].update(facts)
            new[number].update(facts)
        self.changes += 1
        ends = ((place, path.target) for place, path in enumerate(self.paths.paths))
        return [(place, fact) for place, target in ends if target is not None for fact in weaker.get(target, {})]

    def resting_on(self, dropped: Collection[tuple[int, Fact]]) -> list[tuple[int, Fact]]:
        """What has to be looked at again without these: facts at the ends of paths."""
        return [
            (place, fact)
            for place, path in enumerate(self.paths.paths)
            for fact in self.targets(path)
            if (place, fact) in self.shown_by and not self.shown_by[place, fact].grounds.isdisjoint(dropped)
        ]

    def forget(self, promise: Provable) -> None:
        """What is promised and not proved is not relied on any more, even where it holds."""
        own = self.facts.get(promise.name, ())
        gone = {(number, fact) for number, facts in self.alive.items() for fact in own if fact in facts}
        for number, fact in gone:
            del self.alive[number][fact]
        self.changes += 1
        while gone:
            again = self.resting_on(gone)
            if self.go_on():
                gone = self.keep_what_follows(again)
            else:
                gone = {one for place, fact in again for one in self.drop(place, fact)}

    def keep_what_follows(self, asked: Sequence[tuple[int, Fact]]) -> set[tuple[int, Fact]]:
        """Drop the facts that do not follow at the ends of paths: which, and where."""
        dropped: set[tuple[int, Fact]] = set()
        for (place, fact), at_once in zip(asked, self.hold(self.steps(asked)), strict=True):
            used = at_once
            if used is None and self.is_patient and fact.promise is not None and not dropped:
                (used,) = self.hold(self.steps([(place, fact)]), PATIENT)  # all may depend on it
            if used is not None:
                shown: Shown | None = Shown((), self.rooted(self.paths.paths[place], used))
            else:
                shown = None if dropped else self.looked_back(place, fact)
            if shown is not None:
                self.shown_by[place, fact] = shown
            else:
                self.is_broken |= fact.promise is not None
                dropped |= self.drop(place, fact)
        return dropped

    @property
    def is_patient(self) -> bool:
        """Whether there is more time for what decides a promise."""
        return self.help > Help.NONE or not self.is_broken

    def rooted(self, path: Path, used: Collection[Ground]) -> frozenset[Rooted]:
        """What was used on a path, at all locations where it may hold that are relied on there."""
        places = (path.source, *(at for at, _ in self.paths.known(path)))
        return frozenset[Rooted]().union(*(rooted(at, used) for at in places))

    def looked_back(self, place: int, fact: Fact) -> Shown | None:
        """At last: how a fact of a promise follows at the end of a path by what went before."""
        if self.help is not Help.BEHIND or fact.promise is None:
            return None
        (goal,) = self.steps([(place, fact)])
        return self.behind.follow(goal)

    def drop(self, place: int, fact: Fact) -> set[tuple[int, Fact]]:
        """A fact does not follow at the end of a path: what is dropped with it."""
        target = self.paths.paths[place].target
        assert target is not None
        if fact not in self.alive[target]:
            return set()
        together = [one for one in self.candidates.siblings(target, fact) if one in self.alive[target]]
        for sibling in together:
            del self.alive[target][sibling]
        self.changes += 1
        return {(target, sibling) for sibling in together}

    def give_up(self, new: dict[int, dict[Fact, None]]) -> None:
        """There is no time, or it is not worth it: of what is new nothing holds."""
        self.changes += 1
        gone = {(number, fact) for number, facts in new.items() for fact in facts if fact in self.alive[number]}
        for number, fact in gone:
            del self.alive[number][fact]
        while gone:  # what was shown with them is not known to hold
            gone = {one for place, fact in self.resting_on(gone) for one in self.drop(place, fact)}

    def targets(self, path: Path) -> Collection[Fact]:
        return () if path.target is None else self.alive[path.target]

    def steps(self, asked: Iterable[tuple[int, Fact]]) -> Iterator[Goal]:
        """That facts hold at the ends of paths. What reading one of them names is known to all on that path."""
        for place, several in groupby(asked, key=itemgetter(0)):
            path = self.paths.paths[place]
            facts = [fact for _, fact in several]
            if not self.go_on():
                yield from (Goal([], NO, path, fact) for fact in facts)
                continue
            ends = [self.at_end(path, fact) for fact in facts]
            given = [*self.hypothesis(path), *told_with(ends)]
            known = {term for term, _ in given}
            for fact, found in zip(facts, ends, strict=True):
                if found is None or found.goal in known:  # what is given itself needs no other form
                    yield Goal(given, NO if found is None else found.goal, path, fact)
                else:
                    yield Goal(given, self.by_change(found.goal, path), path, fact)

    def at_end(self, path: Path, fact: Fact) -> Reading | None:
        """A fact at the end of a path."""
        if path.source is not None and fact.is_untouched(self.game, path.start, path.run.position):
            return self.read(fact, path.start)
        return self.read(fact, path.run.position)

    def by_change(self, term: Term, path: Path) -> Term:
        """A goal at the end of a path: its sums by what has changed since the beginning."""
        known = frozenset[str]() if path.source is None else self.knownnames(path.source, path.start)
        return by_change(term, known)

    def hypothesis(self, path: Path, assumed: int | None = None) -> Given:
        """What is known on a path: how it came about, and what held where it began."""
        given: Given = [(term, None) for term in path.run.hypothesis(assumed)]
        for location, position in self.paths.known(path, assumed):
            given += self.known_at(location, position)
        return given

    def is_near(self, fact: Fact) -> bool:
        """Whether a fact is about what is tried now."""
        return self.tried is None or self.candidates.is_near(fact, self.tried, self.help)

    def knownnames(self, location: int, start: Position) -> frozenset[str]:
        """The names in what holds at a location."""
        key = id(start), self.changes
        if key not in self.names_at:
            self.kept.append(start)
            terms = (term for term, _ in self.known_at(location, start))
            self.names_at[key] = frozenset[str]().union(*map(names, terms))
        return self.names_at[key]

    def known_at(self, location: int, start: Position) -> Given:
        key = location, id(start)
        if key not in self.told_at or self.told_at[key][0] != self.changes:
            self.kept.append(start)
            self.told_at[key] = self.changes, self._known_at(location, start)
        return self.told_at[key][1]

    def _known_at(self, location: int, start: Position) -> Given:
        read = [(self.read(fact, start), fact) for fact in self.alive[location]]
        told = told_with(found for found, _ in read)
        return [*told, *((found.goal, fact) for found, fact in read if found is not None)]

    def ground(self, term: Term, fact: Fact | None) -> Ground | None:
        """What is relied on with a term: a fact, or a guard."""
        return fact or self.paths.world.guards.get(term)

    # ---------------------------------------------------------------------------------------------- verdicts

    def is_proved(self, promise: Provable) -> bool:
        self.world.limit_work(MOST_WORK)
        match promise:
            case ir.Invariant(name, Claim.NODES | Claim.OUTSIDE, procedures):
                is_left = all(self.is_left(name, path, procedures) for path in self.paths.paths)
                return is_left and self.all_hold(name, self.claims.at_nodes(name, procedures))
            case ir.Invariant(name, claim, procedures):
                ends = claim is Claim.AT_END
                return self.all_hold(name, self.claims.at_moments(name, procedures, ends))
            case ir.Always(name, ()):
                if any(map(self.is_cut, self.paths.locations)) and not self.composes(name):
                    self.why[name] = "it may hold for the parts of a step, and not for the whole of it"
                    return False
                return self.all_hold(
                    name, (goal for path in self.paths.paths for goal in self.claims.over_step(name, path))
                )
            case ir.Always(name):
                procedures = tuple(procedure for procedure, _, _ in promise.after)
                return self.all_hold(name, self.claims.at_moments(name, procedures, True))
            case Offered(name, block):
                return self.all_hold(name, self.claims.choices(block))
            case AtBegin(name, procedure):
                return self.all_hold(name, self.claims.at_moments(name, (procedure,), False))
            case Between(name, procedure):
                if self.apart:
                    raise Unsupported("what is between two calls is not to be seen procedure by procedure")
                return self.all_hold(name, self.claims.between(name, procedure))
            case ir.Lemma():
                return self.lemma(promise)
            case _:
                assert_never(promise)

    def is_left(self, name: str, path: Path, outside: Sequence[str]) -> bool:
        """Whether the facts of an invariant are left where a path ends, if it is claimed there."""
        if path.target is None:
            return True
        location = self.paths.locations[path.target]
        if self.running_at(location.number) & set(outside) or self.is_over(location) or self.is_cut(location):
            return True
        for fact in self.facts[name]:
            read = self.read(fact, self.first[path.target].position)
            if read is None:
                self.why[name] = "it has no encoding"
                return False
            if fact not in self.alive[path.target] and read.goal is not YES:
                self.why[name] = self.hint(path, fact)
                return False
        return True

    def running_at(self, number: int) -> frozenset[str]:
        """The procedures that run at a location."""
        return self.candidates.running(self.paths.locations[number])

    def is_over(self, location: Location) -> bool:
        return isinstance(self.graph.blocks[location.block].exit, flow.Over)

    def is_cut(self, location: Location) -> bool:
        """Whether paths are cut there, and nobody chooses."""
        return not flow.is_node(self.graph.blocks[location.block].exit)

    def hint(self, path: Path, fact: Fact | None) -> str:
        """What stands in the way of a proof: what may break it, and from which position, if that is known."""
        found, values = self.entailment.supposed.get(fact, (path, {}))
        said = described(self.world, found.start, self.beginning, values)
        what = f"{found.word} may break it"
        return f"{what}, {FROM_A_POSITION}: {said}" if said else what

    def composes(self, name: str) -> bool:
        """Whether what is promised of a step holds for all of it, if it holds for its parts."""
        goals = list(self.claims.of_parts(name))
        self.shown.append((name, [Shown(goals, frozenset())]))
        return all(used is not None for used in self.hold(goals, PATIENT))

    def all_hold(self, name: str, goals: Iterable[Goal]) -> bool:
        """Whether all goals follow. Those that do not soon are asked for again with patience, if it is the last try."""
        waiting, shown = iter(goals), list[Shown]()
        while several := list(islice(waiting, SEVERAL)):
            for goal, used in zip(several, self.hold(several), strict=True):
                if used is None:
                    goal = self.with_conserved(goal)
                    (used,) = self.hold([goal], PATIENT if self.is_patient else 1)
                if used is not None:
                    found: Shown | None = Shown((goal,), self.rooted(goal.path, used))
                else:
                    found = self.behind.follow(goal) if self.help is Help.BEHIND else None
                if found is None:
                    self.why[name] = self.hint(goal.path, goal.fact)
                    return False
                shown.append(found)
        self.shown.append((name, shown))
        return True

    def with_conserved(self, goal: Goal) -> Goal:
        """A goal that may also rely on it that no piece is missing where its path begins."""
        conserved = goal.path.start.places.conserved() if self.world.counted and self.world.keeps_places else ()
        return replace(goal, given=[*goal.given, *((term, None) for term in conserved)])

    def proof_of(self, promise: Provable) -> Proof:
        """What a proof uses, besides what every step does; and over how many steps in a row it looks."""
        own = [one for name, shown in self.shown if name == promise.name for one in shown]
        roots = [root for one in own for root in one.grounds]
        if isinstance(promise, ir.Invariant) and promise.claim in (Claim.NODES, Claim.OUTSIDE):
            roots += ((at, f) for at, facts in self.alive.items() for f in facts if f.promise == promise.name)
        used = grounds(roots, self.paths.paths, lambda *end: self.shown_by.get(end, NOTHING).grounds)
        own += (one for (place, fact), one in self.shown_by.items() if (self.paths.paths[place].target, fact) in used)
        rests_on = in_words(self.game, promise.name, {ground for _, ground in used})
        over = max((one.over for one in own), default=1)
        return Proof(promise.name, True, rests_on=rests_on, over=over)

    def lemma(self, promise: ir.Lemma) -> bool:
        """Whether a lemma follows at any position."""
        for goal, patience in lemmas.tries(self.paths.world, promise):
            if self.hold([goal], patience)[0] is not None:
                self.shown.append((promise.name, [Shown((goal,), frozenset())]))
                return True
        self.why[promise.name] = "not shown for all positions"
        return False


def _in_turn(promises: Iterable[Provable]) -> Iterator[list[Provable]]:
    """First what others may rest on, last what takes longest; of what is tried together, first what always holds."""
    promises = sorted(promises, key=lambda promise: isinstance(promise, ir.Always))
    yield from ([promise for promise in promises if _turn(promise) == turn] for turn in range(3))


def _turn(promise: Provable) -> int:
    return 2 if isinstance(promise, Offered) else int(isinstance(promise, OF_WHOLE_PLAYS))
