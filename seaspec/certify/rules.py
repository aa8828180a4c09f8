"""The rules that a certificate is about, from the texts in it; and what it says of them, as expressions.

Facts are parsed and elaborated like the promises of a text, with the names of the frame besides. What can not be read
is no fact: nothing is supposed that is not understood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seaspec.certify.certificate import Certificate, CertificateError, Fact, Place, digest_of_flow
from seaspec.check.context import Context, Scope, Where
from seaspec.check.elaborate import elaborate_in_context
from seaspec.check.expressions import expressions
from seaspec.check.merging.merge import merge
from seaspec.check.rules.static_rules import check_rules
from seaspec.compile import chapters_of, stacked
from seaspec.core import flow, ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import Expr, Variable
from seaspec.core.types import Value
from seaspec.core.walk import free_variables
from seaspec.core.written import names_of_frame
from seaspec.diagnostics.model import Report, Stop
from seaspec.game import Game
from seaspec.saved import digest_of_rules
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.parse import parse_expression


@dataclass(frozen=True, eq=False)
class Said:
    """A fact as an expression over the frame. `after`: that procedure's first position is what `old` means, and `names`
    stand for its first arguments."""

    text: str
    test: Expr
    after: str | None = None
    names: tuple[Variable, ...] = ()


@dataclass(frozen=True, eq=False)
class At:
    """A place of the certificate: where in the flow graph, what the frame is there, and what is said of it."""

    block: int
    ends: bool
    passed: bool
    within: str | None
    known: Mapping[Variable, Value]
    facts: tuple[Said, ...]


@dataclass(frozen=True, eq=False)
class Rules:
    """A game with the facts about it. `world`: the name of the small world that it is, if it is one; `unread`: facts
    that could not be read, and why."""

    game: Game
    graph: flow.Flow
    places: tuple[At, ...]
    unread: tuple[str, ...]
    world: str | None = None


def rules_of(certificate: Certificate) -> tuple[Rules, list[Rules]]:
    """The rules as the certificate has them, and in each of their small worlds that can be read."""
    told = certificate.rules
    if digest_of_rules(told["texts"], told["stack"], told["options"]) != told["digest"]:
        raise CertificateError("the texts are not those that the proof was about: they have another digest", "rules")
    report = Report()
    chapters = chapters_of(told["texts"], report)
    names = [told["name"], *told["stack"]]
    missing = [name for name in names if name not in chapters]
    if report.failed or missing:
        raise CertificateError("the rules can not be read", "rules.texts")
    stack = stacked(chapters, names)
    main = _rules(certificate, stack, told["options"], None, ())
    if main is None:
        raise CertificateError("the rules are faulty", "rules.texts")
    if digest_of_flow(main.graph) != certificate.flow:
        raise CertificateError("the flow graph is another one: the places of the proof are not to be found", "flow")
    is_world = any(chapter.kind is tree.ChapterKind.WORLD for chapter in stack)
    worlds = [c for c in chapters.values() if c.kind is tree.ChapterKind.WORLD and c.of in names and not is_world]
    shapes = _shapes(main.graph)
    small = (_rules(certificate, [*stack, world], {}, world.name, shapes) for world in worlds)
    return main, [one for one in small if one is not None]


def _rules(
    certificate: Certificate,
    stack: Sequence[tree.Chapter],
    options: Mapping[str, Any],
    world: str | None,
    shapes: Sequence[object],
) -> Rules | None:
    """Rules with what is said of them; None if they are faulty. `shapes`: of the blocks, if there are any."""
    report = Report()
    try:
        merged = merge(stack, report)
        if report.failed:
            return None
        ctx, core = elaborate_in_context(merged, options, report)
        if core is not None:
            check_rules(core, report)
    except Stop:
        return None
    if core is None or report.failed:
        return None
    game = Game(core)
    reader = _Reader(ctx, game.flow)
    if shapes and list(shapes) != _shapes(game.flow):
        return None  # places are blocks: in rules of another shape they would mean something else
    found = (reader.place(place) for place in certificate.places)
    places = tuple(place for place in found if place is not None)
    return Rules(game, game.flow, places, tuple(dict.fromkeys(reader.unread)), world)


def _shapes(graph: flow.Flow) -> list[object]:
    """Of each block whose it is and how it ends."""
    return [(type(block.exit), block.owner, len(block.steps)) for block in graph.blocks]


class _Reader:
    """Reads what places say."""

    def __init__(self, ctx: Context, graph: flow.Flow) -> None:
        self.ctx = ctx
        self.graph = graph
        self.frame = {name: variable for variable, name in names_of_frame(graph).items()}
        self.unread: list[str] = []
        self.known: dict[tuple[str, str | None], Said | None] = {}

    def place(self, place: Place) -> At | None:
        """A place; None where there is none such in these rules."""
        if not 0 <= place.block < len(self.graph.blocks):
            return None
        known: dict[Variable, Value] = {}
        for procedure, back in place.running.items():
            if procedure not in self.graph.routines:
                return None
            known[self.graph.routines[procedure].back] = back
        for name, text in place.known.items():
            variable = self.frame.get(name)
            value = None if variable is None else self.value(text, variable.type)
            if variable is None or value is None:
                return None
            known[variable] = value[0]
        facts = [self.fact(fact) for fact in place.facts]
        self.unread += place.wordless
        return At(
            place.block,
            place.ends,
            place.passed,
            place.within,
            known,
            tuple(fact for fact in facts if fact is not None),
        )

    def value(self, text: str, ty: types.Type) -> tuple[Value] | None:
        """A constant, in a tuple of its own: it may be none."""
        expr = self.expression(text, Scope(where=Where.PROMISES), ty)
        if expr is None:
            return None
        try:
            found = evaluate(expr, self.ctx.tables, self.ctx.functions, {})
        except NotConstant:
            return None
        return (found,)

    def fact(self, fact: Fact) -> Said | None:
        key = fact.says, fact.after
        if key not in self.known:
            self.known[key] = self._fact(fact)
        return self.known[key]

    def _fact(self, fact: Fact) -> Said | None:
        names = {name: ir.Local(variable) for name, variable in self.frame.items()}
        own: tuple[Variable, ...] = ()
        if fact.after is not None:
            routine = self.graph.routines.get(fact.after)
            if routine is None or len(routine.params) < len(fact.names):
                self.unread.append(fact.says)
                return None
            own = tuple(Variable(n, v.type) for n, v in zip(fact.names, routine.params, strict=False))
            names |= {variable.name: ir.Local(variable) for variable in own}
        expr = self.expression(fact.says, Scope(names=names, where=Where.STEPS), None)
        bad = expr is None or set(free_variables(expr)) - {*self.frame.values(), *own}
        if bad or expr is None:
            self.unread.append(fact.says)
            return None
        return Said(fact.says, expr, fact.after, own)

    def expression(self, text: str, scope: Scope, wanted: types.Type | None) -> Expr | None:
        """An expression (a test, if no type is wanted); None if it can not be read."""
        self.ctx.report = report = Report()
        try:
            node = parse_expression(SourceFile("<certificate>", text), report)
            if node is None or report.failed:
                return None
            if wanted is None:
                expr = expressions.test(self.ctx, node, scope).expr
            else:
                expr = self.ctx.coerce(expressions.expression(self.ctx, node, scope, wanted), wanted, node.span)
        except (Stop, RecursionError):
            return None
        return None if report.failed else expr
