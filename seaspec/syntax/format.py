"""The formatter: a tree as .sea text, which parses back to an equal tree.

One line where it fits; else the sentence, the sources and the body stand on lines of their own. Comments are not
kept: a tree has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import assert_never

from seaspec.syntax import tree
from seaspec.syntax.format_expr import (
    CLOSED,
    OPERAND,
    POSTFIX,
    SUM,
    WIDTH,
    break_line,
    format_expr,
    format_item,
    format_loops,
    format_params,
    format_sentence,
    format_sources,
    format_type,
    opening,
)
from seaspec.syntax.format_statement import (
    STEP,
    format_block,
    format_body,
    format_statement,
    headed,
    is_flat,
    value_lines,
)
from seaspec.syntax.tree import Expr, Statement, Tail, When

__all__ = ["format_chapter", "format_declaration", "format_expr", "format_file", "format_statement", "format_type"]
_WIDEST_GAP = 20


def format_file(file: tree.File) -> str:
    """All chapters of a file."""
    return "\n".join(format_chapter(chapter) for chapter in file.chapters)


def format_chapter(chapter: tree.Chapter) -> str:
    """A heading and its declarations; those of one line stand together with others of their kind."""
    lines = headed(0, f"{chapter.kind.value} {chapter.name}{_of(chapter.of)}", chapter.tail, _after(chapter.after))
    previous: tree.Declaration | None = None
    long = False
    for declaration in chapter.declarations:
        own = format_declaration(declaration).split("\n")
        about = isinstance(declaration, tree.About)
        if not about and (len(own) > 1 or long or type(previous) is not type(declaration)):
            lines.append("")
        lines += own
        previous, long = declaration, len(own) > 1
    return "\n".join(lines) + "\n"


def format_declaration(declaration: tree.Declaration) -> str:
    """A declaration as text, at the margin."""
    match declaration:
        case tree.Title() | tree.Term() | tree.Rulebook() | tree.Uses() | tree.Combines() | tree.Note():
            lines = _about(declaration)
        case (
            tree.Option() | tree.Const() | tree.TypeDecl() | tree.Board() | tree.Shape() | tree.Table()
            | tree.Component() | tree.Place() | tree.State() | tree.Picture() | tree.Look()
        ):  # fmt: skip
            lines = _thing(declaration)
        case (
            tree.Define() | tree.Rules() | tree.Menu() | tree.Action() | tree.Procedure() | tree.Chance()
            | tree.Whenever()
        ):  # fmt: skip
            lines = _flow(declaration)
        case (
            tree.ReplaceBody() | tree.ReplaceDeclaration() | tree.Remove() | tree.Forbid() | tree.Allow() | tree.Hook()
            | tree.AddItems() | tree.AddKind() | tree.SetValue() | tree.SetCapital() | tree.Breaks() | tree.Drops()
        ):  # fmt: skip
            lines = _change(declaration)
        case _:
            lines = _promise(declaration)
    return "\n".join(lines)


def _of(name: str | None) -> str:
    return "" if name is None else f" of {name}"


def _after(names: tuple[str, ...]) -> str:
    return f"after {', '.join(names)}" if names else ""


def _about(declaration: tree.About) -> list[str]:
    match declaration:
        case tree.Title():
            return [f'title {declaration.language} "{declaration.text}"']
        case tree.Term():
            words = ", ".join(f'{word.name} "{word.word}"' for word in declaration.words)
            return break_line(f"term {declaration.language} {words}")
        case tree.Rulebook():
            return [f"rulebook {declaration.name}"]
        case tree.Uses():
            return break_line(f"uses {', '.join(declaration.names)}")
        case tree.Combines():
            words = "combines with" if declaration.allowed else "never with"
            return headed(0, f"{words} {', '.join(declaration.names)}", declaration.tail)
        case tree.Note():
            return headed(0, "note", declaration.tail)
        case _:
            assert_never(declaration)


# ------------------------------------------------------------------------------------------------------------- things


def _thing(declaration: tree.Thing) -> list[str]:
    match declaration:
        case tree.Option():
            head = f"option {declaration.name}: {format_type(declaration.type)}{_initial(declaration.default)}"
            return headed(0, head, declaration.tail, _requires(declaration.requires))
        case tree.Const():
            return headed(0, f"const {declaration.name} = {format_expr(declaration.value)}", declaration.tail)
        case tree.TypeDecl():
            if declaration.type is None:
                return headed(0, f"type {declaration.name}", declaration.tail, "left open")
            return headed(0, f"type {declaration.name} = {format_type(declaration.type)}", declaration.tail)
        case tree.Board():
            return _board(declaration)
        case tree.Shape():
            return headed(0, f"shape {declaration.name}", declaration.tail) + _drawing(declaration.drawing)
        case tree.Table():
            return _table(declaration)
        case tree.Component():
            head = f"component {declaration.name}{_facts(declaration.facts)}"
            more = "left open" if declaration.left_open else _requires(declaration.requires)
            lines = headed(0, head, declaration.tail, more)
            return lines + [line for kind in declaration.kinds for line in _kind(STEP, kind)]
        case tree.Place():
            return headed(0, _place(declaration), declaration.tail)
        case tree.State():
            return headed(0, _state(declaration), declaration.tail)
        case tree.Picture():
            return _picture(declaration)
        case tree.Look():
            return headed(0, _look(declaration), declaration.tail)
        case _:
            assert_never(declaration)


def _picture(picture: tree.Picture) -> list[str]:
    """The head stays on one line, for all below it is the picture."""
    sentence = [] if picture.tail.sentence is None else [format_sentence(picture.tail.sentence)]
    sources = format_sources(picture.tail)
    head = " ".join([f"picture {picture.name} of {', '.join(picture.of)}", *sentence, *sources])
    return [head, *(" " * STEP + row if row else "" for row in picture.art.rows)]


def _look(look: tree.Look) -> str:
    words = (f" {word.sort.value} {_named(word.names)}" for word in look.words)
    return f"look {look.name} of {_named(look.of)}: {look.shape.name}{''.join(words)}"


def _named(names: Iterable[tree.LookName]) -> str:
    return ", ".join(name.name for name in names)


def _initial(expr: Expr | None) -> str:
    return "" if expr is None else f" = {format_expr(expr, OPERAND)}"


def _requires(expr: Expr | None) -> str:
    return "" if expr is None else f"requires {format_expr(expr, CLOSED)}"


def _board(board: tree.Board) -> list[str]:
    match board.form:
        case None:
            return headed(0, f"board {board.name}", board.tail, "left open")
        case tree.Grid():
            return headed(0, f"board {board.name}: {_grid(board.form)}", board.tail)
        case tree.DrawnBoard():
            towards = "" if board.form.towards is None else f" towards {board.form.towards}"
            return headed(0, f"board {board.name}: drawn{towards}", board.tail) + _drawing(board.form.drawing)
        case _:
            assert_never(board.form)


def _grid(grid: tree.Grid) -> str:
    size = f"grid {format_expr(grid.columns, SUM)} by {format_expr(grid.rows, SUM)}"
    without = "" if grid.without is None else f" without {format_expr(grid.without, OPERAND)}"
    towards = "" if grid.towards is None else f" towards {grid.towards}"
    corner = {None: "", True: " from the top left", False: " from the bottom left"}[grid.from_top]
    return f"{size}{corner}{without}{towards}"


def _drawing(drawing: tree.Drawing) -> list[str]:
    lines = [_row(row) for row in drawing.rows]
    if drawing.key:
        lines += break_line(f"  key {', '.join(f'{symbol} = {name}' for symbol, name in drawing.key)}")
    return lines


def _row(row: tuple[tree.Symbol, ...]) -> str:
    """The symbols, as far from each other as they were written."""
    text = "  " + row[0].text
    for before, symbol in pairwise(row):
        gap = symbol.span.start - before.span.end
        text += " " * max(1, min(gap, _WIDEST_GAP)) + symbol.text
    return text


def _table(table: tree.Table) -> list[str]:
    what = f"{table.name}{format_params(table.params)}" if table.of is None else f"of {table.of}"
    head = f"table {what}: {format_type(table.type)}"
    if table.value is not None:
        return _valued(head, table.tail, table.value)
    return headed(0, head, table.tail) + (_drawing(table.drawing) if table.drawing is not None else [])


def _facts(facts: tuple[tree.Fact, ...]) -> str:
    return f"({', '.join(_fact(fact) for fact in facts)})" if facts else ""


def _fact(fact: tree.Fact) -> str:
    if fact.type is not None:
        return f"{fact.name}: {format_type(fact.type)}"
    return "" if fact.value is None else format_expr(fact.value)


def _kind(indent: int, kind: tree.KindDecl) -> list[str]:
    lines = headed(indent, _kind_head(kind), kind.tail)
    return lines + [line for below in kind.kinds for line in _kind(indent + STEP, below)]


def _kind_head(kind: tree.KindDecl) -> str:
    quantity = ""
    if kind.times is not None:
        quantity = f" times {format_expr(kind.times, SUM)}" + " each" * kind.each
    elif kind.each:
        quantity = " one each"
    kept = "" if kind.kept_in is None else f" kept in {kind.kept_in}"
    return f"{kind.name}{_facts(kind.facts)}{quantity}{format_loops(kind.loops)}{kept}"


def _place(place: tree.Place) -> str:
    kinds = " or ".join(place.holds)
    capacity = "" if place.capacity is None else format_expr(place.capacity, SUM)
    if place.order is tree.Order.SLOT:
        holds = f"at most {capacity} {kinds}"
    else:
        holds = f"{place.order.value} of {f'up to {capacity} ' if capacity else ''}{kinds}"
    laid = "" if place.laid_on is None else f" laid on {place.laid_on}"
    words = _seen(place.seen) + " uncounted" * place.uncounted + " fixed after setup" * place.fixed
    return f"place {place.name}{format_params(place.index, '[]')} {holds}{laid}{words}"


def _seen(seen: tree.Seen | None) -> str:
    if seen is None:
        return ""
    if seen.by is not None:
        return f" seen by {format_expr(seen.by, OPERAND)}"
    return " open" if seen.open else " hidden"


def _state(state: tree.State) -> str:
    head = f"{'track' if state.track else 'state'} {state.name}{format_params(state.index, '[]')}"
    words = _seen(state.seen) + " fixed after setup" * state.fixed
    words += "" if state.until is None else f" until end of {state.until}"
    words += "" if state.while_in is None else f" while in {state.while_in}"
    return f"{head}: {format_type(state.type)}{_initial(state.initial)}{words}"


# ------------------------------------------------------------------------------------------------- definitions, flow


def _flow(declaration: tree.Word | tree.Flow) -> list[str]:
    match declaration:
        case tree.Define():
            result = "" if declaration.result is None else f": {format_type(declaration.result)}"
            falls = "" if declaration.shrinking is None else f" shrinking {declaration.shrinking}"
            head = f"define {declaration.name}{format_params(declaration.params)}{result}{falls}"
            if declaration.body is None:
                return headed(0, head, declaration.tail, "left open")
            return _valued(head, declaration.tail, declaration.body)
        case tree.Menu():
            items = " or ".join(format_item(item) for item in declaration.items)
            head = f"menu {declaration.name}{format_params(declaration.params)}"
            return headed(0, head, declaration.tail, f"= {items}")
        case tree.Rules():
            return _with_body("rules", declaration.name, declaration.params, declaration.tail, declaration.body)
        case tree.Action():
            return _with_body("action", declaration.name, declaration.params, declaration.tail, declaration.body)
        case tree.Procedure():
            if declaration.body is None:
                head = f"to {declaration.name}{format_params(declaration.params)}"
                return headed(0, head, declaration.tail, "left open")
            return _with_body("to", declaration.name, declaration.params, declaration.tail, declaration.body)
        case tree.Chance():
            return _with_body("chance", declaration.name, declaration.params, declaration.tail, declaration.body)
        case tree.Whenever():
            name = "" if declaration.name is None else f"{declaration.name}: "
            lines = headed(0, f"whenever {name}{format_expr(declaration.test)}", declaration.tail)
            return lines + format_block(STEP, declaration.body)
        case _:
            assert_never(declaration)


def _with_body(
    word: str, name: str, params: tuple[tree.Param, ...], tail: Tail, body: tuple[Statement, ...]
) -> list[str]:
    return format_body(0, headed(0, f"{word} {name}{format_params(params)}", tail), body)


def _valued(head: str, tail: Tail, value: Expr) -> list[str]:
    """`head "sentence" = value` on one line, or with the value below."""
    if not is_flat(value):
        return headed(0, head, tail) + value_lines(STEP, value)
    text = format_expr(value)
    sentence = "" if tail.sentence is None else " " + format_sentence(tail.sentence)
    if len(head) + len(sentence) + len(text) + 3 <= WIDTH:
        return headed(0, head, tail, f"= {text}")
    return headed(0, head, tail) + break_line(f"  = {text}")


# ------------------------------------------------------------------------------------------------------------ changes


def _change(declaration: tree.Change) -> list[str]:
    match declaration:
        case tree.ReplaceBody():
            head = f"replace {declaration.name}{format_params(declaration.params)}"
            if declaration.body is not None:
                return format_body(0, headed(0, head, declaration.tail), declaration.body)
            return [] if declaration.value is None else _valued(head, declaration.tail, declaration.value)
        case tree.ReplaceDeclaration():
            return ("replace " + format_declaration(declaration.declaration)).split("\n")
        case tree.Remove():
            return headed(0, f"remove {', '.join(declaration.names)}", declaration.tail)
        case tree.Forbid():
            head = f"forbid {declaration.name}{format_params(declaration.params)}"
            return headed(0, f"{head} when {format_expr(declaration.when)}", declaration.tail)
        case tree.Allow():
            head = f"allow {declaration.name}{format_params(declaration.params)} despite {declaration.despite}"
            when = "" if declaration.when is None else f" when {format_expr(declaration.when)}"
            return headed(0, head + when, declaration.tail)
        case tree.Hook():
            word = "before" if declaration.before else "after"
            return _with_body(word, declaration.name, declaration.params, declaration.tail, declaration.body)
        case tree.AddItems():
            items = ", ".join(format_item(item) for item in declaration.items)
            head = f"add {items} to {declaration.menu}{format_params(declaration.params)}"
            return headed(0, head, declaration.tail)
        case tree.AddKind():
            return headed(0, f"add {_kind_head(declaration.kind)} to {declaration.component}", declaration.tail)
        case tree.SetValue():
            beside = "" if declaration.beside is None else f" with {declaration.beside}"
            return headed(0, f"set {declaration.name} = {format_expr(declaration.value)}{beside}", declaration.tail)
        case tree.SetCapital():
            form = declaration.form
            text = _grid(form) if isinstance(form, tree.Grid) else format_type(form)
            return headed(0, f"set {declaration.name} = {text}", declaration.tail)
        case tree.Breaks():
            return headed(0, f'breaks {declaration.name} because "{declaration.because}"', declaration.tail)
        case tree.Drops():
            names = ", ".join(declaration.names)
            return headed(0, f'drops {names} because "{declaration.because}"', declaration.tail)
        case _:
            assert_never(declaration)


# ----------------------------------------------------------------------------------------------------------- promises


def _promise(declaration: tree.Promise) -> list[str]:
    myth = "myth " if declaration.myth else ""
    match declaration:
        case tree.Invariant():
            when = "" if declaration.when is When.NODES else f" {declaration.when.value} "
            head = f"{myth}invariant {declaration.name}{when}{', '.join(declaration.procedures)}"
            return _claimed(head, declaration.tail, declaration.property)
        case tree.Always():
            heads = ", ".join(f"{head.name}{format_params(head.params)}" for head in declaration.after)
            head = f"{myth}always {declaration.name}" + (f" after {heads}" if heads else "")
            return _claimed(head, declaration.tail, declaration.property)
        case tree.Lemma():
            head = f"{myth}lemma {declaration.name}{format_params(declaration.params)}"
            return _claimed(head, declaration.tail, declaration.property)
        case tree.Reachable():
            return _claimed(f"{myth}reachable {declaration.name}", declaration.tail, declaration.property)
        case tree.Winnable():
            needed = "" if declaration.needed is None else f" only if {format_expr(declaration.needed, CLOSED)}"
            return _claimed(f"{myth}winnable {declaration.name}{needed}", declaration.tail, declaration.property)
        case tree.NeverStuck():
            return headed(0, f"{myth}never stuck", declaration.tail)
        case tree.Ends():
            measure = "" if declaration.measure is None else f" by {format_expr(declaration.measure)}"
            head = f"{myth}ends within {format_expr(declaration.within, OPERAND)} calls of {declaration.procedure}"
            return headed(0, head + measure, declaration.tail)
        case tree.Secret():
            return headed(0, f"{myth}secret {', '.join(declaration.names)}", declaration.tail)
        case tree.OddsPromise():
            word = "mean" if declaration.mean else "odds"
            head = f"{word} {format_expr(declaration.call, POSTFIX)} = {format_expr(declaration.value, OPERAND)}"
            return headed(0, f"{myth}{head}", declaration.tail)
        case tree.Symmetry():
            renamings = (f"  {r.name}: {r.type} to {format_expr(r.image)}" for r in declaration.renamings)
            return headed(0, f"{myth}symmetry {declaration.name}", declaration.tail) + _broken(renamings)
        case tree.Example():
            lines = headed(0, f"{myth}example {declaration.name}", declaration.tail)
            return lines + _broken(f"  {_example_line(line)}" for line in declaration.lines)
        case _:
            assert_never(declaration)


def _broken(lines: Iterable[str]) -> list[str]:
    return [broken for line in lines for broken in break_line(line)]


def _claimed(head: str, tail: Tail, claim: Expr) -> list[str]:
    """`head "sentence": claim` on one line, or with the claim below."""
    sentence = "" if tail.sentence is None else " " + format_sentence(tail.sentence)
    if is_flat(claim):
        line = f"{head}{sentence}: {format_expr(claim)}"
        if len(line) <= WIDTH:
            return headed(0, line, Tail(tail.span, None, tail.cites, tail.assumes))
    return headed(0, head, tail) + value_lines(STEP, claim)


def _example_line(line: tree.ExampleLine) -> str:
    match line:
        case tree.ForAny():
            where = "" if line.where is None else f" where {format_expr(line.where, CLOSED)}"
            return f"for any {', '.join(line.names)} in {format_expr(line.domain, OPERAND)}{where}"
        case tree.ExampleLet():
            return f"let {line.name} = {format_expr(line.value)}"
        case tree.Given():
            return f"given {_listed(line.facts)}"
        case tree.At():
            which = "" if line.number == 1 else f"{_ordinal(line.number)} "
            return f"at {which}{format_expr(line.call, POSTFIX)}"
        case tree.Step():
            rolling = f" rolling {_listed(line.rolling, OPERAND)}" if line.rolling else ""
            choosing = f" choosing {_listed(line.choosing, OPERAND)}" if line.choosing else ""
            return f"when {_step(line)}{rolling}{choosing}"
        case tree.Then():
            odds = "" if line.odds is None else f" with odds {format_expr(line.odds, OPERAND)}"
            return f"then {', '.join(_outcome(outcome) for outcome in line.outcomes)}{odds}"
        case _:
            assert_never(line)


def _listed(exprs: tuple[Expr, ...], level: int = 0) -> str:
    return ", ".join(format_expr(expr, level) for expr in exprs)


def _step(step: tree.Step) -> str:
    if step.call is not None:
        return format_expr(step.call, POSTFIX)
    player = "" if step.player is None else format_expr(step.player, POSTFIX)
    if step.does is not None:
        return f"{player} does {format_item(step.does)}"
    if step.chooses is not None:
        return f"{player} chooses {_listed(step.chooses, OPERAND)}"
    if step.shares is not None:
        portions = (f"{format_expr(share, OPERAND)} to {format_expr(to, OPERAND)}" for share, to in step.shares)
        return f"{player} shares {', '.join(portions)}"
    return f"{player} passes"


def _ordinal(number: int) -> str:
    """A number as it counts: `1st`, `2nd`, `3rd`, `11th`, `22nd`."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _outcome(outcome: Expr | tree.Refused) -> str:
    if isinstance(outcome, tree.Refused):
        return "refused" if outcome.guard is None else f"refused by {outcome.guard}"
    return opening(outcome)
