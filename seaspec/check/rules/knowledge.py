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

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from seaspec.check.rules.reading import (
    NOTHING,
    Answer,
    Effect,
    Known,
    Leaving,
    Read,
    Walk,
    blind_draw,
    hidden_reads,
    in_order,
    of_binder,
    of_place,
    open_reads,
    reads,
    reads_position,
    resolved,
    sees,
    shown,
    size_read,
    told_by,
)
from seaspec.core import ir
from seaspec.core.ops import Op
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span

MOST_CALLS = 50_000
"""Calls walked at most; a game with more is checked by plays alone."""


def check_knowledge(game: ir.Game, report: Report, effect: Effect | None = None) -> bool:
    """Report every decision, guard and end that reads what it may not. Whether all calls were walked. `effect` is told
    of each statement, and of what decides whether it is reached; then names are taken for nothing that may have
    changed since they were given."""
    walk = Walk(game, report, blind_draw(game), effect)
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
            context |= of_binder(walk, binder)
        _block(walk, rule.body, context | reads(walk, rule.test))
    return walk.calls <= MOST_CALLS


# -------------------------------------------------------------------------------------------------------- statements


def _procedure(walk: Walk, procedure: ir.Procedure, context: Known) -> Leaving:
    left = _block(walk, (*procedure.before, *procedure.body, *procedure.after), context)
    return {name: known for name, known in left.items() if name != procedure.name}


def _block(walk: Walk, statements: Iterable[ir.Stmt], context: Known) -> Leaving:
    left: Leaving = {}
    for statement in statements:
        left = _both(left, _statement(walk, statement, context.union(*left.values())))
    return left


def _both(one: Leaving, other: Leaving) -> Leaving:
    if not one or not other:
        return one or other
    return {name: one.get(name, NOTHING) | other.get(name, NOTHING) for name in {**one, **other}}


def _again(
    walk: Walk, body: tuple[ir.Stmt, ...], context: Known, told: Mapping[ir.Expr, bool] | None = None
) -> Leaving:
    """The body of a loop: whether it comes to another round may depend on a `stop` in the one before. Perhaps there is
    no round at all. `told`: what all have been told when a round is begun."""
    tells: list[Mapping[ir.Expr, bool]] = [told or {}, {}]
    left = _one_of(walk, [(body, context), ((), context)], tells)
    return _one_of(walk, [(body, context.union(*left.values())), ((), context)], tells) if left else left


def _one_of(
    walk: Walk, bodies: Iterable[tuple[tuple[ir.Stmt, ...], Known]], told: Sequence[Mapping[ir.Expr, bool]] = ()
) -> Leaving:
    """Bodies of which one is done: a piece is known after them if it is after each. `told`: of each body, what all have
    been told when it is begun."""
    before, found = dict(walk.reads), dict(walk.reads)
    left: Leaving = {}
    for number, (body, context) in enumerate(bodies):
        walk.reads = dict(before)
        left = _both(left, _told(walk, told[number] if told else {}, body, context))
        for variable, known in walk.reads.items():
            found[variable] = known | found[variable] if number and variable in found else known
    walk.reads = found
    return left


def _told(walk: Walk, told: Mapping[ir.Expr, bool], body: Iterable[ir.Stmt], context: Known) -> Leaving:
    """Statements that are come to when all have been told how tests come out."""
    before = _tell(walk, told)
    left = _block(walk, body, context)
    walk.told = before
    return left


def _tell(walk: Walk, told: Mapping[ir.Expr, bool]) -> dict[ir.Expr, bool]:
    """All are told how tests come out: what they have been told before. What a name was read off may be otherwise
    later: of that nothing is known."""
    before = walk.told
    found = ((resolved(walk, test), comes_out) for test, comes_out in told.items())
    walk.told = before | {test: comes_out for test, comes_out in found if not reads_position(test)}
    return before


def _statement(walk: Walk, statement: ir.Stmt, context: Known) -> Leaving:
    if walk.effect is not None:
        walk.effect(walk, statement, context)
    match statement:
        case ir.Do():
            return _call(walk, statement.procedure, statement.arguments, context)
        case ir.Let(variable, value):
            walk.name(variable, value)
        case ir.Draw():
            if statement.variable is not None:
                walk.reads[statement.variable] = of_place(walk, statement.target)
        case ir.Move():
            _publish(walk, statement)
        case ir.Stop():
            return {statement.procedure: context}
        case ir.End() | ir.Score() | ir.DropOut():
            _is_public(walk, context, statement.source.span, "whether the game comes to this end")
        case ir.Branch():
            inner = context | reads(walk, statement.test)
            told = [dict(told_by(statement.test, comes_out)) for comes_out in (True, False)]
            return _one_of(walk, [(statement.then, inner), (statement.otherwise, inner)], told)
        case ir.Cases(subject, cases):
            inner = context | reads(walk, subject)
            return _one_of(walk, [(body, inner) for _, body in cases])
        case ir.ForEach():
            domain = reads(walk, statement.domain)
            if statement.start is not None:
                domain |= reads(walk, statement.start)
            walk.reads[statement.variable] = domain
            if statement.key is not None:  # who comes first depends on it
                walk.reads[statement.key[0]] = domain
                walk.reads[statement.variable] = domain | reads(walk, statement.key[1])
            inner = context | (
                size_read(walk, statement.domain) if isinstance(statement.domain, ir.PlaceRead) else domain
            )
            if statement.test is None:
                return _again(walk, statement.body, inner)
            inner |= reads(walk, statement.test)
            return _again(walk, statement.body, inner, dict(told_by(statement.test, True)))
        case ir.Repeat():
            inner = context
            for part in (statement.times, statement.until):
                if part is not None:
                    inner |= reads(walk, part)
            return _again(walk, statement.body, inner)
        case ir.AllAtOnce(variable, domain, body):
            walk.reads[variable] = NOTHING
            return _again(walk, body, context | reads(walk, domain))
        case ir.AnyOrder():
            bodies = []
            for test, _, body in statement.lines:
                inner = context if test is None else context | reads(walk, test)
                _asked(walk, statement.player, inner, statement.source.span)
                bodies.append((body, inner))
            return _one_of(walk, [*bodies, ((), context)])
        case ir.Choose():
            return _choose(walk, statement, context)
        case ir.Roll():
            walk.reads[statement.variable] = _unseen(walk, statement, statement.seen, statement.variable.name)
        case ir.Throw():
            walk.reads[statement.variable] = NOTHING
        case ir.Assign() | ir.MoveSome() | ir.Shuffle() | ir.Say() | ir.Show():
            pass
        case _:
            assert_never(statement)
    return {}


def _call(walk: Walk, name: str, arguments: Iterable[ir.Expr | None], context: Known) -> Leaving:
    procedure = walk.game.procedures[name]
    found = list(arguments)
    for variable, argument in zip(procedure.params, found, strict=False):
        if argument is not None:
            walk.name(variable, argument)
    key = (
        name,
        tuple(walk.meaning.get(v) for v in procedure.params),
        tuple(open_reads(walk, walk.reads.get(v, NOTHING)) for v in procedure.params),
        open_reads(walk, context),
        tuple(walk.told.items()),
    )
    if key not in walk.done:
        if walk.calls > MOST_CALLS:
            return {}
        walk.calls += 1
        before = walk.forgotten
        left = _procedure(walk, procedure, context)
        if walk.forgotten != before:
            return left
        walk.done[key] = left
    return walk.done[key]


def _publish(walk: Walk, statement: ir.Move) -> None:
    """A piece that is moved to an open place is known to all from now on."""
    cargo = statement.cargo
    while isinstance(cargo, ir.Apply) and cargo.op in (Op.KNOWN, Op.CHECK):
        cargo = cargo.arguments[0]
    if isinstance(cargo, ir.Local) and walk.game.places[statement.target.place].sight.all:
        walk.reads[cargo.variable] = NOTHING
        meaning = walk.meaning.get(cargo.variable)
        if isinstance(meaning, ir.Local):
            walk.reads[meaning.variable] = NOTHING


def _choose(walk: Walk, statement: ir.Choose, context: Known) -> Leaving:
    statement = walk.asking(statement)
    span = statement.source.span
    inner = context
    if statement.until is not None:
        inner |= reads(walk, statement.until)
    answer = NOTHING
    if statement.decider is not None:
        _asked(walk, statement.decider, inner, span)
        if statement.privately or statement.secretly:
            answer = frozenset({Answer(_name(statement), resolved(walk, statement.decider), span)})
    else:
        answer = _unseen(walk, statement, statement.seen, _name(statement))
    left: Leaving = {}
    match statement.offer:
        case ir.OfferActions(alternatives):
            before = dict(walk.reads)
            for alternative in alternatives:
                walk.reads = dict(before)  # what one of them makes known is not known after the others
                left = _both(left, _alternative(walk, statement, alternative, inner | answer))
            walk.reads = before
        case ir.OfferValues(binders, weights):
            for binder in binders:
                found = of_binder(walk, binder)
                walk.reads[binder.variable] = found | answer
                _options(walk, statement, found, "what can be chosen", span)
            if weights is not None:
                reads(walk, weights)
        case ir.OfferSubset(low, high, domain, variable):
            found = reads(walk, domain)
            walk.reads[variable] = found | answer
            _options(walk, statement, found | reads(walk, low) | reads(walk, high), "what can be chosen", span)
        case ir.OfferShare():
            offer = statement.offer
            found = reads(walk, offer.domain) | reads(walk, offer.low) | reads(walk, offer.high)
            walk.reads[offer.member] = NOTHING
            if offer.at_most is not None:
                found |= reads(walk, offer.at_most)
            walk.reads[offer.gift] = answer
            _options(walk, statement, found, "what can be shared", span)
        case _:
            assert_never(statement.offer)
    chosen = inner | answer if statement.may else inner  # who passes leaves it out
    bodies = [(statement.body, chosen), (statement.otherwise or (), inner)]
    return _both(left, _one_of(walk, [*bodies, ((), inner)] if statement.may else bodies))


def _unseen(walk: Walk, statement: ir.Roll | ir.Choose, seen: ir.Expr | None, name: str) -> Known:
    """What chance brings: one player alone may see it, and all know who."""
    if seen is None:
        return NOTHING
    span = statement.source.span
    _is_public(walk, reads(walk, seen), span, "who sees this", "let it depend on what all see")
    return frozenset({Answer(name, resolved(walk, walk.named(statement, seen)), span, by_chance=True)})


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
        case _:
            assert_never(statement.offer)


def _alternative(walk: Walk, statement: ir.Choose, alternative: ir.Alternative, context: Known) -> Leaving:
    action = walk.game.actions[alternative.action]
    if alternative.loop is not None:
        found = of_binder(walk, alternative.loop)
        walk.reads[alternative.loop.variable] = found
        _options(walk, statement, found, "what can be chosen", statement.source.span)
    for param, argument in zip(action.params, alternative.arguments, strict=True):
        variable = param.variable
        if argument is not None:
            if argument != statement.decider:
                what = f"the '{variable.name}' of '{action.name}' that is offered"
                _options(walk, statement, reads(walk, argument), what, statement.source.span)
            walk.name(variable, argument)
            continue
        walk.meaning.pop(variable, None)
        found = NOTHING if param.domain is None else reads(walk, param.domain)
        walk.reads[variable] = found
        if param.test is not None:
            found |= reads(walk, param.test)
        _options(walk, statement, found, f"the choice of '{variable.name}'", action.source.span)
    told: dict[ir.Expr, bool] = {}
    for guard in action.guards:
        found = reads(walk, guard.test)
        for exception, _ in guard.exceptions:
            found |= reads(walk, exception)
        _options(walk, statement, found, f"the guard '{guard.name}' of '{action.name}'", guard.source.span)
        if not guard.exceptions:
            told |= told_by(guard.test, True)
    before = _tell(walk, told)
    left = _call(walk, action.name, (None,) * len(action.params), context)
    walk.told = before
    return left


# ------------------------------------------------------------------------------------------------------------ verdicts


def _asked(walk: Walk, decider: ir.Expr, context: Known, span: Span) -> None:
    """Whether and whom the game asks: only what all see."""
    hint = "make it a guard of an action, or say `openly` where it may be known"
    _is_public(walk, context | reads(walk, decider), span, "whether this is asked", hint)


def _is_public(walk: Walk, known: Known, span: Span, what: str, hint: str = "say `openly` if it may be known") -> None:
    for read in hidden_reads(walk, known):
        message = f"{what} depends on {shown(walk, read)}, which not all players see"
        walk.report.add(Code.WHO_MAY_KNOW, span, message, labels=[declared(walk, read)], hint=hint)


def _options(walk: Walk, statement: ir.Choose, found: Known, what: str, span: Span) -> None:
    """Which options there are: only what the decider sees."""
    if statement.decider is None:
        return
    viewer = resolved(walk, statement.decider)
    for read in in_order(open_reads(walk, found)):
        if not sees(walk, read, viewer):
            message = f"{what} depends on {shown(walk, read)}, which the one who decides may not see"
            hint = "say `openly ..` if the answer may be known"
            walk.report.add(Code.WHO_MAY_KNOW, span, message, labels=[declared(walk, read)], hint=hint)


def _check_sight(walk: Walk, thing: ir.Place | ir.State) -> None:
    """Whoever sees a thing knows why: it depends on what all see, or that player sees."""
    by = thing.sight.by
    if by is None:
        return
    if isinstance(by, ir.Select):
        viewer = ir.Local(by.binder.variable)
        found = frozenset(r for r in open_reads(walk, of_binder(walk, by.binder)) if not sees(walk, r, viewer))
    else:
        found = open_reads(walk, reads(walk, by))
    hint = "let it read what is open, or what each of them sees: `seen by {q in Player where looked[q]}`"
    _is_public(walk, found, thing.source.span, f"who sees '{thing.name}'", hint)


def declared(walk: Walk, read: Read | Answer) -> Label:
    """Where something that is looked at comes from."""
    if isinstance(read, Answer):
        return Label(read.span, "chosen here")
    if read.thing == ir.BOX and walk.blind_draw is not None:
        return Label(walk.blind_draw, "drawn unseen here")
    thing = walk.game.places.get(read.thing) or walk.game.states[read.thing]
    return Label(thing.source.span, "declared here")
