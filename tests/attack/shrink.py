"""The smallest text of which the same wrong thing is said: lines, then parts of lines, are left out while it stays.

A line goes with all that is indented below it. Of what stands in brackets a part is taken for the whole, or a plain
value. What comes out is a text that can be dropped into tests/cases/proofs/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from time import monotonic

from attack.judge import PROMISE, Wrong, chunks, compiled, is_kept, judged, known
from attack.workers import survived

TAILS = re.compile(r' "[^"]*"$| until end of turn| hidden| unless .*| where [^:{}]*(?=[:}])| tie by .*')
PLAIN = ("1", "0", "yes", "no", "2", "Ann", "{}")


def smallest(wrong: Wrong, seconds: float = 60.0) -> str:
    """The smallest text that is found in this time."""
    end = monotonic() + seconds
    text = _alone(wrong)

    def still(candidate: str) -> bool:
        if monotonic() > end:
            return False
        if wrong.kind == "death":
            return survived(lambda: is_as_wrong(candidate, wrong)) is None
        return is_as_wrong(candidate, wrong)

    if not still(text):
        text = wrong.text
        if not still(text):
            return wrong.text
    before = ""
    while before != text and monotonic() < end:
        before = text
        text = _fewer_lines(text, still)
        text = _shorter_lines(text, still)
    return text


def is_as_wrong(text: str, wrong: Wrong) -> bool:
    """Whether the same is said of a text, and is as wrong."""
    game = compiled(text)
    if game is None:
        return False
    try:
        so = known(game, 1500)
    except Exception:
        return wrong.level == "truth"
    if wrong.level == "truth":
        return False
    for one in judged(text, game, so, wrong.seed, [wrong.level], 4.0):
        if one.kind == wrong.kind and _plain(one.how) == _plain(wrong.how):
            return wrong.so[:4] != "true" or so.complete
    return False


def _plain(how: str) -> str:
    """What is said, without its numbers."""
    return re.sub(r"[^a-z ]+", "", how.split("(")[0].lower())[:16]


def marked(wrong: Wrong, text: str) -> str:
    """The text as a case: each promise with what is so, and a line that says what was wrong."""
    game = None if wrong.kind == "death" else compiled(text)
    words = f"{wrong.kind}: {wrong.level} says {wrong.how}, and it is {wrong.so}"
    lines = [f"-- {words}", *text.rstrip("\n").split("\n")]
    if game is not None:
        so = known(game, 1500)
        for promise in game.rules.promises:
            kept = is_kept(game, promise, so)
            name = promise.name
            for number, line in enumerate(lines):
                starts = re.match(rf"(myth )?{re.escape(name)}\b|(myth )?\w+ {re.escape(name)}\b", line)
                if starts and "###" not in line and kept is not None:
                    lines[number] = f"{line}  ### {'true' if kept else 'false'}"
    return "\n".join(lines) + "\n"


def _alone(wrong: Wrong) -> str:
    """The text with no other promise."""
    if not wrong.promise:
        return wrong.text
    kept = [c for c in chunks(wrong.text) if not PROMISE.match(c) or c.split("\n")[0] == wrong.promise]
    return "\n".join(kept) + "\n"


def _fewer_lines(text: str, still: Callable[[str], bool]) -> str:
    lines = text.rstrip("\n").split("\n")
    number = len(lines) - 1
    while number > 0:
        number = min(number, len(lines) - 1)
        end = number + 1
        while end < len(lines) and _depth(lines[end]) > _depth(lines[number]):
            end += 1
        for candidate in _without(lines, number, end):
            if still("\n".join(candidate) + "\n"):
                lines = candidate
                break
        number -= 1
    return "\n".join(lines) + "\n"


def _without(lines: list[str], start: int, end: int) -> Iterator[list[str]]:
    """Without a line and what is below it; with what is below it in its place; with `nothing`."""
    yield lines[:start] + lines[end:]
    if end > start + 1:
        inner = [line[2:] for line in lines[start + 1 : end]]
        yield lines[:start] + inner + lines[end:]
    if _depth(lines[start]) > 0 and lines[start].strip() != "nothing":
        yield [*lines[:start], " " * _depth(lines[start]) + "nothing", *lines[end:]]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _shorter_lines(text: str, still: Callable[[str], bool]) -> str:
    """Parts of lines for the whole."""
    lines = text.rstrip("\n").split("\n")
    for number in range(1, len(lines)):
        tried: set[str] = set()
        again = True
        while again:
            again = False
            for line in _simpler(lines[number]):
                if line in tried:
                    continue
                tried.add(line)
                if still("\n".join([*lines[:number], line, *lines[number + 1 :]]) + "\n"):
                    lines[number] = line
                    again = True
                    break
    return "\n".join(lines) + "\n"


def _simpler(line: str) -> Iterator[str]:
    """A line with something in brackets made simpler, or a few words left out."""
    for match in TAILS.finditer(line):
        yield line[: match.start()] + (" open" if match[0] == " hidden" else "") + line[match.end() :]
    for start, end in _groups(line):
        inner = line[start + 1 : end - 1]
        yield line[:start] + inner + line[end:]
        for part in _parts(inner):
            yield line[:start] + part + line[end:]
        for plain in PLAIN:
            if line[start:end] != plain and len(plain) < end - start:
                yield line[:start] + plain + line[end:]
    for match in re.finditer(r"\b([a-z_]+\d+) (?:or|and|,) | (?:or|and) ([a-z_]+\d+)\b| times \d+", line):
        yield line[: match.start()] + line[match.end() :]


def _groups(line: str) -> list[tuple[int, int]]:
    """What stands in brackets, from the outside in."""
    stack, found = [], []
    for place, sign in enumerate(line):
        if sign in "({[":
            stack.append(place)
        elif sign in ")}]" and stack:
            found.append((stack.pop(), place + 1))
    return sorted(found)


def _parts(inner: str) -> list[str]:
    """What stands in a bracket, by its words and brackets."""
    found, depth, start = [], 0, 0
    for place, sign in enumerate(inner + " "):
        depth += (sign in "({[") - (sign in ")}]")
        if sign == " " and depth == 0:
            found.append(inner[start:place])
            start = place + 1
    return [part for part in found if (part and part[0] in "({[") or part.replace("_", "").replace(".", "").isalnum()]
