"""The one traversal of the core: what stands inside a node, derived from the fields of its dataclass.

And the one worklist.

A node is any dataclass of core/ir.py or core/flow.py except `Variable` (a name) and what types.py defines. `Source`
and its sentence are nodes, too, so `walk` of a procedure visits the expressions in its sentences.

Because a variable is bound once, `free_variables` needs no scopes: what is used and not bound inside is free.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, get_args

from seaspec.core import types
from seaspec.core.ir import Const, Expr, Local, Source, Variable
from seaspec.source import SourceFile, Span

Node = Any
"""A dataclass of the core; `Any`, because the closed unions of ir.py overlap."""
T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

_LEAVES = (Variable, Span, SourceFile)


def children(node: Node) -> Iterator[Node]:
    """The nodes that stand directly in the fields of a node, in the order they are written.

    >>> from seaspec.core.ir import Apply
    >>> from seaspec.core.ops import Op
    >>> one = Const(types.Int(1, 1), 1)
    >>> list(children(Apply(types.Int(2, 2), Op.ADD, (one, one)))) == [one, one]
    True
    """
    for name in _node_fields(type(node)):
        yield from _nodes_in(getattr(node, name))


def walk(node: Node) -> Iterator[Node]:
    """A node and everything in it, from the outside in, in the order it is written."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(list(children(here))))


def expressions(node: Node) -> Iterator[Expr]:
    """The expressions among a node and everything in it; so that a match over them can name them all."""
    return (inner for inner in walk(node) if type(inner) in _EXPRESSIONS)


def rewrite(node: T, change: Callable[[Node], Node]) -> T:
    """The node with every node in it changed, from the inside out; what does not change is the same object."""
    changed = {}
    for name in _node_fields(type(node)):
        old = getattr(node, name)
        new = _rewrite_value(old, change)
        if new is not old:
            changed[name] = new
    result = replace(node, **changed) if changed else node  # type: ignore[type-var]
    return change(result)  # type: ignore[no-any-return]


def variables_bound(node: Node) -> Iterator[Variable]:
    """The variables that this very node binds (or declares)."""
    for name in _fields(type(node)):
        yield from _variables_in(getattr(node, name))


def free_variables(*nodes: Node) -> tuple[Variable, ...]:
    """The variables used in the nodes and bound in none of them, in order of their first use."""
    used: dict[Variable, None] = {}
    bound: set[Variable] = set()
    for node in nodes:
        for inner in walk(node):
            if isinstance(inner, Local):
                used[inner.variable] = None
            else:
                bound.update(variables_bound(inner))
    return tuple(variable for variable in used if variable not in bound)


def substitute(expr: Expr, values: dict[Variable, Expr]) -> Expr:
    """The expression with variables replaced by expressions."""

    def change(node: Node) -> Node:
        return values.get(node.variable, node) if isinstance(node, Local) else node

    return rewrite(expr, change)


def _rewrite_value(value: Any, change: Callable[[Node], Node]) -> Any:
    if isinstance(value, tuple):
        parts = [_rewrite_value(part, change) for part in value]
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else tuple(parts)
    if isinstance(value, dict):
        entries = {key: _rewrite_value(part, change) for key, part in value.items()}
        return value if all(entries[key] is value[key] for key in entries) else entries
    return rewrite(value, change) if is_node(value) else value


def _nodes_in(value: Any) -> Iterator[Node]:
    if isinstance(value, tuple):
        for part in value:
            yield from _nodes_in(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _nodes_in(part)
    elif is_node(value):
        yield value


def _variables_in(value: Any) -> Iterator[Variable]:
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _variables_in(part)


def is_node(value: Any) -> bool:
    """Whether a value is a node of the core (not a name, a type or a place in a text)."""
    cls = type(value)
    if cls not in _IS_NODE:
        is_one = is_dataclass(cls) and not issubclass(cls, _LEAVES) and cls.__module__ != types.__name__
        _IS_NODE[cls] = is_one
    return _IS_NODE[cls]


def _fields(cls: type) -> tuple[str, ...]:
    if cls not in _FIELDS:
        _FIELDS[cls] = tuple(f.name for f in fields(cls))
    return _FIELDS[cls]


def _node_fields(cls: type) -> tuple[str, ...]:
    """The fields that can hold nodes: for speed, those that never can are left out."""
    if cls not in _NODE_FIELDS:
        skipped = {"type", "span", "cites", "assumes"} | (set() if cls is Source else {"name"})
        _NODE_FIELDS[cls] = () if cls is Const else tuple(name for name in _fields(cls) if name not in skipped)
    return _NODE_FIELDS[cls]


_IS_NODE: dict[type, bool] = {}
_FIELDS: dict[type, tuple[str, ...]] = {}
_NODE_FIELDS: dict[type, tuple[str, ...]] = {}
_EXPRESSIONS = frozenset(get_args(Expr))


def closure(start: Iterable[H], onward: Callable[[H], Iterable[H]]) -> dict[H, None]:
    """The start and all that it leads to, each once: a thing, then what its first step leads to, and so on (depth
    first).

    >>> list(closure([8], lambda n: [n // 2, n - 6] if n > 1 else []))
    [8, 4, 2, 1, -4, -2]
    """
    found: dict[H, None] = {}
    waiting = list(start)[::-1]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found[here] = None
            waiting += list(onward(here))[::-1]
    return found
