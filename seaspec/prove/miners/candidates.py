"""What may hold at a location of the rules, and so may be supposed there in a proof: what promises say, also more
sharply, and what the rules themselves test, name and begin with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import chain

from seaspec.backends.symbolic.paths.paths import Location
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import known_key
from seaspec.backends.symbolic.values.world import PLACES, World
from seaspec.core import flow, ir
from seaspec.prove.facts import Fact, first_values, helping_facts, kinds_in, sharper, where_none_lie
from seaspec.prove.miners.in_hand import facts_in_hand, of_all_others, of_names
from seaspec.prove.miners.laid import where_they_are_laid
from seaspec.prove.miners.tested import OnTheWay
from seaspec.prove.miners.whereabouts import Lying
from seaspec.prove.termination import Provable


class Help(IntEnum):
    """What is supposed besides what a promise says, also more sharply, and that pieces of which it speaks lie
    elsewhere: nothing; what the rules say only of what it is about, and guards that touch on that; all that touches on
    it; at last no more, but what held some steps before (see `behind.py`)."""

    NONE = 0
    NEAR = 1
    FAR = 2
    BEHIND = 3


class Candidates:
    """`facts`: the parts of each promise; `lasting`: those about one moment, which may hold at a location."""

    def __init__(self, world: World, facts: Mapping[str, Sequence[Fact]], lasting: Sequence[Fact]) -> None:
        self.world = world
        self.graph = world.graph
        self.game = world.game
        self.facts = facts
        self.lasting = lasting
        self.laid = list(where_they_are_laid(self.graph))
        self.lying = Lying(self.graph)
        self.on_the_way = OnTheWay(self.graph)
        self._on_the_way: dict[int, frozenset[ir.Expr]] = {}
        self.none_lie = list(where_none_lie(self.game))
        self.firsts = list(first_values(self.game))
        self.firsts_known = frozenset(self.firsts)
        self.backs = {routine.back: name for name, routine in self.graph.routines.items()}
        self._helping: dict[tuple[frozenset[str], tuple[ir.Variable, ...], frozenset[str]], list[Fact]] = {}
        self._near: dict[tuple[Fact, str, bool], bool] = {}
        self._sharper_than: dict[Fact, Sequence[Fact]] = {}
        self._told_of = self._may_lie_in(self._about(chain.from_iterable(facts.values())))
        self._families: dict[int, dict[Fact, list[Fact]]] = {}
        """At locations where one player is about to stand for all: facts that differ in their players only."""

    def running(self, location: Location) -> frozenset[str]:
        """The procedures that run at a location, and may still end: all, or those that matter."""
        if location.within is not None:
            return location.within.running
        return self._come_back_to(location)

    def _come_back_to(self, location: Location) -> frozenset[str]:
        """The procedures that run at a location, as far as it is known where they come back to: where a procedure is
        looked at for itself, those that are gone through in it."""
        return frozenset(self.backs[name] for name in location.known if name in self.backs)

    def at(self, location: Location, start: Position, promise: Provable, help: Help, is_first: bool) -> Iterator[Fact]:
        """What may hold at a location, for the proof of a promise. `is_first`: none was looked at before with such
        help."""
        if isinstance(self.graph.blocks[location.block].exit, flow.Over):
            return
        running = self.running(location)
        own = [
            fact for fact in self.lasting if fact.after is None or (fact.after in running and fact.after in start.begun)
        ]
        said = [fact for fact in own if fact.promise == promise.name]
        yield from said
        if help is Help.BEHIND:
            return
        if help is Help.NONE:
            yield from chain.from_iterable(map(self._sharper, said))
            if location.within is not None:
                yield from of_all_others(said, start.frame)
            yield from self._none_lie(location, self._named(promise))
        about = self.about(promise)
        if help and is_first:
            yield from self._none_lie(location, None if location.within is None else self._told_of)
        key = (running | self._come_back_to(location), tuple(start.frame), frozenset(start.begun))
        if key not in self._helping:
            in_hand = () if location.within is None else facts_in_hand(self.graph, own, start.frame)
            named = () if location.within is None else self.lasting
            self._helping[key] = [
                *self.firsts,
                *chain.from_iterable(map(self._sharper, own)),
                *helping_facts(self.graph, running | self._come_back_to(location), tuple(start.frame)),
                *self._laid(location),
                *in_hand,
                *chain.from_iterable(of_names(fact, start.frame) for fact in named),
            ]
        tested = self._tested(location)
        for fact in self._helping[key]:
            here = self._about([fact])
            is_told = (fact.says_a_name and not here) or (here & about and (fact.says_a_name or fact.test in tested))
            is_plain = (fact in self.firsts_known and here <= about) or is_told or self._tells_of(fact, about)
            touches = here & about and (help is Help.FAR or fact.guard is not None)
            if is_plain or (help and (here <= about or touches)):
                yield fact

    def _tested(self, location: Location) -> frozenset[ir.Expr]:
        """What has been tested on every way to a location."""
        if location.number not in self._on_the_way:
            runs = {self.backs[name]: known_key(value) for name, value in location.known.items() if name in self.backs}
            self._on_the_way[location.number] = self.on_the_way.tested(location.block, runs)
        return self._on_the_way[location.number]

    def _sharper(self, fact: Fact) -> Sequence[Fact]:
        if fact not in self._sharper_than:
            self._sharper_than[fact] = list(sharper(self.game, fact))
        return self._sharper_than[fact]

    def _laid(self, location: Location) -> Iterator[Fact]:
        """Where pieces lie that the procedure is about to lay there, or has laid."""
        within = location.within
        yield from (laid.fact for laid in self.laid if within is not None and within.procedure in laid.while_laying)

    def _none_lie(self, location: Location, kinds: Collection[str] | None = None) -> Iterator[Fact]:
        """That pieces do not lie where the rules move none of their kind; only of these kinds, if some are named."""
        runs = {self.backs[name]: known_key(value) for name, value in location.known.items() if name in self.backs}
        may = self.lying.may_lie(location.block, runs if location.within is None else None)
        filled = {place for _, place in may}
        for kind, place, fact in self.none_lie:
            if kinds is None or kind in kinds:
                if place not in filled if kind is None else (kind, place) not in may:
                    yield fact

    def _named(self, promise: Provable) -> frozenset[str]:
        """The kinds of pieces that a promise names."""
        return frozenset[str]().union(*(kinds_in(self.game, fact) for fact in self.facts.get(promise.name, ())))

    def _may_lie_in(self, places: Collection[str]) -> frozenset[str]:
        """The kinds of pieces that may lie in some of these places."""
        holds = (place.holds.members for name, place in self.game.places.items() if name in places)
        return frozenset(self.game.pieces[piece].kinds[0] for members in holds for piece in members)

    def _tells_of(self, fact: Fact, about: Collection[str]) -> bool:
        """Whether a fact says where a piece lies, and so where it does not, that may lie in one of these places."""
        if not fact.placed or not fact.reads(self.game)[0]:
            return False
        places = (self.game.places[name] for name in about if name in self.game.places)
        return any(fact.placed & set(place.holds.members) for place in places)

    def is_near(self, fact: Fact, promise: Provable, help: Help) -> bool:
        """Whether a fact belongs to a promise, or is about what that is about; with more help, touches on that. What
        other promises say is not."""
        if fact.promise is not None:
            return fact.promise == promise.name
        key = (fact, promise.name, help >= Help.FAR)
        if key not in self._near:
            here, about = self._about([fact]), self.about(promise)
            touches = help >= Help.FAR or fact.says_a_name
            tells = self._tells_of(fact, about)
            self._near[key] = here <= about or tells or (touches and not here.isdisjoint(about))
        return self._near[key]

    def about(self, promise: Provable) -> frozenset[str]:
        """The places and states that a promise is about; all that is looked at, where that is little."""
        sight = self.world.sight
        more = frozenset[str]() if sight is None or PLACES in sight else sight
        return self._about(self.facts.get(promise.name, ())) | more

    def _about(self, facts: Iterable[Fact]) -> frozenset[str]:
        """The places and states that facts read."""
        found: frozenset[str] = frozenset()
        for fact in facts:
            places, states, _ = fact.reads(self.game)
            found |= places | states
        return found

    def complete(self, location: Location, new: dict[Fact, None], old: Iterable[Fact]) -> None:
        """Where one player is about to stand for all, what is supposed of one must be supposed of all."""
        seats = self.world.alike
        if seats is None or location.turned:
            return
        for fact in list(new):
            if not seats.are_alike_for((fact.test, fact.guards)):
                del new[fact]
        families: dict[tuple[object, ...], list[Fact]] = {}
        for fact in (*new, *old):
            families.setdefault(fact.family(), []).append(fact)
        self._families[location.number] = {fact: family for family in families.values() for fact in family}
        for family in families.values():
            said_of = {fact.who for fact in family}  # the same may be supposed for two reasons
            if len(said_of) < len(self.world.seats) ** family[0].players:
                for fact in family:
                    new.pop(fact, None)

    def siblings(self, location: int, fact: Fact) -> Sequence[Fact]:
        """What is dropped together with a fact: where one player stands for all, the same of all players."""
        return self._families.get(location, {}).get(fact, (fact,))
