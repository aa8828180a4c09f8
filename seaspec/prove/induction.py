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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import YES, Term
from seaspec.backends.symbolic.paths.apart import explore_apart
from seaspec.backends.symbolic.paths.paths import (
    Location,
    Path,
    Paths,
    at,
    beginning,
    explore_cut,
)
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow, ir
from seaspec.core.ir import Claim
from seaspec.prove import lemmas
from seaspec.prove.cone import idle_variables, outside_of, procedures_of
from seaspec.prove.entail import Entailment, Goal, Solver
from seaspec.prove.explain.grounds import Ground, grounds, in_words
from seaspec.prove.explain.supposed import described
from seaspec.prove.facts import Fact, facts_of
from seaspec.prove.houdini import PATIENT, Houdini
from seaspec.prove.knowledge import Knowledge
from seaspec.prove.lookback import NOTHING, Behind, Shown
from seaspec.prove.miners.candidates import Candidates, Help
from seaspec.prove.obligations import Claims
from seaspec.prove.proof import FROM_A_POSITION, Proof
from seaspec.prove.refute import Seen
from seaspec.prove.stuck import Offered
from seaspec.prove.termination import OF_WHOLE_PLAYS, AtBegin, Between, Provable

SEVERAL = 100
"""So many goals of a promise are tried before it is looked whether one fails."""
MOST_BLOCKS, MOST_WORK_ON_WAYS = 30_000, 4_000_000
"""So many blocks are gone through, and so many terms are made, to find all ways through the rules."""
MOST_WORK = 1_000_000
"""So many terms are made for one promise at a time; what it would say more is not looked at."""


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
        self.known = Knowledge(Paths(self.new_world()), {})
        self.why: dict[str, str] = {}
        self.facts: dict[str, list[Fact]] = {}
        self.lasting: list[Fact] = []
        """Those of them that are about one moment, and may hold at a location."""
        self.claims = Claims(self)
        self.helped: set[Help] = set()
        """Which help what many promises have in common was tried with."""
        self.tried: Provable | None = None
        self.tell: Callable[[Proof], None] = lambda proof: None
        """Is told each proof as soon as it is found."""
        self.shown: list[tuple[str, Sequence[Shown]]] = []
        """What each proof comes down to at last, besides the induction."""

    @property
    def paths(self) -> Paths:
        return self.known.paths

    @property
    def world(self) -> World:
        return self.known.world

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
            self.loop.help = Help.NONE
            self.try_all(group)
            more = True
            while group and (more or self.loop.help < Help.FAR):
                self.loop.help = Help(min(self.loop.help + 1, Help.FAR))
                more = self.try_all(group)
            self.waiting += group
        self.tried = None

    def look_back(self) -> dict[str, Proof]:
        """At last: try again what is not proved, with what happened before each step. What is proved so."""
        waiting = list(self.waiting)
        if waiting and self.go_on():
            self.loop.help = Help.BEHIND
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
            if self.loop.help and isinstance(promise, AtBegin | Between):
                self.decide(promise, found, self.is_proved)  # what holds already may be enough
            is_worked_out = False
            if promise.name not in found or not found[promise.name].proved:
                self.suppose(promise)
                is_worked_out = self.world.is_worked_out
                self.decide(promise, found, self.is_proved)
            if found[promise.name].proved or is_worked_out or self.world.is_worked_out:
                waiting.remove(promise)
            if found[promise.name].proved:
                self.tell(found[promise.name])
            else:
                self.loop.forget(self.facts.get(promise.name, ()))
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
        world = self.new_world()
        world.sight = self.sight
        watched = set()
        for promise in wanted:
            if isinstance(promise, ir.Invariant | ir.Always | Offered | AtBegin | Between):
                self.facts[promise.name] = list(facts_of(self.game, promise))
            if isinstance(promise, ir.Invariant | Offered) or (isinstance(promise, ir.Always) and promise.after):
                self.lasting += self.facts[promise.name]
            if isinstance(promise, ir.Always):
                watched |= {procedure for procedure, _, _ in promise.after} & set(self.graph.routines)
        world.budget = MOST_BLOCKS
        world.limit_work(MOST_WORK_ON_WAYS)
        if self.sight is not None:
            world.idle = idle_variables(self.graph)
            world.marked = frozenset(watched).union(*map(procedures_of, wanted))
        outside = outside_of(wanted) & set(self.graph.routines)
        if self.apart:
            paths = explore_apart(world, frozenset(watched), outside)
        else:
            marked = outside.union(*map(procedures_of, wanted)) & set(self.graph.routines)
            paths = explore_cut(world, frozenset(watched), self.alike, marked)
        locations = [place for place in paths.locations if place.number not in paths.passed]
        self.known = Knowledge(paths, {place.number: at(world, place, frozenset(watched)) for place in locations})
        self.beginning = beginning(world)
        self.candidates = Candidates(world, self.facts, self.lasting)
        self.behind = Behind(paths, self.known.hypothesis, self.hold)
        marked = outside if world.apart is None else world.apart.kept_apart
        self.seen = Seen(self.graph, frozenset(watched), self.go_on, marked, locations)
        self.loop = Houdini(self.known, self.entailment, self.candidates, self.behind, self.go_on)

    def new_world(self) -> World:
        return World(self.graph, lemmas.FEW, bool(self.game.pieces), self.go_on)

    # ------------------------------------------------------------------------------------------------ facts

    def suppose(self, promise: Provable) -> None:
        """Suppose more facts, besides those that hold already, and see what is left.

        They are what a promise says, also more sharply, and what the rules say of the places and states that it is
        about.
        """
        self.world.limit_work(MOST_WORK)
        self.loop.is_broken = False
        self.loop.spare = {}
        for fact in self.facts.get(promise.name, ()):
            self.entailment.supposed.pop(fact, None)
        new: dict[int, dict[Fact, None]] = {}
        is_first = self.loop.help not in self.helped
        self.helped.add(self.loop.help)
        for location in self.paths.locations:
            if location.number in self.paths.passed:
                continue
            new[location.number] = {}
            start = self.known.first[location.number].position
            for fact in self.candidates.at(location, start, promise, self.loop.help, is_first):
                if fact in self.known.alive[location.number] or self.seen.speaks_against(fact, location):
                    continue
                stronger = fact.weaker_than
                if stronger in new[location.number] or stronger in self.known.alive[location.number]:
                    assert stronger is not None
                    self.loop.spare.setdefault((location.number, stronger), []).append(fact)
                    continue
                found = self.known.read(fact, start)
                if found is not None and found.goal is not YES:
                    new[location.number][fact] = None
            self.candidates.complete(location, new[location.number], self.known.alive[location.number])
        for number, facts in new.items():
            self.known.alive[number].update(facts)
        self.known.changes += 1
        self.loop.settle(new)

    def is_near(self, fact: Fact) -> bool:
        """Whether a fact is about what is tried now."""
        return self.tried is None or self.candidates.is_near(fact, self.tried, self.loop.help)

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
            read = self.known.read(fact, self.known.first[path.target].position)
            if read is None:
                self.why[name] = "it has no encoding"
                return False
            if fact not in self.known.alive[path.target] and read.goal is not YES:
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
                    (used,) = self.hold([goal], PATIENT if self.loop.is_patient else 1)
                if used is not None:
                    found: Shown | None = Shown((goal,), self.loop.rooted(goal.path, used))
                else:
                    found = self.behind.follow(goal) if self.loop.help is Help.BEHIND else None
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
            roots += ((at, f) for at, facts in self.known.alive.items() for f in facts if f.promise == promise.name)
        used = grounds(roots, self.paths.paths, lambda *end: self.known.shown_by.get(end, NOTHING).grounds)
        own += (
            one for (place, fact), one in self.known.shown_by.items() if (self.paths.paths[place].target, fact) in used
        )
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
