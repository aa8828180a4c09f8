"""Going through a syntax tree: the one walker of syntax/, derived from the fields of the nodes.

`children` gives the nodes just below a node, `walk` all of them in written order, `rewrite` a changed copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

from seaspec.syntax import tree

AnyNode = TypeVar("AnyNode", bound=tree.Node)


def children(node: tree.Node) -> Iterator[tree.Node]:
    """The nodes just below this one, in the order of its fields."""
    for name in _fields(node):
        yield from _nodes(getattr(node, name))


def walk(*roots: tree.Node) -> Iterator[tree.Node]:
    """These nodes and all below them, each before what is below it."""
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(tuple(children(node))))


def rewrite(node: AnyNode, change: Callable[[tree.Node], tree.Node]) -> AnyNode:
    """A copy in which every node has become `change(node)`, from the leaves up; `change` keeps the kind of the root.

    What does not change is the same object as before.
    """
    changed: dict[str, Any] = {}
    for name in _fields(node):
        old = getattr(node, name)
        new = _rewritten(old, change)
        if new is not old:
            changed[name] = new
    return change(replace(node, **changed) if changed else node)  # type: ignore[return-value]


def _fields(node: tree.Node) -> tuple[str, ...]:
    kind: Any = type(node)
    return _fields_of(kind)


@cache
def _fields_of(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "span")


def _nodes(value: object) -> Iterator[tree.Node]:
    if isinstance(value, tree.Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def _rewritten(value: object, change: Callable[[tree.Node], tree.Node]) -> object:
    if isinstance(value, tree.Node):
        return rewrite(value, change)
    if isinstance(value, tuple):
        items = tuple(_rewritten(item, change) for item in value)
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value
