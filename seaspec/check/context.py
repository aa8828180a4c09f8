"""What elaboration knows while it goes on: the merged syntax, what has been built of the core, and the scopes.

Global things are elaborated when they are first needed (a type may need a constant, a constant a table, a table a
type); `Context` keeps what is done and what is being done, so that circles are found. A `Scope` maps the local names
of a place in the text to core expressions: a parameter is a `Local`, a name bound by `is some y` stands for the
thing tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seaspec.check import typing
from seaspec.check.merged import MergedGame
from seaspec.check.typing import Fit, fit
from seaspec.core import ir
from seaspec.core import types as core_types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report, near
from seaspec.source import Span

UNKNOWN = ir.Const(core_types.Never(), None)
"""Stands for an expression with an error that has been reported; it fits everywhere."""

BOOL = core_types.Bool()
YES = ir.Const(BOOL, True)
NO = ir.Const(BOOL, False)
NONE = ir.Const(core_types.Optional(core_types.Never()), None)

LARGEST_LISTED = 200_000
"""The largest type or range that is listed value by value."""


@dataclass(slots=True)
class Throws:
    """Chance procedures thrown in the expression of a statement."""

    found: list[ir.Throw] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Scope:
    """Local names, and what may be said here."""

    names: Mapping[str, ir.Expr] = field(default_factory=dict)
    promise: bool = False
    throws: Throws | None = None
    """Where throws go; None: no throw may stand here."""
    procedure: str | None = None
    used: dict[str, Span] = field(default_factory=dict)

    def bind(self, names: Mapping[str, ir.Expr]) -> Scope:
        return replace(self, names={**self.names, **names}) if names else self

    def quiet(self) -> Scope:
        """The same, but no throw may stand here."""
        return replace(self, throws=None)


@dataclass(slots=True)
class Context:
    merged: MergedGame
    report: Report
    chosen: Mapping[str, str]
    """Values of options as text."""

    options: dict[str, ir.OptionValue] = field(default_factory=dict)
    consts: dict[str, ir.Expr] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    boards: dict[str, ir.Board] = field(default_factory=dict)
    coverings: core_types.Enum | None = None
    kinds: dict[str, core_types.Pieces] = field(default_factory=dict)
    pieces: list[ir.Piece] = field(default_factory=list)
    tables: dict[str, ir.Table] = field(default_factory=dict)
    functions: dict[str, ir.Function] = field(default_factory=dict)
    chance_rules: dict[str, ir.ChanceRule] = field(default_factory=dict)
    places: dict[str, ir.Place] = field(default_factory=dict)
    states: dict[str, ir.State] = field(default_factory=dict)
    params: dict[str, tuple[ir.Param, ...]] = field(default_factory=dict)
    """Parameters of actions, procedures and chance procedures, before their bodies are elaborated."""
    enum_values: dict[str, list[tuple[core_types.Enum, int]]] = field(default_factory=dict)
    inapplicable: dict[str, str] = field(default_factory=dict)
    """Examples that name something which this game does not have, and what."""
    doing: list[tuple[str, Span]] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)

    # ---------------------------------------------------------------------------------------------------- reporting

    def error(
        self,
        code: Code,
        span: Span,
        message: str,
        *,
        hint: str | None = None,
        labels: Iterable[Label] = (),
    ) -> ir.Const:
        self.report.add(code, span, message, hint=hint, labels=labels)
        return UNKNOWN

    def unknown_name(self, what: str, name: str, span: Span, names: Iterable[str]) -> ir.Const:
        return self.error(Code.UNKNOWN_NAME, span, f"{what} '{name}' is not known", hint=near(name, names))

    def begin(self, what: str, span: Span) -> bool:
        """Note that `what` is being elaborated; False if it already is (a circle, reported)."""
        if any(name == what for name, _ in self.doing):
            labels = [Label(at, f"here {name} is needed") for name, at in self.doing if name != what][:4]
            self.error(Code.DEFINED_IN_CIRCLE, span, f"{what} is defined by itself", labels=labels)
            return False
        self.doing.append((what, span))
        return True

    def end(self) -> None:
        self.doing.pop()

    # ------------------------------------------------------------------------------------------------------ fitting

    def coerce(self, expr: ir.Expr, target: Type, span: Span, what: str = "") -> ir.Expr:
        """The expression as a value of the type: as it is, with an obligation, or an error."""
        if is_single(expr) and not isinstance(target, core_types.SetOf):
            inner = typing.member(expr.type)
            assert inner is not None
            if isinstance(target, core_types.Optional):
                expr = ir.Apply(core_types.Optional(inner), Op.MAYBE, (expr,))
            else:
                expr = ir.Apply(inner, Op.ONLY, (expr,))
        result = fit(expr.type, target)
        if result is Fit.YES:
            return expr
        wanted = f"{what or 'here'} wants {typing.name(target)}"
        if result is Fit.MAYBE:
            return ir.Apply(target, Op.CHECK, (expr,))
        if result is Fit.MAY_BE_NONE:
            if fit(typing.known(expr.type), target) is Fit.NO:
                result = Fit.NO
            else:
                hint = "test it first: `.. is some x` gives it the name x"
                return self.error(Code.MAY_BE_NONE, span, f"this may be none, and {wanted}", hint=hint)
        same_kind = isinstance(expr.type, core_types.Int) and isinstance(typing.known(target), core_types.Int)
        code = Code.OUT_OF_RANGE if same_kind else Code.TYPE_MISMATCH
        return self.error(code, span, f"this is {typing.name(expr.type)}, and {wanted}")

    def constant(self, expr: ir.Expr, span: Span, env: Mapping[ir.Variable, Value] | None = None) -> Value:
        """The value of an expression that must be known before the game begins; None after an error."""
        if expr is UNKNOWN or isinstance(expr.type, core_types.Never):
            return None
        try:
            return evaluate(expr, self.tables, self.functions, env)
        except (NotConstant, KeyError, StopIteration):
            self.error(Code.NOT_CONSTANT, span, "this must be known before the game begins, and it is not")
            return None
        except RecursionError:
            self.error(Code.TOO_LARGE, span, "this takes too many steps to work out")
            return None

    def enum(self, ty: core_types.Enum) -> core_types.Enum:
        """Make the values of an enumeration known by name."""
        for index, value in enumerate(ty.values):
            known = self.enum_values.setdefault(value, [])
            if all(other.name != ty.name for other, _ in known):
                known.append((ty, index))
        return ty

    @property
    def player(self) -> core_types.Enum:
        ty = self.types[core_types.PLAYER]
        assert isinstance(ty, core_types.Enum)
        return ty


def is_single(expr: ir.Expr) -> bool:
    """Whether an expression reads a place that may be taken for the piece in it."""
    return isinstance(expr, ir.PlaceRead)


def apply(ty: Type, op: Op, *arguments: ir.Expr) -> ir.Apply:
    return ir.Apply(ty, op, arguments)


def number(value: int) -> ir.Const:
    return ir.Const(core_types.Int(value, value), value)


def conjunction(tests: Sequence[ir.Expr]) -> ir.Expr:
    """All of them hold."""
    tests = [t for t in tests if t != YES]
    if not tests:
        return YES
    return tests[0] if len(tests) == 1 else ir.Apply(BOOL, Op.AND, tuple(tests))


def negation(test: ir.Expr) -> ir.Expr:
    if isinstance(test, ir.Apply) and test.op is Op.NOT:
        return test.arguments[0]
    return ir.Apply(BOOL, Op.NOT, (test,))


def members(ty: Type) -> ir.Const:
    """A type as the set of its values."""
    return ir.Const(core_types.SetOf(ty, ordered=True), tuple(core_types.values(ty)))


def variable(name: str, ty: Type) -> tuple[ir.Variable, ir.Local]:
    made = ir.Variable(name, ty)
    return made, ir.Local(made)
