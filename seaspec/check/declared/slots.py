"""Places and states: what a position is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from math import prod

from seaspec.analysis.reads import read_by
from seaspec.check import texts, typing
from seaspec.check.context import UNKNOWN, Context, Scope, members
from seaspec.check.declared import boards, headers, shapes, things
from seaspec.check.expressions import expressions, names
from seaspec.check.limits import LARGEST_BASE, LARGEST_BOUND, MOST_INSTANCES
from seaspec.check.merging.draft import kinds_in
from seaspec.core import ir, types
from seaspec.core.evaluate import NotConstant, TooLong, Unknown, evaluate
from seaspec.core.types import Type
from seaspec.core.walk import closure
from seaspec.core.walk import expressions as expressions_in
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree

ORDERS = {
    tree.Order.SET: ir.PlaceOrder.SET,
    tree.Order.BAG: ir.PlaceOrder.BAG,
    tree.Order.PILE: ir.PlaceOrder.PILE,
    tree.Order.ROW: ir.PlaceOrder.ROW,
    tree.Order.SLOT: ir.PlaceOrder.SLOT,
}
MOST_OF_ENTRY = 10_000
"""So long a first value is worked out when it is checked."""
OPEN = ir.Sight(True, None)
HIDDEN = ir.Sight(False, None)


def declare(ctx: Context) -> None:
    """All places and states, by name and type; what reads the position comes later (`complete`)."""
    every = types.Pieces("pieces", tuple(p.id for p in ctx.pieces))
    ctx.places[ir.BOX] = ir.Place(ir.BOX, (), ir.PlaceOrder.SET, None, every, None, OPEN, False, False, ir.Source())
    for place in ctx.merged.places.values():
        index = headers.index(ctx, f"place {place.name}", place.index)
        _check_index(ctx, place, index)
        ctx.places[place.name] = ir.Place(
            place.name,
            index,
            ORDERS[place.order],
            None,
            _holds(ctx, place),
            _board_below(ctx, place),
            OPEN,
            place.uncounted,
            place.fixed,
            ir.Source(place.span),
        )
    for state in ctx.merged.states.values():
        _declare_state(ctx, state)
    shapes.declare(ctx)
    _check_homes(ctx)


def _check_index(ctx: Context, node: tree.Place | tree.State, index: tuple[ir.Variable, ...]) -> None:
    """An index is small enough to list, and copies of a piece, which are all alike, are no index."""
    for variable, param in zip(index, node.index, strict=True):
        if isinstance(variable.type, types.SetOf | types.Map | types.Optional):
            message = f"an index is a single thing, and '{variable.name}' is {typing.name(variable.type)}"
            ctx.error(Code.TYPE_MISMATCH, param.span, message)
            return
        if isinstance(variable.type, types.Pieces):
            _check_copies(ctx, node, variable.type, param)
    count = prod(types.size(v.type) for v in index)
    if count > MOST_INSTANCES:
        shown = f"{count:,}" if count < types.MANY else "far too many"
        message = f"'{node.name}' would be there {shown} times; {MOST_INSTANCES:,} are possible"
        ctx.error(Code.TOO_LARGE, node.index[0].span.to(node.index[-1].span), message)


def _check_copies(ctx: Context, node: tree.Place | tree.State, ty: types.Pieces, param: tree.Param) -> None:
    """Copies that have something of their own would differ for ever."""
    if isinstance(node, tree.State) and node.while_in is not None:
        return
    seen: set[int] = set()
    for member in ty.members:
        piece = ctx.pieces[member]
        if piece.twin in seen:
            message = f"there are several pieces '{piece.title}', all alike, and with '{node.name}' they would differ"
            hint = "say `while in` a place, so that it is forgotten when they leave; or give each a number of its own"
            ctx.error(Code.COPIES, param.span, message, hint=hint)
            return
        seen.add(piece.twin)


def _board_below(ctx: Context, place: tree.Place) -> str | None:
    """The board that shapes are laid on."""
    if place.laid_on is None:
        return None
    span = place.span.word(place.laid_on)
    if place.laid_on not in ctx.merged.boards:
        ctx.unknown_name("the board", place.laid_on, span, ctx.merged.boards)
        return None
    if boards.board(ctx, place.laid_on, span) is None:
        return None
    for word in place.holds:
        for member in ctx.kinds[word].members if word in ctx.kinds else ():
            if not any(kind in ctx.merged.shapes for kind in ctx.pieces[member].kinds):
                message = f"'{ctx.pieces[member].title}' has no shape, so it can not be laid on {place.laid_on}"
                ctx.error(Code.WRONG_CARGO, place.span.word(word), message, hint=f"say `shape {word}`, and draw it")
                return None
    return place.laid_on


def _check_homes(ctx: Context) -> None:
    """`kept in` names a place without index that can hold the piece."""
    kinds = {kind.name: kind for c in ctx.merged.components.values() for kind in kinds_in(c.kinds)}
    reported: set[str] = set()
    for piece in ctx.pieces:
        home = ctx.places.get(piece.home)
        kind = kinds[piece.kinds[0]]
        span = kind.span.word(piece.home)
        if piece.kinds[0] in reported:
            continue
        if home is None or home.index:
            unindexed = [p.name for p in ctx.places.values() if not p.index]
            message = f"'{piece.home}' is no place without index, so nothing can be kept in it"
            ctx.error(Code.UNKNOWN_NAME, span, message, hint=near(piece.home, unindexed))
            reported.add(piece.kinds[0])
        elif piece.id not in home.holds.members:
            message = f"'{home.name}' holds {home.holds.name}, never {piece.kinds[0]}"
            ctx.error(Code.WRONG_CARGO, span, message, labels=[Label(home.source.span, "declared here")])
            reported.add(piece.kinds[0])


def _holds(ctx: Context, place: tree.Place) -> types.Pieces:
    found: list[int] = []
    for word in place.holds:
        ty = names.named_type(ctx, word, place.span)
        span = place.span.word(word)
        if isinstance(ty, types.Pieces):
            found.extend(ty.members)
        elif ty is None:
            ctx.unknown_name("the component", word, span, ctx.kinds)
        elif not isinstance(ty, types.Never):
            ctx.error(Code.WRONG_CARGO, span, f"a place holds pieces, and {word} is no kind of piece")
    return types.Pieces(" or ".join(place.holds), tuple(sorted(set(found))))


def _declare_state(ctx: Context, state: tree.State) -> None:
    index = headers.index(ctx, f"state {state.name}", state.index)
    _check_index(ctx, state, index)
    bound = None
    if isinstance(state.type, tree.RangeType):
        ty, bound = _range(ctx, state.type, headers.named(state.index, index))
    else:
        ty = things.type_of(ctx, state.type, state.name)
    if isinstance(ty, types.Map) and types.size(ty.keys) > LARGEST_BASE:
        ctx.error(Code.TOO_LARGE, state.type.span, f"a map with {types.size(ty.keys):,} keys is too large")
        ty = types.Never()
    ctx.states[state.name] = ir.State(
        state.name,
        index,
        ty,
        bound,
        ir.Const(ty, None),
        OPEN,
        state.fixed,
        None if state.until is None else headers.reference(ctx, state.until),
        state.while_in,
        state.track,
        ir.Source(state.span),
    )


def _range(ctx: Context, node: tree.RangeType, scope: Scope) -> tuple[Type, tuple[ir.Expr, ir.Expr] | None]:
    """A range whose bounds may read the index: its widest extent, and the bounds."""
    low = expressions.expression(ctx, node.low, scope)
    high = expressions.expression(ctx, node.high, scope)
    if not scope.names or (isinstance(low, ir.Const) and isinstance(high, ir.Const)):
        return things.range_type(ctx, node), None
    for expr, side in ((low, node.low), (high, node.high)):
        if expr is UNKNOWN:
            return types.Never(), None
        if not isinstance(expr.type, types.Int):
            ctx.error(Code.TYPE_MISMATCH, side.span, f"a range wants numbers, and this is {typing.name(expr.type)}")
            return types.Never(), None
        if not _is_fixed(ctx, expr, side.span, "the range of a state"):
            return types.Never(), None
        if max(abs(expr.type.low), abs(expr.type.high)) > LARGEST_BOUND:
            ctx.error(Code.TOO_LARGE, side.span, f"this may be as large as {expr.type.high:,}")
            return types.Never(), None
    assert isinstance(low.type, types.Int) and isinstance(high.type, types.Int)
    return types.Int(low.type.low, high.type.high), (low, high)


def complete(ctx: Context) -> None:
    """Capacities, who sees what, first values."""
    for place in ctx.merged.places.values():
        made = ctx.places[place.name]
        scope = headers.named(place.index, made.index)
        capacity: ir.Expr | None = None
        if place.capacity is not None:
            capacity = expressions.expression(ctx, place.capacity, scope)
            if isinstance(capacity.type, types.Int) and capacity.type.low >= 0:
                capacity = _clipped(capacity, len(ctx.pieces))
            else:
                most = types.Int(0, max(1, len(ctx.pieces)))
                capacity = ctx.coerce(capacity, most, place.capacity.span, "a capacity")
            _check_room(ctx, made, capacity, place.capacity.span)
        ctx.places[place.name] = replace(
            made,
            capacity=capacity,
            sight=_sight(ctx, place.seen, scope),
            source=texts.source(ctx, place.tail, place.span, scope),
        )
    for state in ctx.merged.states.values():
        _complete_state(ctx, state)


def _check_room(ctx: Context, place: ir.Place, capacity: ir.Expr, span: Span) -> None:
    """What is kept in a place fits into it. (Where its room depends on the position, all is left to moves.)"""
    kept = sum(piece.home == place.name for piece in ctx.pieces)
    room = ctx.known_value(capacity) if kept else None
    if isinstance(room, int) and kept > room:
        message = f"'{place.name}' holds at most {room}, and {kept} pieces are kept in it"
        ctx.error(Code.COMPONENT, span, message)


def _clipped(capacity: ir.Expr, pieces: int) -> ir.Expr:
    """More room than there are pieces is room for all."""
    if isinstance(capacity, ir.Const) and isinstance(capacity.value, int):
        most = min(capacity.value, max(1, pieces))
        return ir.Const(types.Int(most, most), most)
    return capacity


def _complete_state(ctx: Context, state: tree.State) -> None:
    made = ctx.states[state.name]
    scope = headers.named(state.index, made.index)
    if state.until is not None and state.until not in {**ctx.merged.procedures, **ctx.merged.actions}:
        every = [*ctx.merged.procedures, *ctx.merged.actions]
        ctx.unknown_name("the procedure", state.until, state.span.word(state.until), every)
    if state.while_in is not None:
        _check_while_in(ctx, state, made)
    ctx.states[state.name] = replace(
        made,
        initial=_first_value(ctx, state, made, scope),
        sight=_sight(ctx, state.seen, scope),
        source=texts.source(ctx, state.tail, state.span, scope),
    )


def _first_value(ctx: Context, state: tree.State, made: ir.State, scope: Scope) -> ir.Expr:
    if isinstance(made.type, types.Never):
        return UNKNOWN
    if state.initial is not None:
        initial = expressions.expression(ctx, state.initial, scope, made.type)
        initial = ctx.coerce(initial, made.type, state.initial.span, f"'{state.name}'")
        if initial is not UNKNOWN and not _is_fixed(ctx, initial, state.initial.span, "the first value of a state"):
            return UNKNOWN
        return initial
    if not state.fixed:
        hint = "say `state x: 0..9 = 0`"
        return ctx.error(
            Code.NO_FIRST_VALUE, state.span.word(state.name), f"the state '{state.name}' has no first value", hint=hint
        )
    first = () if isinstance(made.type, types.SetOf) else next(types.values(made.type), None)
    return ir.Const(made.type, first)


def check_first_values(ctx: Context) -> None:
    """Each entry of a state has a first value. (What takes long to work out is left to the beginning of the game.)"""
    for name, state in ctx.states.items():
        if isinstance(state.initial, ir.Const):
            continue
        for key in product(*(tuple(types.values(variable.type)) for variable in state.index)):
            env = dict(zip(state.index, key, strict=True))
            try:
                evaluate(state.initial, ctx.tables, ctx.functions, env, most_steps=MOST_OF_ENTRY)
            except (Unknown, TooLong):
                break
            except NotConstant as why:
                declared = ctx.merged.states[name].initial
                assert declared is not None
                ctx.error(Code.NOT_CONSTANT, declared.span, f"the first value of '{name}' is not known: {why}")
                break


def _is_fixed(ctx: Context, expr: ir.Expr, span: Span, what: str) -> bool:
    """Whether an expression is known before the game begins, but for the index; if not, it is reported."""
    for read in reads_of(ctx, expr):
        ctx.error(Code.NOT_CONSTANT, span, f"{what} is known before the game begins, and this reads '{read}'")
        return False
    return True


def reads_of(ctx: Context, expr: ir.Expr) -> Iterable[str]:
    """What an expression reads of the position, itself or through defines."""

    def called(part: ir.Expr) -> Iterable[str]:
        return [one.calls for one in map(read_by, expressions_in(part)) if one.calls in ctx.functions]

    defines = closure(called(expr), lambda name: called(ctx.functions[name].body))
    for part in (expr, *(ctx.functions[name].body for name in defines)):
        for found in map(read_by, expressions_in(part)):
            if found.reads_position:
                yield found.place or found.everywhere or found.state or found.asks or "the position"


def _check_while_in(ctx: Context, state: tree.State, made: ir.State) -> None:
    assert state.while_in is not None
    span = state.span.word(state.while_in)
    place = ctx.places.get(state.while_in)
    if place is None:
        ctx.unknown_name("the place", state.while_in, span, ctx.places)
    elif len(made.index) != 1 or not isinstance(made.index[0].type, types.Pieces):
        message = f"`while in` is for the state of a piece, and '{state.name}' is none"
        ctx.error(Code.MISPLACED, span, message)
    elif typing.disjoint(made.index[0].type, place.holds):
        message = f"'{place.name}' holds {place.holds.name}, never {typing.name(made.index[0].type)}"
        ctx.error(Code.WRONG_CARGO, span, message, labels=[Label(place.source.span, "declared here")])


def _sight(ctx: Context, seen: tree.Seen | None, scope: Scope) -> ir.Sight:
    """Who sees it; what that depends on is judged in knowledge.py."""
    if seen is None or seen.open:
        return OPEN
    if seen.by is None:
        return HIDDEN
    by = expressions.expression(ctx, seen.by, scope, ctx.player)
    if by == members(ctx.player):
        return OPEN
    if isinstance(by.type, types.SetOf) and not typing.disjoint(by.type.of, ctx.player):
        return ir.Sight(False, by)
    by = ctx.coerce(by, ctx.player, seen.by.span, "who sees it")
    return HIDDEN if by is UNKNOWN else ir.Sight(False, by)
