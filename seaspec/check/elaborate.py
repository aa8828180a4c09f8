"""From the merged syntax to the typed core, with the options fixed.

The order matters little, since global things are elaborated when they are first needed; what is listed here makes sure
that everything is elaborated, and so checked, whether it is used or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from seaspec.check import texts
from seaspec.check.context import Context, Scope
from seaspec.check.declared import boards, pictures, pieces, shapes, slots, tables, things, words
from seaspec.check.doing import flow
from seaspec.check.expressions import names
from seaspec.check.merging.merged import MergedGame
from seaspec.check.promised import promises
from seaspec.core import ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report
from seaspec.syntax import tree


def elaborate(merged: MergedGame, options: Mapping[str, str], report: Report) -> ir.Game | None:
    """The core of a game; None if the text has errors (reported)."""
    return elaborate_in_context(merged, options, report)[1]


def elaborate_in_context(
    merged: MergedGame, options: Mapping[str, str], report: Report
) -> tuple[Context, ir.Game | None]:
    """The same, with what is needed to elaborate more expressions of the game later on."""
    ctx = Context(merged, report, options)
    try:
        return ctx, _elaborated(ctx, merged, report)
    except RecursionError:  # what others need comes first; where it does not, each begins within the last one
        ctx.too_deep()
        return ctx, None


def _elaborated(ctx: Context, merged: MergedGame, report: Report) -> ir.Game | None:
    for name, declared in merged.types.items():
        if isinstance(declared.type, tree.OneOf):
            things.type_named(ctx, name, declared.span.word(name))
    _check_options(ctx)
    _before_pieces(ctx)
    pieces.components(ctx)
    slots.declare(ctx)
    _rest(ctx)
    slots.complete(ctx)
    if merged.pictures and not report.failed:
        pictures.pictures(ctx)
    if merged.looks:
        pieces.looks(ctx)
    names.check_values(ctx)
    for name, clauses in merged.defines.items():
        words.function(ctx, name, clauses[0].span.word(name))
    if not report.failed:
        slots.check_first_values(ctx)
    made = flow.flow(ctx)
    if ir.PLAY not in made.procedures:
        message = f"'{merged.game.name}' has no `to play`, so nothing ever happens"
        hint = "say `to play`, and below it, indented, what happens: `repeat`, `for each p in Player`, `p chooses go`"
        ctx.error(Code.NO_FLOW, merged.game.span, message, hint=hint)
    promised = promises.promises(ctx)
    return None if report.failed else _game(ctx, made, promised)


def _check_options(ctx: Context) -> None:
    for name in ctx.chosen:
        if name not in ctx.merged.options:
            declared = ctx.merged.options
            known = f"; its options are {', '.join(declared)}" if declared else ", it has none"
            span = ctx.merged.game.span
            ctx.error(Code.OPTION, span, f"'{ctx.merged.game.name}' has no option '{name}'{known}")
    for name, option in ctx.merged.options.items():
        things.option(ctx, name, option.span)


def _before_pieces(ctx: Context) -> None:
    """Players, types and boards that need no pieces."""
    things.type_named(ctx, types.PLAYER, ctx.merged.game.span)
    if types.PLAYER not in ctx.types:
        ctx.types[types.PLAYER] = ctx.enum(types.Enum(types.PLAYER, things.SEATS[:1], ring=True))
    things.requirements(ctx)
    kinds = {name for component in ctx.merged.components.values() for name in pieces.kind_names(component)}
    for name, declared in ctx.merged.types.items():
        if not _of_pieces(ctx, declared.type, kinds):
            things.type_named(ctx, name, declared.span.word(name))
    for name, board in ctx.merged.boards.items():
        boards.board(ctx, name, board.span.word(name))
    shapes.coverings(ctx)


def _of_pieces(ctx: Context, node: tree.TypeExpr | None, kinds: set[str]) -> bool:
    """Whether a type expression names kinds of pieces, which are not made yet."""
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        match waiting.pop():
            case tree.TypeName(_, name) if name not in seen:
                seen.add(name)
                declared = ctx.merged.types.get(name)
                if declared is None and name in kinds:
                    return True
                waiting.append(None if declared is None else declared.type)
            case tree.UnionType(_, options):
                waiting += options
            case tree.SetType(_, of):
                waiting.append(of)
            case tree.MapType(_, keys, values):
                waiting += keys, values
            case _:  # cautious: it names no kind; one that is missed is refused as unknown
                pass
    return False


def _rest(ctx: Context) -> None:
    """Types, constants and tables that may need pieces."""
    for name, declared in ctx.merged.types.items():
        names.named_type(ctx, name, declared.span.word(name))
    for name, const in ctx.merged.consts.items():
        things.constant(ctx, name, const.span.word(name))
    for name, table in ctx.merged.tables.items():
        if table.of is not None:
            tables.of(ctx, table.of)
        else:
            tables.named(ctx, name, table.span.word(name))


def _game(ctx: Context, made: flow.Flow, promised: promises.Promised) -> ir.Game:
    merged = ctx.merged
    game = merged.game
    title = texts.plain(game.tail.sentence) if game.tail.sentence is not None else game.name
    stack = tuple(c.name for c in merged.chapters if c.kind in (tree.ChapterKind.VARIANT, tree.ChapterKind.WORLD))
    notes = tuple(
        texts.source(ctx, d.tail, d.span, Scope())
        for c in merged.chapters
        for d in c.declarations
        if isinstance(d, tree.Note)
    )
    return ir.Game(
        name=game.name,
        title=title,
        stack=stack,
        options=tuple(ctx.options.values()),
        types=dict(ctx.types) | dict(ctx.kinds),
        boards=ctx.boards,
        pictures=ctx.pictures,
        looks=ctx.looks,
        pieces=tuple(ctx.pieces),
        places=ctx.places,
        states=ctx.states,
        tables=ctx.tables,
        functions=ctx.functions,
        actions=made.actions,
        procedures=made.procedures,
        chances=ctx.chance_rules,
        whenevers=tuple(made.whenevers),
        menus=made.menus,
        promises=tuple(promised.promises),
        examples=tuple(promised.examples),
        breaks=promised.breaks,
        notes=notes,
        inapplicable=ctx.inapplicable,
    )
