"""What plays show of the seats: wins by order of turns, scores. As data for JSON, and as lines of text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from seaspec.cli.output import BOLD, aligned, paint
from seaspec.cli.simulating.histogram import histogram
from seaspec.game import Game
from seaspec.sampling.statistics import Scored, Statistics, fixed_order, ordinal, places, share_of, spread_of

BARS, WIDE = 8, 30
"""Of the histogram of scores."""


def share_data(part: int, whole: int) -> dict[str, Any]:
    share = share_of(part, whole)
    return {"share": share.share, "interval": [share.low, share.high]}


def spread_data(counts: Counter[int]) -> dict[str, Any]:
    """How numbers are spread; nothing if there are none."""
    spread = spread_of(counts)
    if spread is None:
        return {}
    return {
        "mean": spread.mean,
        "interval": None if spread.half is None else [spread.mean - spread.half, spread.mean + spread.half],
        "sd": spread.sd,
        "least": spread.least,
        "most": spread.most,
        "quantiles": {str(q): value for q, value in spread.quantiles.items()},
    }


def percent(found: dict[str, Any]) -> str:
    """A share with its interval, as exactly as it is known.

    >>> percent({"share": 0.5, "interval": [0.499, 0.501]})
    '50.00% (49.90%..50.10%)'
    """
    low, high = found["interval"]
    digits = min(4, max(0, 1 - math.floor(math.log10(100 * (high - low)))))
    return f"{found['share']:.{max(1, digits)}%} ({low:.{digits}%}..{high:.{digits}%})"


def _name(place: int | None) -> str:
    return ordinal(place) if place else "not asked"


# --------------------------------------------------------------------------------------------------------------- turns


def turns_data(game: Game, found: Statistics) -> dict[str, Any]:
    """Wins by order of turns: `order`, if it is the same in all plays; for each place in it, how many of those who had
    it have won, and how many of each seat."""
    order = fixed_order(game, found)
    return {
        "order": None if order is None else [game.players[seat] for seat in order],
        "places": [
            {
                "place": place or None,
                **_won(found, lambda seat, at, place=place: at == place),  # type: ignore[misc]
                "seats": {
                    name: _won(found, lambda seat, at, place=place, own=own: (seat, at) == (own, place))  # type: ignore[misc]
                    for own, name in enumerate(game.players)
                    if found.turns[own, place]
                },
            }
            for place in places(found)
        ],
    }


def _won(found: Statistics, counts: Callable[[int, int], bool]) -> dict[str, Any]:
    plays, wins = (sum(n for turn, n in by.items() if counts(*turn)) for by in (found.turns, found.won))
    return {"plays": plays, "wins": wins, **share_data(wins, plays)}


def turns_lines(turns: dict[str, Any], is_verbose: bool) -> Iterator[str]:
    """Who is first, if it is always the same; else the wins by order of turns."""
    if turns["order"] is not None:
        if len(turns["order"]) > 1:
            yield f"  order of turns: {', '.join(turns['order'])}"
        return
    yield ""
    yield paint("wins by order of turns", BOLD)
    rows = []
    for found in turns["places"]:
        name = _name(found["place"])
        rows.append((name, percent(found), str(found["wins"]), f"of {found['plays']}"))
        for seat, own in found["seats"].items() if is_verbose else ():
            rows.append((f"  {name}, {seat}", percent(own), str(own["wins"]), f"of {own['plays']}"))
    yield from aligned(rows, right=[1, 2, 3])


# -------------------------------------------------------------------------------------------------------------- scores


def scores_data(game: Game, found: Statistics) -> dict[str, Any]:
    """The scores by seat, and by order of turns: a list each, first what counts first, then what breaks ties."""
    numbers = range(_how_many(found))
    return {
        "seats": {
            name: [_scored(found, lambda s, n=n, own=own: (s[0], s[2]) == (own, n)) for n in numbers]  # type: ignore[misc]
            for own, name in enumerate(game.players)
        }
        if numbers
        else {},
        "places": [
            {
                "place": place or None,
                "scores": [_scored(found, lambda s, n=n, place=place: s[1:3] == (place, n)) for n in numbers],  # type: ignore[misc]
            }
            for place in places(found)
        ]
        if numbers
        else [],
    }


def _how_many(found: Statistics) -> int:
    """How many numbers a score has."""
    return 1 + max((number for _, _, number, _ in found.scores), default=-1)


def _scored(found: Statistics, counts: Callable[[Scored], bool]) -> dict[str, Any]:
    values = _values(found, counts)
    return {"plays": values.total(), **spread_data(values)}


def _values(found: Statistics, counts: Callable[[Scored], bool]) -> Counter[int]:
    values: Counter[int] = Counter()
    for scored, number in found.scores.items():
        if counts(scored):
            values[scored[3]] += number
    return values


def scores_lines(game: Game, found: Statistics, is_verbose: bool) -> Iterator[str]:
    """A table of the scores that count first, and how they are spread; with `is_verbose` those that break ties, too."""
    data = scores_data(game, found)
    for number in range(_how_many(found) if is_verbose else min(1, _how_many(found))):
        yield ""
        yield paint("scores" if not number else f"scores, tie {number}", BOLD)
        rows = [(name, *_score_cells(own[number])) for name, own in data["seats"].items()]
        if fixed_order(game, found) is None:
            rows += [(_name(place["place"]), *_score_cells(place["scores"][number])) for place in data["places"]]
        yield from aligned([("", "mean", "", "least", "most"), *rows], right=[1, 3, 4])
        values = _values(found, lambda scored, number=number: scored[2] == number)  # type: ignore[misc]
        yield from ("  " + line for line in histogram(values, BARS, WIDE))


def _score_cells(own: dict[str, Any]) -> tuple[str, str, str, str]:
    if not own["plays"]:
        return "-", "", "", ""
    within = "" if own["interval"] is None else f"({own['interval'][0]:.5g}..{own['interval'][1]:.5g})"
    return f"{own['mean']:.5g}", within, str(own["least"]), str(own["most"])
