"""Rules about the whole flow: no recursion, no endless loops, clocks that run, what is fixed stays fixed.

They are judged on the core, where hooks and variants are worked in. Who may know what is judged in knowledge.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seaspec.check.knowledge import check_knowledge
from seaspec.core import ir
from seaspec.core.walk import walk
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span


def check_rules(game: ir.Game, report: Report) -> None:
    """Report every breach."""
    calls = {name: set(_called(_statements(p))) for name, p in game.procedures.items()}
    for rule in game.whenevers:
        calls[rule.name] = set(_called(rule.body))
    if _circles(game, calls, report) or _circles(game, _guard_calls(game), report):
        return
    deciding = _deciding(game, calls)
    for name, procedure in game.procedures.items():
        _loops(game, _statements(procedure), deciding, report)
        _stops(game, name, procedure, calls, report)
    for rule in game.whenevers:
        _settling(rule, deciding, report)
    _fixed(game, calls, report)
    _clocks(game, calls, report)
    check_knowledge(game, report)


def _statements(procedure: ir.Procedure) -> tuple[ir.Stmt, ...]:
    return (*procedure.before, *procedure.body, *procedure.after)


def nested(statements: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """All statements, those inside others included."""
    for statement in statements:
        yield statement
        yield from nested(_inner(statement))


def _inner(statement: ir.Stmt) -> tuple[ir.Stmt, ...]:
    match statement:
        case ir.Branch():
            return (*statement.then, *statement.otherwise)
        case ir.Cases():
            return tuple(s for _, body in statement.cases for s in body)
        case ir.ForEach() | ir.Repeat() | ir.AllAtOnce():
            return statement.body
        case ir.Choose():
            return (*statement.body, *(statement.otherwise or ()))
        case ir.AnyOrder():
            return tuple(s for _, _, body in statement.lines for s in body)
        case _:
            return ()


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
            circle = trail[trail.index(name) :]
            labels = [Label(_span(game, n), f"'{n}'") for n in circle[1:4]]
            shown = " > ".join([*circle, name])
            report.add(Code.RECURSION, _span(game, name), f"this leads back to itself: {shown}", labels=labels)
            return True
        if name in done:
            return False
        done.add(name)
        found = [visit(n, [*trail, name]) for n in sorted(calls.get(name, ()))]
        return any(found)

    for name in calls:
        found = visit(name, []) or found
    return found


def _span(game: ir.Game, name: str) -> Span:
    word = name.removeprefix("can ")
    for group in (game.procedures, game.actions, game.functions):
        if word in group:
            return group[word].source.span
    return next((w.source.span for w in game.whenevers if w.name == name), ir.Source().span)


def _deciding(game: ir.Game, calls: dict[str, set[str]]) -> set[str]:
    """Procedures that may pass a decision or a chance event, directly or through others."""
    found = {name for name, p in game.procedures.items() if _passes_node(_statements(p))}
    found |= {rule.name for rule in game.whenevers if _passes_node(rule.body)}
    grown = True
    while grown:
        more = {name for name, called in calls.items() if called & found} - found
        found |= more
        grown = bool(more)
    return found


def _passes_node(statements: Iterable[ir.Stmt]) -> bool:
    kinds = ir.Choose | ir.Draw | ir.Roll | ir.Throw | ir.AnyOrder
    return any(isinstance(s, kinds) for s in nested(statements))


def _loops(game: ir.Game, statements: Iterable[ir.Stmt], deciding: set[str], report: Report) -> None:
    for statement in nested(statements):
        if not isinstance(statement, ir.Repeat) or statement.times is not None:
            continue
        inner = set(_called(statement.body))
        if not _passes_node(statement.body) and not inner & deciding:
            report.add(
                Code.ENDLESS_LOOP,
                statement.source.span,
                "this loop passes no decision and no chance event, so it may go on for ever",
                hint="say `repeat at most n times until ..`",
            )


def _stops(game: ir.Game, name: str, procedure: ir.Procedure, calls: dict[str, set[str]], report: Report) -> None:
    for statement in nested(_statements(procedure)):
        if isinstance(statement, ir.Stop) and name not in _reached(calls, {statement.procedure}, set()):
            message = f"'{statement.procedure}' never runs while '{name}' does"
            report.add(Code.NOT_RUNNING, statement.source.span, message)


def _settling(rule: ir.Whenever, deciding: set[str], report: Report) -> None:
    inner = {n for n in _called(rule.body) if n in deciding}
    if _passes_node(rule.body) or inner:
        through = f" (through {', '.join(sorted(inner))})" if inner else ""
        message = f"a `whenever` settles of itself: it may not decide or throw{through}"
        report.add(Code.MISPLACED, rule.source.span, message)


def _reached(calls: dict[str, set[str]], roots: set[str], without: set[str]) -> set[str]:
    """All that is reached from the roots, not going through `without`."""
    found = set(roots) - without
    todo = list(found)
    while todo:
        for name in calls.get(todo.pop(), ()):
            if name not in found and name not in without:
                found.add(name)
                todo.append(name)
    return found


def _fixed(game: ir.Game, calls: dict[str, set[str]], report: Report) -> None:
    """What is fixed after setup is written in setup only."""
    later = _reached(calls, {ir.PLAY, *(r.name for r in game.whenevers)}, set())
    for name in later & set(game.procedures):
        for statement in nested(_statements(game.procedures[name])):
            for thing in _written(statement):
                state, place = game.states.get(thing), game.places.get(thing)
                if (state is not None and state.fixed) or (place is not None and place.fixed):
                    message = f"'{thing}' is fixed after setup, and '{name}' runs later"
                    source = state.source if state is not None else place.source if place is not None else ir.Source()
                    labels = [Label(source.span, "declared here")]
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
        case _:
            return


def _clocks(game: ir.Game, calls: dict[str, set[str]], report: Report) -> None:
    """A clock is written only while its procedure runs."""
    roots = {ir.SETUP, ir.PLAY, *(r.name for r in game.whenevers)}
    for state in game.states.values():
        if state.until is None or state.until not in game.procedures:
            continue
        outside = _reached(calls, roots, {state.until})
        bodies = {n: _statements(game.procedures[n]) for n in outside if n in game.procedures}
        bodies |= {r.name: r.body for r in game.whenevers}
        for body in bodies.values():
            for statement in nested(body):
                if isinstance(statement, ir.Assign) and statement.state == state.name:
                    message = f"'{state.name}' lasts until the end of '{state.until}', which may not be running here"
                    labels = [Label(state.source.span, "declared here")]
                    report.add(Code.CLOCK, statement.source.span, message, labels=labels)
