"""The graph of all positions of a game: what can be reached from where, and the longest way."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Longest:
    """A heaviest way. `weight` None: the way leads to a round that can be gone for ever, and grows."""

    weight: int | None
    way: list[int]
    round: list[int]


class Graph:
    """Positions by number, and the steps between them in the order in which they were found.

    >>> graph = Graph()
    >>> for source, target in [(0, 1), (0, 2), (1, 2)]:
    ...     graph.join(source, target)
    >>> graph.longest(3)
    Longest(weight=2, way=[0, 2], round=[])
    >>> list(graph.leading_to([0, 1, 0]))
    [1, 1, 0]
    """

    def __init__(self) -> None:
        self._sources = array("I")
        self._targets = array("I")

    def join(self, source: int, target: int) -> None:
        """There is a step from one position to another."""
        self._sources.append(source)
        self._targets.append(target)

    def leading_to(self, goals: Sequence[int]) -> bytearray:
        """For each position whether one of the goals can be reached from it; a goal is reached from itself."""
        found = bytearray(map(bool, goals))
        into = _Grouped(self._targets, len(found))
        todo = [number for number in range(len(found)) if found[number]]
        while todo:
            for step in into.of(todo.pop()):
                source = self._sources[step]
                if not found[source]:
                    found[source] = 1
                    todo.append(source)
        return found

    def way_to(self, start: int, goals: Sequence[int]) -> list[int]:
        """The steps of a shortest way from a position to one of the goals; there must be one."""
        out = _Grouped(self._sources, len(goals))
        came: dict[int, int | None] = {start: None}
        todo = deque([start])
        while not goals[todo[0]]:
            for step in out.of(todo.popleft()):
                target = self._targets[step]
                if target not in came:
                    came[target] = step
                    todo.append(target)
        return self._back(came, todo[0])

    def longest(self, size: int, weights: Sequence[int] | None = None) -> Longest:
        """The heaviest way from position 0, each step weighing 1 if nothing else is said."""
        component, count = self._components(size)
        out = _Grouped(self._sources, size)
        best = [0] * count
        onward: list[int | None] = [None] * count
        """The step by which the heaviest way leaves a component, if it does."""
        members: list[list[int]] = [[] for _ in range(count)]
        for number, owner in enumerate(component):
            members[owner].append(number)
        for owner in range(count):  # a component comes after all that can be reached from it
            for number in members[owner]:
                for step in out.of(number):
                    weight = 1 if weights is None else weights[step]
                    target = component[self._targets[step]]
                    if target == owner:
                        if weight:
                            back = self._way(out, component, self._targets[step], number)
                            return Longest(None, self._way(out, None, 0, number), [step, *back])
                    elif best[target] + weight > best[owner]:
                        best[owner] = best[target] + weight
                        onward[owner] = step
        way: list[int] = []
        here = 0
        while (leaving := onward[component[here]]) is not None:
            way += [*self._way(out, component, here, self._sources[leaving]), leaving]
            here = self._targets[leaving]
        return Longest(best[component[0]], way, [])

    def ends(self, step: int) -> tuple[int, int]:
        """From where to where a step leads."""
        return self._sources[step], self._targets[step]

    def _way(self, out: _Grouped, component: Sequence[int] | None, start: int, goal: int) -> list[int]:
        """The steps of a shortest way; if components are given, inside of one."""
        came: dict[int, int | None] = {start: None}
        layer = [start]
        while goal not in came:
            reached = []
            for number in layer:
                for step in out.of(number):
                    target = self._targets[step]
                    inside = component is None or component[target] == component[start]
                    if inside and target not in came:
                        came[target] = step
                        reached.append(target)
            layer = reached
        return self._back(came, goal)

    def _back(self, came: Mapping[int, int | None], goal: int) -> list[int]:
        way: list[int] = []
        while (step_here := came[goal]) is not None:
            way.append(step_here)
            goal = self._sources[step_here]
        return way[::-1]

    def _components(self, size: int) -> tuple[array[int], int]:
        """The strongly connected component of each position, numbered so that steps lead to lower numbers (Tarjan)."""
        out = _Grouped(self._sources, size)
        component = array("i", [-1]) * size
        low, order = array("i", [0]) * size, array("i", [-1]) * size
        begun = count = 0
        stack: list[int] = []
        for root in range(size):
            if order[root] >= 0:
                continue
            order[root] = low[root] = begun
            begun += 1
            stack.append(root)
            work = [(root, iter(out.of(root)))]
            while work:
                number, steps = work[-1]
                for step in steps:
                    target = self._targets[step]
                    if order[target] < 0:
                        order[target] = low[target] = begun
                        begun += 1
                        stack.append(target)
                        work.append((target, iter(out.of(target))))
                        break
                    if component[target] < 0:
                        low[number] = min(low[number], order[target])
                else:
                    work.pop()
                    if work:
                        above = work[-1][0]
                        low[above] = min(low[above], low[number])
                    if low[number] == order[number]:
                        while True:
                            member = stack.pop()
                            component[member] = count
                            if member == number:
                                break
                        count += 1
        return component, count


class _Grouped:
    """The numbers of steps by one of their two ends."""

    def __init__(self, ends: array[int], size: int) -> None:
        first = array("I", [0]) * (size + 1)
        for end in ends:
            first[end + 1] += 1
        for number in range(size):
            first[number + 1] += first[number]
        self._first = first
        self._steps = array("I", [0]) * len(ends)
        place = array("I", first)
        for step, end in enumerate(ends):
            self._steps[place[end]] = step
            place[end] += 1

    def of(self, end: int) -> array[int]:
        return self._steps[self._first[end] : self._first[end + 1]]
