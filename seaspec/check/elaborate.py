"""From the merged syntax to the typed core, with the options fixed.

The order matters little, since global things are elaborated when they are first needed; what is listed here makes sure
that everything is elaborated, and so checked, whether it is used or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from seaspec.check import flow, names, pieces, promises, slots, tables, texts, things, words
from seaspec.check.context import Context, Scope
from seaspec.check.merged import MergedGame
from seaspec.core import ir, types
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Report
from seaspec.syntax import tree


def elaborate(merged: MergedGame, options: Mapping[str, str], report: Report) -> ir.Game | None:
    """The core of a game; None if the text has errors (reported)."""
    ctx = Context(merged, report, options)
    _check_options(ctx)
    _words_of_the_game(ctx)
    pieces.components(ctx)
    slots.declare(ctx)
    _unions(ctx)
    slots.complete(ctx)
    slots.number_titles(ctx)
    for name, declared in merged.tables.items():
        if declared.of is not None:
            tables.of(ctx, declared.of)
        else:
            tables.named(ctx, name, declared.span)
    for name, clauses in merged.defines.items():
        words.function(ctx, name, clauses[0].span)
    made = flow.flow(ctx)
    if ir.PLAY not in made.procedures:
        ctx.error(Code.NO_FLOW, merged.game.span, f"'{merged.game.name}' has no `to play`, so nothing ever happens")
    promised, examples = promises.promises(ctx)
    if report.failed:
        return None
    return _game(ctx, made, promised, examples)


def _check_options(ctx: Context) -> None:
    for name in ctx.chosen:
        if name not in ctx.merged.options:
            declared = ctx.merged.options
            known = f"; its options are {', '.join(declared)}" if declared else ", it has none"
            span = ctx.merged.game.span
            ctx.error(Code.OPTION, span, f"'{ctx.merged.game.name}' has no option '{name}'{known}")
    for name, option in ctx.merged.options.items():
        things.option(ctx, name, option.span)


def _words_of_the_game(ctx: Context) -> None:
    """Players, types and boards that need no pieces."""
    things.type_named(ctx, types.PLAYER, ctx.merged.game.span)
    if types.PLAYER not in ctx.types:
        ctx.types[types.PLAYER] = ctx.enum(types.Enum(types.PLAYER, things.SEATS[:1], ring=True))
    things.requirements(ctx)
    for name, declared in ctx.merged.types.items():
        if not _of_pieces(ctx, declared.type):
            things.type_named(ctx, name, declared.span)
    for name, shape in ctx.merged.shapes.items():
        _covering(ctx, shape)
    for name, board in ctx.merged.boards.items():
        things.board(ctx, name, board.span)
    for name, const in ctx.merged.consts.items():
        things.constant(ctx, name, const.span)


def _covering(ctx: Context, shape: tree.Shape) -> None:
    """The letters of all shapes are the values of one enumeration."""
    found = list(ctx.coverings.values) if ctx.coverings is not None else []
    found += [word for _, word in shape.drawing.key if word not in found]
    ctx.coverings = types.Enum("Covering", tuple(found), False)
    for value in found:
        ctx.enum_values[value] = [e for e in ctx.enum_values.get(value, []) if e[0].name != "Covering"]
    ctx.enum(ctx.coverings)


def _of_pieces(ctx: Context, node: tree.TypeExpr | None) -> bool:
    """Whether a type expression names kinds of pieces, which are not made yet."""
    match node:
        case tree.TypeName(_, name):
            kinds = {k for c in ctx.merged.components.values() for k in _kind_names(c)}
            declared = ctx.merged.types.get(name)
            return name in kinds or (declared is not None and _of_pieces(ctx, declared.type))
        case tree.UnionType(_, options):
            return any(_of_pieces(ctx, o) for o in options)
        case tree.SetType(_, of):
            return _of_pieces(ctx, of)
        case tree.MapType(_, keys, values):
            return _of_pieces(ctx, keys) or _of_pieces(ctx, values)
        case _:
            return False


def _kind_names(component: tree.Component) -> list[str]:
    found = [component.name]
    todo = list(component.kinds)
    while todo:
        kind = todo.pop()
        found.append(kind.name)
        todo.extend(kind.kinds)
    return found


def _unions(ctx: Context) -> None:
    for name, declared in ctx.merged.types.items():
        names.named_type(ctx, name, declared.span)


def _game(
    ctx: Context, made: flow.Flow, promised: tuple[ir.Promise, ...], examples: tuple[ir.Example, ...]
) -> ir.Game:
    merged = ctx.merged
    game = merged.game
    title = texts.plain(game.tail.sentence) if game.tail.sentence is not None else game.name
    stack = tuple(c.name for c in merged.chapters if c.kind in (tree.ChapterKind.VARIANT, tree.ChapterKind.WORLD))
    notes = tuple(
        texts.source(ctx, d.tail, d.span, Scope()) for c in merged.chapters for d in c.declarations if isinstance(d, tree.Note)
    )
    return ir.Game(
        name=game.name,
        title=title,
        stack=stack,
        options=tuple(ctx.options.values()),
        types=dict(ctx.types) | dict(ctx.kinds),
        boards=ctx.boards,
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
        promises=promised,
        examples=examples,
        breaks={name: b.because for name, b in merged.breaks.items()},
        drops={name: d.because for name, d in merged.drops.items()},
        notes=notes,
        inapplicable=ctx.inapplicable,
    )
