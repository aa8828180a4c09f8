"""That nobody is stuck: `never stuck` is proved choice by choice, for each node at which somebody must choose.

Each choice needs to know little, and that only where it is: of a procedure, say, that a ship is still afloat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from seaspec.analysis.reads import reads
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, FoldKind
from seaspec.core.ops import Op
from seaspec.core.owing import is_legal

YES = ir.Const(types.Bool(), True)


@dataclass(frozen=True, slots=True)
class Offered:
    """That there is something to choose at a node. `test` says so, or more: of several actions, that one is allowed for
    which there is least to know; None: it can not be said in the language."""

    name: str
    block: flow.Block
    test: Expr | None


def offers(graph: flow.Flow, promise: ir.NeverStuck) -> Iterator[Offered]:
    """The parts of the promise."""
    for number, block in enumerate(graph.blocks):
        if isinstance(block.exit, flow.Decision) and block.exit.nothing is None:
            test = _is_offered(graph.game, block.exit.offer)
            yield Offered(f"{promise.name}: {block.exit.source.span}, {number}", number, test)


def _is_offered(game: ir.Game, offer: flow.AnyOffer) -> Expr | None:
    match offer:
        case ir.OfferActions(alternatives):
            return min(map(is_legal, alternatives), key=lambda can: tuple(map(len, reads(game, can)[1::-1])))
        case ir.OfferValues(binders):
            return ir.Fold(types.Bool(), FoldKind.SOME, binders, YES)
        case ir.OfferSubset(low, _, domain) if isinstance(domain.type, types.SetOf):
            size = ir.Apply(types.Int(0, types.size(domain.type.of)), Op.SIZE, (domain,))
            return ir.Apply(types.Bool(), Op.AT_MOST, (low, size))
        case _:  # cautious: it is not said in one expression; then it is shown way by way
            return None
