"""Reading and renaming commute: what an expression says of the image of a position is the image of what it says.

That is plain where the parts of an expression commute, and what joins them does not care who is who: then nobody need
look at positions. Where it is not plain, an expression that reads no position is worked out for all values of its
names; of any other a solver is asked, at any position, with any values of its names. What is asked there is more than
is needed (the position may be one that no play reaches), so nothing false is shown.

The order of things is part of what is asked: sets in order go member by member to sets in order; the members of other
sets come in the order of their type, so where that counts, the renaming must keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.symbolic.logic.terms import YES, Term, and_, eq, implies, less
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.values.image import Image
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import Value, for_each, same
from seaspec.backends.symbolic.values.world import World
from seaspec.core import flow, ir, types
from seaspec.core.definedness import Definedness
from seaspec.core.ir import Binder, Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.ops import Op
from seaspec.core.types import PLAYER, Type
from seaspec.core.walk import free_variables
from seaspec.prove.entail import Solver
from seaspec.prove.relational.pairs import Second, Twins
from seaspec.sampling.renaming import NoImage, Renaming

MOST_VALUES = 100_000
"""So many values of names an expression without a position is worked out for."""

_NUMBERS = frozenset(
    (
        Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.MODULO, Op.NEGATE, Op.ABS, Op.MIN, Op.MAX, Op.LESS, Op.AT_MOST,
        Op.MORE, Op.AT_LEAST, Op.RANGE,
    )
)  # fmt: skip
"""They commute where nothing is renamed."""
_WHOLE = ir.Call | ir.Fold | ir.Select | ir.Collect | ir.PickOne | ir.If | ir.Can
"""A part that is asked of a solver for itself, before what it is a part of."""


class Commuting:
    """Looks at the expressions of one game, under one renaming."""

    def __init__(self, graph: flow.Flow, renaming: Renaming, solve: Solver, go_on: Callable[[], bool]) -> None:
        self.graph = graph
        self.game = graph.game
        self.renaming = renaming
        self.twins = Twins(graph, self._second, solve, go_on)
        self.go_on: Callable[[], bool] = self.twins.go_on
        self._images: dict[Type, Mapping[object, object] | None] = {}
        self._plain: dict[tuple[int, Type], bool] = {}
        self._decided: dict[tuple[int, Type], bool] = {}
        self._functions: dict[tuple[str, bool], bool] = {}
        self._actions: dict[str, bool] = {}
        self._tables: dict[tuple[str, bool], bool] = {}
        self._loose: set[Variable] = set()
        """Names of sets that are in another order in the image."""
        self._owed = Definedness(graph.game)
        self._kept: list[object] = []

    # ------------------------------------------------------------------------------------------------------ types

    def images(self, ty: Type) -> Mapping[object, object] | None:
        """The images of the values of a type that is no set and no map; None: all stay what they are."""
        assert not isinstance(ty, types.Optional | types.SetOf | types.Map), ty
        if ty not in self._images:
            found: Mapping[object, object] | None = None
            if isinstance(ty, types.Pieces):
                found = {piece: self.renaming.pieces[piece] for piece in ty.members}
            elif (named := self.renaming.named(ty)) is not None:
                found = {value: named[value] for value in types.values(ty)}
            if found is not None and set(found.values()) != set(found):
                raise NoImage(f"the renaming leads out of {_called(ty)}")
            self._images[ty] = None if found is None or all(a == b for a, b in found.items()) else found
        return self._images[ty]

    def is_still(self, ty: Type) -> bool:
        """Whether all values of a type stay what they are."""
        match ty:
            case types.Optional(of) | types.SetOf(of):
                return self.is_still(of)
            case types.Map(keys, held):
                return self.is_still(keys) and self.is_still(held)
            case types.Bool() | types.Never() | types.Fraction():
                return True
            case types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces():
                return self.images(ty) is None
            case _:
                assert_never(ty)
        return self.images(ty) is None

    def keeps_order(self, ty: Type) -> bool:
        """Whether the images of values come in the order of the values."""
        if isinstance(ty, types.SetOf | types.Map):
            return self.is_still(ty)
        found = None if self.is_still(ty) else self.images(ty.of if isinstance(ty, types.Optional) else ty)
        if found is None:
            return True
        after = [value for value in found.values() if isinstance(value, int)]
        return after == sorted(after)

    def fits(self, one: Type, other: Type) -> bool:
        """Whether values of the one type have, as values of the other, the same images."""
        match one, other:
            case types.Never(), _:
                return True
            case types.Optional(of) | types.SetOf(of), _:
                return self.fits(of, other)
            case _, types.Optional(of) | types.SetOf(of):
                return self.fits(one, of)
            case types.Map(keys, held), types.Map(others, values):
                return keys == others and self.fits(held, values)
            case _:  # cautious: by their images, one by one, below
                pass
        if self.is_still(one) and self.is_still(other):
            return True
        here, there = self._as_map(one), self._as_map(other)
        if here is None or there is None:
            return False
        return all(value in there and there[value] == image for value, image in here.items())

    def are_told_apart(self, one: Type, other: Type) -> bool:
        """Whether values of two types are equal where their images are, and only there."""
        if self.is_still(one) and self.is_still(other):
            return True
        here, there = self._as_map(_innermost(one)), self._as_map(_innermost(other))
        if here is None or there is None:
            return one == other
        back = {image: value for value, image in there.items()}
        return all(back.get(image, value) == value for value, image in here.items()) and all(
            there.get(value, image) == image for value, image in here.items()
        )

    def _as_map(self, ty: Type) -> Mapping[object, object] | None:
        """The image of each value of a type; None if they are not told one by one."""
        if isinstance(ty, types.SetOf | types.Map):
            return None
        found = None if isinstance(ty, types.Bool | types.Never) else self.images(ty)
        if found is None and types.size(ty) > MOST_VALUES:
            return None
        return found if found is not None else {value: value for value in types.values(ty)}

    # ------------------------------------------------------------------------------------------------ expressions

    def commutes(self, expr: Expr, ty: Type | None = None) -> bool:
        """Whether reading an expression, as a value of a type, and renaming commute. As a set that is in order, its
        members have to come in the order of their images; else (and if no type is said) only the members count."""
        wanted = in_order(expr.type, False) if ty is None else ty
        if isinstance(wanted, types.SetOf) is not isinstance(expr.type, types.SetOf):
            return self.fits(expr.type, wanted) and self.commutes(expr)
        key = (id(expr), wanted)
        if key not in self._decided:
            self._kept.append(expr)
            self._decided[key] = self.go_on() and (
                self.is_plain(expr, wanted) or self._is_worked_out(expr, wanted) or self._is_shown(expr, wanted)
            )
        return self._decided[key]

    def is_plain(self, expr: Expr, wanted: Type) -> bool:
        """Whether it is plain from the parts of an expression that it commutes."""
        key = (id(expr), wanted)
        if key not in self._plain:
            self._kept.append(expr)
            ordered = isinstance(wanted, types.SetOf) and wanted.ordered
            if ordered and isinstance(expr.type, types.SetOf) and not expr.type.ordered:
                self._plain[key] = self.keeps_order(expr.type.of) and self.is_plain(expr, in_order(wanted, False))
            else:
                self._plain[key] = self.fits(expr.type, wanted) and self._joins(expr, ordered)
        return self._plain[key]

    def _part(self, expr: Expr, ty: Type | None = None, ordered: bool = False) -> bool:
        """Whether a part commutes; a solver is asked of some parts only."""
        wanted = in_order(expr.type, ordered) if ty is None else ty
        if isinstance(expr, _WHOLE) or isinstance(wanted, types.SetOf) is not isinstance(expr.type, types.SetOf):
            return self.commutes(expr, wanted)
        return self.is_plain(expr, wanted) or self._is_worked_out(expr, wanted)

    def _parts(self, exprs: Iterable[Expr], tys: Iterable[Type]) -> bool:
        return all(self._part(expr, ty) for expr, ty in zip(exprs, tys, strict=True))

    def _joins(self, expr: Expr, ordered: bool) -> bool:
        """Whether an expression commutes because its parts do. `ordered`: if it is a set, in order."""
        match expr:
            case ir.Const(ty, value):
                wanted = in_order(ty, ordered)
                return bool(self.renaming.value(value, wanted) == _as(value, wanted))
            case ir.Local(variable):
                return not ordered or variable not in self._loose
            case ir.Everywhere():
                return not ordered or self.is_still(expr.type)
            case ir.StateRead(ty, state, indices):
                rules = self.game.states[state]
                return self.fits(rules.type, ty) and self._parts(indices, (v.type for v in rules.index))
            case ir.PlaceRead(_, name, indices):
                place = self.game.places[name]
                if ordered and place.order is not PlaceOrder.ROW and not self.keeps_order(place.holds):
                    return False  # a pile is gone through in the order of its type, whatever its layers
                return self._parts(indices, (v.type for v in place.index))
            case ir.WhereIs(ty, place, piece, position):
                return self.fits(self.game.places[place].index[position].type, ty) and self._part(piece)
            case ir.Lookup(ty, table, indices):
                rows = self.game.tables[table]
                even = self._is_even(table, ordered) and self.fits(rows.type, ty)
                return even and self._parts(indices, rows.index)
            case ir.Apply():
                return self._operator(expr, ordered)
            case ir.Call(ty, name, arguments):
                function = self.game.functions[name]
                given = self._parts(arguments, (v.type for v in function.params))
                return given and self.fits(function.type, ty) and self._function(function, ordered)
            case ir.If(ty, test, then, otherwise):
                wanted = in_order(ty, ordered)
                return self._part(test) and self._part(then, wanted) and self._part(otherwise, wanted)
            case ir.Switch(ty, subject, cases):
                still = self.is_still(subject.type) and self._part(subject)
                return still and all(self._part(case, in_order(ty, ordered)) for _, case in cases)
            case ir.LetIn(variable, value, body):
                if not self._part(value, variable.type):
                    if not self._part(value, in_order(variable.type, False)):
                        return False
                    self._loose.add(variable)
                return self._part(body, ordered=ordered)
            case ir.Fold():
                return self._fold(expr)
            case ir.Select(_, binder, best):
                if best is not None and not (self.is_still(best[1].type) and self._part(best[1])):
                    return False
                return self.binder(binder, ordered)
            case ir.Collect(ty, term, binders):
                if isinstance(ty, types.Map):
                    (binder,) = binders
                    goes_through = binder.test is None and ty.keys == binder.variable.type
                    return goes_through and self.binder(binder) and self._part(term, ty.values)
                assert isinstance(ty, types.SetOf)
                return all(self.binder(binder, ordered) for binder in binders) and self._part(term, ty.of)
            case ir.PickOne(ty, first, binder, otherwise):
                last = otherwise is None or self._part(otherwise, ty)
                return last and self.fits(binder.variable.type, ty) and self.binder(binder, ordered=first)
            case ir.Reach(ty, start, here, there, relation):
                unordered = not ordered or self.is_still(ty)
                alike = self.fits(start.type, here.type) and here.type == there.type
                # which steps are looked at depends on the order: that makes no difference, if looking never fails
                settled = self.keeps_order(here.type) or self._owed.is_total(relation)
                return unordered and alike and settled and self._part(start) and self._part(relation)
            case ir.Can(_, name, arguments):
                action = self.game.actions[name]
                given = all(
                    argument is None or self._part(argument, param.variable.type)
                    for argument, param in zip(arguments, action.params, strict=True)
                )
                return given and self.action(action) and self._owed.is_total(expr)
            case ir.Openly(inner):
                return self._part(inner, ordered=ordered)
            case ir.Ways() | ir.Asked() | ir.Odds() | ir.Old():
                return False
            case _:
                assert_never(expr)

    def _fold(self, expr: ir.Fold) -> bool:
        last = expr.otherwise is None or (self.is_still(expr.otherwise.type) and self._part(expr.otherwise))
        if expr.kind in (FoldKind.EVERY, FoldKind.SOME):
            # what comes after an answer is not looked at: that makes no difference, if looking never fails
            tests = (expr.body, *(binder.test for binder in expr.binders if binder.test is not None))
            ordered = not self._owed.is_total(*tests)
        else:
            ordered = False
            if not (self.is_still(expr.type) and self.is_still(expr.body.type)):
                return False
        return last and all(self.binder(binder, ordered) for binder in expr.binders) and self._part(expr.body)

    def _operator(self, expr: ir.Apply, ordered: bool) -> bool:
        ty, arguments = expr.type, expr.arguments
        if expr.op in _NUMBERS:
            return all(self.is_still(e.type) for e in (expr, *arguments)) and all(map(self._part, arguments))
        first_in_order = expr.op.is_ordered or (ordered and expr.op not in (Op.SET, Op.ONLY, Op.MAYBE))
        others_in_order = ordered and expr.op is Op.UNION
        first, others = arguments[:1], arguments[1:]
        if not all(self._part(e, ordered=first_in_order) for e in first):
            return False
        if not all(self._part(e, ordered=others_in_order) for e in others):
            return False
        match expr.op:
            case Op.AND | Op.OR | Op.NOT | Op.IMPLIES:
                return True
            case Op.EQUAL | Op.UNEQUAL | Op.IN:
                return self.are_told_apart(arguments[0].type, arguments[1].type)
            case Op.SIZE:
                return self.is_still(ty)
            case Op.SET | Op.UNION | Op.DIFFERENCE:
                told_apart = all(self.are_told_apart(arguments[0].type, other.type) for other in others)
                return told_apart and all(self.fits(argument.type, ty) for argument in arguments)
            case Op.PREFIX | Op.NTH:
                return self.is_still(arguments[1].type) and self.fits(arguments[0].type, ty)
            case Op.ONLY | Op.MAYBE:
                return self.fits(arguments[0].type, ty)
            case Op.CHECK | Op.KNOWN:
                return self.checks(arguments[0].type, ty)
            case Op.TURN:
                ring, steps = arguments[0].type, arguments[1].type
                return self.is_still(steps) and self.fits(ring, ty) and self._turns(ring, mirrored=False)
            case Op.TURNS | Op.ANGLE:
                ring, other = arguments[0].type, arguments[1].type
                return self.is_still(ty) and ring == other and self._turns(ring, expr.op is Op.ANGLE)
            case Op.KEY:
                held = arguments[0].type
                return isinstance(held, types.Map) and self.fits(arguments[1].type, held.keys)
            case Op.MAP:
                assert isinstance(ty, types.Map)
                return self.is_still(ty.keys) and all(self.fits(argument.type, ty.values) for argument in arguments)
            case Op.SPOT:
                return self.is_still(ty)
            case Op.HAS_WON | Op.HAS_LOST | Op.IS_OUT:
                return self.fits(arguments[0].type, self.game.types[PLAYER])
            case _:  # cautious: the numbers are above; of any other operator it is not known
                return False
        return False

    def checks(self, one: Type, other: Type) -> bool:
        """Whether values of the one type that are of the other, too, have the same images there."""
        if self.is_still(one) and self.is_still(other):
            return True
        here, there = self._as_map(_innermost(one)), self._as_map(_innermost(other))
        if here is None or there is None:
            return self.fits(one, other)
        return all(there.get(value, image) == image for value, image in here.items())

    def _turns(self, ty: Type, mirrored: bool) -> bool:
        """Whether a ring goes to itself turned round; `mirrored`: or the other way round."""
        if not isinstance(ty, types.Enum):
            return False
        found, size = self.images(ty), len(ty.values)
        if found is None:
            return True
        images = [image for image in found.values() if isinstance(image, int)]
        steps = {(images[(value + 1) % size] - images[value]) % size for value in range(size)}
        return steps == {1 % size} or (mirrored and steps == {size - 1})

    def binder(self, binder: Binder, ordered: bool = False) -> bool:
        """Whether a binder goes through images; `ordered`: in the order of what they are images of."""
        fitting = self.checks(binder.domain.type, binder.variable.type)
        test = binder.test is None or self._part(binder.test)
        return fitting and test and self._part(binder.domain, ordered=ordered or binder.prefix)

    def _function(self, function: ir.Function, ordered: bool) -> bool:
        key = (function.name, ordered)
        if key not in self._functions:
            self._functions[key] = True  # a call of itself has a lesser number, which must stay what it is
            still = function.shrinking is None or self.is_still(function.params[function.shrinking].type)
            self._functions[key] = still and self.commutes(function.body, in_order(function.type, ordered))
        return self._functions[key]

    def action(self, action: ir.Action) -> bool:
        """Whether the domains of the parameters of an action commute, and its guards."""
        if action.name not in self._actions:
            self._actions[action.name] = all(map(self._param, action.params)) and all(map(self._guard, action.guards))
        return self._actions[action.name]

    def _param(self, param: ir.Param) -> bool:
        test = param.test is None or self.commutes(param.test)
        if param.domain is None:
            return test
        return test and self.commutes(param.domain) and self.checks(param.domain.type, param.variable.type)

    def _guard(self, guard: ir.Guard) -> bool:
        return self.commutes(guard.test) and all(self.commutes(test) for test, _ in guard.exceptions)

    def _is_even(self, name: str, ordered: bool) -> bool:
        """Whether a table has at images of places the images of what it has there."""
        if (name, ordered) not in self._tables:
            table = self.game.tables[name]
            if self.is_still(table.type) and all(map(self.is_still, table.index)):
                even = True
            else:
                ty = in_order(table.type, ordered)
                keys = product(*(tuple(types.values(index)) for index in table.index))
                by_key = dict(zip(keys, table.entries, strict=True))
                even = all(
                    _as(by_key[self._key(key, table.index)], ty) == self.renaming.value(entry, ty)
                    for key, entry in by_key.items()
                )
            self._tables[name, ordered] = even
        return self._tables[name, ordered]

    def _key(self, key: Sequence[object], index: Sequence[Type]) -> tuple[object, ...]:
        return tuple(self.renaming.value(value, ty) for value, ty in zip(key, index, strict=True))

    # --------------------------------------------------------------------------------------------- worked out, asked

    def _is_worked_out(self, expr: Expr, ty: Type) -> bool:
        """Whether an expression that reads no position commutes for all values of its names."""
        program = self.renaming.machine.program
        if isinstance(expr, ir.Const) or program.reads_position(expr):
            return False
        names = free_variables(expr)
        if any(isinstance(name.type, types.SetOf | types.Map) for name in names):
            return False
        ranges = [tuple(types.values(name.type)) for name in names if types.size(name.type) <= MOST_VALUES]
        many = 1
        for values in ranges:
            many *= len(values)
        if len(ranges) < len(names) or many > MOST_VALUES:
            return False
        function = program.compile(expr, names, "commutes")
        look = program.constants
        for count, values in enumerate(product(*ranges)):
            if not count % 1000 and not self.go_on():
                return False
            try:
                here = function(look, *values)
            except RuleError:
                continue  # the rules give no value, and a play ends there
            try:
                there = function(look, *self._key(values, [name.type for name in names]))
            except RuleError:
                return False
            if self.renaming.value(here, ty) != _as(there, ty):
                return False
        return True

    def _is_shown(self, expr: Expr, ty: Type) -> bool:
        """Whether a solver finds that an expression commutes at any position."""
        if isinstance(ty, types.SetOf) and ty.ordered:
            return False  # sets are compared whatever their order
        if self._loose & set(free_variables(expr)):
            return False

        def claim(reader: Reader, other: Reader, image: Second) -> Term:
            alike = same(image.value(reader.value(expr), ty), other.value(expr))
            return implies(and_(*reader.certain(expr)), and_(alike, other.defined(expr)))

        return self.twins.follows((expr,), claim)

    def comes_in_order(self, members: Expr, key: tuple[Variable, Expr] | None = None) -> bool:
        """Whether the members of a set (those with equal keys) come in the order of their images."""
        if not self._goes_by_number(members):
            return False
        of = members.type
        assert isinstance(of, types.SetOf)
        inner = of.of

        def claim(reader: Reader, other: Reader, image: Second) -> Term:
            found = reader.set(members)

            def key_of(value: Value) -> Term:
                if key is None:
                    return YES
                reader.env[key[0]] = value
                return reader.number(key[1])

            def pair(a: Value, b: Value) -> Term:
                one, two = image.value(a, inner), image.value(b, inner)
                assert isinstance(a, Term) and isinstance(b, Term)
                assert isinstance(one, Term) and isinstance(two, Term)
                return implies(and_(less(a, b), eq(key_of(a), key_of(b))), less(one, two))

            return for_each(found, lambda a: for_each(found, lambda b: pair(a, b)))

        return self.twins.follows((members,) if key is None else (members, key[1]), claim)

    def _goes_by_number(self, members: Expr) -> bool:
        """Whether the members of a set come, for certain, in the order of their type."""
        if isinstance(members.type, types.SetOf) and not members.type.ordered:
            return True
        match members:
            case ir.Const(_, tuple() as value):
                return list(value) == sorted(value)
            case ir.PlaceRead(_, place):
                return self.game.places[place].order is not PlaceOrder.ROW
            case ir.Select(_, binder):
                return self._goes_by_number(binder.domain)
            case ir.Apply(_, Op.KNOWN | Op.CHECK | Op.DIFFERENCE, (first, *_)):
                return self._goes_by_number(first)
            case ir.Apply(_, Op.RANGE):
                return True
            case _:  # cautious: it may be a row, or a list in some order
                return False

    def _second(self, world: World, position: Position, told: list[Term]) -> Second:
        image = Image(world, self.images)
        return Second(image.position(position), image.value)


def in_order(ty: Type, ordered: bool) -> Type:
    """A type, if it is of sets: of such in order, or not."""
    return types.SetOf(ty.of, ordered) if isinstance(ty, types.SetOf) else ty


def _as(value: object, ty: Type) -> object:
    """A value as one of a type of sets that are in order or not."""
    return types.as_set(value) if isinstance(ty, types.SetOf) and isinstance(value, tuple) and not ty.ordered else value


def _innermost(ty: Type) -> Type:
    while isinstance(ty, types.Optional | types.SetOf):
        ty = ty.of
    return ty


def _called(ty: Type) -> str:
    return str(getattr(ty, "name", "")) or "a type"
