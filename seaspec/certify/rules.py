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

    place: Place
    known: Mapping[Variable, Value]
    facts: tuple[Said, ...]


@dataclass(frozen=True, eq=False)
class Rules:
    """A game with the facts about it. `world`: the name of the small world that it is, if it is one; `unread`: facts
    that could not be read; `over`: so many steps in a row a proof took at most."""

    game: Game
    graph: flow.Flow
    places: tuple[At, ...]
    unread: tuple[str, ...]
    world: str | None = None
    over: int = 1


def rules_of(certificate: Certificate) -> tuple[Rules, list[Rules]]:
    """The rules as the certificate has them, and in each of their small worlds that can be read."""
    told = certificate.rules
    if digest_of_rules(told["texts"], told["stack"], told["options"]) != told["digest"]:
        raise CertificateError("the texts are not those that the proof was about: they have another digest", "rules")
    report = Report()
    chapters = chapters_of(told["texts"], report)
    names = [told["name"], *told["stack"]]
    if report.failed or not all(name in chapters for name in names):
        raise CertificateError("the rules can not be read", "rules.texts")
    stack = stacked(chapters, names)
    main = _rules(certificate, stack, told["options"], None, ())
    if main is None:
        raise CertificateError("the rules are faulty", "rules.texts")
    if digest_of_flow(main.graph) != certificate.flow:
        raise CertificateError("the flow graph is another one: the places of the proof are not to be found", "flow")
    is_world = any(chapter.kind is tree.ChapterKind.WORLD for chapter in stack)
    worlds = [c for c in chapters.values() if c.kind is tree.ChapterKind.WORLD and c.of in names and not is_world]
    small = (_rules(certificate, [*stack, world], {}, world.name, _shapes(main.graph)) for world in worlds)
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
        ctx, core = (None, None) if report.failed else elaborate_in_context(merged, options, report)
        if core is not None:
            check_rules(core, report)
    except Stop:
        return None
    if ctx is None or core is None or report.failed:
        return None
    game = Game(core)
    if shapes and list(shapes) != _shapes(game.flow):
        return None  # places are blocks: in rules of another shape they would mean something else
    reader = _Reader(ctx, game.flow)
    places = tuple(at for place in certificate.places for at in reader.place(place))
    over = max((promise.over for promise in certificate.promises), default=1)
    return Rules(game, game.flow, places, tuple(dict.fromkeys(reader.unread)), world, over)


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
        self.known: dict[tuple[str, str | None], tuple[Said, ...]] = {}

    def place(self, place: Place) -> tuple[At, ...]:
        """A place; nothing where there is none such in these rules."""
        routines = self.graph.routines
        if not 0 <= place.block < len(self.graph.blocks) or not place.running.keys() <= routines.keys():
            return ()
        known: dict[Variable, Value] = {routines[name].back: back for name, back in place.running.items()}
        for name, text in place.known.items():
            expr = self.expression(text, {}, self.frame[name].type) if name in self.frame else None
            try:
                if expr is None:
                    return ()
                known[self.frame[name]] = evaluate(expr, self.ctx.tables, self.ctx.functions, {})
            except NotConstant:
                return ()
        self.unread += place.wordless
        return (At(place, known, tuple(said for fact in place.facts for said in self.fact(fact))),)

    def fact(self, fact: Fact) -> tuple[Said, ...]:
        """A fact, if it can be read."""
        key = fact.says, fact.after
        if key not in self.known:
            routine = None if fact.after is None else self.graph.routines.get(fact.after)
            params = () if routine is None else routine.params[: len(fact.names)]
            own = tuple(Variable(name, param.type) for name, param in zip(fact.names, params, strict=False))
            names = self.frame | {variable.name: variable for variable in own}
            expr = self.expression(fact.says, names, None) if len(own) == len(fact.names) else None
            is_free = expr is not None and set(free_variables(expr)) <= {*self.frame.values(), *own}
            is_known = fact.after is None or routine is not None
            if expr is not None and is_free and is_known:
                self.known[key] = (Said(fact.says, expr, fact.after, own),)
            else:
                self.known[key] = ()
                self.unread.append(fact.says)
        return self.known[key]

    def expression(self, text: str, names: Mapping[str, Variable], wanted: types.Type | None) -> Expr | None:
        """An expression (a test, if no type is wanted); None if it can not be read."""
        self.ctx.report = report = Report()
        where = Where.PROMISES if wanted is not None else Where.STEPS
        scope = Scope(names={name: ir.Local(variable) for name, variable in names.items()}, where=where)
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
