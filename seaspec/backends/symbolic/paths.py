"""From node to node: the locations of a game, and all paths between them.

A *location* is a node of the flow graph together with what of the frame is known there: the procedures that run and
where each comes back to, the members that loops have still to go through, numbers and players that are the same
whenever the play comes there. All else (the states, the pieces, the rest of the frame) may be anything. A *path* leads
from a location by one answer to the next location. Paths are found by running the graph with terms instead of values.

If a variable has too many values at one place, it is no longer told apart there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from seaspec.backends.symbolic.effects import do, first_values, known_or_any, lay, of_kind
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.offers import answers, bind, has_option, some_member
from seaspec.backends.symbolic.places import anywhere, at_home
from seaspec.backends.symbolic.position import Entries, Family, Mapped, Position, Result
from seaspec.backends.symbolic.runs import Run, some_of
from seaspec.backends.symbolic.sets import NONE, Listed, Map, Set, Value, Where, same
from seaspec.backends.symbolic.terms import (
    NO,
    YES,
    Function,
    Sort,
    Term,
    and_,
    at_most,
    bound,
    eq,
    flag,
    forall,
    less,
    most,
    mul,
    not_,
    number,
    or_,
    variable,
)
from seaspec.backends.symbolic.world import World, bounds, is_in
from seaspec.core import flow, ir, types
from seaspec.core.ir import BOX, PlaceOrder, Variable

MOST_BLOCKS = 3_000
"""A path through more blocks than this is given up."""
MOST_PATHS = 1_500
"""From a location, or from the start."""
MOST_ALIKE = 40
"""Locations at one node with the same procedures running; with more, some variable is no longer told apart."""
MOST_LOCATIONS = 600


@dataclass(frozen=True, eq=False)
class Location:
    """A node with what is known of the frame. `loose`: the variables that may have any value of their type."""

    number: int
    block: int
    known: dict[Variable, Value]
    loose: tuple[Variable, ...]


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


def explore(world: World, watched: frozenset[str] = frozenset()) -> Paths:
    """The locations of a game. `watched`: procedures whose first position is kept until they end."""
    loose: dict[tuple[object, ...], set[Variable]] = {}
    while True:
        explorer = _Explorer(world, watched, loose)
        if explorer.explore():
            return explorer.found


class _Explorer:
    def __init__(self, world: World, watched: frozenset[str], loose: dict[tuple[object, ...], set[Variable]]) -> None:
        self.world = world
        self.graph = world.graph
        self.watched = watched
        self.loose = loose
        self.found = Paths(world)
        self.numbers: dict[tuple[object, ...], int] = {}
        self.alike: dict[tuple[object, ...], list[int]] = {}
        self.backs = {routine.back for routine in self.graph.routines.values()}

    def explore(self) -> bool:
        """False: some variable has too many values, and all has to be done again."""
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
            for path in paths_from(self.world, location, self.watched):
                self._add(location.number, path[0], path[1], path[2], path[3])
        return True

    def _add(self, source: int | None, word: str, start: Position, run: Run, block: int | None) -> None:
        target = None if block is None else self._location(run.position, block)
        self.found.paths.append(Path(source, word, start, run, target))

    def _location(self, position: Position, block: int) -> int:
        for procedure, begun in position.begun.items():
            for name in self.graph.routines[procedure].params:
                if name in position.frame and position.frame[name] is not begun.frame[name]:
                    raise Unsupported(f"a parameter of {procedure} that does not keep its value")
        live = self.graph.blocks[block].live if not isinstance(self.graph.blocks[block].exit, flow.Over) else ()
        stack = tuple(
            (name.name, _known_key(position.frame[name]))
            for name in live
            if name in self.backs and name in position.frame
        )
        here = (block, stack)
        known: dict[Variable, Value] = {}
        loose: list[Variable] = []
        key: list[object] = [here]
        for name in live:
            value = position.frame.get(name)
            if value is None:
                continue
            fixed = _known_key(value)
            if fixed is not None and name not in self.loose.get(here, ()):
                known[name] = value
                key.append((name, fixed))
            else:
                loose.append(name)
                key.append((name, "loose"))
        found = self.numbers.get(tuple(key))
        if found is None:
            found = self.numbers[tuple(key)] = len(self.found.locations)
            self.found.locations.append(Location(found, block, known, tuple(loose)))
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
                        values.setdefault(name, set()).add(_known_key(value))
            if not values:
                raise Unsupported("too many ways to come to one place in the rules")
            most_ = max(values, key=lambda name: len(values[name]))
            self.loose.setdefault(here, set()).add(most_)


def _known_key(value: Value) -> object:
    """What a value is, if it is known through and through; else None."""
    if isinstance(value, Term):
        return value.value if value.is_const else None
    if isinstance(value, Map):
        keys = tuple(_known_key(entry) for entry in value.entries)
        return None if None in keys else keys
    if isinstance(value, Where) and value.wide:
        return None
    keys = tuple(_known_key(member) if there is YES else None for there, member in value.items)
    return None if None in keys else ("set", *keys)


# ----------------------------------------------------------------------------------------------------------- positions


def beginning(world: World) -> Position:
    """Before anything has happened."""
    states = {name: first_values(world, name) for name in world.game.states}
    return Position(states, at_home(world), tuple(NO for _ in world.seats))


def anything(world: World, told: list[Term], word: str = "") -> Position:
    """Any position, as far as the types go; what is told holds of all that can come up."""
    states = {name: free_family(world, f"{word}{name}", name, told) for name in world.game.states}
    out = tuple(flag(world.name(f"{word}out.{seat}")) if world.may_drop_out else NO for seat in world.seats)
    return Position(states, anywhere(world, f"{word}pieces", told), out)


def free_family(world: World, word: str, name: str, told: list[Term]) -> Family:
    """A state with any values."""
    rules = world.game.states[name]
    instances = world.states[name]
    ty = rules.type
    try:
        if world.wide(len(instances.keys)) and not isinstance(ty, types.SetOf | types.Map):
            return _free_function(world, word, name, told)
        values: dict[tuple[int, ...], Value] = {}
        for key in instances.keys:
            values[key] = world.free(f"{word}.{'.'.join(map(str, key))}" if key else word, ty, told)
        return Entries(values)
    except Unsupported as found:
        what = found.what

        def unread(args: tuple[Term, ...]) -> Value:
            raise Unsupported(what, rules.source)

        return Mapped(unread)


def _free_function(world: World, word: str, name: str, told: list[Term]) -> Family:
    instances, ty = world.states[name], world.game.states[name].type
    inner = ty.of if isinstance(ty, types.Optional) else ty
    if isinstance(ty, types.Bool):
        holds = Function(world.name(word), len(instances.index), Sort.BOOL)
        return Mapped(lambda args: holds(*args))
    low, high = bounds(inner)
    function = Function(world.name(word), len(instances.index), Sort.INT, NONE.value if inner is not ty else low, high)
    columns = range(len(instances.index))
    ends = [[key[column] for key in instances.keys] for column in columns]
    names = [bound(min(column), max(column)) for column in ends]
    value = function(*names)
    told.append(forall(names, is_in(value, ty)))
    return Mapped(lambda args: function(*args))


# --------------------------------------------------------------------------------------------------------------- paths


def at(world: World, location: Location, watched: frozenset[str]) -> Run:
    """A run that begins at a location, at any position."""
    told: list[Term] = []
    position = anything(world, told)
    frame = dict(location.known)
    for name in location.loose:
        frame[name] = free_variable(world, name, told)
    begun = {}
    for procedure in sorted(watched):
        routine = world.graph.routines[procedure]
        if routine.back in frame:
            begun[procedure] = replace(
                anything(world, told, "then."),
                frame={v: frame[v] if v in frame else free_variable(world, v, told, "then.") for v in routine.params},
            )
    run = Run(world, replace(position, frame=frame, begun=begun))
    run.told = told
    run.watched = watched
    return run


def free_variable(world: World, variable: Variable, told: list[Term], word: str = "") -> Value:
    """Any value that a variable of the frame may have. Those that count down go below their first value."""
    ty = variable.type
    if isinstance(ty, types.Int):
        ty = types.Int(min(ty.low, 0), ty.high)
    return world.free(word + variable.name, ty, told)


def paths_from(
    world: World, location: Location, watched: frozenset[str]
) -> Iterator[tuple[str, Position, Run, int | None]]:
    """What may be answered at a location, and where that leads: the word, the position there, the run, the block."""
    exit = world.graph.blocks[location.block].exit
    if isinstance(exit, flow.Over | flow.Outside):
        return
    first = at(world, location, watched)
    start = first.position
    count = 0
    for word, run, block in _answered(first, exit):
        for after, there in run_on(run, block):
            count += 1
            if count > MOST_PATHS:
                raise Unsupported(f"more than {MOST_PATHS} ways from one choice to the next", _source(exit))
            yield word, start, after, there


def _source(exit: flow.Exit) -> ir.Source | None:
    found = getattr(exit, "source", None)
    return found if isinstance(found, ir.Source) else None


def _answered(run: Run, exit: flow.Exit) -> Iterator[tuple[str, Run, int]]:
    match exit:
        case flow.Decision() | flow.ChanceNode():
            for taken in answers(run, exit.offer, exit.launches, exit.source):
                after = taken.run
                after.position = after.position.with_frame(taken.values)
                if taken.launch is not None:
                    launch = exit.launches[taken.launch]
                    back = run.world.graph.routines[launch.action].back
                    after.position = after.position.with_frame({back: number(launch.back)})
                    yield taken.word, after, launch.target
                else:
                    assert exit.target is not None
                    yield taken.word, after, exit.target
            if isinstance(exit, flow.Decision) and exit.passing is not None:
                after = run.fork()
                reader = after.reader()
                there_is = has_option(reader, exit.offer)
                after.settle(reader, exit.source)
                if after.assume(there_is).possible:
                    yield "pass", after, exit.passing
        case flow.DrawNode():
            members = _drawable(run, exit)
            if run.world.game.places[exit.origin.place].order is PlaceOrder.PILE:
                run.exact = False
            for piece, after in some_member(run, members, "drawn"):
                assert isinstance(piece, Term)
                reader = after.reader()
                args = reader.indices(exit.to.indices)
                after.settle(reader, exit.source)
                if exit.variable is not None:
                    after.position = after.position.with_frame({exit.variable: piece})
                lay(after, piece, exit.to.place, args, exit.source)
                if after.possible:
                    yield "draw", after, exit.target
        case flow.RollNode(dice, sides, variable_, target, source):
            reader = run.reader()
            total = _rolled(run, most(number(0), reader.number(dice)), sides, variable_)
            run.settle(reader, source)
            run.position = run.position.with_frame({variable_: total})
            yield "roll", run, target
        case flow.ThrowNode():
            yield "throw", _thrown(run, exit), exit.target
        case _:
            raise AssertionError(exit)


def _drawable(run: Run, exit: flow.DrawNode) -> Set:
    reader = run.reader()
    args = reader.indices(exit.origin.indices)
    inside = run.world.is_inside(run.world.places[exit.origin.place], args)
    run.settle(reader, exit.source)
    members = run.position.places.pieces_in(exit.origin.place, args, inside)
    if exit.origin.place == BOX:
        members = of_kind(run.world, members, run.world.game.places[exit.to.place].holds.members)
    return members


def _rolled(run: Run, dice: Term, sides: int, name: Variable) -> Term:
    high = None if dice.high is None else dice.high * sides
    total = variable(run.world.name(name.name), dice.low, high)
    run.assume(at_most(dice, total), at_most(total, mul(number(sides), dice)))
    return total


def _thrown(run: Run, exit: flow.ThrowNode) -> Run:
    rule = run.world.game.chances[exit.chance]
    reader = run.reader()
    reader.env.update(zip(rule.params, [reader.value(argument) for argument in exit.arguments], strict=True))
    for stmt in rule.body:
        match stmt:
            case ir.Roll(dice, sides, variable_):
                reader.env[variable_] = _rolled(run, most(number(0), reader.number(dice)), sides, variable_)
            case ir.Let(variable_, value):
                reader.env[variable_] = reader.value(value)
            case _:
                raise Unsupported("a throw that holds more than rolls and lets", exit.source)
    for test in rule.again:
        run.assume(not_(reader.test(test)))
    gives = reader.value(rule.gives)
    run.settle(reader, exit.source)
    run.position = run.position.with_frame({exit.variable: gives})
    return run


def run_on(run: Run, block: int) -> Iterator[tuple[Run, int | None]]:
    """Run from a block to the nodes that may come next. None: nobody can go on there."""
    waiting = [(run, block, 0)]
    while waiting:
        run, block, length = waiting.pop()
        if length > MOST_BLOCKS:
            raise Unsupported("a long way from one choice to the next")
        run.world.hurry()
        here = run.world.graph.blocks[block]
        if flow.is_node(here.exit):
            for after, there in _arrived(run, block, here):
                if there == block or there is None:
                    yield after, there
                else:
                    waiting.append((after, there, length + 1))
            continue
        runs = [run]
        for step in here.steps:
            runs = [after for one in runs for after in do(one, step) if after.possible]
        for one in runs:
            waiting.extend((after, there, length + 1) for after, there in _jumped(one, here.exit) if after.possible)


def _jumped(run: Run, exit: flow.Exit) -> Iterator[tuple[Run, int]]:
    try:
        match exit:
            case flow.Goto(target):
                yield run, target
            case flow.Test(test, then, otherwise, source):
                holds = known_or_any(run, test, source)
                assert isinstance(holds, Term)
                yield run.fork().assume(holds), then
                yield run.assume(not_(holds)), otherwise
            case flow.Switch(subject, cases, otherwise, source):
                found = known_or_any(run, subject, source)
                tests = [
                    or_(*(same(found, run.world.constant(value, subject.type)) for value in values))
                    for values, _ in cases
                ]
                for case, after in some_of(run, [*tests, YES]):
                    yield after, otherwise if case == len(cases) else cases[case][1]
            case flow.Enter(procedure, back, target):
                slot = run.world.graph.routines[procedure].back
                run.position = run.position.with_frame({slot: number(back)})
                yield run, target
            case flow.Return(procedure, targets):
                routine = run.world.graph.routines[procedure]
                slot_value = run.position.frame[routine.back]
                assert isinstance(slot_value, Term) and slot_value.is_const
                run.position = run.position.without_frame((routine.back, *routine.locals))
                yield run, targets[slot_value.value]
            case flow.Finding():
                yield from _found(run, exit)
            case _:
                raise AssertionError(exit)
    except Unsupported as unknown:
        raise Unsupported(unknown.what, unknown.where or _source(exit)) from None


def _found(run: Run, exit: flow.Finding) -> Iterator[tuple[Run, int]]:
    """Any witness may be found here, where the rules take the first."""
    reader = run.reader()
    if not exit.witnesses:
        holds = reader.test(exit.test)
        run.settle(reader, exit.source)
        yield run.fork().assume(holds), exit.then
        yield run.assume(not_(holds)), exit.otherwise
        return
    with reader.perhaps():
        there_is = reader.quantified(exit.witnesses, exit.test, every=False)
    run.settle(reader, exit.source)
    some = run.fork().assume(there_is)
    if some.possible:
        for after, inner in bind(some, exit.witnesses, exit.source):
            after.assume(inner.test(exit.test))
            after.exact = False
            values = {binder.variable: inner.env[binder.variable] for binder in exit.witnesses}
            after.position = after.position.with_frame(values)
            yield after, exit.then
    yield run.assume(not_(there_is)), exit.otherwise


def _arrived(run: Run, block: int, here: flow.BasicBlock) -> Iterator[tuple[Run, int | None]]:
    """At a node: the game rests here, or goes on at once."""
    live = set(here.live)
    frame = {v: value for v, value in run.position.frame.items() if v in live}
    run.position = replace(run.position, frame=frame)
    exit = here.exit
    match exit:
        case flow.Decision():
            reader = run.reader()
            if isinstance(exit.decider.type, types.Optional):
                reader.duty(not_(eq(reader.number(exit.decider), NONE)), "there is nobody to choose")
                run.settle(reader, exit.source)
            yield from _asked(run, block, exit)
        case flow.ChanceNode():
            yield from _asked(run, block, exit)
        case flow.DrawNode():
            there_is = at_most(number(1), _drawable(run, exit).size)
            yield from _rests(run, block, there_is, exit.nothing, exit.source, stuck=False)
        case flow.RollNode() | flow.ThrowNode():
            yield run, block
        case flow.Over(how):
            run.position = replace(run.position, result=_result(run, how))
            yield run, block
        case flow.Outside():
            return


def _asked(run: Run, block: int, exit: flow.Decision | flow.ChanceNode) -> Iterator[tuple[Run, int | None]]:
    is_decision = isinstance(exit, flow.Decision)
    reader = run.reader()
    try:
        there_is = has_option(reader, exit.offer)
    except Unsupported:
        # Perhaps there is an option, perhaps not: both ways are followed.
        if exit.nothing is None:
            run.owe(NO, "whether there is an option is not known", exit.source, stuck=is_decision, exact=False)
        else:
            other = run.fork()
            other.exact = False
            yield other, exit.nothing
        run.exact = False
        yield run, block
        return
    run.settle(reader, exit.source)
    if isinstance(exit, flow.Decision) and exit.alone and isinstance(exit.offer, flow.OfferLines):
        yield from _alone(run, block, exit, exit.offer)
        return
    yield from _rests(run, block, there_is, exit.nothing, exit.source, stuck=is_decision)


def _rests(
    run: Run, block: int, there_is: Term, nothing: int | None, source: ir.Source, stuck: bool
) -> Iterator[tuple[Run, int | None]]:
    if nothing is not None:
        other = run.fork().assume(not_(there_is))
        if other.possible:
            yield other, nothing
    else:
        run.owe(there_is, "there is nothing to choose from", source, stuck=stuck)
    run.assume(there_is)
    if run.possible:
        yield run, block


def _alone(run: Run, block: int, exit: flow.Decision, offer: flow.OfferLines) -> Iterator[tuple[Run, int | None]]:
    """The last line that is left is done without asking."""
    reader = run.reader()
    left = reader.value(ir.Local(offer.left))
    assert isinstance(left, Listed | Where)
    lines = [
        and_(left.member(number(line)), YES if test is None else reader.test(test))
        for line, test in enumerate(offer.tests)
    ]
    run.settle(reader, exit.source)
    assert exit.nothing is not None and exit.target is not None
    nothing = run.fork().assume(not_(or_(*lines)))
    if nothing.possible:
        yield nothing, exit.nothing
    for line, there in enumerate(lines):
        others = [test for number_, test in enumerate(lines) if number_ != line]
        one = run.fork().assume(there, not_(or_(*others)))
        if one.possible:
            one.position = one.position.with_frame({offer.line: number(line)})
            yield one, exit.target
    several = [and_(a, b) for place, a in enumerate(lines) for b in lines[:place]]
    run.assume(or_(*several))
    if run.possible:
        yield run, block


def _result(run: Run, how: ir.End | ir.Score | None) -> Result:
    seats = run.world.seats
    nobody = tuple(NO for _ in seats)
    if how is None:
        return Result(nobody, nobody)
    reader = run.reader()
    out = run.position.out
    if isinstance(how, ir.Score):
        terms = []
        for seat in seats:
            reader.env[how.player] = number(seat)
            with reader.given(not_(out[seat])):
                terms.append([reader.number(value) for value in how.values])
        run.settle(reader, how.source)
        winners = tuple(
            and_(not_(out[p]), *(or_(out[q], _not_below(terms[p], terms[q])) for q in seats if q != p)) for p in seats
        )
        return Result(winners, tuple(map(not_, winners)))
    if how.outcome is ir.Outcome.NOBODY or how.players is None:
        return Result(nobody, nobody)
    if isinstance(how.players.type, types.SetOf | types.Optional):
        members = reader.set(how.players)
        named = tuple(members.member(number(seat)) for seat in seats)
    else:
        player = reader.number(how.players)
        named = tuple(eq(player, number(seat)) for seat in seats)
    run.settle(reader, how.source)
    if how.outcome is ir.Outcome.WIN:
        return Result(named, tuple(map(not_, named)))
    others = tuple(and_(not_(name), not_(gone)) for name, gone in zip(named, out, strict=True))
    return Result(others, tuple(map(not_, others)))


def _not_below(a: list[Term], b: list[Term]) -> Term:
    """Whether scores, compared one after the other, are as high."""
    if not a:
        return YES
    return or_(less(b[0], a[0]), and_(eq(a[0], b[0]), _not_below(a[1:], b[1:])))
