"""What has been tested on every way to a block: a loop, or an `if`, that it stands in. It may hold there still.

Nothing is proved here, and nothing rests on it: it tells which facts are worth trying first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from seaspec.analysis.control import onward_within
from seaspec.core import flow
from seaspec.core.ir import Expr
from seaspec.prove.facts import conjuncts, negated


class OnTheWay:
    """Looks through the procedures of one game."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self._known: dict[int, frozenset[Expr]] = {}
        self._calls: dict[tuple[str, object], list[int]] = {}
        for number, block in enumerate(graph.blocks):
            for called in _calls(block.exit):
                self._calls.setdefault(called, []).append(number)

    def tested(self, block: int, running: Mapping[str, object]) -> frozenset[Expr]:
        """What was tested on the way to a block within its procedure, and on the way to the calls of those that run.
        `running`: where they come back to."""
        calls = (self._calls.get(call, []) for call in running.items())
        places = [block, *(places[0] for places in calls if len(places) == 1)]
        return frozenset[Expr]().union(*map(self._within, places))

    def _within(self, block: int) -> frozenset[Expr]:
        if block not in self._known:
            self._known[block] = frozenset(self._tests(block))
        return self._known[block]

    def _tests(self, block: int) -> Iterator[Expr]:
        owner = self.graph.blocks[block].owner
        entry = self.graph.routines[owner].entry if owner in self.graph.routines else self.graph.start
        for number, other in enumerate(self.graph.blocks):
            if other.owner == owner and isinstance(other.exit, flow.Test):
                then, otherwise = other.exit.then, other.exit.otherwise
                if not self._leads_to(entry, block, but=(number, then)):
                    yield from conjuncts(other.exit.test)
                if not self._leads_to(entry, block, but=(number, otherwise)):
                    yield from conjuncts(negated(other.exit.test))

    def _leads_to(self, entry: int, block: int, but: tuple[int, int]) -> bool:
        """Whether a way leads from one block to another that does not go from the one to the other of these."""
        seen = {entry}
        waiting = [entry]
        while waiting:
            here = waiting.pop()
            if here == block:
                return True
            onward = {there for there in onward_within(self.graph, here) if (here, there) != but} - seen
            seen |= onward
            waiting += onward
        return False


def _calls(exit: flow.Exit) -> Iterable[tuple[str, object]]:
    """The procedures that are called at an exit, and where they come back to."""
    match exit:
        case flow.Enter(procedure, back, _):
            yield procedure, back
        case flow.Decision() | flow.ChanceNode():
            yield from ((launch.action, launch.back) for launch in exit.launches)
        case (
            flow.Goto() | flow.Test() | flow.Switch() | flow.Return() | flow.Finding() | flow.DrawNode()
            | flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside()
        ):  # fmt: skip
            return
        case _:
            assert_never(exit)
