"""The tree builder, first part: sources, sentences, value lines and expressions; and the rules without a function.

See build.py. A rule whose children are the fields of a node, or just a tuple, stands in a table here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import Expr, Manner, Operator, Quantity, Sentence, Tail, Test

MAX_DIGITS = 18
Quantified = tuple[Quantity, tuple[str, ...], Expr, tree.Filter | None]
Predicate = tuple[Test, str | None, Expr | None, str | None]


@dataclass(frozen=True, slots=True)
class Assume:
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Value:
    """Value lines, with the sources that stand under them."""

    expr: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class LetLine:
    span: Span
    name: str
    value: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class CaseLine:
    case: tree.Case
    tail: Tail


# Nodes whose fields are the children of the rule, in order.
_NODES: dict[str, Callable[..., Any]] = {
    "rulebook": tree.Rulebook, "clause": tree.Clause, "const": tree.Const, "look_name": tree.LookName,
    "name": tree.Name, "capital": tree.Capital, "none": tree.NoneValue, "dot": tree.Dot, "apply": tree.Apply,
    "range": tree.Range, "can": tree.Can, "if_else": tree.IfElse, "binding": tree.Binding, "reach": tree.Reach,
    "ways": tree.Ways, "openly": tree.Openly, "select": tree.Select, "type_name": tree.TypeName,
    "none_type": tree.NoneType, "yes_no_type": tree.YesNoType, "range_type": tree.RangeType, "set_type": tree.SetType,
    "map_type": tree.MapType, "enum_value": tree.EnumValue, "type_decl": tree.TypeDecl, "board": tree.Board,
    "param": tree.Param, "unless": tree.Unless, "call": tree.Call, "let": tree.Let, "shuffle": tree.Shuffle,
    "again": tree.Again, "gives": tree.Gives, "stop": tree.Stop, "say": tree.Say, "show": tree.Show,
    "nothing": tree.Nothing, "win": tree.Win, "lose": tree.Lose, "nobody_wins": tree.NobodyWins,
    "drop_out": tree.DropOut, "share": tree.Share, "match_case": tree.StatementCase, "all_at_once": tree.AllAtOnce,
    "any_order": tree.AnyOrder, "item": tree.MenuItem, "replace_declaration": tree.ReplaceDeclaration,
    "set_value": tree.SetValue, "set_capital": tree.SetCapital, "renaming": tree.Renaming, "for_any": tree.ForAny,
    "example_let": tree.ExampleLet, "refused": tree.Refused, "let_line": LetLine,
}  # fmt: skip

# Nodes whose only field is the tuple of the children.
_LISTS: dict[str, Callable[..., Any]] = {
    "uses": tree.Uses, "union_type": tree.UnionType, "given": tree.Given,
    "set_literal": tree.SetLiteral, "map_literal": tree.MapLiteral,
}  # fmt: skip

_TUPLES = {
    "args", "block", "choosing", "cites", "facts", "heads", "key_item", "kinds", "names", "params", "patterns",
    "piece_kinds", "portion", "rolling", "row", "stacked_on",
}  # fmt: skip

_VALUES: dict[str, Any] = {
    "from_top": True, "from_bottom": False, "each": True, "by_chance": None, "amount_all": (None, False),
    "chooses": Manner.CHOOSES, "privately": Manner.PRIVATELY, "repeatedly": Manner.REPEATEDLY, "may": Manner.MAY,
    "may_secretly": Manner.MAY_SECRETLY, "may_repeatedly": Manner.MAY_REPEATEDLY,
    "is_empty": (Test.EMPTY, None, None, None), "is_filled": (Test.FILLED, None, None, None),
    "any_number": (None, None, False), "one_each": (None, True, ()),
}  # fmt: skip

_BINARY = {
    "plus": Operator.ADD, "minus": Operator.SUBTRACT, "by": Operator.MULTIPLY, "over": Operator.DIVIDE,
    "mod": Operator.MODULO, "equal": Operator.EQUAL, "unequal": Operator.UNEQUAL, "less": Operator.LESS,
    "at_most": Operator.AT_MOST, "more": Operator.MORE, "at_least": Operator.AT_LEAST, "in_": Operator.IN,
    "not_in": Operator.NOT_IN, "implies": Operator.IMPLIES,
}  # fmt: skip

_UNARY = {"not_": Operator.NOT, "negative": Operator.NEGATE, "old": Operator.OLD, "size": Operator.SIZE}


class BuildValues:
    """The functions; `sentence` is the parser for strings that people read."""

    def __init__(self, report: Report, sentence: Callable[[Span, str], Sentence]) -> None:
        self.report = report
        self.sentence = sentence

    def builder(self, name: str) -> Callable[..., Any]:
        """The function for a rule of the grammar: `builder(span, *children)`."""
        if (node := _NODES.get(name)) is not None:
            return node
        if (listing := _LISTS.get(name)) is not None:
            return lambda span, *items: listing(span, items)
        if name in _TUPLES:
            return lambda span, *items: items
        if name in _VALUES:
            value = _VALUES[name]
            return lambda span: value
        if (binary := _BINARY.get(name)) is not None:
            return lambda span, left, right: tree.Binary(span, binary, left, right)
        if (unary := _UNARY.get(name)) is not None:
            return lambda span, operand: tree.Unary(span, unary, operand)
        found: Callable[..., Any] = getattr(self, name)
        return found

    def joined(self, *tails: Tail) -> Tail:
        """Several tails as one; a second sentence is an error."""
        written = [tail for tail in tails if tail.sentence or tail.cites or tail.assumes]
        if len(written) < 2:
            return written[0] if written else tails[0]
        sentences = [tail.sentence for tail in written if tail.sentence is not None]
        for second in sentences[1:]:
            label = Label(sentences[0].span, "the first")
            self.report.add(Code.TWICE, second.span, "a second sentence", labels=(label,), hint="keep one of them")
        return Tail(
            written[0].span.to(written[-1].span),
            sentences[0] if sentences else None,
            tuple(clause for tail in written for clause in tail.cites),
            tuple(assume for tail in written for assume in tail.assumes),
        )

    # ----------------------------------------------------------------------------------------- sources, value lines

    def tail(self, span: Span, *parts: Sentence | Assume | tuple[tree.Clause, ...]) -> Tail:
        if not parts:
            return Tail(span)
        sentence = parts[0] if isinstance(parts[0], Sentence) else None
        cites = tuple(clause for part in parts if isinstance(part, tuple) for clause in part)
        assumes = tuple(part.sentence for part in parts if isinstance(part, Assume))
        return Tail(span, sentence, cites, assumes)

    def assume(self, span: Span, sentence: Sentence) -> Assume:
        return Assume(sentence)

    def value_block(self, span: Span, *lines: LetLine | Value) -> Value:
        expr: Expr | None = None
        for line in lines:
            if isinstance(line, Value):
                expr = line.expr if expr is None else both(expr, line.expr)
        assert expr is not None
        for line in reversed(lines):
            if isinstance(line, LetLine):
                expr = tree.LetIn(line.span.to(expr.span), line.name, line.value, expr)
        return Value(expr, self.joined(*(line.tail for line in lines)))

    def value_line(self, span: Span, expr: Expr, tail: Tail) -> Value:
        return Value(expr, tail)

    def value_quantifier(self, span: Span, quantified: tuple[Any, ...], block: Value) -> Value:
        return Value(self.quantifier(span, quantified, block.expr), block.tail)

    def value_match(self, span: Span, subject: Expr, tail: Tail, *cases: CaseLine) -> Value:
        match = tree.Match(span, subject, tuple(line.case for line in cases))
        return Value(match, self.joined(tail, *(line.tail for line in cases)))

    def value_case(self, span: Span, patterns: tuple[Expr, ...], value: Expr, tail: Tail) -> CaseLine:
        return CaseLine(tree.Case(span, patterns, value), tail)

    def value_case_block(self, span: Span, patterns: tuple[Expr, ...], block: Value) -> CaseLine:
        return self.value_case(span, patterns, block.expr, block.tail)

    def minus_number(self, span: Span, text: str) -> tree.Number:
        return tree.Number(span, -self.number(span, text).value)

    # -------------------------------------------------------------------------------------------------- expressions

    def number(self, span: Span, text: str) -> tree.Number:
        if len(text) > MAX_DIGITS:
            message = f"a number of {len(text)} digits"
            self.report.add(Code.TOO_LONG, span, message, hint=f"at most {MAX_DIGITS} digits can be read")
            return tree.Number(span, 0)
        return tree.Number(span, int(text))

    def yes(self, span: Span) -> tree.YesNo:
        return tree.YesNo(span, True)

    def no(self, span: Span) -> tree.YesNo:
        return tree.YesNo(span, False)

    def and_(self, span: Span) -> tuple[Operator, Span]:
        return Operator.AND, span

    def or_(self, span: Span) -> tuple[Operator, Span]:
        return Operator.OR, span

    def junction(self, span: Span, first: Expr, *rest: Any) -> Expr:
        joined, (op, where) = first, rest[0]
        mixed = next((junctor for junctor in rest[::2] if junctor[0] is not op), None)
        if mixed is not None:
            label = Label(where, f"`{op.value}` here")
            hint = "write `(a and b) or c` or `a and (b or c)`"
            message = "`and` and `or` are mixed without brackets"
            self.report.add(Code.MIXED, mixed[1], message, labels=(label,), hint=hint)
        for (operator, _), operand in zip(rest[::2], rest[1::2], strict=True):
            joined = tree.Binary(first.span.to(operand.span), operator, joined, operand)
        return joined

    def is_(self, span: Span, subject: Expr, predicate: Predicate) -> tree.Is:
        test, binds, value, menu = predicate
        return tree.Is(span, subject, test, False, binds, value, menu)

    def is_not(self, span: Span, subject: Expr, predicate: Predicate) -> tree.Is:
        test, binds, value, menu = predicate
        return tree.Is(span, subject, test, True, binds, value, menu)

    def is_value(self, span: Span, value: Expr) -> Predicate:
        return Test.VALUE, None, value, None

    def is_some(self, span: Span, name: str | None) -> Predicate:
        return Test.SOME, name, None, None

    def is_asked(self, span: Span, menu: str | None) -> Predicate:
        return Test.ASKED, None, None, menu

    def has_won(self, span: Span, player: Expr) -> tree.Has:
        return tree.Has(span, player, True)

    def has_lost(self, span: Span, player: Expr) -> tree.Has:
        return tree.Has(span, player, False)

    def index_of(self, span: Span, base: Expr, *indices: Expr) -> tree.Index:
        return tree.Index(span, base, indices)

    def collect(self, span: Span, term: Expr, *bindings: tree.Binding) -> tree.Collect:
        return tree.Collect(span, term, bindings)

    def map_for(self, span: Span, term: Expr, *bindings: tree.Binding) -> tree.MapFor:
        return tree.MapFor(span, term, bindings)

    def several(self, span: Span, number: str, described: tree.Capital | tree.Apply) -> tree.Several:
        return tree.Several(span, self.number(span, number).value, described)

    def with_least(self, span: Span, key: Expr) -> tuple[bool, Expr]:
        return False, key

    def with_most(self, span: Span, key: Expr) -> tuple[bool, Expr]:
        return True, key

    def where(self, span: Span, test: Expr) -> tree.Filter:
        return tree.Filter(span, test, prefix=False)

    def while_(self, span: Span, test: Expr) -> tree.Filter:
        return tree.Filter(span, test, prefix=True)

    def every(self, span: Span, names: tuple[str, ...], domain: Expr, filter: tree.Filter | None) -> Quantified:
        return Quantity.EVERY, names, domain, filter

    def some(self, span: Span, names: tuple[str, ...], domain: Expr, filter: tree.Filter | None) -> Quantified:
        return Quantity.SOME, names, domain, filter

    def no_one(self, span: Span, names: tuple[str, ...], domain: Expr, filter: tree.Filter | None) -> Quantified:
        return Quantity.NO, names, domain, filter

    def quantifier(self, span: Span, quantified: Quantified, body: Expr) -> tree.Quantifier:
        return tree.Quantifier(span, *quantified, body)

    def some_kind(self, span: Span, kind: tree.Capital, domain: Expr) -> tree.SomeKind:
        return tree.SomeKind(span, Quantity.SOME, kind, domain)

    def no_kind(self, span: Span, kind: tree.Capital, domain: Expr) -> tree.SomeKind:
        return tree.SomeKind(span, Quantity.NO, kind, domain)

    def count(self, span: Span, name: str, domain: Expr, filter: tree.Filter | None) -> tree.Count:
        return tree.Count(span, name, None, domain, filter)

    def count_kind(self, span: Span, kind: tree.Capital, domain: Expr, filter: tree.Filter | None) -> tree.Count:
        return tree.Count(span, None, kind, domain, filter)

    def total(self, span: Span, term: Expr, *bindings: tree.Binding) -> tree.Sum:
        return tree.Sum(span, term, bindings)

    def most(self, span: Span, term: Expr, *rest: Any) -> tree.Best:
        return tree.Best(span, True, term, rest[:-1], rest[-1])

    def least(self, span: Span, term: Expr, *rest: Any) -> tree.Best:
        return tree.Best(span, False, term, rest[:-1], rest[-1])

    def the_one(self, span: Span, binding: tree.Binding, otherwise: Expr | None) -> tree.TheOne:
        return tree.TheOne(span, False, binding, otherwise)

    def first_one(self, span: Span, binding: tree.Binding, otherwise: Expr | None) -> tree.TheOne:
        return tree.TheOne(span, True, binding, otherwise)


def both(left: Expr, right: Expr) -> Expr:
    """Two lines that must hold both."""
    return tree.Binary(left.span.to(right.span), Operator.AND, left, right)
