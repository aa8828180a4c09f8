"""How numbers are spread, as bars of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


def histogram(numbers: Iterable[int] | Mapping[int, int], bars: int = 16, width: int = 40) -> list[str]:
    """Lines with a range of numbers, a bar and how many there are; equally wide ranges, at most so many of them. The
    numbers are listed, or already counted.

    >>> print("\\n".join(histogram([1, 1, 2, 4], width=4)))
    1 | ####  2
    2 | ##    1
    3 |       0
    4 | ##    1
    """
    counted = Counter(numbers)
    if not counted:
        return []
    low, high = min(counted), max(counted)
    step = round_step(-(-(high - low + 1) // bars))
    first = low if step == 1 else low - low % step
    counts: Counter[int] = Counter()
    for number, count in counted.items():
        counts[(number - first) // step] += count
    most = max(counts.values())
    names = [range_name(first + index * step, step) for index in range((high - first) // step + 1)]
    margin = max(map(len, names))
    wide = len(str(most))
    lines = []
    for index, name in enumerate(names):
        number = counts[index]
        filled = -(-number * width // most)
        lines.append(f"{name:>{margin}} | {'#' * filled:<{width}}  {number:>{wide}}")
    return lines


def round_step(least: int) -> int:
    """The first of 1, 2, 5, 10, 20, 50, .. that is large enough.

    >>> [round_step(n) for n in (1, 3, 6, 11, 51)]
    [1, 5, 10, 20, 100]
    """
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= least:
                return digit * power
        power *= 10


def range_name(first: int, step: int) -> str:
    return str(first) if step == 1 else f"{first}..{first + step - 1}"
