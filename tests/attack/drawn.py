"""What the games that are drawn are made of: nodes of the syntax, of the core, of the flow graph; operators.

A construct that is new fails the test until the generator draws it; what no game can be drawn with is listed, with the
reason.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, get_args

from seaspec.compile import parse_text
from seaspec.core import flow, ir
from seaspec.core.ops import Op
from seaspec.core.walk import walk
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.source import SourceFile, Span
from seaspec.syntax import tree

NEVER = {
    "tree.Title": "a name in another language has no meaning",
    "tree.Rulebook": "a catalogue of clauses has no meaning",
    "tree.Note": "advice has no meaning",
    "tree.Combines": "which variants go together is not about a game",
    "tree.Clause": "a clause has no meaning",
    "tree.Example": "examples are run one by one, and are compared elsewhere",
    "tree.ForAny": "of examples",
    "tree.ExampleLet": "of examples",
    "tree.Given": "of examples",
    "tree.At": "of examples",
    "tree.Step": "of examples",
    "tree.Then": "of examples",
    "tree.Refused": "of examples",
    "tree.Shape": "what lies on a board with a shape of its own is fixed after the setup",
    "tree.Several": "of examples",
    "tree.Picture": "how cells are drawn has no meaning",
    "tree.Look": "how pieces are drawn has no meaning",
    "tree.Term": "words of another language have no meaning",
    "ir.Asked": "of examples",
    "tree.Test.ASKED": "of examples",
}


def expected() -> set[str]:
    """All that may be drawn."""
    names = {f"tree.{cls.__name__}" for cls in get_args(tree.Expr) + get_args(tree.TypeExpr) + get_args(tree.Statement)}
    names |= {f"tree.{cls.__name__}" for cls in get_args(tree.Declaration) + get_args(tree.Offer)}
    names |= {f"tree.{cls.__name__}" for cls in get_args(tree.ExampleLine)}
    names |= {f"tree.{kind.__name__}.{one.name}" for kind in ENUMS for one in kind}
    names |= {f"ir.{cls.__name__}" for cls in get_args(ir.Expr) + get_args(ir.Stmt) + get_args(ir.Promise)}
    names |= {f"ir.{cls.__name__}" for cls in get_args(ir.Offer)}
    names |= {f"flow.{cls.__name__}" for cls in get_args(flow.Exit) + get_args(flow.Step) + get_args(flow.AnyOffer)}
    names |= {f"Op.{op.name}" for op in Op}
    return names - set(NEVER)


ENUMS: tuple[type[Enum], ...] = (
    tree.Operator,
    tree.Test,
    tree.Quantity,
    tree.Manner,
    tree.When,
    tree.Order,
    tree.ChapterKind,
)


def constructs(text: str, game: Game) -> Counter[str]:
    """What a text, and the game that it is compiled to, are made of."""
    found: Counter[str] = Counter()
    report = Report()
    _note("tree", parse_text("drawn.sea", text, report), found)
    for node in walk(game.rules):
        _count(found, "ir", node)
    for block in game.flow.blocks:
        for node in (*block.steps, block.exit):
            found[f"flow.{type(node).__name__}"] += 1
        for node in walk(block):
            if isinstance(node, flow.OfferLines | ir.OfferActions | ir.OfferValues | ir.OfferSubset | ir.OfferShare):
                found[f"flow.{type(node).__name__}"] += 1
    return found


def _count(found: Counter[str], of: str, node: Any) -> None:
    found[f"{of}.{type(node).__name__}"] += 1
    if isinstance(node, ir.Apply):
        found[f"Op.{node.op.name}"] += 1


def _note(of: str, value: Any, found: Counter[str]) -> None:
    """Count the nodes of the syntax tree."""
    if isinstance(value, tuple):
        for part in value:
            _note(of, part, found)
    elif isinstance(value, Enum):
        found[f"{of}.{type(value).__name__}.{value.name}"] += 1
    elif is_dataclass(value) and not isinstance(value, Span | SourceFile):
        found[f"{of}.{type(value).__name__}"] += 1
        for one in fields(value):
            _note(of, getattr(value, one.name), found)
