"""Facts: the parts that promises are split into for a proof, and what the rules themselves say that may help.

A promise is split at `and`, at `every` over a few values, behind `implies`, and into the defines that it names; each
part is proved for itself, and may be used for all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seaspec.analysis.reads import Reads, reads
from seaspec.backends.symbolic.logic.terms import Term, and_, implies
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.run.said import parts
from seaspec.backends.symbolic.seats import names_players
from seaspec.backends.symbolic.values.position import Position, footprint, is_same
from seaspec.backends.symbolic.values.world import World, definedness
from seaspec.core import flow, ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.flow import Flow
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.types import PLAYER
from seaspec.core.walk import free_variables, substitute, walk
from seaspec.prove.stuck import Offered
from seaspec.prove.termination import AtBegin, Between

FEW_VALUES = 4
"""A range of at most so many numbers may have one of them at each place in the rules."""
MOST_NAMES = 4
"""Names that stand for names are looked up so often."""
FEW_PARTS = 8
"""An `every` over at most so many values is split into a part for each."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A fact at a position: whether it `holds`, and whether it has a value there. `told`: what is known of the names
    in it."""

    holds: Term
    has_value: Term
    told: tuple[Term, ...]

    @property
    def goal(self) -> Term:
        """What is to be shown of it."""
        return and_(self.holds, self.has_value)


@dataclass(frozen=True, eq=False)
class Fact:
    """A part of a promise (`promise` None: of the rules). `after`: it compares with the moment this procedure began."""

    promise: str | None
    guards: tuple[Expr, ...]
    test: Expr
    values: Mapping[Variable, tuple[types.Type, object]] = field(default_factory=dict)
    after: str | None = None
    names: tuple[Variable, ...] = ()
    """Names of the first arguments of that procedure."""
    guard: tuple[str, str] | None = None
    """The guard that says this, if one does: of which action, and its name."""
    is_wanted: bool = False
    """Whether a promise takes it, though it says something else: it is asked for with all that is known."""
    weaker_than: Fact | None = None
    """What says more: where that may hold, this need not be said, too."""
    _reads: list[Reads] = field(init=False, default_factory=list, repr=False)
    _names: list[tuple[Variable, ...]] = field(init=False, default_factory=list, repr=False)

    @property
    def in_frame(self) -> tuple[Variable, ...]:
        """The variables of the frame that it names."""
        if not self._names:
            named = dict.fromkeys(free_variables(self.test, *self.guards))
            self._names.append(tuple(name for name in named if name not in self.values and name not in self.names))
        return self._names[0]

    def family(self) -> tuple[object, ...]:
        """The same for facts that differ only in which player they are about."""
        values = tuple((name, value) for name, (ty, value) in self.values.items() if not names_players(ty))
        return self.promise, self.guards, self.test, tuple(self.values), values, self.after, self.names

    @property
    def who(self) -> tuple[object, ...]:
        """The players that it names."""
        return tuple(value for ty, value in self.values.values() if names_players(ty))

    @property
    def says_a_name(self) -> bool:
        """Whether it says what a name of the rules stands for."""
        test = self.test
        return isinstance(test, ir.Apply) and test.op is Op.EQUAL and isinstance(test.arguments[0], ir.Local)

    @property
    def placed(self) -> frozenset[int]:
        """The pieces that a name may stand for, if it says where the one lies that it stands for."""
        match self.test:
            case ir.Apply(_, Op.IN, (ir.Local(name), _)) if name not in self.values and name not in self.names:
                return frozenset(name.type.members) if isinstance(name.type, types.Pieces) else frozenset()
            case _:  # cautious: it does not say where one lies
                return frozenset()

    @property
    def players(self) -> int:
        """How many players it names."""
        return len(self.who)

    def reads(self, game: ir.Game) -> Reads:
        """The places and states that it reads, and whether it reads anything else of a position."""
        if not self._reads:
            self._reads.append(reads(game, self.test, *self.guards))
        return self._reads[0]

    def depends_on(self, game: ir.Game, position: Position) -> tuple[object, ...]:
        """All that its reading depends on: where that is the same in two positions, so is what is read."""
        read = None if self.after is not None else footprint(self.reads(game), position)
        if read is None:
            return (position,)
        return *read, *(position.frame.get(name) for name in self.in_frame)

    def is_untouched(self, game: ir.Game, before: Position, after: Position) -> bool:
        """Whether nothing that it reads has changed between two positions."""
        if self.after is not None and before.begun.get(self.after) is not after.begun.get(self.after):
            return False
        if not is_same(self.reads(game), before, after):
            return False
        return all(before.frame.get(name) is after.frame.get(name) for name in self.in_frame)

    def read(self, world: World, position: Position, old: Position | None = None) -> Reading:
        """The fact at a position."""
        reader = Reader(world, position, old)
        if self.after is not None:
            reader.old = position.begun[self.after] if old is None else old
            for name, param in zip(self.names, world.graph.routines[self.after].params, strict=False):
                if param in reader.old.frame:
                    reader.env[name] = reader.old.frame[param]
        for variable, (ty, value) in self.values.items():
            reader.env[variable] = world.constant(value, ty)
        guards: list[Term] = []
        owed: list[Term] = []
        for expr in (*self.guards, self.test):
            owed.append(implies(and_(*guards), reader.defined(expr)))
            guards.append(reader.test(expr))
        test = guards.pop()
        return Reading(implies(and_(*guards), test), and_(*owed), tuple(reader.told))


def told_with(readings: Iterable[Reading | None]) -> list[tuple[Term, Fact | None]]:
    """What is known of the names in some readings."""
    told = dict.fromkeys(term for reading in readings if reading is not None for term in reading.told)
    return [(term, None) for term in told]


def facts_of(game: ir.Game, promise: ir.Invariant | ir.Always | Offered | AtBegin | Between) -> Iterator[Fact]:
    """The parts of a promise."""
    if not isinstance(promise, ir.Always):
        if promise.test is not None:
            yield from _split(game, promise.name, promise.test, (), {}, None, ())
        return
    for procedure, names, test in promise.after:
        yield from _split(game, promise.name, test, (), {}, procedure, names)
    if not promise.after:
        yield from _split(game, promise.name, promise.test, (), {}, None, ())


def _split(
    game: ir.Game,
    promise: str,
    test: Expr,
    guards: tuple[Expr, ...],
    values: Mapping[Variable, tuple[types.Type, object]],
    after: str | None,
    names: tuple[Variable, ...],
) -> Iterator[Fact]:
    def go(
        inner: Expr, more: tuple[Expr, ...] = (), bound: Mapping[Variable, tuple[types.Type, object]] = values
    ) -> Iterator[Fact]:
        yield from _split(game, promise, inner, (*guards, *more), bound, after, names)

    owed = definedness(game)
    match test:
        case ir.Apply(_, Op.AND, arguments):
            # Each part may rely on those before it: they are looked at first.
            for place, argument in enumerate(arguments):
                yield from go(argument, () if owed.is_total(argument) else arguments[:place])
        case ir.Apply(_, Op.IMPLIES, (first, second)):
            yield from go(second, (first,))
        case ir.Call(_, function, ()) if game.functions[function].shrinking is None:
            yield from go(game.functions[function].body)
        case ir.Fold(_, FoldKind.EVERY, (binder, *rest), body) if _small(binder):
            for value in types.values(binder.variable.type):
                bound = {**values, binder.variable: (binder.variable.type, value)}
                inner = ir.Fold(test.type, FoldKind.EVERY, tuple(rest), body) if rest else body
                tests = () if binder.test is None else (binder.test,)
                yield from go(inner, tests, bound)
        case _:  # cautious: it is said as it stands
            yield Fact(promise, guards, test, values, after, names)


def _small(binder: ir.Binder) -> bool:
    """Whether a binder goes through all of a small type."""
    ty = binder.variable.type
    if binder.prefix or isinstance(ty, types.SetOf | types.Map) or types.size(ty) > FEW_PARTS:
        return False
    return isinstance(binder.domain, ir.Const) and binder.domain.value == tuple(types.values(ty))


# ------------------------------------------------------------------------------------------------- what the rules say


def sharper(game: ir.Game, fact: Fact) -> Iterator[Fact]:
    """Facts that say more than this: one of several ways to keep it, one value of several, or another one; a loop may
    pass through them in turn. And that what a promise compares has not changed since the moment it compares with."""
    if fact.after is None and len(fact.guards) == 1:
        yield replace(fact, promise=None, test=negated(fact.guards[0]), guards=())
    for node in walk(fact.test) if fact.after is not None else ():
        if isinstance(node, ir.Old) and not isinstance(node.type, types.SetOf | types.Map):
            same = ir.Apply(types.Bool(), Op.EQUAL, (node.inner, node))
            if not set(free_variables(same)) - {*fact.names, *fact.values}:
                yield replace(fact, promise=None, test=same, guards=())
    owed = definedness(game)
    match fact.test:
        case ir.Apply(_, Op.OR, ways):
            for place, way in enumerate(ways):
                before = () if owed.is_total(way) else tuple(map(negated, ways[:place]))
                yield replace(fact, promise=None, test=way, guards=(*fact.guards, *before))
            return
        case ir.Apply(_, Op.IN, (value, ir.Apply(_, Op.RANGE, (ir.Const(_, low), ir.Const(_, high))))):
            assert isinstance(low, int) and isinstance(high, int)
            numbers = tuple(range(low, high + 1)) if high - low < FEW_VALUES else (low, high)
        case ir.Apply(_, Op.EQUAL, (value, ir.Const(types.Int(), int() as number))):
            numbers = tuple(other for other in (0, number - 1, number + 1) if other != number)
        case _:  # cautious: there is nothing more to say
            return
    for number in dict.fromkeys(numbers):
        equal = ir.Apply(types.Bool(), Op.EQUAL, (value, ir.Const(types.Int(number, number), number)))
        yield replace(fact, promise=None, test=equal)
        if fact.guards:
            yield replace(fact, promise=None, test=equal, guards=())


def where_none_lie(game: ir.Game) -> Iterator[tuple[str | None, str, Fact]]:
    """That no piece of a kind lies in a place, or in one of its instances; where those are many, that nothing lies
    there at all: the kind (None: any), the place, and the fact."""
    kinds: dict[str, list[int]] = {}
    for piece in game.pieces:
        kinds.setdefault(piece.kinds[0], []).append(piece.id)
    for name, place in game.places.items():
        if len(place.index) > 1 or any(types.size(variable.type) > FEW_PARTS for variable in place.index):
            yield None, name, _nothing_in(name, place)
            continue
        for kind, members in kinds.items():
            if not set(members) & set(place.holds.members):
                continue
            pieces = ir.Const(types.SetOf(types.Pieces(kind, tuple(members))), tuple(members))
            for value in types.values(place.index[0].type) if place.index else (None,):
                at, values = _at(place.index, value)
                one = Variable("x", place.holds)
                of_kind = ir.Apply(types.Bool(), Op.IN, (ir.Local(one), pieces))
                lying = ir.PlaceRead(types.SetOf(place.holds), name, at)
                chosen = ir.Select(types.SetOf(place.holds), ir.Binder(one, lying, of_kind))
                yield kind, name, Fact(None, (), _is_empty(chosen), values)


def kinds_in(game: ir.Game, fact: Fact) -> frozenset[str]:
    """The kinds of pieces that a fact names."""
    parts = (node for expr in (fact.test, *fact.guards) for node in walk(expr) if isinstance(node, ir.Const))
    named = (one for one in parts if isinstance(one.type, types.SetOf) and isinstance(one.type.of, types.Pieces))
    return frozenset(
        game.pieces[piece].kinds[0] for one in named if isinstance(one.value, tuple) for piece in one.value
    )


def _nothing_in(name: str, place: ir.Place) -> Fact:
    """That nothing lies in any instance of a place."""
    all_values = [ir.Const(types.SetOf(key.type), tuple(types.values(key.type))) for key in place.index]
    binders = tuple(map(ir.Binder, place.index, all_values))
    lying = ir.PlaceRead(types.SetOf(place.holds), name, tuple(map(ir.Local, place.index)))
    return Fact(None, (), ir.Fold(types.Bool(), FoldKind.EVERY, binders, _is_empty(lying)))


def _is_empty(pieces: Expr) -> Expr:
    assert isinstance(pieces.type, types.SetOf) and isinstance(pieces.type.of, types.Pieces)
    size = ir.Apply(types.Int(0, len(pieces.type.of.members)), Op.SIZE, (pieces,))
    return ir.Apply(types.Bool(), Op.EQUAL, (size, ir.Const(types.Int(0, 0), 0)))


def _at(index: Sequence[Variable], value: object) -> tuple[tuple[Expr, ...], dict[Variable, tuple[types.Type, object]]]:
    """An index of at most one variable, with its value."""
    if not index:
        return (), {}
    return (ir.Local(index[0]),), {index[0]: (index[0].type, value)}


def first_values(game: ir.Game) -> Iterator[Fact]:
    """That a state has its first value."""
    for name, state in game.states.items():
        if isinstance(state.type, types.SetOf | types.Map) or len(state.index) > 1:
            continue
        if any(types.size(variable.type) > FEW_PARTS for variable in state.index):
            continue
        for value in types.values(state.index[0].type) if state.index else (None,):
            env = {state.index[0]: value} if state.index else {}
            try:
                first = evaluate(state.initial, game.tables, game.functions, env)
            except NotConstant:
                continue
            at, values = _at(state.index, value)
            read = ir.StateRead(state.type, name, at)
            yield Fact(None, (), ir.Apply(types.Bool(), Op.EQUAL, (read, ir.Const(state.type, first))), values)


def helping_facts(graph: Flow, running: frozenset[str], frame: Sequence[Variable]) -> Iterator[Fact]:
    """What the rules have tested or named, and may still hold: tests and their opposites, guards, the values of names.

    Names that have no value here stand for each player in turn. Only the procedures that run name values.
    """
    have = set(frame)
    seen: set[tuple[object, ...]] = set()
    named = _named_values(graph, running)

    def offered(test: Expr, guard: tuple[str, str] | None = None) -> Iterator[Fact]:
        free = free_variables(test)
        for _ in range(MOST_NAMES):
            unknown = {v: named[v] for v in free if v not in have and v in named}
            if not unknown:
                break
            test = substitute(test, unknown)
            free = free_variables(test)
        if isinstance(test, ir.Const) or not (free or any(reads(graph.game, test))):
            return  # it is about options alone
        missing = [variable for variable in free if variable not in have]
        if any(not isinstance(v.type, types.Enum) or v.type.name != PLAYER for v in missing) or len(missing) > 1:
            return
        for value in types.values(missing[0].type) if missing else (None,):
            key = (test, value) if missing else (test,)
            if key not in seen:
                seen.add(key)
                values = {missing[0]: (missing[0].type, value)} if missing else {}
                yield Fact(None, (), test, values, guard=guard)

    for block in graph.blocks:
        if isinstance(block.exit, flow.Test):
            for part in (*conjuncts(block.exit.test), *conjuncts(negated(block.exit.test))):
                yield from offered(part)
        for step in block.steps if block.owner in running else ():
            if isinstance(step, flow.Set) and not isinstance(step.variable.type, types.SetOf | types.Map):
                yield from offered(ir.Apply(types.Bool(), Op.EQUAL, (ir.Local(step.variable), step.value)))
    for name in sorted(running):
        action = graph.game.actions.get(name)
        if action is None:
            continue
        for param in action.params:
            for test in _among_what(graph.game, param):
                yield from offered(test)
        for guard in action.guards:
            for part in conjuncts(guard.test):
                unless = tuple(test for test, _ in guard.exceptions)
                whole = ir.Apply(types.Bool(), Op.OR, (part, *unless)) if unless else part
                yield from offered(whole, (name, guard.name))


def _among_what(game: ir.Game, param: ir.Param) -> Iterator[Expr]:
    """What is known of a parameter, for it is chosen from a domain."""
    match param.domain:
        case None:
            pass
        case ir.Select(_, ir.Binder(variable, _, test, False)) if test is not None:
            yield from parts(game, substitute(test, {variable: ir.Local(param.variable)}))
        case domain:  # cautious: a parameter lies in its domain, whatever that is
            yield ir.Apply(types.Bool(), Op.IN, (ir.Local(param.variable), domain))
    if param.test is not None:
        yield from parts(game, param.test)


def _named_values(graph: Flow, running: frozenset[str]) -> dict[Variable, Expr]:
    """What names stand for that get their value at one place, in a procedure that runs."""
    found: dict[Variable, list[Expr]] = {}
    for block in graph.blocks:
        for step in block.steps:
            if isinstance(step, flow.Set):
                known = block.owner in running and step.variable not in free_variables(step.value)
                found.setdefault(step.variable, []).append(step.value if known else ir.Local(step.variable))
    return {name: values[0] for name, values in found.items() if len(values) == 1 and values[0] != ir.Local(name)}


def negated(test: Expr) -> Expr:
    """The contrary of a test."""
    if isinstance(test, ir.Apply) and test.op is Op.NOT:
        return test.arguments[0]
    return ir.Apply(types.Bool(), Op.NOT, (test,))


def conjuncts(test: Expr) -> Iterator[Expr]:
    """The parts that hold together where a test holds."""
    match test:
        case ir.Apply(_, Op.AND, parts):
            for part in parts:
                yield from conjuncts(part)
        case ir.Apply(_, Op.NOT, (ir.Apply(_, Op.OR, parts),)):
            for part in parts:
                yield from conjuncts(negated(part))
        case _:  # cautious: a test holds where it holds
            yield test
