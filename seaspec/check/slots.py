"""Places and states: what a position is made of."""

from __future__ import annotations

from dataclasses import replace

from seaspec.check import expressions, names, shapes, things, typing
from seaspec.check.context import Context, Scope, members
from seaspec.check.headers import reference, scope_of, variables
from seaspec.check.texts import source
from seaspec.core import ir, types
from seaspec.core.types import Type
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import near
from seaspec.syntax import tree

ORDERS = {
    tree.Order.SET: ir.PlaceOrder.SET,
    tree.Order.BAG: ir.PlaceOrder.BAG,
    tree.Order.PILE: ir.PlaceOrder.PILE,
    tree.Order.ROW: ir.PlaceOrder.ROW,
    tree.Order.SLOT: ir.PlaceOrder.SLOT,
}
OPEN = ir.Sight(True, None)
HIDDEN = ir.Sight(False, None)


def declare(ctx: Context) -> None:
    """All places and states, by name and type; what reads the position comes later (`complete`)."""
    every = types.Pieces("pieces", tuple(p.id for p in ctx.pieces))
    ctx.places[ir.BOX] = ir.Place(ir.BOX, (), ir.PlaceOrder.SET, None, every, None, OPEN, False, False, ir.Source())
    for place in ctx.merged.places.values():
        index = variables(ctx, f"place {place.name}", place.index)
        if any(isinstance(v.type, types.Never) for v in index):
            ctx.failed.add(f"the place '{place.name}'")
        ctx.places[place.name] = ir.Place(
            place.name,
            index,
            ORDERS[place.order],
            None,
            _holds(ctx, place),
            place.laid_on,
            OPEN,
            place.uncounted,
            place.fixed,
            ir.Source(place.span),
        )
    for state in ctx.merged.states.values():
        _declare_state(ctx, state)
    shapes.declare(ctx)
    for piece in ctx.pieces:
        home = ctx.places.get(piece.home)
        if home is None or home.index:
            _kept_nowhere(ctx, piece)


def _kept_nowhere(ctx: Context, piece: ir.Piece) -> None:
    for component in ctx.merged.components.values():
        for kind in component.kinds:
            if kind.name == piece.kinds[0]:
                unindexed = [p.name for p in ctx.places.values() if not p.index]
                ctx.error(
                    Code.UNKNOWN_NAME,
                    kind.span,
                    f"'{piece.home}' is no place without index, so nothing can be kept in it",
                    hint=near(piece.home, unindexed),
                )


def _holds(ctx: Context, place: tree.Place) -> types.Pieces:
    found: list[int] = []
    for word in place.holds:
        ty = names.named_type(ctx, word, place.span)
        if isinstance(ty, types.Pieces):
            found.extend(ty.members)
        elif ty is None:
            ctx.unknown_name("the component", word, place.span, ctx.kinds)
        elif not isinstance(ty, types.Never):
            ctx.error(Code.WRONG_CARGO, place.span, f"a place holds pieces, and {word} is no kind of piece")
    return types.Pieces(" or ".join(place.holds), tuple(sorted(set(found))))


def _declare_state(ctx: Context, state: tree.State) -> None:
    index = variables(ctx, f"state {state.name}", state.index)
    scope = scope_of(index)
    bound = None
    ty: Type
    if isinstance(state.type, tree.RangeType):
        ty, bound = _range(ctx, state.type, scope)
    else:
        ty = things.type_of(ctx, state.type, state.name)
    filler = ir.Const(ty, None)
    ctx.states[state.name] = ir.State(
        state.name,
        index,
        ty,
        bound,
        filler,
        OPEN,
        state.fixed,
        None if state.until is None else reference(ctx, state.until),
        state.while_in,
        state.track,
        ir.Source(state.span),
    )


def _range(ctx: Context, node: tree.RangeType, scope: Scope) -> tuple[Type, tuple[ir.Expr, ir.Expr] | None]:
    """A range whose bounds may read the index: its widest extent, and the bounds."""
    low = expressions.expression(ctx, node.low, scope)
    high = expressions.expression(ctx, node.high, scope)
    if isinstance(low, ir.Const) and isinstance(high, ir.Const) or not scope.names:
        return things.range_type(ctx, node)[0], None
    if not (isinstance(low.type, types.Int) and isinstance(high.type, types.Int)):
        if not isinstance(low.type, types.Never) and not isinstance(high.type, types.Never):
            ctx.error(Code.TYPE_MISMATCH, node.span, "a range wants numbers")
        return types.Never(), None
    return types.Int(low.type.low, high.type.high), (low, high)


def complete(ctx: Context) -> None:
    """Capacities, who sees what, first values."""
    for place in ctx.merged.places.values():
        made = ctx.places[place.name]
        scope = scope_of(made.index)
        capacity: ir.Expr | None = None
        if place.capacity is not None:
            capacity = expressions.expression(ctx, place.capacity, scope)
            capacity = ctx.coerce(capacity, types.Int(0, max(1, len(ctx.pieces))), place.capacity.span, "a capacity")
        if place.laid_on is not None:
            things.board(ctx, place.laid_on, place.span) if place.laid_on in ctx.merged.boards else ctx.unknown_name(
                "the board", place.laid_on, place.span, ctx.merged.boards
            )
        ctx.places[place.name] = replace(
            made,
            capacity=capacity,
            sight=_sight(ctx, place.seen, scope),
            source=source(ctx, place.tail, place.span, scope),
        )
    for state in ctx.merged.states.values():
        _complete_state(ctx, state)


def _complete_state(ctx: Context, state: tree.State) -> None:
    made = ctx.states[state.name]
    scope = scope_of(made.index)
    initial: ir.Expr = made.initial
    if state.initial is None and state.fixed:
        first = next(iter(types.values(made.type)), None) if not isinstance(made.type, types.SetOf) else ()
        initial = ir.Const(made.type, first)
    elif state.initial is None:
        hint = "say `state x: 0..9 = 0`"
        ctx.error(Code.NO_FIRST_VALUE, state.span, f"the state '{state.name}' has no first value", hint=hint)
    else:
        initial = expressions.expression(ctx, state.initial, scope, made.type)
        initial = ctx.coerce(initial, made.type, state.initial.span, f"'{state.name}'")
    if state.until is not None and state.until not in {**ctx.merged.procedures, **ctx.merged.actions}:
        every = [*ctx.merged.procedures, *ctx.merged.actions]
        ctx.unknown_name("the procedure", state.until, state.span, every)
    if state.while_in is not None:
        place = ctx.places.get(state.while_in)
        if place is None:
            ctx.unknown_name("the place", state.while_in, state.span, ctx.places)
        elif len(made.index) != 1 or not isinstance(made.index[0].type, types.Pieces):
            message = f"`while in` is for states of pieces, and '{state.name}' is none"
            ctx.error(Code.MISPLACED, state.span, message)
    ctx.states[state.name] = replace(
        made,
        initial=initial,
        sight=_sight(ctx, state.seen, scope),
        source=source(ctx, state.tail, state.span, scope),
    )


def _sight(ctx: Context, seen: tree.Seen | None, scope: Scope) -> ir.Sight:
    if seen is None or seen.open:
        return OPEN
    if seen.by is None:
        return HIDDEN
    by = expressions.expression(ctx, seen.by, scope, ctx.player)
    if isinstance(by.type, types.Enum) and by.type == ctx.player:
        return ir.Sight(False, by)
    if by == members(ctx.player):
        return OPEN
    of = typing.member(by.type)
    if of is not None and typing.fit(of, ctx.player) is typing.Fit.YES:
        return ir.Sight(False, by)
    if not isinstance(by.type, types.Never):
        ctx.error(Code.TYPE_MISMATCH, seen.span, f"players see things, and this is {typing.name(by.type)}")
    return HIDDEN


def number_titles(ctx: Context) -> None:
    """Copies that have a state of their own are told apart, so they get numbers."""
    counted: dict[int, list[int]] = {}
    for state in ctx.states.values():
        if state.while_in is None and not state.track:
            for variable in state.index:
                if isinstance(variable.type, types.Pieces):
                    for member in variable.type.members:
                        counted.setdefault(ctx.pieces[member].twin, [])
    for piece in ctx.pieces:
        if piece.twin in counted:
            counted[piece.twin].append(piece.id)
    for same in counted.values():
        if len(same) > 1:
            for number, index in enumerate(sorted(same), 1):
                piece = ctx.pieces[index]
                ctx.pieces[index] = replace(piece, title=f"{piece.title} #{number}")
