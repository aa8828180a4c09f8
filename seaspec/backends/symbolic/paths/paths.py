"""From node to node: the locations of a game, and all paths between them.

A *location* is a node of the flow graph together with what of the frame is known there: the procedures that run and
where each comes back to, the members that loops have still to go through, numbers and players that are the same
whenever the play comes there. All else (the states, the pieces, the rest of the frame) may be anything. A *path* leads
from a location by one answer to the next location. Paths are found by running the graph with terms instead of values.

If a variable has too many values at one place, it is no longer told apart there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from seaspec.backends.symbolic.cuts import next_cut, rounds, shared
from seaspec.backends.symbolic.errors import TooMany, Uneven, Unsupported
from seaspec.backends.symbolic.logic.terms import (
    NO,
    Term,
    and_,
    flag,
    not_,
)
from seaspec.backends.symbolic.paths.calls import Apart
from seaspec.backends.symbolic.run.anything import free_family
from seaspec.backends.symbolic.run.firsts import first_elsewhere, first_values
from seaspec.backends.symbolic.run.onward import onward, run_on, source_of
from seaspec.backends.symbolic.run.runs import Rest, Run, Within
from seaspec.backends.symbolic.seats import Seats
from seaspec.backends.symbolic.values.places import anywhere, at_home
from seaspec.backends.symbolic.values.position import Position, Result
from seaspec.backends.symbolic.values.sets import Value, known_key
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow, types
from seaspec.core.ir import Variable

MOST_PATHS = 300
"""From a location, or from the start."""
MOST_ALIKE = 40
"""Locations at one node with the same procedures running; with more, some variable is no longer told apart."""
MOST_LOCATIONS = 600
MOST_CUTS = 60
"""More loops than this are not cut."""


@dataclass(frozen=True, eq=False)
class Location:
    """A node, or where paths are cut, with what is known of the frame. `loose`: variables that may have any value of
    their type. `turned`: seats are counted from a player who stands for whoever was next (see `Seats`)."""

    number: int
    block: int
    known: dict[Variable, Value]
    loose: tuple[Variable, ...]
    turned: bool = False
    within: Within | None = None
    """Where each procedure is looked at for itself: which one."""
    begun: frozenset[str] | None = None
    """Procedures of which it is known where they began; None: those that run."""
    is_exit: bool = False
    """Whether that procedure ends here."""


@dataclass(frozen=True, eq=False)
class Path:
    """From a location (None: the very beginning) by an answer to a location. `run`: what happens on the way.

    `target` None: nobody can go on there; what is owed at the end of the run says that this does not happen.
    """

    source: int | None
    word: str
    start: Position
    run: Run
    target: int | None


@dataclass(eq=False)
class Paths:
    """All locations that may be reached, and all paths between them."""

    world: World
    locations: list[Location] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    passed: set[int] = field(default_factory=set)
    """Locations that no path begins or ends at any more: they are passed on the way."""
    exits: dict[tuple[Within, int], int] = field(default_factory=dict)
    """Where procedures that are looked at for themselves end, in which block; and where they begin."""
    entries: dict[Within, int] = field(default_factory=dict)

    def known(self, path: Path, assumed: int | None = None) -> Iterator[tuple[int, Position]]:
        """Where what holds at a location may be relied on along a path, up to a point: where it begins, where the
        procedure began that it is in, and where one has come back."""
        if path.source is not None:
            yield path.source, path.start
            within = self.locations[path.source].within
            begun = None if within is None else path.start.begun.get(within.procedure)
            if within in self.entries and begun is not None:
                yield self.entries[within], begun
        for call in path.run.calls:
            end = call.callee, call.end
            if end in self.exits and (assumed is None or call.assumed < assumed):
                yield self.exits[end], call.position


def explore(world: World, watched: frozenset[str] = frozenset()) -> Paths:
    """The locations of a game. `watched`: procedures whose first position is kept until they end."""
    return _explored(world, watched).found


def explore_far(world: World, watched: frozenset[str] = frozenset()) -> Paths:
    """The same with longer paths: locations to which one path alone leads are passed on the way, but never two in a
    row. So less has to be known of the positions between the parts of one action."""
    explorer = _explored(world, watched)
    explorer.pass_through()
    return explorer.found


def explore_cut(
    world: World, watched: frozenset[str] = frozenset(), alike: bool = True, marked: Set[str] = frozenset()
) -> Paths:
    """The same with rounds cut, and other loops where ways would be too many; where seats are alike (and `alike` wants
    it so), whoever is next in a round is looked at for all. What many ways lead to is looked at for itself, if it calls
    nothing that is `marked`: procedures of which it matters when they run."""
    world.cuts = rounds(world.graph)
    marked = marked | watched
    apart = shared(world.graph, marked, world.cuts.blocks)
    world.apart = Apart(world.graph, marked, apart) if apart else None
    for head in world.apart.heads if world.apart is not None else ():
        if world.graph.blocks[head].owner in apart and not flow.is_node(world.graph.blocks[head].exit):
            world.cuts = world.cuts.also(head)
    world.alike = Seats(world.graph) if alike and world.cuts.blocks and len(world.seats) > 1 else None
    while True:
        try:
            explorer = _explored(world, watched)
        except Uneven:
            world.alike = None
        except TooMany:
            cut = next_cut(world.graph, world.cuts, world.visits)
            if cut is None or len(world.cuts.blocks) > MOST_CUTS:
                raise
            world.cuts = world.cuts.also(cut)
        else:
            explorer.pass_through()
            return explorer.found


def _explored(world: World, watched: frozenset[str]) -> _Explorer:
    loose: dict[tuple[object, ...], set[Variable]] = {}
    while True:
        explorer = _Explorer(world, watched, loose)
        if explorer.explore():
            return explorer


class _Explorer:
    def __init__(self, world: World, watched: frozenset[str], loose: dict[tuple[object, ...], set[Variable]]) -> None:
        self.world = world
        self.graph = world.graph
        self.watched = watched
        self.loose = loose
        self.found = Paths(world)
        self.numbers: dict[tuple[object, ...], int] = {}
        self.alike: dict[tuple[object, ...], list[int]] = {}
        self.heads = set(world.cuts.rounds.values())
        self.backs = {routine.back for routine in self.graph.routines.values()}

    def explore(self) -> bool:
        """False: some variable has too many values, and all has to be done again."""
        self.world.visits.clear()
        begin = beginning(self.world)
        first = Run(self.world, begin)
        first.watched = self.watched
        for run, block in run_on(first, self.graph.start):
            self._add(None, "the beginning", begin, run, block)
        done = 0
        while done < len(self.found.locations):
            if any(len(numbers) > MOST_ALIKE for numbers in self.alike.values()):
                self._loosen()
                return False
            if len(self.found.locations) > MOST_LOCATIONS:
                raise Unsupported(f"more than {MOST_LOCATIONS} places in the rules to keep apart")
            location = self.found.locations[done]
            done += 1
            self.world.visits.clear()
            for path in paths_from(self.world, location, self.watched):
                self._add(location.number, path[0], path[1], path[2], path[3])
        return True

    def pass_through(self) -> None:
        """Lengthen the paths that lead to a location alone, and leave that location out."""
        found = self.found
        coming: dict[int, list[Path]] = {}
        for path in found.paths:
            if path.target is not None:
                coming.setdefault(path.target, []).append(path)
        ends: set[int] = set()
        for location in list(found.locations):
            ways = coming.get(location.number, [])
            exit = self.graph.blocks[location.block].exit
            if len(ways) != 1 or location.number in ends or not isinstance(exit, flow.Decision | flow.ChanceNode):
                continue
            source = ways[0].source
            if source is None or source == location.number or source in found.passed or self._is_cut(source):
                continue
            longer = self._longer(ways[0], location)
            if longer is not None:
                found.passed.add(location.number)
                ends.add(source)
                gone = {ways[0], *(path for path in found.paths if path.source == location.number)}
                found.paths = [path for path in found.paths if path not in gone] + longer
                for path in longer:  # it knows more than one that begins at the location, and may lead elsewhere
                    if path.target is not None:
                        coming.setdefault(path.target, []).append(path)

    def _is_cut(self, number: int) -> bool:
        return self.found.locations[number].block in self.world.cuts.blocks

    def _longer(self, path: Path, location: Location) -> list[Path] | None:
        """A path to a location, and from there on to the next; None if that leads where no path has led before."""
        known = len(self.found.locations)
        run = path.run.fork()
        run.rests.append(Rest(location.number, len(run.assumed), run.position))
        longer: list[Path] = []
        for word, after, block in onward(run, location.block):
            target = None if block is None else self._location(after, block)
            is_known = len(self.found.locations) == known and target not in self.found.passed
            if not is_known or len(longer) > MOST_PATHS:
                self._forget_locations(known)
                return None
            longer.append(Path(path.source, f"{path.word}, {word}", path.start, after, target))
        return longer or None

    def _forget_locations(self, known: int) -> None:
        del self.found.locations[known:]
        self.numbers = {key: number for key, number in self.numbers.items() if number < known}
        self.found.exits = {end: number for end, number in self.found.exits.items() if number < known}

    def _add(self, source: int | None, word: str, start: Position, run: Run, block: int | None) -> None:
        target = None if block is None else self._location(run, block)
        self.found.paths.append(Path(source, word, start, run, target))

    def _location(self, run: Run, block: int) -> int:
        position = run.position
        check_kept(self.graph, position)
        live = self.graph.blocks[block].live if not isinstance(self.graph.blocks[block].exit, flow.Over) else ()
        if run.within is not None:  # what its callers will read is not in the frame, but all parameters are
            live = tuple(name for name in self.graph.frame if name in position.frame)
        stack = tuple(
            (name.name, known_key(position.frame[name]))
            for name in live
            if name in self.backs and name in position.frame
        )
        turned = run.turned and block not in self.heads
        here = (block, stack, turned, run.within, run.has_left)
        known: dict[Variable, Value] = {}
        loose: list[Variable] = []
        key: list[object] = [here]
        for name in live:
            value = position.frame.get(name)
            if value is None:
                continue
            fixed = known_key(value)
            is_told_apart = run.within is None or name in self.backs
            is_known = fixed is not None and name not in self.world.cuts.rounds and is_told_apart
            if is_known and name not in self.loose.get(here, ()):
                known[name] = value
                key.append((name, fixed))
            else:
                loose.append(name)
                key.append((name, "loose"))
        if run.has_left:  # one place for all that come out here, whatever of the frame they know
            key = [(run.within, block, "exit")]
        found = self.numbers.get(tuple(key))
        if found is None:
            found = self.numbers[tuple(key)] = len(self.found.locations)
            given = None if run.within is None else frozenset(position.begun)
            place = Location(found, block, known, tuple(loose), turned, run.within, given, run.has_left)
            self.found.locations.append(place)
            if run.within is not None and run.has_left:
                self.found.exits[run.within, block] = found
            self.alike.setdefault(here, []).append(found)
        return found

    def _loosen(self) -> None:
        """Where too much is told apart, the variable with the most values is let go."""
        for here, numbers in self.alike.items():
            if len(numbers) <= MOST_ALIKE:
                continue
            values: dict[Variable, set[object]] = {}
            for number_ in numbers:
                for name, value in self.found.locations[number_].known.items():
                    if name not in self.backs:
                        values.setdefault(name, set()).add(known_key(value))
            if not values:
                raise Unsupported("too many ways to come to one place in the rules")
            most_ = max(values, key=lambda name: len(values[name]))
            self.loose.setdefault(here, set()).add(most_)


def check_kept(graph: flow.Flow, position: Position) -> None:
    """That procedures whose first position is kept have their parameters still (`at` supposes it)."""
    for procedure, begun in position.begun.items():
        for name in graph.routines[procedure].params:
            if name in position.frame and position.frame[name] is not begun.frame.get(name):
                raise Unsupported(f"a parameter of {procedure} that does not keep its value")


# ----------------------------------------------------------------------------------------------------------- positions


def beginning(world: World) -> Position:
    """Before anything has happened."""
    states = {name: first_values(world, name) for name in world.game.states}
    return Position(states, at_home(world), tuple(NO for _ in world.seats))


def anything(world: World, told: list[Term], word: str = "") -> Position:
    """Any position, as far as the types go; what is told holds of all that can come up."""
    states = {name: free_family(world, f"{word}{name}", name, told) for name in world.game.states}
    out = tuple(flag(world.name(f"{word}out.{seat}")) if world.may_drop_out else NO for seat in world.seats)
    found = Position(states, anywhere(world, f"{word}pieces", told), out)
    told += first_elsewhere(world, found)
    return found


def perhaps_over(world: World, position: Position, word: str = "") -> Position:
    """The same, where the game may be over: then each player has won or lost, or nobody has."""
    is_over, won = flag(world.name(f"{word}over")), [flag(world.name(f"{word}won.{seat}")) for seat in world.seats]
    result = Result(tuple(and_(is_over, one) for one in won), tuple(and_(is_over, not_(one)) for one in won))
    return replace(position, result=result)


# --------------------------------------------------------------------------------------------------------------- paths


def at(world: World, location: Location, watched: frozenset[str]) -> Run:
    """A run that begins at a location, at any position."""
    position, known = some_position(world, "")
    told = list(known)
    frame = dict(location.known)
    for name in location.loose:
        frame[name] = some_value(world, name, told)
    begun = {}
    for procedure in sorted(watched):
        routine = world.graph.routines[procedure]
        if routine.back in frame if location.begun is None else procedure in location.begun:
            then, known = some_position(world, f"{procedure}.")
            told += known
            begun[procedure] = replace(
                then,
                frame={v: frame[v] if v in frame else some_value(world, v, told, "then.") for v in routine.params},
            )
    run = Run(world, replace(position, frame=frame, begun=begun))
    run.told = told
    run.watched = watched
    run.turned = location.turned
    run.within = location.within
    return run


def some_position(world: World, word: str) -> tuple[Position, Sequence[Term]]:
    """Any position, and what is told of it: the same one for all locations, so that less has to be read anew. No
    question is about two of them."""
    if word not in world.positions:
        told: list[Term] = []
        world.positions[word] = anything(world, told, word), told
    return world.positions[word]


def some_value(world: World, variable: Variable, told: list[Term], word: str = "") -> Value:
    """Any value that a variable of the frame may have, the same one for all locations."""
    if (variable, word) not in world.frame:
        known: list[Term] = []
        world.frame[variable, word] = free_variable(world, variable, known, word), known
    found, known = world.frame[variable, word]
    told += known
    return found


def free_variable(world: World, variable: Variable, told: list[Term], word: str = "") -> Value:
    """Any value that a variable of the frame may have."""
    ty = type_of(world, variable)
    if variable in world.cuts.rounds:
        assert isinstance(ty, types.SetOf)
        return replace(world.free_subset(word + variable.name, ty.of), scrambled=True)
    return world.free(word + variable.name, ty, told)


def type_of(world: World, variable: Variable) -> types.Type:
    """The type of all values that a variable of the frame may have anywhere. Those that count down go below their first
    value, and names of what is drawn stand for nothing before; parameters do neither."""
    ty = variable.type
    if isinstance(ty, types.Int) and variable not in world.params:
        return types.Int(min(ty.low, 0), ty.high)
    return types.Optional(ty) if variable in world.none_at_first else ty


def paths_from(
    world: World, location: Location, watched: frozenset[str]
) -> Iterator[tuple[str, Position, Run, int | None]]:
    """What may be answered at a location, and where that leads: the word, the position there, the run, the block."""
    exit = world.graph.blocks[location.block].exit
    if isinstance(exit, flow.Over | flow.Outside) or location.is_exit:
        return
    if location.turned and world.alike is not None and not world.alike.are_alike_in(location.block):
        raise Uneven
    first = at(world, location, watched)
    start = first.position
    for count, (word, after, there) in enumerate(onward(first, location.block)):
        if count >= MOST_PATHS:
            raise TooMany(f"more than {MOST_PATHS} ways from one choice to the next", source_of(exit))
        yield word, start, after, there
