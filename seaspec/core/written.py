"""Core expressions as `.sea` text that means the same: what is printed here can be parsed and elaborated again.

`show_expr` prints for people and leaves out what they know; this prints what the language can read, bracketed
throughout, and says `NoWords` where the language has no words. Names of the frame are unique in the whole flow graph
(`names_of_frame`); bound names are numbered, so that none hides another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import assert_never

from seaspec.core import flow, ir, types
from seaspec.core.ir import Binder, Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.show import SIGNS
from seaspec.core.types import Type, Value
from seaspec.core.walk import substitute


class NoWords(Exception):
    """The language has no words for this."""


def names_of_frame(graph: flow.Flow) -> dict[Variable, str]:
    """A name for each variable of the frame: its own, numbered where several have it."""
    seen: Counter[str] = Counter()
    found = {}
    for variable in graph.frame:
        seen[variable.name] += 1
        number = seen[variable.name]
        found[variable] = variable.name if number == 1 else f"{variable.name}_{number}_"
    return found


def written(expr: Expr, game: ir.Game, names: Mapping[Variable, str]) -> str:
    """An expression as text; NoWords where there are none. `names`: of the variables that are free in it."""
    return _Writer(game, names).of(expr)


def written_value(value: Value, ty: Type, game: ir.Game) -> str:
    """A constant as text; NoWords where there are none."""
    return _Writer(game, {}).value(value, ty)


class _Writer:
    def __init__(self, game: ir.Game, names: Mapping[Variable, str]) -> None:
        self.game = game
        self.names = dict(names)
        self.bound = 0

    def bind(self, variable: Variable) -> str:
        self.bound += 1
        self.names[variable] = name = f"bound_{self.bound}_"
        return name

    def list(self, exprs: tuple[Expr, ...]) -> str:
        return ", ".join(map(self.of, exprs))

    def of(self, expr: Expr) -> str:
        match expr:
            case ir.Const(ty, value):
                return self.value(value, ty)
            case ir.Local(variable):
                if variable not in self.names:
                    raise NoWords(f"the name {variable.name}")
                return self.names[variable]
            case ir.StateRead(_, name, indices) | ir.PlaceRead(_, name, indices):
                return f"{name}[{self.list(indices)}]" if indices else name
            case ir.Everywhere(_, place):
                return place
            case ir.WhereIs(_, place, piece, position):
                return f"{self.of(piece)}.{self.game.places[place].index[position].name}"
            case ir.Lookup(_, table, indices):
                return self.lookup(table, indices)
            case ir.Apply(ty, op, arguments):
                return self.apply(op, arguments, ty)
            case ir.Call(_, function, arguments):
                return f"{function}({self.list(arguments)})" if arguments else function
            case ir.If(_, test, then, otherwise):
                return f"(if {self.of(test)} then {self.of(then)} else {self.of(otherwise)})"
            case ir.Switch(_, subject, cases):
                return self.switch(subject, cases)
            case ir.LetIn(variable, value, body):
                return self.of(substitute(body, {variable: value}))
            case ir.Fold():
                return self.fold(expr)
            case ir.Select(_, binder, best):
                inside = self.binder(binder)
                key = "" if best is None else f" with {'most' if best[0] else 'least'} {self.of(best[1])}"
                return f"{{{inside}{key}}}"
            case ir.Collect(ty, term, binders):
                loops = " ".join(f"for {self.binder(binder)}" for binder in binders)
                inside = f"({self.of(term)}) {loops}"
                return f"[{inside}]" if isinstance(ty, types.Map) else f"{{{inside}}}"
            case ir.PickOne(_, first, binder, otherwise):
                inside = self.binder(binder)
                late = "" if otherwise is None else f" otherwise {self.of(otherwise)}"
                return f"({'first' if first else 'the'} {inside}{late})"
            case ir.Reach(_, start, here, there, relation):
                begin = self.of(start)
                names = self.bind(here), self.bind(there)
                return f"(reach from {begin} by {names[0]} to {names[1]} where ({self.of(relation)}))"
            case ir.Can(_, action, given):
                return self.can(action, given)
            case ir.Old(inner):
                return f"(old {self.of(inner)})"
            case ir.Openly(inner):
                return self.of(inner)
            case ir.Ways() | ir.Asked() | ir.Odds():
                raise NoWords("a form that stands in certain places only")
            case _:
                assert_never(expr)

    # ------------------------------------------------------------------------------------------------- constants

    def value(self, value: Value, ty: Type) -> str:
        if value is None:
            return "none"
        match ty:
            case types.Bool():
                return "yes" if value else "no"
            case types.Int():
                assert isinstance(value, int)
                return str(value) if value >= 0 else f"({value})"
            case types.Enum(_, names):
                assert isinstance(value, int)
                return names[value]
            case types.Cells(board):
                assert isinstance(value, int)
                return self.game.boards[board].names[value]
            case types.Pieces():
                assert isinstance(value, int)
                return self.piece(value)
            case types.Optional(of):
                return self.value(value, of)
            case types.SetOf(of):
                assert isinstance(value, tuple)
                return self.members(value, of)
            case types.Map(_, held):
                assert isinstance(value, tuple)
                return "[" + ", ".join(self.value(member, held) for member in value) + "]"
            case types.Borders() | types.Never() | types.Fraction():
                raise NoWords("a value without a name")
            case _:
                assert_never(ty)

    def piece(self, number: int) -> str:
        piece = self.game.pieces[number]
        if sum(other.twin == piece.twin for other in self.game.pieces) > 1:
            raise NoWords("one of several pieces that are alike")
        for kind in piece.kinds:
            known = self.game.types.get(kind)
            if isinstance(known, types.Pieces) and known.members == (number,):
                return kind
        facts = ", ".join(self.value(value, ty) for _, value, ty in piece.facts)
        alike = [one for one in self.game.pieces if one.kinds == piece.kinds and one.facts == piece.facts]
        if len(alike) > 1 or not facts:
            raise NoWords("a piece without words of its own")
        return f"{piece.kinds[0]}({facts})"

    def members(self, value: tuple[Value, ...], of: Type) -> str:
        if isinstance(of, types.Int) and len(value) > 1 and value == tuple(range(int(str(value[0])), _after(value))):
            return f"({value[0]}..{value[-1]})"
        for name, known in self.game.types.items():
            same = isinstance(known, types.Pieces | types.Cells | types.Enum) and type(known) is type(of)
            if same and len(value) > 1 and tuple(types.values(known)) == value and _is_of(known, of):
                return name
        return "{" + ", ".join(self.value(member, of) for member in value) + "}"

    # ------------------------------------------------------------------------------------------------- operators

    def lookup(self, table: str, indices: tuple[Expr, ...]) -> str:
        of, dot, word = table.rpartition(".")
        if not dot:
            return f"{table}({self.list(indices)})"
        if len(indices) == 1 and (not of or word in ("row", "column") or of not in self.game.boards):
            return f"({self.of(indices[0])}).{word}"
        return f"{word}({self.list(indices)})"

    def apply(self, op: Op, arguments: tuple[Expr, ...], ty: Type) -> str:
        is_none = len(arguments) == 2 and isinstance(arguments[1], ir.Const) and arguments[1].value is None
        if is_none and op in (Op.EQUAL, Op.UNEQUAL):
            return f"({self.of(arguments[0])} is {'none' if op is Op.EQUAL else 'some'})"
        if op in SIGNS and arguments:
            if len(arguments) == 1:
                return self.of(arguments[0])
            return "(" + f" {SIGNS[op]} ".join(map(self.of, arguments)) + ")"
        match op:
            case Op.AND | Op.OR:
                return "yes" if op is Op.AND else "no"
            case Op.NOT:
                return f"(not {self.of(arguments[0])})"
            case Op.NEGATE:
                return f"(-{self.of(arguments[0])})"
            case Op.SIZE:
                return f"(size of {self.of(arguments[0])})"
            case Op.SET:
                return "{" + self.list(arguments) + "}"
            case Op.MAP:
                return "[" + self.list(arguments) + "]"
            case Op.KEY:
                return f"{self.of(arguments[0])}[{self.of(arguments[1])}]"
            case Op.CHECK | Op.KNOWN if isinstance(arguments[0].type, types.Optional) and not _may_be_none(ty):
                self.bound += 1
                return f"(first bound_{self.bound}_ in {self.of(arguments[0])})"
            case Op.CHECK | Op.KNOWN | Op.ONLY | Op.MAYBE:
                return self.of(arguments[0])
            case Op.ABS | Op.MIN | Op.MAX | Op.SPOT:
                return f"{op.name.lower()}({self.list(arguments)})"
            case Op.NTH:
                return f"cell_at({self.list(arguments)})"
            case Op.TURN:
                return f"({self.of(arguments[0])} + {self.of(arguments[1])})"
            case Op.TURNS:
                return f"steps({self.list(arguments)})"
            case Op.ANGLE:
                return f"turns({self.list(arguments)})"
            case Op.HAS_WON | Op.HAS_LOST:
                return f"({self.of(arguments[0])} has {'won' if op is Op.HAS_WON else 'lost'})"
            case Op.IS_OUT:
                return f"out({self.of(arguments[0])})"
            case _:  # cautious: there are no words for it
                raise NoWords(f"the operator {op.name.lower()}")

    def switch(self, subject: Expr, cases: tuple[tuple[tuple[Value, ...], Expr], ...]) -> str:
        *firsts, (_, last) = cases
        text = self.of(last)
        for values, body in reversed(firsts):
            ty = subject.type
            test = " or ".join(f"{self.of(subject)} = {self.value(value, ty)}" for value in values)
            text = f"(if ({test}) then {self.of(body)} else {text})"
        return text

    def can(self, action: str, given: tuple[Expr | None, ...]) -> str:
        rules = self.game.actions[action]
        if not rules.asks or not given or given[0] is None:
            raise NoWords("an action that nobody is asked for")
        first = given[0]
        rest = list(given[1:])
        while rest and rest[-1] is None:
            rest.pop()
        if None in rest:
            raise NoWords("arguments that are left out in the middle")
        told = tuple(argument for argument in rest if argument is not None)
        return f"({self.of(first)} can {action}{f'({self.list(told)})' if told else ''})"

    def binder(self, binder: Binder) -> str:
        domain = self.of(binder.domain)
        name = self.bind(binder.variable)
        if binder.test is None:
            return f"{name} in {domain}"
        return f"{name} in {domain} {'while' if binder.prefix else 'where'} ({self.of(binder.test)})"

    def fold(self, expr: ir.Fold) -> str:
        heads = [self.binder(binder) for binder in expr.binders]
        body = self.of(expr.body)
        match expr.kind:
            case FoldKind.EVERY | FoldKind.SOME:
                text = body
                for head in reversed(heads):
                    text = f"({expr.kind.value} {head}: {text})"
                return text
            case FoldKind.COUNT:
                if not (isinstance(expr.body, ir.Const) and expr.body.value is True):
                    body = f"(if {body} then 1 else 0)"
                    return f"(sum {body} " + " ".join(f"for {head}" for head in heads) + ")"
                return f"(count {heads[0]})" if len(heads) == 1 else f"(sum 1 {' '.join(f'for {h}' for h in heads)})"
            case FoldKind.SUM | FoldKind.MOST | FoldKind.LEAST:
                late = "" if expr.otherwise is None else f" otherwise {self.of(expr.otherwise)}"
                return f"({expr.kind.value} ({body}) {' '.join(f'for {head}' for head in heads)}{late})"
            case _:
                assert_never(expr.kind)


def _may_be_none(ty: Type) -> bool:
    return isinstance(ty, types.Optional)


def _after(value: tuple[Value, ...]) -> int:
    return int(str(value[-1])) + 1


def _is_of(known: Type, of: Type) -> bool:
    """Whether two types with the same values are of one sort: of the same board, the same enumeration."""
    match known, of:
        case types.Enum(name), types.Enum(other):
            return name == other
        case types.Cells(board), types.Cells(other):
            return board == other
        case _:  # cautious: they have the same values, and what is written is read again, and compared
            return True
