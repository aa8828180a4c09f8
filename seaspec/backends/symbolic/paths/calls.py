"""Calls as single steps: each procedure is looked at for itself, once, whoever calls it.

Where a procedure is called, what may be supposed at its entry has to be shown; then it has come back: what it may
change is anything, and what holds at its exit may be relied on. So the ways through the rules grow with the text, not
with the number of ways in which procedures may call one another. Short procedures in which nobody chooses are gone
through where they are called.

    within      the procedure, and which of those that promises name as `outside` run while it does
    entry       its parameters have their values
    exit        it is about to come back; its parameters that keep their value are still known
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import assert_never

from seaspec.analysis.control import loop_heads, ways_back
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import YES
from seaspec.backends.symbolic.paths.changing import Changing, come_back
from seaspec.backends.symbolic.run.anything import any_value
from seaspec.backends.symbolic.run.runs import Call, Run, Within
from seaspec.core import flow
from seaspec.core.ir import Variable

SHORT = 14
"""A procedure of no more blocks, with those that it calls, is gone through where it is called."""


class Apart:
    """What is known of the calls of one game. `kept_apart`: procedures that matter to whoever asks where something
    runs; they are never gone through where they are called. `only`: nothing but these is looked at for itself."""

    def __init__(self, graph: flow.Flow, kept_apart: Set[str], only: Set[str] | None = None) -> None:
        self.graph = graph
        self.kept_apart = frozenset(kept_apart)
        self.only = only
        self.changing = Changing(graph)
        self.entries = {routine.entry: name for name, routine in graph.routines.items()}
        self.heads = loop_heads(graph)
        self._lengths: dict[str, int | None] = {}
        self.stable = {name: self.changing.stable(name) for name in graph.routines}
        if any(
            flow.is_node(graph.blocks[at].exit) for at, name in self.entries.items() if only is None or name in only
        ):
            raise Unsupported("a procedure that begins with a choice")
        self.own = {
            name: frozenset((*routine.params, *routine.locals)) - {routine.back}
            for name, routine in graph.routines.items()
        }

    def is_gone_through(self, procedure: str) -> bool:
        """Whether a procedure is gone through where it is called."""
        return self._length(procedure) is not None if self.only is None else procedure not in self.only

    def _length(self, procedure: str) -> int | None:
        """The blocks of a short procedure, with those that it calls; None if it is not short."""
        if procedure not in self._lengths:
            self._lengths[procedure] = None
            self._lengths[procedure] = self._measured(procedure)
        return self._lengths[procedure]

    def _measured(self, procedure: str) -> int | None:
        blocks = self.changing.blocks(procedure)
        if procedure in self.kept_apart or not self.heads.isdisjoint(blocks):
            return None
        total = len(blocks)
        for number in blocks:
            match self.graph.blocks[number].exit:
                case flow.Decision() | flow.ChanceNode():
                    return None
                case flow.Enter(called):
                    inner = self._length(called)
                    if inner is None:
                        return None
                    total += inner
                case (
                    flow.Goto() | flow.Test() | flow.Switch() | flow.Return() | flow.Finding() | flow.DrawNode()
                    | flow.RollNode() | flow.ThrowNode() | flow.Over() | flow.Outside()
                ):  # fmt: skip
                    pass
                case never:
                    assert_never(never)
        return total if total <= SHORT else None

    def kept(self, run: Run) -> tuple[Variable, ...]:
        """What of the frame is kept where paths are cut, though nothing reads it."""
        return () if run.within is None else self.stable.get(run.within.procedure, ())

    def callee(self, run: Run, procedure: str) -> Within:
        """A procedure that is called here."""
        if run.within is not None:
            running = run.within.running
        else:
            running = frozenset(
                name for name in self.kept_apart if self.graph.routines[name].back in run.position.frame
            )
        return Within(procedure, (running & self.kept_apart) | {procedure}, run.turned)

    def begins(self, run: Run, procedure: str) -> Run:
        """A run that has come to the entry of a procedure; the parameters are in the frame."""
        after = run.fork()
        after.within = self.callee(run, procedure)
        frame = run.position.frame
        given = {name: frame.get(name) or any_value(after, name) for name in self.graph.routines[procedure].params}
        params = {name: value for name, value in given.items() if value is not None}
        after.position = replace(run.position, frame=params, begun={})
        return after

    def comes_back(self, run: Run, procedure: str, back: int) -> Iterator[tuple[Run, int]]:
        """A procedure that is called here has come back: by all ways, each with the block to which it leads."""
        for end, there in ways_back(self.graph, procedure, back):
            after = run.fork()
            self._ends(after, procedure, end)
            yield after, there

    def _ends(self, run: Run, procedure: str, end: int) -> None:
        before, frame = run.position, run.position.frame
        come_back(run, self.changing.of(procedure))
        known = {name: frame[name] for name in self.stable[procedure] if name in frame}
        seen = replace(run.position, frame=known, begun={procedure: before} if procedure in run.watched else {})
        run.calls.append(Call(self.callee(run, procedure), end, len(run.assumed), len(run.rests), seen))
        run.assumed.append(YES)  # what comes later is known to come later
        run.exact = False
        run.position = run.position.without_frame(tuple(self.own[procedure]))

    def leaves(self, run: Run) -> None:
        """A run comes to the exit of the procedure that is looked at."""
        assert run.within is not None
        frame = {}
        for name in self.stable[run.within.procedure]:
            value = run.position.frame.get(name) or any_value(run, name)
            if value is not None:
                frame[name] = value
        own = run.within.procedure
        begun = {own: run.position.begun[own]} if own in run.position.begun else {}
        run.position = replace(run.position, frame=frame, begun=begun)
        run.has_left = True

    def is_exit(self, run: Run, exit: flow.Exit) -> bool:
        """Whether the procedure that is looked at ends here."""
        return isinstance(exit, flow.Return) and run.within is not None and exit.procedure == run.within.procedure
