"""Rules about the whole flow: no recursion, no endless loops, clocks that run, what is fixed stays fixed, tracks that
nobody follows, statements that are never reached, quantifiers within quantifiers that go through too much.

They are judged on the core, where hooks and variants are worked in. Who may know what is judged in knowledge.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import assert_never

from seaspec.check.limits import DEEPEST_CALLS, MOST_LOOKED_AT, MOST_THROWN
from seaspec.check.rules.knowledge import check_knowledge
from seaspec.check.rules.telling import check_telling
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import children, closure, is_node, walk
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span


@dataclass(frozen=True, slots=True)
class _Body:
    """What a procedure or a `whenever` does."""

    name: str
    statements: tuple[ir.Stmt, ...]
    span: Span


def check_rules(game: ir.Game, report: Report) -> None:
    """Report every breach."""
    bodies = {name: _Body(name, _statements(p), p.source.span) for name, p in game.procedures.items()}
    settling = [_Body(rule.name, rule.body, rule.source.span) for rule in game.whenevers]
    calls = {body.name: set(_called(body.statements)) for body in (*bodies.values(), *settling)}
    if _circles(game, calls, report) or _circles(game, _guard_calls(game), report):
        return
    deciding = _deciding(bodies.values(), settling, calls)
    for body in (*bodies.values(), *settling):
        _loops(body, deciding, report)
        _stops(body, calls, [rule.name for rule in settling], report)
    for procedure in game.procedures.values():
        for block in (procedure.before, procedure.body, procedure.after):
            _unreached(block, report)
    for rule in game.whenevers:
        _unreached(rule.body, report)
        _settling(rule, deciding, report)
    _fixed(game, bodies, calls, report)
    _clocks(game, (*bodies.values(), *settling), calls, report)
    _tracks(game, report)
    check_knowledge(game, report)
    _amount(game, report)
    if not report.failed:
        check_telling(game, report)


def _statements(procedure: ir.Procedure) -> tuple[ir.Stmt, ...]:
    return (*procedure.before, *procedure.body, *procedure.after)


def nested(statements: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """All statements, those inside others included."""
    for statement in statements:
        yield statement
        for block in _blocks(statement):
            yield from nested(block)


def _called(statements: Iterable[ir.Stmt]) -> Iterator[str]:
    """Procedures and actions that may be run directly from here."""
    for statement in nested(statements):
        if isinstance(statement, ir.Do):
            yield statement.procedure
        elif isinstance(statement, ir.Choose) and isinstance(statement.offer, ir.OfferActions):
            yield from (a.action for a in statement.offer.alternatives)


def _guard_calls(game: ir.Game) -> dict[str, set[str]]:
    """What the guards of actions and the defines need: functions, and actions by `p can a`."""
    found: dict[str, set[str]] = {}
    for name, function in game.functions.items():
        found[name] = set(_needed(function.body)) - ({name} if function.shrinking is not None else set())
    for name, action in game.actions.items():
        parts: list[ir.Expr] = [g.test for g in action.guards]
        parts += [t for g in action.guards for t, _ in g.exceptions]
        parts += [e for p in action.params for e in (p.domain, p.test) if e is not None]
        found[f"can {name}"] = {n for part in parts for n in _needed(part)}
    return found


def _needed(expr: ir.Expr) -> Iterator[str]:
    for node in walk(expr):
        if isinstance(node, ir.Call):
            yield node.function
        elif isinstance(node, ir.Can):
            yield f"can {node.action}"


def _circles(game: ir.Game, calls: dict[str, set[str]], report: Report) -> bool:
    """Whether something reaches itself; each circle is reported once."""
    done: set[str] = set()
    found = False

    def visit(name: str, trail: list[str]) -> bool:
        if name in trail:
            _report_circle(game, trail[trail.index(name) :], report)
            return True
        if name in done:
            return False
        done.add(name)
        circles = [visit(called, [*trail, name]) for called in sorted(calls.get(name, ()))]
        return any(circles)

    for name in calls:
        found = visit(name, []) or found
    return found


def _report_circle(game: ir.Game, circle: list[str], report: Report) -> None:
    defined = all(name in game.functions for name in circle)
    code = Code.DEFINED_IN_CIRCLE if defined else Code.RECURSION
    labels = [Label(_span(game, name), f"'{name}'") for name in circle[1:4]]
    shown = " > ".join([*circle, circle[0]])
    report.add(code, _span(game, circle[0]), f"this leads back to itself: {shown}", labels=labels)


def _span(game: ir.Game, name: str) -> Span:
    """Where a procedure, a `whenever`, a define, or the action of `can a` stands."""
    word = name.removeprefix("can ")
    for group in (game.actions, game.functions) if word != name else (game.procedures, game.actions, game.functions):
        if word in group:
            return group[word].source.span.word(word)
    return next(rule.source.span.word(name) for rule in game.whenevers if rule.name == name)


# ------------------------------------------------------------------------------------------------- loops, stops, ends


def _deciding(bodies: Iterable[_Body], settling: Iterable[_Body], calls: dict[str, set[str]]) -> set[str]:
    """What may pass a decision or a chance event, directly or through others."""
    found = {body.name for body in (*bodies, *settling) if _passes_node(body.statements)}
    grown = True
    while grown:
        more = {name for name, called in calls.items() if called & found} - found
        found |= more
        grown = bool(more)
    return found


def _passes_node(statements: Iterable[ir.Stmt]) -> bool:
    kinds = ir.Choose | ir.Draw | ir.Roll | ir.Throw | ir.AnyOrder
    return any(isinstance(s, kinds) for s in nested(statements))


def _loops(body: _Body, deciding: set[str], report: Report) -> None:
    for statement in nested(body.statements):
        if not isinstance(statement, ir.Repeat) or statement.times is not None:
            continue
        if not _passes_node(statement.body) and not set(_called(statement.body)) & deciding:
            message = "this loop passes no decision and no chance event, so it may go on for ever"
            hint = "say `repeat at most n times until ..`"
            report.add(Code.ENDLESS_LOOP, statement.source.span, message, hint=hint)


def _stops(body: _Body, calls: dict[str, set[str]], settling: list[str], report: Report) -> None:
    """`stop P` stands where P is certainly running."""
    for statement in nested(body.statements):
        if not isinstance(statement, ir.Stop):
            continue
        if body.name not in _reached(calls, {statement.procedure}, set()):
            message = f"'{statement.procedure}' never runs while '{body.name}' does"
            report.add(Code.NOT_RUNNING, statement.source.span, message)
        elif body.name in _reached(calls, {ir.SETUP, ir.PLAY, *settling}, {statement.procedure}):
            message = f"'{body.name}' may run while '{statement.procedure}' does not"
            report.add(Code.NOT_RUNNING, statement.source.span, message)


def _unreached(statements: tuple[ir.Stmt, ...], report: Report) -> None:
    """A warning for what follows a statement that does not go on."""
    for number, statement in enumerate(statements):
        for inner in _blocks(statement):
            _unreached(inner, report)
        rest = [s for s in statements[number + 1 :] if s.source.span != statement.source.span]
        if rest and _leaves(statement):
            labels = [Label(statement.source.span, "here it ends")]
            report.add(Code.UNREACHED, rest[0].source.span, "this is never reached", labels=labels)
            return


def _leaves(statement: ir.Stmt) -> bool:
    """Whether nothing is done after a statement."""
    match statement:
        case ir.Stop() | ir.End() | ir.Score():
            return True
        case ir.Branch():
            return _block_leaves(statement.then) and _block_leaves(statement.otherwise)
        case ir.Repeat():
            return statement.times is None and statement.until is None
        case _:  # cautious: not known to leave
            return False


def _block_leaves(statements: tuple[ir.Stmt, ...]) -> bool:
    return any(_leaves(statement) for statement in statements)


def _blocks(statement: ir.Stmt) -> Iterator[tuple[ir.Stmt, ...]]:
    """The blocks that stand in a statement."""
    match statement:
        case ir.Branch():
            yield statement.then
            yield statement.otherwise
        case ir.Cases():
            yield from (body for _, body in statement.cases)
        case ir.ForEach() | ir.Repeat() | ir.AllAtOnce():
            yield statement.body
        case ir.Choose():
            yield statement.body
            yield statement.otherwise or ()
        case ir.AnyOrder():
            yield from (body for _, _, body in statement.lines)
        case (
            ir.Do() | ir.Let() | ir.Assign() | ir.Move() | ir.MoveSome() | ir.Draw() | ir.Shuffle() | ir.Roll()
            | ir.Throw() | ir.Stop() | ir.Say() | ir.Show() | ir.End() | ir.Score() | ir.DropOut()
        ):  # fmt: skip
            return
        case _:
            assert_never(statement)


def _settling(rule: ir.Whenever, deciding: set[str], report: Report) -> None:
    inner = {n for n in _called(rule.body) if n in deciding}
    if _passes_node(rule.body) or inner:
        through = f" (through {', '.join(sorted(inner))})" if inner else ""
        message = f"a `whenever` settles of itself: it may not decide or throw{through}"
        report.add(Code.MISPLACED, rule.source.span, message)


def _reached(calls: dict[str, set[str]], roots: set[str], without: set[str]) -> set[str]:
    """All that is reached from the roots, not going through `without`."""
    return set(closure(roots - without, lambda name: calls.get(name, set()) - without))


# -------------------------------------------------------------------------------------------------- states and places


def _fixed(game: ir.Game, bodies: dict[str, _Body], calls: dict[str, set[str]], report: Report) -> None:
    """What is fixed after setup is written in setup only."""
    later = _reached(calls, {ir.PLAY, *(r.name for r in game.whenevers)}, set())
    found = [body for name, body in bodies.items() if name in later]
    found += [_Body(rule.name, rule.body, rule.source.span) for rule in game.whenevers]
    for body in found:
        for statement in nested(body.statements):
            for name in _written(statement):
                thing = game.states.get(name) or game.places.get(name)
                if thing is not None and thing.fixed:
                    message = f"'{name}' is fixed after setup, and '{body.name}' runs later"
                    labels = [Label(thing.source.span, "declared here")]
                    report.add(Code.NOT_ASSIGNABLE, statement.source.span, message, labels=labels)


def _written(statement: ir.Stmt) -> Iterator[str]:
    match statement:
        case ir.Assign():
            yield statement.state
        case ir.Move():
            yield statement.target.place
            if statement.whole is not None:
                yield statement.whole.place
        case ir.MoveSome() | ir.Draw():
            yield statement.origin.place
            yield statement.target.place
        case (
            ir.Do() | ir.Let() | ir.Shuffle() | ir.Roll() | ir.Throw() | ir.Stop() | ir.Say() | ir.Show()
            | ir.End() | ir.Score() | ir.DropOut() | ir.Branch() | ir.Cases() | ir.ForEach() | ir.Repeat()
            | ir.Choose() | ir.AllAtOnce() | ir.AnyOrder()
        ):  # fmt: skip
            return
        case _:
            assert_never(statement)


def _clocks(game: ir.Game, bodies: Iterable[_Body], calls: dict[str, set[str]], report: Report) -> None:
    """A clock is written only while its procedure runs."""
    roots = {ir.SETUP, ir.PLAY, *(r.name for r in game.whenevers)}
    found = list(bodies)
    for state in game.states.values():
        if state.until is None:
            continue
        outside = _reached(calls, roots, {state.until})
        for body in found:
            for statement in nested(body.statements) if body.name in outside else ():
                if isinstance(statement, ir.Assign) and statement.state == state.name:
                    message = f"'{state.name}' lasts until the end of '{state.until}', which may not be running here"
                    labels = [Label(state.source.span, "declared here")]
                    report.add(Code.CLOCK, statement.source.span, message, labels=labels)


def _tracks(game: ir.Game, report: Report) -> None:
    """What a `track` remembers is for promises: the rules do not read it, and `after` hooks alone write it."""
    tracks = {name for name, state in game.states.items() if state.track}
    if not tracks:
        return
    following = _following(game, tracks)
    for name, action in game.actions.items():
        for guard in action.guards:
            parts = (guard.test, *(test for test, _ in guard.exceptions))
            _check_track(game, parts, following, guard.source.span, f"a guard of '{name}'", report)
        domains = [part for param in action.params for part in (param.domain, param.test) if part is not None]
        _check_track(game, domains, following, action.source.span, f"the choice of '{name}'", report)
    for rule in game.whenevers:
        domains = [part for binder in rule.witnesses for part in (binder.domain, binder.test) if part is not None]
        _check_track(game, (rule.test, *domains), following, rule.source.span, f"'{rule.name}'", report)
        _tracks_in(game, rule.name, rule.body, following, report)
    for name, procedure in game.procedures.items():
        if not name.startswith("after "):
            _tracks_in(game, name, _statements(procedure), following, report)


def _tracks_in(
    game: ir.Game, name: str, statements: tuple[ir.Stmt, ...], following: dict[str, str], report: Report
) -> None:
    for statement in nested(statements):
        inner = {id(node) for block in _blocks(statement) for s in block for node in walk(s)}
        own = [node for node in walk(statement) if id(node) not in inner]
        _check_track(game, own, following, statement.source.span, f"'{name}'", report)
        if isinstance(statement, ir.Assign) and game.states[statement.state].track:
            message = f"`after` hooks alone write the track '{statement.state}', and '{name}' is none"
            labels = [Label(game.states[statement.state].source.span, "declared here")]
            report.add(Code.NOT_ASSIGNABLE, statement.source.span, message, labels=labels)


def _following(game: ir.Game, tracks: set[str]) -> dict[str, str]:
    """The defines that read a track, themselves or through others, and which."""
    found: dict[str, str] = {}
    grown = True
    while grown:
        grown = False
        for name, function in game.functions.items():
            if name not in found:
                read = _track_read(game, walk(function.body), found)
                if read is not None:
                    found[name] = read
                    grown = True
    return found


def _track_read(game: ir.Game, nodes: Iterable[object], following: dict[str, str]) -> str | None:
    for node in nodes:
        if isinstance(node, ir.StateRead) and game.states[node.state].track:
            return node.state
        if isinstance(node, ir.Call) and node.function in following:
            return following[node.function]
    return None


def _check_track(
    game: ir.Game, parts: Iterable[object], following: dict[str, str], span: Span, what: str, report: Report
) -> None:
    for part in parts:
        read = _track_read(game, walk(part), following)
        if read is not None:
            message = f"{what} reads the track '{read}', which is there for promises and `after` hooks alone"
            labels = [Label(game.states[read].source.span, "declared here")]
            hint = f"say `state {read}`, if the rules need it"
            report.add(Code.ONLY_IN_PROMISES, span, message, labels=labels, hint=hint)
            return


# -------------------------------------------------------------------------------------------------- how much there is

UNKNOWN_SET = 1_000
"""Members of a set that no type bounds well: of sets, or of maps."""


def _amount(game: ir.Game, report: Report) -> None:
    """Report what looks at too much, where it stands: of a define once, not wherever it is called."""
    for function in game.functions.values():
        if function.shrinking is not None:
            _calls(function, function.params[function.shrinking], report)
    for chance in game.chances.values():
        _thrown(chance, report)
    work = _Work(game)
    things: list[object] = [*game.functions.values(), *game.states.values(), *game.actions.values()]
    things += [*game.procedures.values(), *game.chances.values(), *game.whenevers, *game.promises, *game.examples]
    for thing in things:
        for source, parts in _stated(thing):
            _looks(work, source, parts, report)


def _thrown(chance: ir.ChanceRule, report: Report) -> None:
    ways = 1
    for statement in chance.body:
        if isinstance(statement, ir.Roll) and isinstance(statement.number.type, types.Int):
            ways *= statement.number.type.high * (statement.sides - 1) + 1
    if ways > MOST_THROWN:
        message = f"the dice of '{chance.name}' may fall in {ways:,} ways; at most {MOST_THROWN:,} are possible"
        hint = "roll several dice together where their sum is enough"
        report.add(Code.TOO_LARGE, chance.source.span.word(chance.name), message, hint=hint)


def _stated(node: object) -> Iterator[tuple[ir.Source, tuple[object, ...]]]:
    """The parts of a thing, and what it says to people, by the place in the text that is nearest to them."""
    own: list[object] = []
    within: list[object] = []
    if isinstance(node, ir.State):
        own.append(node)
    elif isinstance(node, ir.Whenever):
        own.append(node)
        within += node.body
    else:
        waiting = list(children(node))
        while waiting:
            part = waiting.pop()
            if isinstance(getattr(part, "source", None), ir.Source):
                within.append(part)
            elif isinstance(part, ir.Expr):
                own.append(part)
            elif not isinstance(part, ir.Source):
                waiting += children(part)
    source = getattr(node, "source", None)
    if isinstance(source, ir.Source):
        yield source, (*own, *_said(source))
    for part in within:
        yield from _stated(part)


def _said(source: ir.Source) -> tuple[object, ...]:
    return () if source.sentence is None else source.sentence.parts


def _looks(work: _Work, source: ir.Source, parts: Iterable[object], report: Report) -> None:
    looked_at = sum(map(work.of, parts))
    if looked_at <= MOST_LOOKED_AT:
        return
    shown = f"up to {looked_at:,}" if looked_at < types.MANY else "more than can be counted"
    message = f"this may have to look at too much: {shown} members of sets within sets"
    report.add(
        Code.TOO_LARGE,
        source.span,
        f"{message}; at most {MOST_LOOKED_AT:,} are possible",
        hint="look through smaller sets, or first at what leaves most of them out",
    )


def _calls(function: ir.Function, param: ir.Variable, report: Report) -> None:
    most = types.size(param.type)
    if most > DEEPEST_CALLS:
        message = f"'{function.name}' may call itself {most:,} times, one call within another"
        span = function.source.span.word("shrinking")
        report.add(Code.TOO_LARGE, span, f"{message}; at most {DEEPEST_CALLS} are possible")


class _Work:
    """How much there may be to look at: the members that the quantifiers of an expression go through, as it is written.

    A `some` may stop at its first member, and a test leave most of them out; that is not known here. What a define
    looks at counts where it stands, not where it is called, for most calls are remembered. This tells rules that take
    seconds at most from those that take years.
    """

    def __init__(self, game: ir.Game) -> None:
        self.game = game

    def of(self, node: object) -> int:
        """So many members are looked at, at most; sentences, and what calls look at, aside."""
        match node:
            case ir.Fold(_, _, binders, body, otherwise):
                return self._through(binders, self.of(body)) + self.of(otherwise)
            case ir.Select(_, binder, best):
                return self._through((binder,), 0 if best is None else self.of(best[1]))
            case ir.Collect(_, term, binders):
                return self._through(binders, self.of(term))
            case ir.PickOne(_, _, binder, otherwise):
                return self._through((binder,), 0) + self.of(otherwise)
            case ir.Reach(_, start, here, there, relation):
                steps = types.size(here.type) * types.size(there.type)
                return self.of(start) + steps * (1 + self.of(relation))
            case ir.Whenever(_, witnesses, test):
                return self._through(witnesses, self.of(test))
            case ir.State(_, index, initial=initial):
                return prod(types.size(variable.type) for variable in index) * self.of(initial)
            case ir.Source() | None:
                return 0
            case _:  # cautious: all its parts are looked at
                return sum(map(self.of, children(node))) if is_node(node) else 0

    def _through(self, binders: Iterable[ir.Binder], inside: int) -> int:
        for binder in reversed(tuple(binders)):
            each = 1 + inside + (0 if binder.test is None else self.of(binder.test))
            inside = self.of(binder.domain) + self.members(binder.domain) * each
        return inside

    def members(self, domain: ir.Expr) -> int:
        """How many members a set may have."""
        if not isinstance(domain.type, types.SetOf):
            return 1
        most = types.size(domain.type.of)
        match domain:
            case ir.Const(_, tuple() as value):
                return len(value)
            case ir.Select(_, binder):
                return min(most, self.members(binder.domain))
            case ir.Collect(_, _, binders):
                return min(most, prod(self.members(binder.domain) for binder in binders))
            case ir.Ways(_, _, given, choices) if _is_constant(given) and _is_constant(choices):
                return int(min(types.MANY, self.members(choices) ** min(60, self.members(given))))
            case ir.Apply(_, Op.UNION, parts):
                return min(most, sum(map(self.members, parts)))
            case ir.Call(_, function) if self.game.functions[function].shrinking is None:
                return min(most, self.members(self.game.functions[function].body))
            case _:  # cautious: all values of the type, if these can be counted
                plain = not isinstance(domain.type.of, types.SetOf | types.Map)
                return most if plain else min(most, UNKNOWN_SET)


def _is_constant(domain: ir.Expr) -> bool:
    """Whether it is written out, so that its type says exactly how many members it has."""
    return all(isinstance(part, ir.Const | ir.Apply) for part in walk(domain))
