"""What expressions look at, for the rules of who may know: places and states with their indices, private answers.

A *read* is a place or state, with its index as far as it is known, and whether its contents or only its size was looked
at (sizes are public, unless `uncounted`); or an answer that one player alone knows. Names stand for what they were
computed from, in names of the outermost procedures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import children, rewrite
from seaspec.core.walk import walk as walk_core
from seaspec.diagnostics.model import Report
from seaspec.source import Span

_LASTING = ir.Const | ir.Local | ir.Lookup | ir.Apply
"""What has the same value always, but for a few operators."""


@dataclass(frozen=True, slots=True)
class Read:
    """A look at something: `indices` None where they are not known."""

    thing: str
    indices: tuple[ir.Expr | None, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody has chosen privately or secretly, or chance, seen by this player alone (`decider`)."""

    name: str
    decider: ir.Expr
    span: Span = field(compare=False)
    by_chance: bool = False


Known = frozenset[Read | Answer | ir.Variable]
"""Reads, and names whose own reads count (until they are made public)."""
Leaving = Mapping[str, Known]
"""Procedures that a `stop` may leave, and what that depends on: so does all that follows in them."""

NOTHING: Known = frozenset()


@dataclass(slots=True)
class Walk:
    game: ir.Game
    report: Report
    blind_draw: Span | None
    """Where something is drawn from the box unseen; then what lies in it is not for all to know."""
    effect: Effect | None = None
    """Who is told of each statement; then nothing is taken for the same that may have changed since."""
    reads: dict[ir.Variable, Known] = field(default_factory=dict)
    meaning: dict[ir.Variable, ir.Expr] = field(default_factory=dict)
    """What a parameter stands for, in names of the outermost procedures."""
    summaries: dict[str, Known] = field(default_factory=dict)
    """The reads of defines, over their parameters."""
    calls: int = 0
    done: dict[tuple[object, ...], Leaving] = field(default_factory=dict)
    forgotten: int = 0
    """How often what was walked has been forgotten."""
    deciders: dict[int, ir.Variable] = field(default_factory=dict)
    """Who is asked, or sees what chance brings, by statements that read it off the position."""
    told: dict[ir.Expr, bool] = field(default_factory=dict)
    """Tests of names, in those of the outermost procedures, and how they have come out: all have been told openly."""

    def asking(self, statement: ir.Choose) -> ir.Choose:
        """A choice with a name for who is asked, where that is read off the position: it is the same one in what is
        offered, and perhaps another one later."""
        decider = statement.decider
        if self.effect is None or decider is None or not reads_position(decider):
            return statement
        named = self.named(statement, decider)
        offer = rewrite(statement.offer, lambda node: named if node == decider else node)
        return replace(statement, decider=named, offer=offer)

    def named(self, statement: ir.Stmt, player: ir.Expr) -> ir.Expr:
        """A player who decides or sees something, by a name if that is read off the position: it may be another one
        later."""
        if self.effect is None or not reads_position(player):
            return player
        variable = self.deciders.setdefault(id(statement), ir.Variable("decider", player.type))
        self.reads[variable] = reads(self, player)
        return ir.Local(variable)

    def forget(self) -> None:
        """All calls are walked anew, those that are being walked, too."""
        self.done.clear()
        self.forgotten += 1

    def name(self, variable: ir.Variable, value: ir.Expr) -> None:
        """From here on a name stands for a value."""
        self.reads[variable] = self.kept(reads(self, value))
        if self.effect is not None and reads_position(value):
            self.meaning.pop(variable, None)
        else:
            self.meaning[variable] = resolved(self, value)

    def kept(self, known: Known) -> Known:
        """Reads that are remembered: whose hand it was may have changed when they count."""
        if self.effect is None:
            return known
        return frozenset(_remembered(one) if isinstance(one, Read) else one for one in known)


Effect = Callable[[Walk, ir.Stmt, Known], None]
HIDDEN = ir.Sight(False, None)


def told_by(test: ir.Expr, comes_out: bool, is_told: bool = False) -> Iterator[tuple[ir.Expr, bool]]:
    """Tests of names of which all are told, by `openly`, how they come out, if a test comes out so."""
    match test:
        case ir.Openly(inner):
            yield from told_by(inner, comes_out, True)
        case ir.Apply(_, Op.NOT, (inner,)):
            yield from told_by(inner, not comes_out, is_told)
        case ir.Apply(_, (Op.AND | Op.OR) as op, parts) if comes_out is (op is Op.AND):
            for part in parts:
                yield from told_by(part, comes_out, is_told)
        case _ if is_told and not reads_position(test):
            yield test, comes_out
        case _:  # cautious: nobody is told, or it may come out otherwise later
            return


def _is_settled(walk: Walk, test: ir.Expr) -> bool:
    """Whether all know how a test comes out, by what they were told of its names."""
    test = resolved(walk, test)
    if test in walk.told:
        return True
    match test:
        case ir.Apply(_, Op.IN, (ir.Local() as name, ir.Const(value=tuple() as members))):
            return any(_is_decided(name, frozenset(members), told, came_out) for told, came_out in walk.told.items())
        case _:  # cautious: not known to follow
            return False


def _is_decided(name: ir.Local, members: frozenset[types.Value], told: ir.Expr, came_out: bool) -> bool:
    """Whether it is known if a piece is one of these, from what was told of which ones it is, or is not, one."""
    match told:
        case ir.Apply(_, Op.IN, (ir.Local() as other, ir.Const(value=tuple() as those))) if other == name:
            if came_out:
                return members >= set(those) or members.isdisjoint(those)
            return members <= set(those)
        case _:  # cautious: something else was told
            return False


def _remembered(read: Read) -> Read:
    return Read(read.thing, tuple(None if i is None or reads_position(i) else i for i in read.indices))


def reads_position(expr: ir.Expr) -> bool:
    """Whether the value of an expression may be another one later."""
    return any(
        isinstance(node, ir.Expr)
        and (not isinstance(node, _LASTING) or (isinstance(node, ir.Apply) and node.op.reads_position))
        for node in walk_core(expr)
    )


def blind_draw(game: ir.Game) -> Span | None:
    """Where something is drawn from the box unseen: what is left in it would tell what."""
    for procedure in game.procedures.values():
        for node in walk_core(procedure):
            if isinstance(node, ir.Draw) and node.origin.place == ir.BOX:
                if not game.places[node.target.place].sight.all:
                    return node.source.span
    return None


def in_order(found: Iterable[Read | Answer]) -> list[Read | Answer]:
    return sorted(found, key=lambda read: read.thing if isinstance(read, Read) else read.name)


def shown(walk: Walk, read: Read | Answer) -> str:
    if isinstance(read, Answer):
        return f"what '{read.name}' came to" if read.by_chance else f"the private choice of '{read.name}'"
    return f"what lies in '{read.thing}'" if read.thing in walk.game.places else f"the state '{read.thing}'"


def sight_of(walk: Walk, thing: str) -> ir.Sight:
    if thing == ir.BOX and walk.blind_draw is not None:
        return HIDDEN
    return walk.game.places[thing].sight if thing in walk.game.places else walk.game.states[thing].sight


def sees(walk: Walk, read: Read | Answer, viewer: ir.Expr) -> bool:
    """Whether the viewer is one who sees it."""
    if isinstance(read, Answer):
        return read.decider == viewer
    sight = sight_of(walk, read.thing)
    if sight.all or sight.by is None:
        return sight.all
    index = (walk.game.places.get(read.thing) or walk.game.states[read.thing]).index
    named = {v: i for v, i in zip(index, read.indices, strict=True) if i is not None}
    used = {node.variable for node in walk_core(sight.by) if isinstance(node, ir.Local)}
    if any(variable in used and variable not in named for variable in index):
        return False
    return _may_be_among(resolved(walk, _put_in(sight.by, named)), viewer)


def _may_be_among(seers: ir.Expr, viewer: ir.Expr) -> bool:
    """Whether the viewer is the player, or may be one of the players, of an expression."""
    if isinstance(seers.type, types.Enum):
        return _turned(seers) == _turned(viewer)
    match seers:
        case ir.Apply(_, Op.SET | Op.UNION, parts):
            return any(_may_be_among(part, viewer) for part in parts)
        case ir.Apply(_, Op.DIFFERENCE, (first, _)):
            return _may_be_among(first, viewer)
        case ir.Select(_, binder):
            return _may_be_among(binder.domain, viewer)
        case ir.If(_, _, then, otherwise):
            return _may_be_among(then, viewer) or _may_be_among(otherwise, viewer)
        case _:
            # cautious: not by itself, but a proof of a secret does not rest on it: who watches is worked out there
            # anew
            return True


def _turned(player: ir.Expr) -> tuple[ir.Expr, int]:
    """A seat and how many seats further on: `next(next(p))` is p and 2."""
    steps = 0
    while isinstance(player, ir.Apply) and player.op is Op.TURN:
        by = player.arguments[1]
        if not isinstance(by, ir.Const) or not isinstance(by.value, int):
            break
        steps += by.value
        player = player.arguments[0]
    ring = player.type
    count = len(ring.values) if isinstance(ring, types.Enum) else 1
    if isinstance(player, ir.Const) and isinstance(player.value, int):
        return ir.Const(ring, (player.value + steps) % count), 0
    return player, steps % count


# ----------------------------------------------------------------------------------------------------------- reads


def open_reads(walk: Walk, known: Known) -> frozenset[Read | Answer]:
    """The reads, those of names worked in."""
    found: set[Read | Answer] = set()
    seen: set[ir.Variable] = set()
    todo = list(known)
    while todo:
        item = todo.pop()
        if isinstance(item, Read | Answer):
            found.add(item)
        elif item not in seen:
            seen.add(item)
            todo.extend(walk.reads.get(item, NOTHING))
    return frozenset(found)


def hidden_names(walk: Walk) -> set[ir.Variable]:
    """The names that come of what is not known to all, directly or by way of others."""
    found = {name for name, known in walk.reads.items() if any(is_hidden(walk, item) for item in known)}
    more = found
    while more:
        more = {name for name, known in walk.reads.items() if name not in found and not known.isdisjoint(more)}
        found |= more
    return found


def hidden_reads(walk: Walk, known: Known) -> list[Read | Answer]:
    """What is not known to all, in order."""
    return [read for read in in_order(open_reads(walk, known)) if is_hidden(walk, read)]


def is_hidden(walk: Walk, item: ir.Variable | Read | Answer) -> bool:
    """Whether something that is looked at is not known to all by itself."""
    return isinstance(item, Answer) or (isinstance(item, Read) and not sight_of(walk, item.thing).all)


def resolved(walk: Walk, expr: ir.Expr) -> ir.Expr:
    """The expression in names of the outermost procedures."""

    def outer(node: object) -> object:
        if isinstance(node, ir.Local):
            return walk.meaning.get(node.variable, node)
        if isinstance(node, ir.Apply) and node.op in (Op.KNOWN, Op.CHECK):
            return node.arguments[0]
        return node

    for _ in range(20):
        found = rewrite(expr, outer)
        if found == expr:
            break
        expr = found
    return expr


def of_place(walk: Walk, target: ir.Target) -> Known:
    return frozenset({Read(target.place, tuple(resolved(walk, i) for i in target.indices))})


def of_binder(walk: Walk, binder: ir.Binder) -> Known:
    found = reads(walk, binder.domain)
    walk.reads[binder.variable] = found
    return found if binder.test is None else found | reads(walk, binder.test)


def reads(walk: Walk, expr: ir.Expr, bound: Mapping[ir.Variable, Known] = {}) -> Known:
    """What an expression looks at."""
    match expr:
        case ir.Openly():
            return NOTHING
        case ir.Local(variable):
            return bound[variable] if variable in bound else frozenset({variable})
        case ir.Apply() if walk.told and _is_settled(walk, expr):
            return NOTHING
        case ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place, indices),)):
            inner = _all(walk, indices, bound)
            return inner | (_look(walk, place, indices, bound) if walk.game.places[place].uncounted else NOTHING)
        case ir.Apply(_, Op.SIZE, (ir.Everywhere(_, place),)):
            return frozenset({Read(place, (None,))}) if walk.game.places[place].uncounted else NOTHING
        case ir.Apply(_, Op.SPOT, (piece,)):
            if isinstance(piece, ir.Local) and bound.get(piece.variable):
                return bound[piece.variable]  # where it lies is said by where it was found
            rows = [place for place in walk.game.places.values() if _may_lie_in_row(place, piece)]
            spots = frozenset(Read(row.name, (None,) * len(row.index)) for row in rows)
            return spots | reads(walk, piece, bound)
        case ir.PlaceRead(_, place, indices):
            return _look(walk, place, indices, bound) | _all(walk, indices, bound)
        case ir.StateRead(_, state, indices):
            return _look(walk, state, indices, bound) | _all(walk, indices, bound)
        case ir.Everywhere(_, place) | ir.WhereIs(_, place):
            unknown = (None,) * len(walk.game.places[place].index)
            return frozenset({Read(place, unknown)}) | _all(walk, children(expr), bound)
        case ir.Call(_, name, arguments):
            return _function(walk, walk.game.functions[name], arguments, bound)
        case ir.Can(_, name, arguments):
            return _can(walk, walk.game.actions[name], arguments, bound)
        case ir.LetIn(variable, value, body):
            return reads(walk, body, {**bound, variable: reads(walk, value, bound)})
        case ir.Fold(_, _, binders, body, otherwise):
            domains, names = _bound(walk, binders, bound)
            domains |= reads(walk, body, names)
            return domains if otherwise is None else domains | reads(walk, otherwise, bound)
        case ir.Collect(_, term, binders):
            domains, names = _bound(walk, binders, bound)
            return domains | reads(walk, term, names)
        case ir.Select(_, binder, best):
            domains, names = _bound(walk, (binder,), bound)
            return domains if best is None else domains | reads(walk, best[1], names)
        case ir.PickOne(_, _, binder, otherwise):
            domains, _ = _bound(walk, (binder,), bound)
            return domains if otherwise is None else domains | reads(walk, otherwise, bound)
        case ir.Reach(_, start, here, there, relation):
            first = reads(walk, start, bound)
            return first | reads(walk, relation, {**bound, here: first, there: first})
        case (
            ir.Const() | ir.Lookup() | ir.Apply() | ir.If() | ir.Switch() | ir.Ways() | ir.Asked() | ir.Odds()
            | ir.Old()
        ):  # fmt: skip
            return _all(walk, children(expr), bound)
        case _:
            assert_never(expr)


def _may_lie_in_row(place: ir.Place, piece: ir.Expr) -> bool:
    ty = piece.type.of if isinstance(piece.type, types.Optional) else piece.type
    held = set(place.holds.members)
    return place.order is ir.PlaceOrder.ROW and (not isinstance(ty, types.Pieces) or not held.isdisjoint(ty.members))


def size_read(walk: Walk, place: ir.PlaceRead) -> Known:
    """How often a loop over all of a place runs is told by its size."""
    return reads(walk, ir.Apply(types.Int(0, 0), Op.SIZE, (place,)))


def _all(walk: Walk, parts: Iterable[object], bound: Mapping[ir.Variable, Known]) -> Known:
    found = NOTHING
    for part in parts:
        if isinstance(part, ir.Expr):
            found |= reads(walk, part, bound)
        elif isinstance(part, tuple):
            found |= _all(walk, part, bound)
    return found


def _bound(
    walk: Walk, binders: Iterable[ir.Binder], bound: Mapping[ir.Variable, Known]
) -> tuple[Known, Mapping[ir.Variable, Known]]:
    """The reads of domains and filters, and what the bound names carry."""
    found = NOTHING
    inner = dict(bound)
    for binder in binders:
        domain = reads(walk, binder.domain, inner)
        inner[binder.variable] = domain
        found |= domain
        if binder.test is not None:
            found |= reads(walk, binder.test, inner)
    return found, inner


def _look(walk: Walk, thing: str, indices: Iterable[ir.Expr], bound: Mapping[ir.Variable, Known]) -> Known:
    if sight_of(walk, thing).all:
        return NOTHING
    found = tuple(None if _mentions(i, bound) else resolved(walk, i) for i in indices)
    return frozenset({Read(thing, found)})


def _mentions(expr: object, bound: Mapping[ir.Variable, Known]) -> bool:
    if isinstance(expr, ir.Local):
        return expr.variable in bound
    return any(_mentions(part, bound) for part in children(expr))


def _function(
    walk: Walk, function: ir.Function, arguments: Iterable[ir.Expr], bound: Mapping[ir.Variable, Known]
) -> Known:
    """The reads of a define, its parameters being the arguments."""
    given = list(arguments)
    found = _all(walk, given, bound)
    if function.name not in walk.summaries:
        walk.summaries[function.name] = NOTHING  # a call of itself, but for what it is given
        summary = reads(walk, function.body)
        walk.summaries[function.name] = summary if function.shrinking is None else _of_any_call(function, summary)
    return found | _given(walk, walk.summaries[function.name], dict(zip(function.params, given, strict=True)), bound)


def _of_any_call(function: ir.Function, summary: Known) -> Known:
    """What a define that calls itself reads in any of these calls: with other arguments, or the same."""
    calls = [node for node in walk_core(function.body) if isinstance(node, ir.Call) and node.function == function.name]
    lasting = {
        param
        for number, param in enumerate(function.params)
        if all(call.arguments[number] == ir.Local(param) for call in calls)
    }
    others = dict.fromkeys((param for param in function.params if param not in lasting), NOTHING)
    found: set[Read | Answer | ir.Variable] = set()
    for item in summary:
        if isinstance(item, Read):
            item = Read(item.thing, tuple(None if i is None or _mentions(i, others) else i for i in item.indices))
        found.add(item)
    return frozenset(found)


def _given(
    walk: Walk, summary: Known, named: Mapping[ir.Variable, ir.Expr], bound: Mapping[ir.Variable, Known]
) -> Known:
    """A summary over parameters, with the arguments put in."""
    found: set[Read | Answer | ir.Variable] = set()
    for item in summary:
        if isinstance(item, Read):
            indices = tuple(None if i is None else _put_in(i, named) for i in item.indices)
            known = tuple(None if i is None or _mentions(i, bound) else resolved(walk, i) for i in indices)
            found.add(Read(item.thing, known))
        elif item not in named:
            found.add(item)
    return frozenset(found)


def _put_in(expr: ir.Expr, named: Mapping[ir.Variable, ir.Expr]) -> ir.Expr:
    def change(node: object) -> object:
        return named.get(node.variable, node) if isinstance(node, ir.Local) else node

    return rewrite(expr, change)


def _can(
    walk: Walk, action: ir.Action, arguments: Iterable[ir.Expr | None], bound: Mapping[ir.Variable, Known]
) -> Known:
    """The reads of `p can a`: those of its guards, the parameters not given being any."""
    named = {p.variable: a for p, a in zip(action.params, arguments, strict=True) if a is not None}
    open_params: dict[ir.Variable, Known] = {}
    found = _all(walk, named.values(), bound)
    for param in action.params:
        if param.variable not in named:
            domain = NOTHING if param.domain is None else reads(walk, param.domain, open_params)
            open_params[param.variable] = domain
            found |= _given(walk, domain, named, bound)
        if param.test is not None:
            found |= _given(walk, reads(walk, param.test, open_params), named, bound)
    for guard in action.guards:
        found |= _given(walk, reads(walk, guard.test, open_params), named, bound)
        for exception, _ in guard.exceptions:
            found |= _given(walk, reads(walk, exception, open_params), named, bound)
    return found


def put_in_a_place(tests: Iterable[ir.Expr]) -> Iterator[ir.Variable]:
    """Names of pieces of which it is said, without conditions, in which place they lie."""
    for test in tests:
        match test:
            case ir.Apply(_, Op.IN, (ir.Local(variable), ir.PlaceRead())):
                yield variable
            case _:  # cautious: it says something else
                pass


def nodes(node: object) -> Iterator[object]:
    """A node and all in it but sentences."""
    if isinstance(node, ir.Source | ir.Text):
        return
    yield node
    for part in children(node):
        yield from nodes(part)
