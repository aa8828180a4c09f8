"""What happens in a procedure, from the flow graph: who is asked, where chance comes in, what ends the game.

Of the blocks of a procedure only those are kept where something is decided, chance comes in, somebody drops out or the
game ends, where another such procedure is run, and the tests that lead to one of these or another. What is left out is
passed over, so an arrow may stand for many steps of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import assert_never

from seaspec.core import flow, ir
from seaspec.source import Span

_CHANCE = (flow.ChanceNode, flow.DrawNode, flow.RollNode, flow.ThrowNode)
_TESTS = (flow.Test, flow.Switch, flow.Finding)
_ASKING = re.compile(r"\s+(?:privately\b|secretly\b|chooses\b|may\b|shares\b|in any order\b)")
_ROUNDS = re.compile(r"for each|all at once|in any order|repeat .* times")


class Sort:
    """What a box is."""

    ASKED, CHANCE, ENDS, CALLS, TESTS, RETURNS = "asked", "chance", "ends", "calls", "tests", "returns"


@dataclass(frozen=True, slots=True)
class Arrow:
    """To which box, by its number; `label`: when, if that is plain."""

    to: int
    label: str = ""


@dataclass(slots=True)
class Box:
    """`names`: the actions that are offered, or the procedure that is run; `who`: who decides, as it is written."""

    sort: str
    words: str
    names: tuple[str, ...] = ()
    who: str = ""
    arrows: list[Arrow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turn:
    """A procedure, or action, and its boxes in the order in which they are met; `name`: in the graph."""

    name: str
    boxes: tuple[Box, ...]

    @property
    def title(self) -> str:
        return plain(self.name)


def turns(graph: flow.Flow) -> Iterator[Turn]:
    """The procedures in which something is decided, as they are met from the beginning of play on; then the endings
    that are looked at after each step."""
    reader = _Reader(graph)
    waiting, told = ["to play"], {"to play"}
    while waiting:
        name = waiting.pop(0)
        if name in graph.routines:
            boxes = tuple(reader.boxes(graph.routines[name]))
            yield Turn(name, boxes)
            found = [called for box in boxes for called in box.names if reader.matters(called)]
            waiting += [called for called in dict.fromkeys(found) if called not in told]
            told |= set(found)
    if reader.matters(flow.SETTLING):
        yield Turn(flow.SETTLING, tuple(reader.boxes(graph.routines[flow.SETTLING])))


def plain(name: str) -> str:
    """A procedure as it is called in the text.

    >>> plain("to play"), plain("after fight 2")
    ('play', 'after fight')
    """
    return "whenever it is so" if name == flow.SETTLING else re.sub(r"^to | \d+$", "", name)


class _Reader:
    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self._matters: dict[str, bool] = {}

    @cached_property
    def _returns(self) -> Mapping[str, tuple[int, ...]]:
        """Of each procedure, where it comes back to."""
        exits = (block.exit for block in self.graph.blocks)
        return {exit.procedure: exit.targets for exit in exits if isinstance(exit, flow.Return)}

    def matters(self, name: str) -> bool:
        """Whether something is decided, thrown or ended in a procedure, or in what it runs."""
        if name not in self._matters:
            self._matters[name] = False
            routine = self.graph.routines.get(name)
            self._matters[name] = routine is not None and any(
                self._is_event(block) or any(map(self.matters, self._runs(block))) for block in self._within(routine)
            )
        return self._matters[name]

    def _is_event(self, number: int) -> bool:
        block = self.graph.blocks[number]
        is_end = isinstance(block.exit, flow.Over) and block.exit.how is not None
        return is_end or isinstance(block.exit, (flow.Decision, *_CHANCE)) or self._drops(number) is not None

    def _drops(self, number: int) -> ir.DropOut | None:
        return next((step for step in self.graph.blocks[number].steps if isinstance(step, ir.DropOut)), None)

    def _runs(self, number: int) -> Iterator[str]:
        exit = self.graph.blocks[number].exit
        if isinstance(exit, flow.Enter) and exit.procedure != flow.SETTLING:
            yield exit.procedure
        elif isinstance(exit, flow.Decision | flow.ChanceNode):
            yield from (launch.action for launch in exit.launches)

    def _within(self, routine: flow.Routine) -> list[int]:
        """The blocks of a procedure."""
        found, waiting = [routine.entry], [routine.entry]
        while waiting:
            for following, _ in self._next(waiting.pop()):
                if following not in found:
                    found.append(following)
                    waiting.append(following)
        return found

    def _next(self, number: int) -> list[tuple[int, str]]:
        """Where a block leads in its own procedure, past what it runs."""
        exit = self.graph.blocks[number].exit
        match exit:
            case flow.Enter(procedure, back, _):
                return [(self._returns[procedure][back], "")] if procedure in self._returns else []
            case flow.Return() | flow.Over() | flow.Outside():
                return []
            case flow.Test(_, then, otherwise, _) | flow.Finding(_, _, then, otherwise, _):
                return [(then, "yes"), (otherwise, "no")]
            case flow.Decision() | flow.ChanceNode():
                found = [(self._after(launch), "") for launch in exit.launches]
                passing = exit.passing if isinstance(exit, flow.Decision) else None
                others = [(exit.target, ""), (passing, "pass"), (exit.nothing, "nothing to choose")]
                return list(dict.fromkeys([*found, *((to, label) for to, label in others if to is not None)]))
            case flow.DrawNode():
                return [(to, "") for to in dict.fromkeys((exit.target, exit.nothing)) if to is not None]
            case flow.Goto() | flow.Switch() | flow.RollNode() | flow.ThrowNode():
                return [(to, "") for to in dict.fromkeys(flow.targets(exit))]
            case _:
                assert_never(exit)

    def _after(self, launch: flow.Launch) -> int:
        targets = self._returns.get(launch.action)
        return launch.target if targets is None else targets[launch.back]

    # ------------------------------------------------------------------------------------------------------- boxes

    def boxes(self, routine: flow.Routine) -> list[Box]:
        """The boxes of a procedure; the first is where it begins. Tests of one line of the text are one box, as is
        what somebody chooses with the test of what that was."""
        self._kept: dict[int, bool] = {}
        order: list[int] = []
        self._visit([to for to, _ in self._onward([(routine.entry, "")])], order, set())
        order.reverse()
        order.sort(key=lambda block: isinstance(self._exit(block), flow.Return))  # the way back stands last
        asked = [(exit.source.span, block) for block in order if isinstance(exit := self._exit(block), flow.Decision)]
        one_box: dict[Span, int] = dict(reversed(asked))
        first = {block: one_box.setdefault(span, block) if (span := self._test(block)) else block for block in order}
        shown = [block for block in order if first[block] == block]
        numbers = {block: number for number, block in enumerate(shown)}
        boxes = [self._box(block) for block in shown]
        for block in order:
            here = numbers[first[block]]
            for to, label in self._onward(self._next(block)):
                there = numbers[first[to]]
                known = {arrow.to for arrow in boxes[here].arrows}
                is_again = there == here and boxes[here].sort in (Sort.TESTS, Sort.CHANCE)
                if there not in known and not is_again:
                    boxes[here].arrows.append(Arrow(there, label))
        for box in boxes:
            box.arrows = _labelled(box)
        return boxes

    def _test(self, block: int) -> Span | None:
        exit = self._exit(block)
        return exit.source.span if isinstance(exit, _TESTS) else None

    def _exit(self, block: int) -> flow.Exit:
        return self.graph.blocks[block].exit

    def _visit(self, blocks: Iterable[int], order: list[int], seen: set[int]) -> None:
        """Blocks that are kept, those that come later first."""
        for block in reversed(list(blocks)):
            if block not in seen:
                seen.add(block)
                self._visit([to for to, _ in self._onward(self._next(block))], order, seen)
                order.append(block)

    def _onward(self, ways: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
        """The blocks that are kept which are met next."""
        found: dict[int, str] = {}
        seen: set[tuple[int, str]] = set()
        waiting = list(ways)
        while waiting:
            block, label = waiting.pop(0)
            if self._is_kept(block):
                found.setdefault(block, label)
            elif (block, label) not in seen:
                seen.add((block, label))
                waiting += [(to, label) for to, _ in self._next(block)]
        return list(found.items())

    def _is_kept(self, block: int) -> bool:
        if block not in self._kept:
            exit = self._exit(block)
            if isinstance(exit, _TESTS):
                self._kept[block] = False
                self._kept[block] = self._parts(block, exit.source.span)
            else:
                runs = isinstance(exit, flow.Enter) and exit.procedure != flow.SETTLING and self.matters(exit.procedure)
                self._kept[block] = runs or self._is_event(block) or isinstance(exit, flow.Return)
        return self._kept[block]

    def _parts(self, block: int, span: Span) -> bool:
        """Whether the ways of a test lead to different events; a test of whether there is a choice is part of it."""
        ways = [frozenset(self._events(to)) for to, _ in self._next(block)]
        if len(set(ways)) < 2:
            return False
        return not any(
            isinstance(exit := self._exit(event), (flow.Decision, *_CHANCE)) and exit.source.span == span
            for event in frozenset().union(*ways)
        )

    def _events(self, block: int) -> Iterator[int]:
        """What is met next, tests left aside."""
        seen, waiting = {block}, [block]
        while waiting:
            here = waiting.pop()
            if not isinstance(self._exit(here), _TESTS) and self._is_kept(here):
                yield here
                continue
            following = {to for to, _ in self._next(here)} - seen
            seen |= following
            waiting += following

    def _box(self, block: int) -> Box:
        exit = self._exit(block)
        dropped = self._drops(block)
        if dropped is not None:
            return Box(Sort.ENDS, head(dropped.source.span))
        match exit:
            case flow.Decision():
                names = tuple(dict.fromkeys(launch.action for launch in exit.launches))
                words = head(exit.source.span)
                return Box(Sort.ASKED, words, names, _ASKING.split(words)[0])
            case flow.ChanceNode():
                names = tuple(dict.fromkeys(launch.action for launch in exit.launches))
                return Box(Sort.CHANCE, head(exit.source.span), names)
            case flow.DrawNode() | flow.RollNode() | flow.ThrowNode():
                return Box(Sort.CHANCE, head(exit.source.span))
            case flow.Over(how):
                return Box(Sort.ENDS, "the game is over" if how is None else head(how.source.span))
            case flow.Enter():
                return Box(Sort.CALLS, plain(exit.procedure), (exit.procedure,))
            case flow.Test() | flow.Switch() | flow.Finding():
                return Box(Sort.TESTS, head(exit.source.span))
            case flow.Goto() | flow.Return() | flow.Outside():
                return Box(Sort.RETURNS, "the end")
            case _:
                assert_never(exit)


def _labelled(box: Box) -> list[Arrow]:
    """The arrows of a box with labels that tell them apart, in the words of what it is."""
    labels = [arrow.label for arrow in box.arrows if arrow.label]
    if len(set(labels)) < len(labels):
        return [Arrow(arrow.to) for arrow in box.arrows]
    if _ROUNDS.match(box.words):
        words = {"yes": "each", "no": "then"}
        return [Arrow(arrow.to, words.get(arrow.label, arrow.label)) for arrow in box.arrows]
    return box.arrows


def head(span: Span) -> str:
    """The first line of a statement, without its sources."""
    line = span.text.partition("\n")[0]
    return re.split(r"\s(?:cites|assume)\s", line)[0].rstrip().removesuffix(":").rstrip()
