"""What all commands print with: colour, tables, JSON, diagnostics; and the one exception for what a user got wrong.

Results go to stdout, everything else to stderr. Colour is used on a terminal only, and never if NO_COLOR is set. With
`--json` stdout holds JSON and nothing else, errors too: {"error": .., "diagnostics": [..]}.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from seaspec.diagnostics.model import Diagnostic

BOLD, DIM, RED, GREEN, YELLOW, BLUE, CYAN = "1", "2", "31", "32", "33", "34", "36"


class Fault(Exception):
    """What the user asked for can not be done; the message says why, `hint` what to do instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def has_colour(stream: TextIO | None = None) -> bool:
    """Whether to colour what goes to a stream (stdout)."""
    stream = sys.stdout if stream is None else stream
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and is_terminal(stream)


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at a stream."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def redraws(stream: TextIO) -> bool:
    """Whether a person looks at a stream on a terminal where a line can be written anew."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def write_anew(line: str = "") -> None:
    """A line in place of the last one, on stderr, no wider than the terminal."""
    columns = shutil.get_terminal_size((100, 40)).columns
    print(f"\r{line[: max(1, columns - 1)]}\x1b[K", end="", file=sys.stderr, flush=True)


def paint(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """A text in these styles, where there is colour."""
    if not text or not has_colour(stream):
        return text
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m"


def clear_screen() -> None:
    """Wipe the terminal, what has been scrolled away too; elsewhere nothing."""
    if redraws(sys.stdout):
        print("\x1b[2J\x1b[3J\x1b[H", end="", flush=True)


def screen_width() -> int:
    """The columns of the terminal, or what COLUMNS says; 100 where there is neither."""
    if not is_terminal(sys.stdout) and not os.environ.get("COLUMNS"):
        return 100
    return max(40, min(160, shutil.get_terminal_size((100, 40)).columns))


def print_json(value: Any) -> None:
    """A value as JSON, indented."""
    print(json_text(value))


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def print_json_line(value: Any) -> None:
    """A value as JSON on one line, sent at once."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics, on stderr."""
    found = list(diagnostics)
    if found:
        from seaspec.diagnostics.render import render

        print(render(found, colour=has_colour(sys.stderr)), file=sys.stderr)


def print_error(message: str, hint: str | None = None) -> None:
    """An error, on stderr."""
    name = paint("error:", BOLD, RED, stream=sys.stderr)
    print(f"{name} {message}", file=sys.stderr)
    if hint:
        print(f"  {paint('hint:', CYAN, stream=sys.stderr)} {hint}", file=sys.stderr)


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Rows of cells as lines with straight columns; the columns in `right` end in line.

    >>> aligned([("a", "1"), ("bcd", "20")], right=[1])
    ['  a     1', '  bcd  20']
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def in_columns(items: Sequence[str], width: int, indent: str = "  ") -> list[str]:
    """Items side by side, reading down each column, as many columns as fit.

    >>> in_columns(["a", "b", "c"], 8)
    ['  a  c', '  b']
    """
    widest = max(map(len, items), default=1)
    columns = max(1, (width - len(indent) + 2) // (widest + 2))
    rows = -(-len(items) // columns)
    lines = []
    for row in range(rows):
        cells = [item.ljust(widest) for item in items[row::rows]]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def wrapped(text: str, indent: str = "", width: int | None = None) -> str:
    """A paragraph, every line indented."""
    return textwrap.fill(
        text, width or screen_width(), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


FIRST_STEPS, LAST_STEPS = 10, 20
"""Of a play that is told, if it is longer, the rest is left out."""


def step_lines(steps: Sequence[str]) -> list[str]:
    """The steps of a play, numbered.

    >>> step_lines(["Ann takes 2", "Ben takes 1"])
    ['    1. Ann takes 2', '    2. Ben takes 1']
    """
    found = []
    for number, line in enumerate(steps, 1):
        if FIRST_STEPS < number <= len(steps) - LAST_STEPS:
            if number == FIRST_STEPS + 1:
                found.append(f"    ... {len(steps) - FIRST_STEPS - LAST_STEPS} steps")
            continue
        found.append(f"  {number:>3}. {line}")
    return found
