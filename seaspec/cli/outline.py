"""Trees of dataclasses, whatever they are, as indented lines or as plain data for JSON.

    >>> from seaspec.core.types import Int, Optional
    >>> print("\\n".join(lines_of(Optional(Int(1, 3)))))
    Optional
      of: Int low=1 high=3

Spans become lines of the file in JSON and are left out of the lines; in JSON a `Variable` has its name and a number
that tells it from others of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from seaspec.core.ir import Variable
from seaspec.source import SourceFile, Span

_WIDEST = 60


def lines_of(node: Any) -> Iterator[str]:
    """A tree as lines."""
    yield from _lines("", node, 0)


def _lines(label: str, value: Any, depth: int) -> Iterator[str]:
    head = "  " * depth + (f"{label}: " if label else "")
    short = _short(value)
    if short is not None:
        yield head + short
    elif isinstance(value, tuple | list):
        yield head.rstrip()
        for item in value:
            yield from _lines("", item, depth + 1)
    elif isinstance(value, dict):
        yield head.rstrip()
        for key, item in value.items():
            yield from _lines(str(key), item, depth + 1)
    else:
        inline, below = [], []
        for name, part in _parts(value):
            text = _short(part)
            if text is not None and len(text) <= _WIDEST and not is_dataclass(part):
                inline.append(f"{name}={text}")
            else:
                below.append((name, part))
        yield " ".join([head + type(value).__name__, *inline])
        for name, part in below:
            yield from _lines(name, part, depth + 1)


def _parts(node: Any) -> Iterator[tuple[str, Any]]:
    """The fields that say something."""
    for field in fields(node):
        value = getattr(node, field.name)
        if not isinstance(value, Span | SourceFile) and value is not None and value is not False and value != ():
            yield field.name, value


def _short(value: Any) -> str | None:
    """The text of a value without parts."""
    match value:
        case Enum():
            return value.name.lower()
        case bool():
            return "yes" if value else "no"
        case str():
            return repr(value)
        case int() | Fraction() | None:
            return str(value)
        case Variable():
            return value.name
        case tuple() if all(isinstance(item, str | int) for item in value):
            return "(" + ", ".join(str(item) for item in value) + ")"
    if is_dataclass(value) and not list(_parts(value)):
        return type(value).__name__
    return None


def data_of(node: Any) -> Any:
    """A tree as dicts and lists: `{"node": "Int", "low": 1, "high": 3}`."""
    numbers: dict[int, int] = {}

    def data(value: Any) -> Any:
        match value:
            case Enum():
                return value.name.lower()
            case bool() | str() | int() | float() | None:
                return value
            case Span():
                return str(value)
            case SourceFile():
                return value.name
            case Variable():
                number = numbers.setdefault(id(value), len(numbers) + 1)
                return {"node": "Variable", "name": value.name, "number": number}
            case tuple() | list():
                return [data(item) for item in value]
            case dict():
                return {str(key): data(item) for key, item in value.items()}
        if is_dataclass(value):
            return {"node": type(value).__name__, **{f.name: data(getattr(value, f.name)) for f in fields(value)}}
        return str(value)

    return data(node)
