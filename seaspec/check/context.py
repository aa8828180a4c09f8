"""What elaboration knows while it goes on: the merged syntax, what has been built of the core, and the scopes.

Global things are elaborated when they are first needed (a type may need a constant, a constant a table, a table a
type); `Context` keeps what is done and what is being done, so that circles are found. A `Scope` maps the local names
of a place in the text to core expressions: a parameter is a `Local`, a name bound by `is some y` stands for the
thing tested.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum

from seaspec.check import typing
from seaspec.check.limits import LARGEST_NUMBER
from seaspec.check.merging.merged import MergedGame
from seaspec.check.typing import Fit, fit
from seaspec.core import ir
from seaspec.core import types as core_types
from seaspec.core.evaluate import NotConstant, TooLong, Unknown, evaluate
from seaspec.core.ops import Op
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report, near
from seaspec.source import NOWHERE, Span
from seaspec.syntax import habits

UNKNOWN = ir.Const(core_types.Never(), None)
"""Stands for an expression with an error that has been reported; it fits everywhere."""

BOOL = core_types.Bool()
YES = ir.Const(BOOL, True)
NO = ir.Const(BOOL, False)
NONE = ir.Const(core_types.Optional(core_types.Never()), None)


MOST_TRIED = 100_000
"""So many errors are kept where some are overlooked, so that no other one is lost among them."""
ABSENT = (Code.NOT_HERE, Code.NOT_WITH_OPTIONS, Code.OUT_OF_RANGE)
"""What is reported about things that are there with other options and variants only."""


@dataclass(slots=True)
class Throws:
    """Chance procedures thrown in the expression of a statement."""

    found: list[ir.Throw] = field(default_factory=list)


class Where(Enum):
    """What may be said at a place of the text."""

    RULES = "rules"
    PROMISES = "promises"
    """`is asked`, `odds`, and tracks."""
    STEPS = "steps"
    """All that, and `old`: there is a value before."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Local names, and what may be said here."""

    names: Mapping[str, ir.Expr] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    """Where the names were introduced, as far as it is known."""
    where: Where = Where.RULES
    throws: Throws | None = None
    """Where throws go; None: no throw may stand here."""
    procedure: str | None = None

    def bind(self, names: Mapping[str, ir.Expr]) -> Scope:
        """The names with a (narrower) meaning."""
        return replace(self, names={**self.names, **names}) if names else self

    def name(self, word: str, meaning: ir.Expr, span: Span) -> Scope:
        """A new name."""
        return replace(self, names={**self.names, word: meaning}, spans={**self.spans, word: span})

    def quiet(self) -> Scope:
        """The same, but no throw may stand here."""
        return self if self.throws is None else replace(self, throws=None)


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
    pictures: dict[str, ir.Picture] = field(default_factory=dict)
    looks: dict[str, ir.Look] = field(default_factory=dict)
    coverings: core_types.Enum | None = None
    kinds: dict[str, core_types.Pieces] = field(default_factory=dict)
    pieces: list[ir.Piece] = field(default_factory=list)
    facts: dict[str, Type] = field(default_factory=dict)
    """Facts that are declared, also those that no piece has."""
    tables: dict[str, ir.Table] = field(default_factory=dict)
    functions: dict[str, ir.Function] = field(default_factory=dict)
    chance_rules: dict[str, ir.ChanceRule] = field(default_factory=dict)
    places: dict[str, ir.Place] = field(default_factory=dict)
    states: dict[str, ir.State] = field(default_factory=dict)
    params: dict[str, tuple[ir.Param, ...]] = field(default_factory=dict)
    """Parameters of actions, procedures, tables and the like, before their bodies are elaborated."""
    enum_values: dict[str, list[tuple[core_types.Enum, int]]] = field(default_factory=dict)
    guards: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of the guards of each action."""
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
        hint = None if self.report.is_full else habits.by_name(name) or near(name, names)
        return self.error(Code.UNKNOWN_NAME, span, f"{what} '{name}' is not known", hint=hint)

    def order_of(self, span: Span) -> int:
        """The place of a chapter in merge order, by a span in it."""
        orders = [
            (chapter.span.start, order)
            for order, chapter in enumerate(self.merged.chapters)
            if chapter.span.file is span.file and chapter.span.start <= span.start
        ]
        return max(orders, default=(0, -1))[1]

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

    def too_deep(self) -> None:
        """Report that what is being elaborated leads on and on, further than can be followed."""
        what, span = self.doing[0] if self.doing else (f"'{self.merged.game.name}'", self.merged.game.span)
        labels = [Label(at, f"here {name} is needed") for name, at in self.doing[1:5]]
        self.error(
            Code.TOO_DEEP,
            span,
            f"{what} leads too deep: through {len(self.doing)} things, each of which needs the next",
            labels=labels,
            hint="declare first what others need; nothing may lead back to itself",
        )

    @contextmanager
    def overlooking(self, span: Span, codes: Collection[Code]) -> Iterator[None]:
        """Drop what is reported with these codes in a span."""
        report, self.report = self.report, Report(most=MOST_TRIED)
        yield
        trial, self.report = self.report, report
        inside = range(span.start, span.end)
        report.extend(
            d for d in trial if d.code not in codes or d.span.file is not span.file or d.span.start not in inside
        )

    def reached(self, test: ir.Expr, value: bool, span: Span) -> AbstractContextManager[None]:
        """For what stands where a test has this value: if options and constants say that it never has, things may be
        missing there."""
        known = self.known_value(test)
        return self.overlooking(span, ABSENT if known is (not value) else ())

    # ------------------------------------------------------------------------------------------------------ fitting

    def is_single(self, expr: ir.Expr) -> bool:
        """Whether an expression reads a place `at most n`: it may be taken for the piece in it."""
        return isinstance(expr, ir.PlaceRead) and self.places[expr.place].order is ir.PlaceOrder.SLOT

    def coerce(self, expr: ir.Expr, target: Type, span: Span, what: str = "") -> ir.Expr:
        """The expression as a value of the type: as it is, with an obligation, or an error."""
        if self.is_single(expr) and not isinstance(target, core_types.SetOf):
            expr = piece_in(expr, optional=isinstance(target, core_types.Optional))
        if isinstance(target, core_types.Never) and self.report.failed:
            return UNKNOWN  # what is wanted has a fault, which has been told
        result = fit(expr.type, target)
        if result is Fit.YES:
            return as_ordered(expr, target)
        if result is Fit.MAYBE:
            return checked(as_ordered(expr, target), target)
        wanted = f"{what} wants" if what else "what is wanted here is"
        if result is Fit.MAY_BE_NONE and fit(typing.known(expr.type), target) is not Fit.NO:
            hint = "test it first: `.. is some x` gives it the name x"
            message = f"this may be none, and {wanted} {typing.name(target)}"
            return self.error(Code.MAY_BE_NONE, span, message, hint=hint)
        numbers = isinstance(typing.known(expr.type), core_types.Int) and isinstance(
            typing.known(target), core_types.Int
        )
        code = Code.OUT_OF_RANGE if numbers else Code.TYPE_MISMATCH
        message = f"this is {typing.name(expr.type)}, and {wanted} {typing.name(target)}"
        return self.error(code, span, message, hint=typing.same_words(expr.type, target))

    def number(self, low: int, high: int, op: Op, span: Span, *arguments: ir.Expr) -> ir.Expr:
        """A calculation whose value lies in low..high."""
        if max(abs(low), abs(high)) > LARGEST_NUMBER:
            return self.error(Code.TOO_LARGE, span, f"this may be as large as {_rounded(max(abs(low), abs(high)))}")
        return apply(core_types.Int(low, high), op, *arguments)

    def constant(self, expr: ir.Expr, span: Span, env: Mapping[ir.Variable, Value] | None = None) -> Value:
        """The value of an expression that must be known before the game begins; None after an error."""
        try:
            return evaluate(expr, self.tables, self.functions, env)
        except Unknown:
            return None
        except TooLong:
            self.error(Code.TOO_LARGE, span, "this takes too many steps to work out")
        except NotConstant as why:
            self.error(Code.NOT_CONSTANT, span, f"this must be known before the game begins, and {why}")
        return None

    def known_value(self, expr: ir.Expr) -> Value:
        """The value of an expression if it is soon known before the game begins; else None."""
        try:
            return evaluate(expr, self.tables, self.functions, most_steps=1000)
        except NotConstant:
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


def declared_here(thing: ir.Place | ir.State) -> list[Label]:
    """The place of its declaration, if it is not a word of the library."""
    return [] if thing.source.span == NOWHERE else [Label(thing.source.span, "declared here")]


def piece_in(place: ir.Expr, *, optional: bool) -> ir.Expr:
    """The piece in a place with at most one (or exactly one: an obligation)."""
    of = typing.member(place.type)
    assert of is not None
    return apply(core_types.Optional(of), Op.MAYBE, place) if optional else apply(of, Op.ONLY, place)


def as_ordered(expr: ir.Expr, target: Type) -> ir.Expr:
    """An expression where a type is wanted: what is in an order of its own loses it, if that is a set like others."""
    if not isinstance(target, core_types.SetOf) or target.ordered or ascends(expr):
        return expr
    assert isinstance(expr.type, core_types.SetOf)
    plain = core_types.SetOf(expr.type.of)
    return apply(plain, Op.UNION, expr, ir.Const(plain, ()))


def ascends(expr: ir.Expr) -> bool:
    """Whether the members of a set are surely in the order of their type."""
    if not isinstance(expr.type, core_types.SetOf) or not expr.type.ordered:
        return True
    match expr:
        case ir.Const(_, tuple() as members):
            return members == core_types.as_set(members)
        case ir.Select(_, ir.Binder(domain=domain)) | ir.Apply(_, Op.DIFFERENCE | Op.PREFIX, (domain, _)):
            return ascends(domain)
        case ir.Apply(_, Op.RANGE):
            return True
        case _:  # cautious: not known to be in that order
            return False


def apply(ty: Type, op: Op, *arguments: ir.Expr) -> ir.Expr:
    """An operation; of something with an error it is an error, too."""
    return UNKNOWN if any(a is UNKNOWN for a in arguments) else ir.Apply(ty, op, arguments)


def checked(expr: ir.Expr, target: Type) -> ir.Expr:
    """The expression as a value of a type that it perhaps does not lie in: an obligation, of a map for each entry, of a
    set of maps for each of these."""
    if isinstance(target, core_types.SetOf) and isinstance(target.of, core_types.Map):
        return _checked_maps(expr, target, target.of)
    if not isinstance(target, core_types.Map):
        return apply(target, Op.CHECK, expr) if fit(expr.type, target) is not Fit.YES else expr
    match expr:
        case ir.Apply(_, Op.MAP, entries):
            return apply(target, Op.MAP, *(checked(entry, target.values) for entry in entries))
        case ir.Collect(_, term, binders):
            return ir.Collect(target, checked(term, target.values), binders)
        case _:  # cautious: each entry of any map is checked
            assert isinstance(expr.type, core_types.Map)
            given, whole = variable("given", expr.type)
            key, at = variable("key", target.keys)
            entry = checked(apply(expr.type.values, Op.KEY, whole, at), target.values)
            return ir.LetIn(given, expr, ir.Collect(target, entry, (ir.Binder(key, members(target.keys)),)))


def _checked_maps(expr: ir.Expr, target: core_types.SetOf, of: core_types.Map) -> ir.Expr:
    if fit(expr.type, target) is Fit.YES:
        return expr
    match expr:
        case ir.Apply(_, Op.SET, members_given):
            return apply(target, Op.SET, *(checked(member, of) for member in members_given))
        case ir.Apply(_, Op.UNION, (first, second)):
            return apply(target, Op.UNION, checked(first, target), checked(second, target))
        case _:  # cautious: each member of any set is checked
            assert isinstance(expr.type, core_types.SetOf)
            member, local = variable("member", expr.type.of)
            return ir.Collect(target, checked(local, of), (ir.Binder(member, expr),))


def number(value: int) -> ir.Const:
    return ir.Const(core_types.Int(value, value), value)


def conjunction(tests: Iterable[ir.Expr]) -> ir.Expr:
    """All of them hold."""
    open_tests = [t for t in tests if t != YES]
    if not open_tests:
        return YES
    return open_tests[0] if len(open_tests) == 1 else apply(BOOL, Op.AND, *open_tests)


def negation(test: ir.Expr) -> ir.Expr:
    if isinstance(test, ir.Apply) and test.op is Op.NOT:
        return test.arguments[0]
    return apply(BOOL, Op.NOT, test)


def members(ty: Type) -> ir.Const:
    """A type as the set of its values."""
    return ir.Const(core_types.SetOf(ty, ordered=True), tuple(core_types.values(ty)))


def variable(name: str, ty: Type) -> tuple[ir.Variable, ir.Local]:
    made = ir.Variable(name, ty)
    return made, ir.Local(made)


def _rounded(value: int) -> str:
    return f"{value:,}" if value < 10**18 else f"10^{len(str(value)) - 1}"
