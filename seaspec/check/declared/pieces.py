"""Components: the pieces of the game, their kinds and printed facts; and what they look like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import assert_never

from seaspec.check import texts
from seaspec.check.context import BOOL, UNKNOWN, Context, Scope, apply, conjunction, members, variable
from seaspec.check.declared import things
from seaspec.check.describe import counted
from seaspec.check.expressions import expressions, names
from seaspec.check.limits import MOST_PIECES
from seaspec.check.typing import join
from seaspec.check.typing import name as name_of_type
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, near
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.tree import LookSort

Facts = dict[str, tuple[Value, Type]]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A piece before all are known."""

    kinds: tuple[str, ...]
    facts: tuple[tuple[str, Value, Type], ...]
    home: str


class _TooMany(Exception):
    """There are more pieces than can be worked with; reported."""


def components(ctx: Context) -> None:
    """Make all pieces, the kinds as types, the facts as tables."""
    drafts: list[_Draft] = []
    declared: dict[str, Span] = {}
    fact_spans: dict[str, Span] = {}
    for component in ctx.merged.components.values():
        _declare(component, declared, fact_spans)
        is_there = component.requires is None or _required(ctx, component.requires)
        open_facts = _declared_facts(ctx, component.facts, {})
        if not is_there:
            _unmade(ctx, component)
            continue
        if not component.kinds:
            _warn_of_none(ctx, component)
        try:
            for kind in component.kinds:
                for draft in _kind(ctx, kind, (component.name,), open_facts, {}):
                    drafts.append(draft)
                    _check_number(ctx, len(drafts), kind.span)
        except _TooMany:
            drafts.clear()
    _finish(ctx, drafts, declared, fact_spans)


def _declare(component: tree.Component, found: dict[str, Span], facts: dict[str, Span]) -> None:
    for node in parts(component):
        found.setdefault(node.name, node.span)
        facts.update({fact.name: fact.span for fact in node.facts if fact.name is not None})


def _warn_of_none(ctx: Context, component: tree.Component) -> None:
    wanting = any(fact.value is None for fact in component.facts)
    hint = f"below it, indented: `{component.name}{' one each' if wanting else ' times 3'}`"
    ctx.report.add(Code.NO_PIECES, component.span, f"there is no {component.name}", hint=hint)


def kind_names(component: tree.Component) -> list[str]:
    """The name of a component, and those of its kinds."""
    return [node.name for node in parts(component)]


def parts(component: tree.Component) -> Iterator[tree.Component | tree.KindDecl]:
    """A component and all of its kinds."""
    todo: list[tree.Component | tree.KindDecl] = [component]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(node.kinds)


def _required(ctx: Context, node: tree.Expr) -> bool:
    tested = expressions.test(ctx, node, Scope())
    return ctx.constant(tested.expr, node.span) is True


def _declared_facts(ctx: Context, facts: tuple[tree.Fact, ...], above: Mapping[str, Type]) -> dict[str, Type]:
    """Names and types of facts that are declared and not given."""
    found: dict[str, Type] = {}
    for fact in facts:
        if fact.name is not None and fact.type is not None:
            if fact.name in found or fact.name in above:
                ctx.error(Code.COMPONENT, fact.span, f"the fact '{fact.name}' is declared twice")
            found[fact.name] = things.type_of(ctx, fact.type)
    ctx.facts.update(found)
    return found


def _unmade(ctx: Context, node: tree.Component | tree.KindDecl) -> None:
    """The facts of the kinds of what has no pieces: they are known all the same."""
    for kind in node.kinds:
        _declared_facts(ctx, kind.facts, {})
        _unmade(ctx, kind)


def _check_number(ctx: Context, number: int, span: Span) -> None:
    if number > MOST_PIECES:
        shown = f"{number:,}" if number < types.MANY else "so many"
        ctx.error(Code.TOO_LARGE, span, f"{shown} pieces are too many; at most {MOST_PIECES:,} are possible")
        raise _TooMany


def _kind(
    ctx: Context, node: tree.KindDecl, above: tuple[str, ...], open_facts: Mapping[str, Type], given: Facts
) -> Iterator[_Draft]:
    """The pieces of a kind. `open_facts` are declared above and still want a value."""
    if node.name in ctx.merged.removed_kinds:
        return
    kinds = above if above[0] == node.name else (node.name, *above)
    values = [f for f in node.facts if f.value is not None]
    if len(values) > len(open_facts):
        wanted = ", ".join(open_facts) or "none"
        message = f"{counted(len(values), noun=False)} given, and the facts of {above[0]} are {wanted}"
        ctx.error(Code.COMPONENT, node.span, message)
        return
    own = _declared_facts(ctx, node.facts, {**open_facts, **dict.fromkeys(given, types.Never())})
    rounds = list(_loops(ctx, node.loops, node.span))
    if not rounds:
        _unmade(ctx, node)
    for env, scope in rounds:
        declared = {**open_facts, **own}
        facts = dict(given)
        for (name, ty), fact in zip(open_facts.items(), values, strict=False):
            assert fact.value is not None
            expr = expressions.expression(ctx, fact.value, scope, ty)
            expr = ctx.coerce(expr, ty, fact.span, f"the fact '{name}'")
            value = ctx.constant(expr, fact.span, env)
            if value is None and not isinstance(ty, types.Optional):
                return
            facts[name] = (value, ty)
            declared.pop(name)
        if node.kinds:
            for inner in node.kinds:
                yield from _kind(ctx, inner, kinds, declared, facts)
            continue
        yield from _leaves(ctx, node, kinds, declared, facts, env, scope)


def _leaves(
    ctx: Context,
    node: tree.KindDecl,
    kinds: tuple[str, ...],
    declared: Mapping[str, Type],
    facts: Facts,
    env: Mapping[ir.Variable, Value],
    scope: Scope,
) -> Iterator[_Draft]:
    times = _times(ctx, node, env, scope)
    if times is None:
        return
    if declared and not node.each:
        wanted = ", ".join(declared)
        hint = "say `one each` for a piece of each value, or give the facts in brackets"
        ctx.error(Code.COMPONENT, node.span, f"the facts {wanted} of {node.name} are not given", hint=hint)
        return
    if node.each and not declared:
        more = f"say `times {times}`" if times > 1 else None
        ctx.error(
            Code.COMPONENT, node.span, f"{node.name} has no facts, so there is nothing to have one of each", hint=more
        )
        return
    count = times
    for name, ty in declared.items():
        if isinstance(ty, types.SetOf | types.Map):
            ctx.error(
                Code.COMPONENT, node.span, f"there is no piece for each '{name}': sets and maps are given in brackets"
            )
            return
        count = min(types.MANY, count * types.size(ty))
    _check_number(ctx, count, node.span)
    for values in product(*(list(types.values(ty)) for ty in declared.values())):
        each = {name: (value, ty) for (name, ty), value in zip(declared.items(), values, strict=True)}
        found = tuple((name, value, ty) for name, (value, ty) in {**facts, **each}.items())
        for _ in range(times):
            yield _Draft(kinds, found, node.kept_in or ir.BOX)


def _times(ctx: Context, node: tree.KindDecl, env: Mapping[ir.Variable, Value], scope: Scope) -> int | None:
    """How many pieces of each there are."""
    if node.times is None:
        return 1
    expr = expressions.expression(ctx, node.times, scope)
    value = ctx.constant(expr, node.times.span, env)
    if not isinstance(expr.type, types.Int | types.Never):
        ctx.error(Code.TYPE_MISMATCH, node.times.span, "the number of pieces must be a number")
        return None
    if not isinstance(value, int):
        return None
    if value < 0:
        ctx.error(Code.OUT_OF_RANGE, node.times.span, f"there can not be {value} pieces")
        return None
    _check_number(ctx, value, node.times.span)
    return value


def _loops(
    ctx: Context, loops: tuple[tree.Binding, ...], span: Span
) -> Iterator[tuple[dict[ir.Variable, Value], Scope]]:
    """`for p in Player where ..`: the environments of all loops."""
    found: list[tuple[dict[ir.Variable, Value], Scope]] = [({}, Scope())]
    for loop in loops:
        more: list[tuple[dict[ir.Variable, Value], Scope]] = []
        for env, scope in found:
            domain, of = expressions.domain(ctx, loop.domain, scope)
            listed = ctx.constant(domain, loop.domain.span, env)
            if not isinstance(listed, tuple):
                continue
            _check_number(ctx, len(listed), loop.span)
            made, inner = names.introduce(ctx, loop.name, of, scope, loop.span)
            test: ir.Expr | None = None
            if loop.filter is not None:
                test = expressions.test(ctx, loop.filter.test, inner).expr
            for value in listed:
                bound = {**env, made: value}
                if test is None or loop.filter is None or ctx.constant(test, loop.filter.span, bound) is True:
                    more.append((bound, inner))
            _check_number(ctx, len(more), span)
        found = more
    yield from found


# ------------------------------------------------------------------------------------------------------- what is made


def _finish(ctx: Context, drafts: list[_Draft], declared: dict[str, Span], fact_spans: dict[str, Span]) -> None:
    twins: dict[tuple[object, ...], int] = {}
    for index, draft in enumerate(drafts):
        twin = twins.setdefault((draft.kinds, draft.facts, draft.home), len(twins))
        values = [show_value(value, ty, ctx) for _, value, ty in draft.facts if not isinstance(ty, types.SetOf)]
        title = " ".join([draft.kinds[0].replace("_", " "), *values])
        ctx.pieces.append(ir.Piece(index, draft.kinds, draft.facts, twin, draft.home, title))
    of_kind: dict[str, list[int]] = {name: [] for name in declared}
    for piece in ctx.pieces:
        for kind in piece.kinds:
            of_kind[kind].append(piece.id)
    for name, found in of_kind.items():
        ctx.kinds[name] = types.Pieces(name, tuple(found))
    _fact_tables(ctx, fact_spans)


def _fact_tables(ctx: Context, spans: dict[str, Span]) -> None:
    """A table a fact, over all pieces that have it: `.number`. There may be none, if a range is empty."""
    held: dict[str, list[tuple[int, Value, Type]]] = {}
    for piece in ctx.pieces:
        for name, value, ty in piece.facts:
            held.setdefault(name, []).append((piece.id, value, ty))
    for name in ctx.facts:
        held.setdefault(name, [])
    for name, entries in held.items():
        joined: Type | None = types.Never() if entries else ctx.facts[name]
        for ty in dict.fromkeys(ty for _, _, ty in entries):
            joined = join(joined, ty) if joined is not None else None
        if joined is None:
            ctx.error(Code.COMPONENT, spans[name], f"the fact '{name}' is of another kind in another component")
            continue
        index = types.Pieces(f"pieces with {name}", tuple(i for i, _, _ in entries))
        ctx.tables[f".{name}"] = ir.Table(f".{name}", (index,), joined, tuple(v for _, v, _ in entries))


# ------------------------------------------------------------------------------------------------ pieces by their facts


def described(ctx: Context, kind: types.Pieces, node: tree.Apply, scope: Scope) -> ir.Expr:
    """The piece with these facts: `Card(hearts, 4)`, `Card(hearts, n + 1)` (obligation: there is one)."""
    given = _given(ctx, kind, node, scope)
    if given is None:
        return UNKNOWN
    found = _with_facts(ctx, kind, given)
    if found is None:
        return ir.PickOne(kind, True, _binder(ctx, kind, given), None)
    if len(found) == 1:
        return ir.Const(types.Pieces(kind.name, found), found[0])
    shown = node.span.text
    if found:
        return ctx.error(Code.AMBIGUOUS, node.span, f"{shown} may be any of {len(found)} pieces")
    return ctx.error(Code.NOT_HERE, node.span, f"there is no {shown} in this game")


def _binder(ctx: Context, kind: types.Pieces, given: list[tuple[str, ir.Expr]]) -> ir.Binder:
    """The pieces of a kind whose facts are these."""
    made, local = variable("x", kind)
    tests = (
        apply(BOOL, Op.EQUAL, ir.Lookup(ctx.tables[f".{name}"].type, f".{name}", (local,)), e) for name, e in given
    )
    return ir.Binder(made, members(kind), conjunction(tests))


def several(ctx: Context, node: tree.Several, scope: Scope, *, alike: bool) -> ir.Expr | None:
    """The pieces of which `5 Man(White)`, `2 Coin` wants some; None after an error. `alike`: they must be identical,
    for nothing says which are meant."""
    described = node.described
    named = described.function if isinstance(described, tree.Apply) else described
    assert isinstance(named, tree.Capital)
    kind = names.kind(ctx, named)
    if not isinstance(kind, types.Pieces):
        ctx.unknown_name("the kind", named.name, named.span, ctx.kinds)
        return None
    given = _given(ctx, kind, described, scope) if isinstance(described, tree.Apply) else []
    if given is None:
        return None
    found = _with_facts(ctx, kind, given)
    if found is not None and len(found) < node.number:
        there = f"there are {len(found)}" if found else "there is none"
        ctx.error(Code.NOT_HERE, node.span, f"{node.span.text}: {there} in this game")
        return None
    if alike and node.number > 1 and not _are_alike(ctx, kind, len(given), found):
        hint = f"name them by their facts or kinds, one by one; for any of them say `size of .. = {node.number}`"
        message = f"which ones? Not all pieces that are {described.span.text} are identical"
        ctx.error(Code.AMBIGUOUS, node.span, message, hint=hint)
        return None
    if found is not None:
        return ir.Const(types.SetOf(kind), found)
    return ir.Select(types.SetOf(kind), _binder(ctx, kind, given))


def _are_alike(ctx: Context, kind: types.Pieces, known: int, found: tuple[int, ...] | None) -> bool:
    """Whether pieces with the same first `known` facts are identical; of `found`, if it is known which they are."""
    twins: dict[tuple[Value, ...], set[int]] = {}
    for member in kind.members if found is None else found:
        piece = ctx.pieces[member]
        twins.setdefault(tuple(value for _, value, _ in piece.facts[:known]), set()).add(piece.twin)
    return all(len(same) == 1 for same in twins.values())


def matching(ctx: Context, node: tree.Expr, scope: Scope) -> tuple[int, ...] | None:
    """The pieces that `Card(hearts, 4)` or `Joker` describes; None if it is no description, or one by facts that are
    not constant or faulty."""
    if isinstance(node, tree.Capital):
        kind = names.kind(ctx, node)
        return kind.members if isinstance(kind, types.Pieces) else None
    if not isinstance(node, tree.Apply) or not isinstance(node.function, tree.Capital):
        return None
    of = ctx.kinds.get(node.function.name)
    if of is None:
        return None
    given = _given(ctx, of, node, scope)
    return None if given is None else _with_facts(ctx, of, given)


def _given(ctx: Context, kind: types.Pieces, node: tree.Apply, scope: Scope) -> list[tuple[str, ir.Expr]] | None:
    """The facts that are given in brackets: some of the first ones, or all. None after an error."""
    if not kind.members:
        ctx.error(Code.NOT_HERE, node.span, f"there is no {kind.name} in this game")
        return None
    facts = [(name, ty) for name, _, ty in ctx.pieces[kind.members[0]].facts]
    for member in kind.members:
        if [(name, ty) for name, _, ty in ctx.pieces[member].facts] != facts:
            ctx.error(Code.AMBIGUOUS, node.span, f"the pieces of {kind.name} have different facts, so name their kind")
            return None
    if len(node.arguments) > len(facts):
        wanted = ", ".join(name for name, _ in facts) or "none"
        message = f"{counted(len(node.arguments), noun=False)} given, and the facts of {kind.name} are {wanted}"
        ctx.error(Code.WRONG_COUNT, node.span, message)
        return None
    found = []
    for argument, (name, ty) in zip(node.arguments, facts, strict=False):
        expr = expressions.expression(ctx, argument, scope.quiet(), ty)
        found.append((name, ctx.coerce(expr, ty, argument.span, f"the fact '{name}'")))
    return None if any(expr is UNKNOWN for _, expr in found) else found


def _with_facts(ctx: Context, kind: types.Pieces, given: list[tuple[str, ir.Expr]]) -> tuple[int, ...] | None:
    """The pieces of a kind with these facts; None if they are not constant."""
    wanted: list[Value] = []
    for _, expr in given:
        while isinstance(expr, ir.Apply) and expr.op is Op.CHECK:
            expr = expr.arguments[0]
        if not isinstance(expr, ir.Const):
            return None
        wanted.append(expr.value)
    return tuple(m for m in kind.members if [value for _, value, _ in ctx.pieces[m].facts[: len(wanted)]] == wanted)


# ---------------------------------------------------------------------------------------------------------------- looks
# All names in a look are of facts that are printed on a piece, and of states that have the piece as their only index.
# So what a player may not see of a piece is not seen in its picture, either.


_ROUND = (4, 8)
"""How many values directions have."""


def looks(ctx: Context) -> None:
    """All looks; of a kind there is one."""
    first: dict[str, Span] = {}
    for name, declared in ctx.merged.looks.items():
        kinds = tuple(kind.name for kind in declared.of if _is_kind(ctx, kind))
        for kind in declared.of:
            other = first.setdefault(kind.name, kind.span)
            if other is not kind.span:
                message = f"{kind.name} has a look already"
                _fault(ctx, kind.span, message, "say it in one look, or of kinds of it", [Label(other, "the other")])
        shape = _shape(ctx, declared.shape)
        if len(kinds) == len(declared.of) and shape is not None:
            ctx.looks[name] = _Made(ctx, declared, kinds).look(shape)


def _fault(ctx: Context, span: Span, message: str, hint: str | None, labels: list[Label] | None = None) -> None:
    ctx.error(Code.LOOK, span, message, hint=hint, labels=labels or ())


def _is_kind(ctx: Context, kind: tree.LookName) -> bool:
    if kind.name in ctx.kinds:
        return True
    what = f"{kind.name} is no kind of piece" if kind.name in ctx.types else f"'{kind.name}' is not known"
    _fault(ctx, kind.span, what, near(kind.name, ctx.kinds) or "a look is of a component, or of a kind in it")
    return False


def _shape(ctx: Context, shape: tree.LookName) -> ir.LookShape | None:
    known = [one.value for one in ir.LookShape]
    if shape.name in known:
        return ir.LookShape(shape.name)
    hint = near(shape.name, known) or f"pieces look like one of these: {', '.join(known)}"
    _fault(ctx, shape.span, f"'{shape.name}' is no shape", hint)
    return None


@dataclass(slots=True)
class _Made:
    """A look in the making."""

    ctx: Context
    declared: tree.Look
    kinds: tuple[str, ...]

    def look(self, shape: ir.LookShape) -> ir.Look:
        said: dict[LookSort, tree.LookWord] = {}
        for word in self.declared.words:
            other = said.setdefault(word.sort, word)
            if other is not word:
                message = f"a second `{word.sort.value}`"
                hint = f"say all in one: `{word.sort.value} a, b`" if word.sort in _MANY else "keep one of them"
                _fault(self.ctx, word.span, message, hint, [Label(other.span, "the first")])
        found = {sort: tuple(self._names(said[sort])) if sort in said else () for sort in LookSort}
        coloured = found[LookSort.COLOURED]
        is_colour = bool(coloured) and coloured[0] not in self._known()
        return ir.Look(
            self.declared.name,
            self.kinds,
            shape,
            pointing=next(iter(found[LookSort.POINTING]), None),
            coloured=coloured[0] if coloured and not is_colour else None,
            colour=coloured[0] if is_colour else None,
            showing=found[LookSort.SHOWING],
            numbered=found[LookSort.NUMBERED],
            source=texts.source(self.ctx, self.declared.tail, self.declared.span, Scope()),
        )

    def _names(self, word: tree.LookWord) -> Iterator[str]:
        """The names that fit what is told by them."""
        known = self._known()
        for name in word.names:
            ty = known.get(name.name)
            if ty is None:
                yield from self._unknown(word.sort, name, known)
            elif (fault := self._misfit(word.sort, name.name, ty)) is None:
                yield name.name
            else:
                _fault(self.ctx, name.span, *fault)

    def _unknown(self, sort: LookSort, name: tree.LookName, known: Mapping[str, Type]) -> Iterator[str]:
        if sort is LookSort.COLOURED and name.name in ir.COLOURS:
            yield name.name
        else:
            names = [*known, *(ir.COLOURS if sort is LookSort.COLOURED else ())]
            hint = near(name.name, names)
            if hint is None and sort is LookSort.COLOURED:
                hint = f"a fact or state that is a player or a word, or a colour: {', '.join(ir.COLOURS)}"
            if hint is None:
                there = f"; there are {', '.join(known)}" if known else ", and there are none"
                hint = f"facts of the piece are seen, and states for each {self.kinds[0]}{there}"
            _fault(self.ctx, name.span, f"{self.kinds[0]} has no fact or state '{name.name}'", hint)

    def _known(self) -> dict[str, Type]:
        """The facts and states of the pieces, with their types; before `or none` is looked at."""
        ctx = self.ctx
        members = {member for kind in self.kinds for member in ctx.kinds[kind].members}
        found: dict[str, Type] = {} if members else dict(ctx.facts)  # where there are no pieces, any fact may be theirs
        for member in sorted(members):
            found |= {name: ty for name, _, ty in ctx.pieces[member].facts}
        for name, state in ctx.states.items():
            of = state.index[0].type if len(state.index) == 1 else None
            if isinstance(of, types.Pieces) and (members & set(of.members) or not members):
                found[name] = state.type
        return found

    def _misfit(self, sort: LookSort, name: str, ty: Type) -> tuple[str, str] | None:
        """What is wrong with a name, and a hint."""
        inner = ty.of if isinstance(ty, types.Optional) else ty
        told = f"'{name}' is {name_of_type(ty)}"
        match sort:
            case LookSort.POINTING:
                compasses = {board.compass for board in self.ctx.boards.values()} - {None}
                if isinstance(inner, types.Enum) and inner.name in compasses and len(inner.values) in _ROUND:
                    return None
                return f"{told}, and no direction", "directions are the ring that a board goes `towards`"
            case LookSort.COLOURED:
                if isinstance(inner, types.Enum):
                    return None
                return f"{told}, and no player and no word", f"colours are {', '.join(ir.COLOURS)}, or go by words"
            case LookSort.SHOWING:
                if isinstance(inner, types.Int | types.Bool | types.Enum):
                    return None
                return f"{told}, and that is not seen on a piece", "numbers are, and words, and yes or no"
            case LookSort.NUMBERED:
                if name in self.ctx.states and not self._is_fact(name):
                    return f"'{name}' is a state, and can change", f"what is printed has a number; say `showing {name}`"
                if isinstance(inner, types.Int | types.Enum | types.Cells):
                    return None
                return f"{told}, and that is not printed on a piece", "numbers are, and words, and cells"
            case _:
                assert_never(sort)

    def _is_fact(self, name: str) -> bool:
        pieces = (self.ctx.pieces[member] for kind in self.kinds for member in self.ctx.kinds[kind].members)
        return any(name == fact for piece in pieces for fact, _, _ in piece.facts)


_MANY = (LookSort.SHOWING, LookSort.NUMBERED)
