"""Expressions, types and tails as .sea text; and the breaking of long lines.

`format_expr` puts brackets only where they are needed. What comes out parses back to an equal tree.
"""

from __future__ import annotations

import re
from functools import cache
from typing import assert_never

from seaspec.syntax import tree
from seaspec.syntax.grammar import load_grammar
from seaspec.syntax.tree import Expr, Operator, Quantity, Test, TypeExpr

WIDTH = 100
# How tightly an expression holds together, loosest first; each level is a rule of the grammar.
OPEN, CLOSED, NEGATION, COMPARISON, OPERAND, SUM, TERM, UNARY, POSTFIX = range(9)
_LEVELS = {
    Operator.IMPLIES: OPEN, Operator.AND: CLOSED, Operator.OR: CLOSED, Operator.NOT: NEGATION,
    Operator.EQUAL: COMPARISON, Operator.UNEQUAL: COMPARISON, Operator.LESS: COMPARISON,
    Operator.AT_MOST: COMPARISON, Operator.MORE: COMPARISON, Operator.AT_LEAST: COMPARISON,
    Operator.IN: COMPARISON, Operator.NOT_IN: COMPARISON, Operator.ADD: SUM, Operator.SUBTRACT: SUM,
    Operator.MULTIPLY: TERM, Operator.DIVIDE: TERM, Operator.MODULO: TERM, Operator.NEGATE: UNARY,
    Operator.OLD: UNARY, Operator.SIZE: UNARY,
}  # fmt: skip
_FIRST_WORD = re.compile(r"[a-z_][A-Za-z0-9_]*")


def format_expr(expr: Expr, level: int = OPEN) -> str:
    """An expression as text, in brackets if it is looser than `level`.

    >>> from seaspec.source import NOWHERE
    >>> a, b = tree.Name(NOWHERE, "a"), tree.Name(NOWHERE, "b")
    >>> either = tree.Binary(NOWHERE, Operator.OR, a, b)
    >>> format_expr(tree.Binary(NOWHERE, Operator.AND, either, tree.Unary(NOWHERE, Operator.NOT, either)))
    '(a or b) and not (a or b)'
    """
    text, own = _expr(expr)
    return text if own >= level else f"({text})"


def opening(expr: Expr, level: int = OPEN) -> str:
    """An expression where a keyword may stand, too: a name that is spelt like one stands in brackets."""
    text = format_expr(expr, level)
    word = _FIRST_WORD.match(text)
    return f"({word[0]}){text[word.end() :]}" if word is not None and word[0] in _keywords_before_names() else text


def line_opening(expr: Expr) -> str:
    """An expression at the start of a line, where a minus would go on with the line above."""
    text = opening(expr)
    return f"({text})" if text.startswith("-") else text


@cache
def _keywords_before_names() -> frozenset[str]:
    """The soft words that can stand where an expression begins, somewhere."""
    grammar = load_grammar()
    soft = {terminal: word for word, terminal in grammar.words.items() if word not in grammar.hard}
    places = [actions for actions in grammar.states if {"NAME", "LPAR"} <= actions.keys()]
    return frozenset(word for terminal, word in soft.items() if any(terminal in actions for actions in places))


def _expr(expr: Expr) -> tuple[str, int]:
    match expr:
        case tree.Number():
            return str(expr.value), POSTFIX if expr.value >= 0 else UNARY
        case tree.YesNo():
            return "yes" if expr.value else "no", POSTFIX
        case tree.NoneValue():
            return "none", POSTFIX
        case tree.Name() | tree.Capital():
            return expr.name, POSTFIX
        case tree.Apply():
            return f"{format_expr(expr.function, POSTFIX)}{format_arguments(expr.arguments)}", POSTFIX
        case tree.Index():
            return f"{format_expr(expr.base, POSTFIX)}[{_list(expr.indices)}]", POSTFIX
        case tree.Dot():
            return f"{format_expr(expr.base, POSTFIX)}.{expr.name}", POSTFIX
        case tree.Unary():
            return _unary(expr)
        case tree.Binary():
            return _binary(expr)
        case tree.Range():
            return f"{format_expr(expr.low, SUM)}..{format_expr(expr.high, SUM)}", OPERAND
        case tree.Is():
            return f"{format_expr(expr.subject, OPERAND)} is {'not ' * expr.negated}{_predicate(expr)}", COMPARISON
        case tree.Can():
            return f"{format_expr(expr.player, OPERAND)} can {format_item(expr.action)}", COMPARISON
        case tree.Has():
            return f"{format_expr(expr.player, OPERAND)} has {'won' if expr.won else 'lost'}", COMPARISON
        case tree.SetLiteral():
            return f"{{{', '.join(_set_item(item) for item in expr.items)}}}", POSTFIX
        case tree.Select():
            best = "" if expr.best is None else f" with {_most(expr.best[0])} {format_expr(expr.best[1], OPERAND)}"
            return f"{{{format_binding(expr.binding)}{best}}}", POSTFIX
        case tree.Collect():
            return f"{{{format_expr(expr.term, SUM)}{format_loops(expr.bindings)}}}", POSTFIX
        case tree.MapLiteral():
            return f"[{_list(expr.items)}]", POSTFIX
        case tree.MapFor():
            return f"[{format_expr(expr.term, SUM)}{format_loops(expr.bindings)}]", POSTFIX
        case _:
            return _open_form(expr), OPEN


def _open_form(
    expr: tree.IfElse | tree.Quantifier | tree.SomeKind | tree.Count | tree.Sum | tree.Best | tree.TheOne | tree.Reach
    | tree.Ways | tree.Openly | tree.LetIn | tree.Match,
) -> str:  # fmt: skip
    match expr:
        case tree.IfElse():
            return f"if {format_expr(expr.test)} then {format_expr(expr.then)} else {format_expr(expr.otherwise)}"
        case tree.Quantifier():
            return f"{format_quantified(expr)} {format_expr(expr.body)}"
        case tree.SomeKind():
            word = "no" if expr.quantity is Quantity.NO else "some"
            return f"{word} {expr.kind.name} in {format_expr(expr.domain, OPERAND)}"
        case tree.Count():
            what = expr.name if expr.kind is None else expr.kind.name
            return f"count {what} in {format_expr(expr.domain, OPERAND)}{_filter(expr.filter)}"
        case tree.Sum():
            return f"sum {format_expr(expr.term, SUM)}{format_loops(expr.bindings)}"
        case tree.Best():
            best = f"{_most(expr.most)} {format_expr(expr.term, SUM)}{format_loops(expr.bindings)}"
            return best + _otherwise(expr.otherwise)
        case tree.TheOne():
            return f"{'first' if expr.first else 'the'} {format_binding(expr.binding)}{_otherwise(expr.otherwise)}"
        case tree.Reach():
            steps = f"by {expr.here} to {expr.there} where {format_expr(expr.relation, CLOSED)}"
            return f"reach from {format_expr(expr.start, OPERAND)} {steps}"
        case tree.Ways():
            each = f"each {expr.name} in {format_expr(expr.domain, OPERAND)}"
            return f"ways to give {each} one of {format_expr(expr.choices, OPERAND)}"
        case tree.Openly():
            return f"openly {format_expr(expr.inner)}"
        case tree.LetIn():  # only as value lines; see format.py. This is for messages
            return f"let {expr.name} = {format_expr(expr.value)}, {format_expr(expr.body)}"
        case tree.Match():
            cases = ", ".join(f"{_list(case.patterns)}: {format_expr(case.value)}" for case in expr.cases)
            return f"match {format_expr(expr.subject)} {cases}"
        case _:
            assert_never(expr)


def _unary(expr: tree.Unary) -> tuple[str, int]:
    level = _LEVELS[expr.op]
    text = format_expr(expr.operand, level)
    if expr.op is Operator.NEGATE:
        return f"-({text})" if text.startswith("-") else f"-{text}", level
    return f"{expr.op.value} {text}", level


def _binary(expr: tree.Binary) -> tuple[str, int]:
    level = _LEVELS[expr.op]
    left, right = level, level + 1
    if expr.op is Operator.IMPLIES:
        left, right = CLOSED, OPEN
    elif level == COMPARISON:
        left = OPERAND
    elif level == CLOSED and not (isinstance(expr.left, tree.Binary) and expr.left.op is expr.op):
        left = NEGATION
    after = opening(expr.right, right) if expr.op in (Operator.IN, Operator.NOT_IN) else format_expr(expr.right, right)
    return f"{format_expr(expr.left, left)} {expr.op.value} {after}", level


def _predicate(expr: tree.Is) -> str:
    match expr.test:
        case Test.EMPTY | Test.FILLED:
            return str(expr.test.value)
        case Test.SOME:
            return "some" if expr.binds is None else f"some {expr.binds}"
        case Test.ASKED:
            return "asked" if expr.menu is None else f"asked at {expr.menu}"
        case Test.VALUE:
            return "" if expr.value is None else opening(expr.value, OPERAND)
        case _:
            assert_never(expr.test)


def _set_item(item: Expr | tree.Several) -> str:
    if isinstance(item, tree.Several):
        return f"{item.number} {format_expr(item.described, POSTFIX)}"
    return format_expr(item, SUM)


def _most(most: bool) -> str:
    return "most" if most else "least"


def _otherwise(expr: Expr | None) -> str:
    return "" if expr is None else f" otherwise {format_expr(expr, OPERAND)}"


def _filter(found: tree.Filter | None) -> str:
    if found is None:
        return ""
    return f" {'while' if found.prefix else 'where'} {format_expr(found.test, CLOSED)}"


def _list(exprs: tuple[Expr, ...]) -> str:
    return ", ".join(format_expr(expr) for expr in exprs)


def format_arguments(exprs: tuple[Expr, ...]) -> str:
    return f"({_list(exprs)})"


def format_binding(binding: tree.Binding) -> str:
    """`x in S where P`"""
    return f"{binding.name} in {format_expr(binding.domain, OPERAND)}{_filter(binding.filter)}"


def format_loops(bindings: tuple[tree.Binding, ...]) -> str:
    """` for x in S for y in T`, with the blank before it."""
    return "".join(f" for {format_binding(binding)}" for binding in bindings)


def format_quantified(expr: tree.Quantifier) -> str:
    """`every x in S where P:`"""
    names = ", ".join(expr.names)
    return f"{expr.quantity.value} {names} in {format_expr(expr.domain, OPERAND)}{_filter(expr.filter)}:"


def format_item(item: tree.MenuItem) -> str:
    """An action as it is offered."""
    arguments = "" if item.arguments is None else format_arguments(item.arguments)
    loop = "" if item.loop is None else f" for {format_binding(item.loop)}"
    return f"{item.name}{arguments}{loop}"


def format_type(type: TypeExpr) -> str:
    """A type expression as text."""
    match type:
        case tree.TypeName():
            return type.name
        case tree.RangeType():
            return f"{opening(type.low, SUM)}..{format_expr(type.high, SUM)}"
        case tree.YesNoType():
            return "yes or no"
        case tree.NoneType():
            return "none"
        case tree.UnionType():
            return " or ".join(format_type(option) for option in type.options)
        case tree.SetType():
            return f"set of {format_type(type.of)}"
        case tree.MapType():
            return f"map {format_type(type.keys)} to {format_type(type.values)}"
        case tree.OneOf():
            values = (v.name if v.drawn is None else f"{v.name} drawn {v.drawn}" for v in type.values)
            return f"{'ring' if type.ring else 'one'} of {', '.join(values)}"
        case _:
            assert_never(type)


def format_params(params: tuple[tree.Param, ...] | None, brackets: str = "()") -> str:
    """`(b: Boat in afloat, n: 1..3)`; nothing if there are none."""
    if not params:
        return ""
    return brackets[0] + ", ".join(_param(param) for param in params) + brackets[1]


def _param(param: tree.Param) -> str:
    type = "" if param.type is None else f": {format_type(param.type)}"
    within = "" if param.within is None else f" in {format_expr(param.within, OPERAND)}"
    where = "" if param.where is None else f" where {format_expr(param.where, CLOSED)}"
    return f"{param.name}{type}{within}{where}"


# ----------------------------------------------------------------------------------------------- sentences, long lines


def format_sentence(sentence: tree.Sentence) -> str:
    """A sentence in its quotes."""
    parts = (part if isinstance(part, str) else f"{{{format_expr(part)}}}" for part in sentence.parts)
    return '"' + "".join(parts) + '"'


def format_sources(tail: tree.Tail) -> list[str]:
    """`cites ..`, `assume ..`: a line each."""
    cites = [f"cites {', '.join(clause.id for clause in tail.cites)}"] if tail.cites else []
    return cites + [f"assume {format_sentence(sentence)}" for sentence in tail.assumes]


def break_line(line: str) -> list[str]:
    """A line, and the lines that it goes on in if it is too wide."""
    indent = len(line) - len(line.lstrip())
    lines = []
    while len(line) > WIDTH:
        at = _best_break(line, indent)
        if at is None:
            break
        lines.append(line[:at].rstrip())
        line = " " * (indent + 4) + line[at:].lstrip()
    return [*lines, line]


def _best_break(line: str, indent: int) -> int | None:
    """Where to break: outside as many brackets as possible, then as far to the right as possible."""
    goes_on = load_grammar().word_lists["goes_on"] | {"then", "otherwise"}
    best: tuple[int, int] | None = None
    depth = 0
    for match in _ATOM.finditer(line):
        atom, at = match[0], match.start()
        if at > WIDTH:
            break
        depth += (atom in "([{") - (atom in ")]}")
        if atom == ",":
            at = match.end()
        elif atom[0] != '"' and (atom not in goes_on or line[match.end() : match.end() + 1] != " "):
            continue
        if indent + 8 < at <= WIDTH and line[at:].strip() and (best is None or -depth >= best[0]):
            best = -depth, at
    return best[1] if best else None


_ATOM = re.compile(r'"[^"]*"|[A-Za-z0-9_.]+|[(){}\[\]]|[^\sA-Za-z0-9_"(){}\[\].]+')
