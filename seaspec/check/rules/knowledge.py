"""Who may know: whether and whom the game asks, and whether it ends, reads only what all see; which options there are,
only what the decider sees; who sees a thing, only what that player sees.

The flow is walked from `play`, procedures in place of their calls (there is no recursion), with what each local name
was computed from. A *read* is a place or state, with its index as far as it is known, and whether its contents or only
its size was looked at (sizes are public, unless `uncounted`); or an answer that one player alone knows. The *context*
of a statement is what decides whether it is reached: tests above it, and tests under which a `stop` has left it out.
A piece is known to all once it has been moved to an open place. `openly` makes what it holds public on purpose. What
a player sees of a set of watchers that is itself computed is taken as seen by its possible members; the two-run test of
plays looks closer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import children, rewrite
from seaspec.core.walk import walk as walk_core
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span

MOST_CALLS = 50_000
"""Calls walked at most; a game with more is checked by plays alone."""


@dataclass(frozen=True, slots=True)
class Read:
    """A look at something: `indices` None where they are not known."""

    thing: str
    indices: tuple[ir.Expr | None, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody has chosen privately or secretly."""

    name: str
    decider: ir.Expr
    span: Span = field(compare=False)


Known = frozenset[Read | Answer | ir.Variable]
"""Reads, and names whose own reads count (until they are made public)."""
Leaving = Mapping[str, Known]
"""Procedures that a `stop` may leave, and what that depends on: so does all that follows in them."""

NOTHING: Known = frozenset()


@dataclass(slots=True)
class _Walk:
    game: ir.Game
    report: Report
    blind_draw: Span | None
    """Where something is drawn from the box unseen; then what lies in it is not for all to know."""
    reads: dict[ir.Variable, Known] = field(default_factory=dict)
    meaning: dict[ir.Variable, ir.Expr] = field(default_factory=dict)
    """What a parameter stands for, in names of the outermost procedures."""
    summaries: dict[str, Known] = field(default_factory=dict)
    """The reads of defines, over their parameters."""
    calls: int = 0
    done: dict[tuple[object, ...], Leaving] = field(default_factory=dict)


HIDDEN = ir.Sight(False, None)


def _blind_draw(game: ir.Game) -> Span | None:
    """Where something is drawn from the box unseen: what is left in it would tell what."""
    for procedure in game.procedures.values():
        for node in walk_core(procedure):
            if isinstance(node, ir.Draw) and node.origin.place == ir.BOX:
                if not game.places[node.target.place].sight.all:
                    return node.source.span
    return None


def is_known(game: ir.Game) -> bool:
    """Whether all calls can be walked, and nothing that is read may not be."""
    report = Report()
    return check_knowledge(game, report) and not report.failed


def check_knowledge(game: ir.Game, report: Report) -> bool:
    """Report every decision, guard and end that reads what it may not. Whether all calls were walked."""
    walk = _Walk(game, report, _blind_draw(game))
    for place in game.places.values():
        _check_sight(walk, place)
    for state in game.states.values():
        _check_sight(walk, state)
    for name in (ir.SETUP, ir.PLAY):
        if name in game.procedures:
            _procedure(walk, game.procedures[name], NOTHING)
    for rule in game.whenevers:
        context = NOTHING
        for binder in rule.witnesses:
            context |= _binder(walk, binder)
        _block(walk, rule.body, context | _reads(walk, rule.test))
    return walk.calls <= MOST_CALLS


# -------------------------------------------------------------------------------------------------------- statements


def _procedure(walk: _Walk, procedure: ir.Procedure, context: Known) -> Leaving:
    left = _block(walk, (*procedure.before, *procedure.body, *procedure.after), context)
    return {name: known for name, known in left.items() if name != procedure.name}


def _block(walk: _Walk, statements: Iterable[ir.Stmt], context: Known) -> Leaving:
    left: Leaving = {}
    for statement in statements:
        left = _both(left, _statement(walk, statement, context.union(*left.values())))
    return left


def _both(one: Leaving, other: Leaving) -> Leaving:
    if not one or not other:
        return one or other
    return {name: one.get(name, NOTHING) | other.get(name, NOTHING) for name in {**one, **other}}


def _again(walk: _Walk, body: tuple[ir.Stmt, ...], context: Known) -> Leaving:
    """The body of a loop: whether it comes to another round may depend on a `stop` in the one before."""
    left = _block(walk, body, context)
    return _block(walk, body, context.union(*left.values())) if left else left


def _statement(walk: _Walk, statement: ir.Stmt, context: Known) -> Leaving:
    match statement:
        case ir.Do():
            return _call(walk, statement.procedure, statement.arguments, context)
        case ir.Let(variable, value):
            walk.reads[variable] = _reads(walk, value)
            walk.meaning[variable] = _resolved(walk, value)
        case ir.Draw():
            if statement.variable is not None:
                walk.reads[statement.variable] = _place(walk, statement.target)
        case ir.Move():
            _publish(walk, statement)
        case ir.Stop():
            return {statement.procedure: context}
        case ir.End() | ir.Score() | ir.DropOut():
            _is_public(walk, context, statement.source.span, "whether the game comes to this end")
        case ir.Branch():
            inner = context | _reads(walk, statement.test)
            return _both(_block(walk, statement.then, inner), _block(walk, statement.otherwise, inner))
        case ir.Cases(subject, cases):
            inner = context | _reads(walk, subject)
            left: Leaving = {}
            for _, body in cases:
                left = _both(left, _block(walk, body, inner))
            return left
        case ir.ForEach():
            domain = _reads(walk, statement.domain)
            walk.reads[statement.variable] = domain
            inner = context | (_size(walk, statement.domain) if isinstance(statement.domain, ir.PlaceRead) else domain)
            if statement.test is not None:
                inner |= _reads(walk, statement.test)
            return _again(walk, statement.body, inner)
        case ir.Repeat():
            inner = context
            for part in (statement.times, statement.until):
                if part is not None:
                    inner |= _reads(walk, part)
            return _again(walk, statement.body, inner)
        case ir.AllAtOnce(variable, domain, body):
            walk.reads[variable] = NOTHING
            return _again(walk, body, context | _reads(walk, domain))
        case ir.AnyOrder():
            left = {}
            for test, _, body in statement.lines:
                inner = context if test is None else context | _reads(walk, test)
                _asked(walk, statement.player, inner, statement.source.span)
                left = _both(left, _block(walk, body, inner))
            return left
        case ir.Choose():
            return _choose(walk, statement, context)
        case _:
            pass
    return {}


def _call(walk: _Walk, name: str, arguments: Iterable[ir.Expr | None], context: Known) -> Leaving:
    procedure = walk.game.procedures[name]
    found = list(arguments)
    for variable, argument in zip(procedure.params, found, strict=False):
        if argument is not None:
            walk.reads[variable] = _reads(walk, argument)
            walk.meaning[variable] = _resolved(walk, argument)
    key = (
        name,
        tuple(walk.meaning.get(v) for v in procedure.params),
        tuple(_open_reads(walk, walk.reads.get(v, NOTHING)) for v in procedure.params),
        _open_reads(walk, context),
    )
    if key not in walk.done:
        if walk.calls > MOST_CALLS:
            return {}
        walk.calls += 1
        walk.done[key] = _procedure(walk, procedure, context)
    return walk.done[key]


def _publish(walk: _Walk, statement: ir.Move) -> None:
    """A piece that is moved to an open place is known to all from now on."""
    cargo = statement.cargo
    while isinstance(cargo, ir.Apply) and cargo.op in (Op.KNOWN, Op.CHECK):
        cargo = cargo.arguments[0]
    if isinstance(cargo, ir.Local) and walk.game.places[statement.target.place].sight.all:
        walk.reads[cargo.variable] = NOTHING
        meaning = walk.meaning.get(cargo.variable)
        if isinstance(meaning, ir.Local):
            walk.reads[meaning.variable] = NOTHING


def _choose(walk: _Walk, statement: ir.Choose, context: Known) -> Leaving:
    span = statement.source.span
    inner = context
    if statement.until is not None:
        inner |= _reads(walk, statement.until)
    answer = NOTHING
    if statement.decider is not None:
        _asked(walk, statement.decider, inner, span)
        if statement.privately or statement.secretly:
            answer = frozenset({Answer(_name(statement), _resolved(walk, statement.decider), span)})
    left: Leaving = {}
    match statement.offer:
        case ir.OfferActions(alternatives):
            for alternative in alternatives:
                left = _both(left, _alternative(walk, statement, alternative, inner | answer))
        case ir.OfferValues(binders, weights):
            for binder in binders:
                found = _binder(walk, binder)
                walk.reads[binder.variable] = found | answer
                _options(walk, statement, found, "what can be chosen", span)
            if weights is not None:
                _reads(walk, weights)
        case ir.OfferSubset(low, high, domain, variable):
            found = _reads(walk, domain)
            walk.reads[variable] = found | answer
            _options(walk, statement, found | _reads(walk, low) | _reads(walk, high), "what can be chosen", span)
        case ir.OfferShare():
            offer = statement.offer
            found = _reads(walk, offer.domain) | _reads(walk, offer.low) | _reads(walk, offer.high)
            walk.reads[offer.member] = NOTHING
            if offer.at_most is not None:
                found |= _reads(walk, offer.at_most)
            walk.reads[offer.gift] = answer
            _options(walk, statement, found, "what can be shared", span)
    left = _both(left, _block(walk, statement.body, inner))
    return _both(left, _block(walk, statement.otherwise or (), inner))


def _name(statement: ir.Choose) -> str:
    """What is chosen, in a word."""
    match statement.offer:
        case ir.OfferActions():
            return statement.menu
        case ir.OfferValues(binders):
            return binders[0].variable.name
        case ir.OfferSubset():
            return statement.offer.variable.name
        case ir.OfferShare():
            return statement.offer.gift.name


def _alternative(walk: _Walk, statement: ir.Choose, alternative: ir.Alternative, context: Known) -> Leaving:
    action = walk.game.actions[alternative.action]
    if alternative.loop is not None:
        found = _binder(walk, alternative.loop)
        walk.reads[alternative.loop.variable] = found
        _options(walk, statement, found, "what can be chosen", statement.source.span)
    for param, argument in zip(action.params, alternative.arguments, strict=True):
        variable = param.variable
        if argument is not None:
            walk.reads[variable] = _reads(walk, argument)
            walk.meaning[variable] = _resolved(walk, argument)
            continue
        walk.meaning.pop(variable, None)
        found = NOTHING if param.domain is None else _reads(walk, param.domain)
        walk.reads[variable] = found
        if param.test is not None:
            found |= _reads(walk, param.test)
        _options(walk, statement, found, f"the choice of '{variable.name}'", action.source.span)
    for guard in action.guards:
        found = _reads(walk, guard.test)
        for exception, _ in guard.exceptions:
            found |= _reads(walk, exception)
        _options(walk, statement, found, f"the guard '{guard.name}' of '{action.name}'", guard.source.span)
    return _call(walk, action.name, (None,) * len(action.params), context)


# ------------------------------------------------------------------------------------------------------------ verdicts


def _asked(walk: _Walk, decider: ir.Expr, context: Known, span: Span) -> None:
    """Whether and whom the game asks: only what all see."""
    hint = "make it a guard of an action, or say `openly` where it may be known"
    _is_public(walk, context | _reads(walk, decider), span, "whether this is asked", hint)


def _is_public(walk: _Walk, known: Known, span: Span, what: str, hint: str = "say `openly` if it may be known") -> None:
    for read in _in_order(_open_reads(walk, known)):
        if isinstance(read, Answer) or not _sight(walk, read.thing).all:
            message = f"{what} depends on {_shown(walk, read)}, which not all players see"
            walk.report.add(Code.WHO_MAY_KNOW, span, message, labels=[_place_of(walk, read)], hint=hint)


def _options(walk: _Walk, statement: ir.Choose, found: Known, what: str, span: Span) -> None:
    """Which options there are: only what the decider sees."""
    if statement.decider is None:
        return
    viewer = _resolved(walk, statement.decider)
    for read in _in_order(_open_reads(walk, found)):
        if not _sees(walk, read, viewer):
            message = f"{what} depends on {_shown(walk, read)}, which the one who decides may not see"
            hint = "say `openly ..` if the answer may be known"
            walk.report.add(Code.WHO_MAY_KNOW, span, message, labels=[_place_of(walk, read)], hint=hint)


def _check_sight(walk: _Walk, thing: ir.Place | ir.State) -> None:
    """Whoever sees a thing knows why: it depends on what all see, or that player sees."""
    by = thing.sight.by
    if by is None:
        return
    if isinstance(by, ir.Select):
        viewer = ir.Local(by.binder.variable)
        reads = frozenset(r for r in _open_reads(walk, _binder(walk, by.binder)) if not _sees(walk, r, viewer))
    else:
        reads = _open_reads(walk, _reads(walk, by))
    hint = "let it read what is open, or what each of them sees: `seen by {q in Player where looked[q]}`"
    _is_public(walk, reads, thing.source.span, f"who sees '{thing.name}'", hint)


def _in_order(found: Iterable[Read | Answer]) -> list[Read | Answer]:
    return sorted(found, key=lambda read: read.thing if isinstance(read, Read) else read.name)


def _shown(walk: _Walk, read: Read | Answer) -> str:
    if isinstance(read, Answer):
        return f"the private choice of '{read.name}'"
    return f"what lies in '{read.thing}'" if read.thing in walk.game.places else f"the state '{read.thing}'"


def _place_of(walk: _Walk, read: Read | Answer) -> Label:
    if isinstance(read, Answer):
        return Label(read.span, "chosen here")
    if read.thing == ir.BOX and walk.blind_draw is not None:
        return Label(walk.blind_draw, "drawn unseen here")
    thing = walk.game.places.get(read.thing) or walk.game.states[read.thing]
    return Label(thing.source.span, "declared here")


def _sight(walk: _Walk, thing: str) -> ir.Sight:
    if thing == ir.BOX and walk.blind_draw is not None:
        return HIDDEN
    return walk.game.places[thing].sight if thing in walk.game.places else walk.game.states[thing].sight


def _sees(walk: _Walk, read: Read | Answer, viewer: ir.Expr) -> bool:
    """Whether the viewer is one who sees it."""
    if isinstance(read, Answer):
        return read.decider == viewer
    sight = _sight(walk, read.thing)
    if sight.all or sight.by is None:
        return sight.all
    index = (walk.game.places.get(read.thing) or walk.game.states[read.thing]).index
    named = {v: i for v, i in zip(index, read.indices, strict=True) if i is not None}
    used = {node.variable for node in walk_core(sight.by) if isinstance(node, ir.Local)}
    if any(variable in used and variable not in named for variable in index):
        return False
    return _may_be_among(_resolved(walk, _put_in(sight.by, named)), viewer)


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


def _open_reads(walk: _Walk, known: Known) -> frozenset[Read | Answer]:
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


def _resolved(walk: _Walk, expr: ir.Expr) -> ir.Expr:
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


def _place(walk: _Walk, target: ir.Target) -> Known:
    return frozenset({Read(target.place, tuple(_resolved(walk, i) for i in target.indices))})


def _binder(walk: _Walk, binder: ir.Binder) -> Known:
    found = _reads(walk, binder.domain)
    walk.reads[binder.variable] = found
    return found if binder.test is None else found | _reads(walk, binder.test)


def _reads(walk: _Walk, expr: ir.Expr, bound: Mapping[ir.Variable, Known] = {}) -> Known:
    """What an expression looks at."""
    match expr:
        case ir.Openly():
            return NOTHING
        case ir.Local(variable):
            return bound[variable] if variable in bound else frozenset({variable})
        case ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place, indices),)):
            inner = _all(walk, indices, bound)
            return inner | (_look(walk, place, indices, bound) if walk.game.places[place].uncounted else NOTHING)
        case ir.Apply(_, Op.SIZE, (ir.Everywhere(_, place),)):
            return frozenset({Read(place, (None,))}) if walk.game.places[place].uncounted else NOTHING
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
            return _reads(walk, body, {**bound, variable: _reads(walk, value, bound)})
        case ir.Fold(_, _, binders, body, otherwise):
            domains, names = _bound(walk, binders, bound)
            domains |= _reads(walk, body, names)
            return domains if otherwise is None else domains | _reads(walk, otherwise, bound)
        case ir.Collect(_, term, binders):
            domains, names = _bound(walk, binders, bound)
            return domains | _reads(walk, term, names)
        case ir.Select(_, binder, best):
            domains, names = _bound(walk, (binder,), bound)
            return domains if best is None else domains | _reads(walk, best[1], names)
        case ir.PickOne(_, _, binder, otherwise):
            domains, _ = _bound(walk, (binder,), bound)
            return domains if otherwise is None else domains | _reads(walk, otherwise, bound)
        case ir.Reach(_, start, here, there, relation):
            first = _reads(walk, start, bound)
            return first | _reads(walk, relation, {**bound, here: first, there: first})
        case _:
            return _all(walk, children(expr), bound)


def _size(walk: _Walk, place: ir.PlaceRead) -> Known:
    """How often a loop over all of a place runs is told by its size."""
    return _reads(walk, ir.Apply(types.Int(0, 0), Op.SIZE, (place,)))


def _all(walk: _Walk, parts: Iterable[object], bound: Mapping[ir.Variable, Known]) -> Known:
    found = NOTHING
    for part in parts:
        if isinstance(part, ir.Expr):
            found |= _reads(walk, part, bound)
        elif isinstance(part, tuple):
            found |= _all(walk, part, bound)
    return found


def _bound(
    walk: _Walk, binders: Iterable[ir.Binder], bound: Mapping[ir.Variable, Known]
) -> tuple[Known, Mapping[ir.Variable, Known]]:
    """The reads of domains and filters, and what the bound names carry."""
    found = NOTHING
    inner = dict(bound)
    for binder in binders:
        domain = _reads(walk, binder.domain, inner)
        inner[binder.variable] = domain
        found |= domain
        if binder.test is not None:
            found |= _reads(walk, binder.test, inner)
    return found, inner


def _look(walk: _Walk, thing: str, indices: Iterable[ir.Expr], bound: Mapping[ir.Variable, Known]) -> Known:
    if _sight(walk, thing).all:
        return NOTHING
    found = tuple(None if _mentions(i, bound) else _resolved(walk, i) for i in indices)
    return frozenset({Read(thing, found)})


def _mentions(expr: object, bound: Mapping[ir.Variable, Known]) -> bool:
    if isinstance(expr, ir.Local):
        return expr.variable in bound
    return any(_mentions(part, bound) for part in children(expr))


def _function(
    walk: _Walk, function: ir.Function, arguments: Iterable[ir.Expr], bound: Mapping[ir.Variable, Known]
) -> Known:
    """The reads of a define, its parameters being the arguments."""
    given = list(arguments)
    found = _all(walk, given, bound)
    if function.shrinking is not None:
        return found
    if function.name not in walk.summaries:
        walk.summaries[function.name] = _reads(walk, function.body)
    return found | _given(walk, walk.summaries[function.name], dict(zip(function.params, given, strict=True)), bound)


def _given(
    walk: _Walk, summary: Known, named: Mapping[ir.Variable, ir.Expr], bound: Mapping[ir.Variable, Known]
) -> Known:
    """A summary over parameters, with the arguments put in."""
    found: set[Read | Answer | ir.Variable] = set()
    for item in summary:
        if isinstance(item, Read):
            indices = tuple(None if i is None else _put_in(i, named) for i in item.indices)
            known = tuple(None if i is None or _mentions(i, bound) else _resolved(walk, i) for i in indices)
            found.add(Read(item.thing, known))
        elif item not in named:
            found.add(item)
    return frozenset(found)


def _put_in(expr: ir.Expr, named: Mapping[ir.Variable, ir.Expr]) -> ir.Expr:
    def change(node: object) -> object:
        return named.get(node.variable, node) if isinstance(node, ir.Local) else node

    return rewrite(expr, change)


def _can(
    walk: _Walk, action: ir.Action, arguments: Iterable[ir.Expr | None], bound: Mapping[ir.Variable, Known]
) -> Known:
    """The reads of `p can a`: those of its guards, the parameters not given being any."""
    named = {p.variable: a for p, a in zip(action.params, arguments, strict=True) if a is not None}
    open_params: dict[ir.Variable, Known] = {}
    found = _all(walk, named.values(), bound)
    for param in action.params:
        if param.variable not in named:
            domain = NOTHING if param.domain is None else _reads(walk, param.domain, open_params)
            open_params[param.variable] = domain
            found |= _given(walk, domain, named, bound)
        if param.test is not None:
            found |= _given(walk, _reads(walk, param.test, open_params), named, bound)
    for guard in action.guards:
        found |= _given(walk, _reads(walk, guard.test, open_params), named, bound)
        for exception, _ in guard.exceptions:
            found |= _given(walk, _reads(walk, exception, open_params), named, bound)
    return found
