"""The card of a house rule, as plain numbers: what random plays show without it and with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, and the interval in which it lies with a probability of 95 %, if there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    def differs(self, other: Measured) -> bool:
        """Whether the intervals are apart; without them nobody knows."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return False
        return self.high < other.low or other.high < self.low


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a card. `is_share`: of plays; else a plain number."""

    what: str
    before: Measured
    after: Measured
    is_share: bool

    @property
    def differs(self) -> bool:
        return self.before.differs(self.after)

    @property
    def is_news(self) -> bool:
        """Whether it differs, as far as one can tell."""
        return self.differs or (self.before.low is None and self.before.value != self.after.value)


@dataclass(frozen=True, slots=True)
class Card:
    """`plays`: of each; `is_same`: nothing was counted otherwise."""

    plays: int
    is_same: bool
    rows: tuple[Row, ...]

    def foremost(self, number: int) -> tuple[Row, ...]:
        """So many rows, in their order: those that are news before those that are not."""
        kept = sorted(self.rows, key=lambda row: not row.is_news)[:number]
        return tuple(row for row in self.rows if row in kept)


def number_text(row: Row, number: Measured) -> str:
    """A number of a row, with half its interval."""
    half = 0.0 if number.low is None or number.high is None else (number.high - number.low) / 2
    if row.is_share:
        return f"{number.value:.1%}" + (f" ±{half:.1%}" if half else "")
    if number.low is None and not number.value:
        return "never"
    places = 0 if number.value >= 100 else 1 if number.value >= 10 else 2
    return f"{number.value:.{places}f}" + (f" ±{half:.{places}f}" if round(half, places) else "")
