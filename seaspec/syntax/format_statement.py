"""Statements and value lines as .sea text. See format.py.

Lines are made with their indentation, in blanks; `head` is the text of a line without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from seaspec.syntax import tree
from seaspec.syntax.format_expr import (
    CLOSED,
    OPERAND,
    POSTFIX,
    WIDTH,
    break_line,
    format_binding,
    format_expr,
    format_item,
    format_quantified,
    format_sentence,
    format_sources,
    line_opening,
    opening,
)
from seaspec.syntax.tree import Expr, Operator, Statement, Tail
from seaspec.syntax.walk import walk

STEP = 2


def headed(indent: int, head: str, tail: Tail, *more: str) -> list[str]:
    """A line with its sentence, and its sources below it; `more` stands after the sentence, on the same line."""
    parts = [head] + ([format_sentence(tail.sentence)] if tail.sentence is not None else []) + list(more)
    lines = break_line(" " * indent + " ".join(part for part in parts if part))
    for source in format_sources(tail):
        lines += break_line(" " * (indent + STEP) + source)
    return lines


def is_flat(expr: Expr) -> bool:
    """Whether it can be written on one line: `let` and `match` can not."""
    return not any(isinstance(node, tree.LetIn | tree.Match) for node in walk(expr))


def value_lines(indent: int, expr: Expr) -> list[str]:
    """Lines that must all hold, `let` lines first."""
    if isinstance(expr, tree.LetIn):
        let = break_line(f"{' ' * indent}let {expr.name} = {format_expr(expr.value)}")
        return let + value_lines(indent, expr.body)
    if isinstance(expr, tree.Binary) and expr.op is Operator.AND:
        return value_lines(indent, expr.left) + _value_line(indent, expr.right)
    return _value_line(indent, expr)


def _value_line(indent: int, expr: Expr) -> list[str]:
    if not is_flat(expr) and isinstance(expr, tree.Quantifier):
        return break_line(" " * indent + format_quantified(expr)) + value_lines(indent + STEP, expr.body)
    if isinstance(expr, tree.Match):
        lines = break_line(f"{' ' * indent}match {format_expr(expr.subject)}")
        for case in expr.cases:
            patterns = _patterns(case.patterns)
            if is_flat(case.value):
                lines += break_line(f"{' ' * (indent + STEP)}{patterns}: {format_expr(case.value)}")
            else:
                lines.append(" " * (indent + STEP) + patterns)
                lines += value_lines(indent + 2 * STEP, case.value)
        return lines
    return break_line(" " * indent + line_opening(expr))


def format_block(indent: int, body: Sequence[Statement]) -> list[str]:
    """The statements of a block, one below the other."""
    lines = [line for statement in body for line in format_statement(indent, statement)]
    return lines or [" " * indent + "nothing"]


def format_body(indent: int, lines: list[str], body: Sequence[Statement]) -> list[str]:
    """A head (some lines) and its body: on the same line if it is short, else in a block."""
    if len(body) == 1 and _is_simple(body[0]):
        (statement,) = (format_statement(0, body[0])[0],)
        if len(lines) == 1 and len(lines[0]) + len(statement) + 2 <= WIDTH:
            return [f"{lines[0]}: {statement}"]
    return lines + format_block(indent + STEP, body)


def _is_simple(statement: Statement) -> bool:
    """Whether it can stand after a colon, on one line."""
    match statement:
        case (
            tree.If() | tree.ForEach() | tree.Repeat() | tree.MatchStatement() | tree.AllAtOnce() | tree.AnyOrder()
            | tree.Needs()
        ):  # fmt: skip
            return False
        case tree.Choose() if statement.body or statement.otherwise is not None:
            return False
        case _:  # cautious: whatever is one line when it is printed
            return not statement.tail.cites and not statement.tail.assumes and len(format_statement(0, statement)) == 1


def format_statement(indent: int, statement: Statement) -> list[str]:
    """A statement and all that is indented under it."""
    match statement:
        case tree.Choose():
            return _choose(indent, statement)
        case tree.If():
            return _if(indent, "if", statement)
        case tree.ForEach():
            head = f"for each {statement.name} in {format_expr(statement.domain, OPERAND)}"
            if statement.order_of is not None:
                head += f" in order of {format_expr(statement.order_of, OPERAND)}"
            if statement.order_from is not None:
                head += f" in order from {format_expr(statement.order_from, OPERAND)}"
            head += _where(statement.where)
            return format_body(indent, headed(indent, head, statement.tail), statement.body)
        case tree.Repeat():
            return format_body(indent, headed(indent, _repeat(statement), statement.tail), statement.body)
        case tree.MatchStatement():
            lines = headed(indent, f"match {format_expr(statement.subject)}", statement.tail)
            for case in statement.cases:
                lines += format_body(
                    indent + STEP, headed(indent + STEP, _patterns(case.patterns), case.tail), case.body
                )
            return lines
        case tree.AllAtOnce():
            head = f"all at once each {statement.name} in {format_expr(statement.domain, OPERAND)}"
            return format_body(indent, break_line(" " * indent + head), statement.body)
        case tree.AnyOrder():
            head = f"{opening(statement.player, OPERAND)} in any order"
            return headed(indent, head, statement.tail) + format_block(indent + STEP, statement.lines)
        case tree.Needs():
            name = "" if statement.name is None else f"{statement.name}: "
            lines = headed(indent, f"needs {name}{format_expr(statement.test)}", statement.tail)
            for unless in statement.exceptions:
                lines += headed(indent + STEP, f"unless {format_expr(unless.test)}", unless.tail)
            return lines
        case tree.Call() if isinstance(statement.call, tree.Quantifier) and not is_flat(statement.call):
            return value_lines(indent, statement.call) + headed(indent + STEP, "", statement.tail)[1:]
        case tree.Say():
            to = "" if statement.audience is None else f" to {format_expr(statement.audience, POSTFIX)}"
            return headed(indent, f"say {format_sentence(statement.sentence)}{to}", statement.tail)
        case _:
            return headed(indent, _simple(statement), statement.tail)


def _simple(
    statement: tree.Call | tree.Assign | tree.Let | tree.Move | tree.MoveSome | tree.Draw | tree.Shuffle | tree.Roll
    | tree.Again | tree.Gives | tree.Stop | tree.Show | tree.Nothing | tree.Win | tree.Lose | tree.NobodyWins
    | tree.DropOut | tree.Score | tree.Share,
) -> str:  # fmt: skip
    match statement:
        case tree.Call():
            return line_opening(statement.call)
        case tree.Assign():
            sign = ":=" if statement.op is None else f"{statement.op.value}="
            return f"{opening(statement.target, POSTFIX)} {sign} {format_expr(statement.value)}"
        case tree.Let():
            return f"let {statement.name} = {format_expr(statement.value)}"
        case tree.Move():
            return f"move {opening(statement.cargo, POSTFIX)} {_destination(statement)}"
        case tree.MoveSome():
            source = format_expr(statement.source, POSTFIX)
            return f"move {_amount(statement)} {statement.kind.name} from {source} {_destination(statement)}"
        case tree.Draw():
            name = "" if statement.name is None else f" as {statement.name}"
            amount = "up to " * statement.up_to + opening(statement.amount, OPERAND)
            places = f"from {format_expr(statement.source, POSTFIX)} to {format_expr(statement.target, POSTFIX)}"
            return f"draw {amount} {places}{name}"
        case tree.Shuffle():
            return f"shuffle {format_expr(statement.place, POSTFIX)}"
        case tree.Roll():
            number = "" if statement.number is None else f"{_few(statement.number)} "
            return f"roll {number}d{statement.sides} as {statement.name}{_seen(statement.seen)}"
        case tree.Again():
            return f"again if {format_expr(statement.test)}"
        case tree.Gives():
            return f"gives {format_expr(statement.value)}"
        case tree.Stop():
            return f"stop {statement.procedure}"
        case tree.Show():
            return f"show {format_expr(statement.place, POSTFIX)} to {format_expr(statement.audience, POSTFIX)}"
        case tree.Nothing():
            return "nothing"
        case tree.Win():
            return f"win for {format_expr(statement.players, OPERAND)}"
        case tree.Lose():
            return f"lose for {format_expr(statement.players, OPERAND)}"
        case tree.NobodyWins():
            return "nobody wins"
        case tree.DropOut():
            return f"{opening(statement.player, POSTFIX)} drops out"
        case tree.Score():
            ties = "".join(f" tie by {format_expr(tie, OPERAND)}" for tie in statement.ties)
            return f"score {statement.name}: {format_expr(statement.value, OPERAND)}{ties}"
        case tree.Share():
            most = "" if statement.at_most is None else f" at most {format_expr(statement.at_most, OPERAND)}"
            total = f"{opening(statement.player, POSTFIX)} shares {format_expr(statement.total, OPERAND)}"
            among = f"among {statement.name} in {format_expr(statement.domain, OPERAND)}"
            return f"{total} {among}{most} as {statement.gift}"
        case _:
            assert_never(statement)


def _destination(statement: tree.Move | tree.MoveSome) -> str:
    target = format_expr(statement.target, POSTFIX)
    if statement.under:
        return f"under {target}"
    return f"to {target}" + ("" if statement.at is None else f" at {format_expr(statement.at, OPERAND)}")


def _amount(statement: tree.MoveSome) -> str:
    if statement.amount is None:
        return "all"
    return "up to " * statement.up_to + _few(statement.amount)


def _few(expr: Expr) -> str:
    """A number that is written, named, or in brackets."""
    if isinstance(expr, tree.Number) and expr.value >= 0:
        return str(expr.value)
    return opening(expr) if isinstance(expr, tree.Name) else f"({format_expr(expr)})"


def _where(expr: Expr | None) -> str:
    return "" if expr is None else f" where {format_expr(expr, CLOSED)}"


def _patterns(patterns: Sequence[Expr]) -> str:
    return ", ".join(format_expr(pattern) for pattern in patterns)


def _if(indent: int, head: str, statement: tree.If) -> list[str]:
    test = headed(indent, f"{head} {format_expr(statement.test)}", statement.tail)
    lines = format_body(indent, test, statement.then)
    match statement.otherwise:
        case ():
            return lines
        case (tree.If() as other,):
            return lines + _if(indent, "else if", other)
        case _:  # cautious: as it is written: a block below
            return lines + format_body(indent, [" " * indent + "else"], statement.otherwise)


def _repeat(statement: tree.Repeat) -> str:
    if statement.until is None:
        return "repeat" if statement.times is None else f"repeat {opening(statement.times, OPERAND)} times"
    bound = "" if statement.times is None else f" at most {format_expr(statement.times, OPERAND)} times"
    return f"repeat{bound} until {format_expr(statement.until)}"


def _choose(indent: int, statement: tree.Choose) -> list[str]:
    decider = "chance" if statement.decider is None else opening(statement.decider, POSTFIX)
    head = f"{decider} {statement.manner.value} {_offer(statement.offer)}{_seen(statement.seen)}"
    lines = headed(indent, head, statement.tail)
    if statement.body:
        lines += format_block(indent + STEP, statement.body)
    if statement.otherwise is not None:
        lines += format_body(indent, [" " * indent + "otherwise"], statement.otherwise)
    return lines


def _seen(seen: tree.Expr | None) -> str:
    return "" if seen is None else f" seen by {format_expr(seen, OPERAND)}"


def _offer(offer: tree.Offer) -> str:
    match offer:
        case tree.OfferActions():
            items = " or ".join(format_item(item) for item in offer.items)
            return items if offer.until is None else f"{items} until {format_expr(offer.until)}"
        case tree.OfferValues():
            picks = ", ".join(format_binding(pick) for pick in offer.picks)
            return picks if offer.weights is None else f"{picks} weights {format_expr(offer.weights, OPERAND)}"
        case tree.OfferSubset():
            quota = _quota(offer)
            return f"{quota} of {format_expr(offer.domain, OPERAND)}{_where(offer.where)} as {offer.name}"
        case _:
            assert_never(offer)


def _quota(offer: tree.OfferSubset) -> str:
    if offer.high is None:
        return "any"
    if offer.exact:
        return _few(offer.high)
    return f"up to {_few(offer.high)}" if offer.low is None else f"{_few(offer.low)}..{_few(offer.high)}"
