"""What happens in a play, as events: the log from which every view is made (views.py).

Who sees what is settled when it happens: `shown[q]` are the pieces in an answer that seat q knows, because it saw them
when they were chosen, or a move up to the next node showed them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from seaspec.backends.interpreter.chance import Outcome
from seaspec.backends.interpreter.choices import Choice

if TYPE_CHECKING:
    from seaspec.backends.interpreter.state import State

Shown = tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """Pieces went from one instance of a place to another (`origin`, `target`: slots).

    `seen_leaving`: the seats that saw which pieces these were as they left (nobody at a blind draw);
    `seen_coming`: those that see them where they came.
    """

    pieces: tuple[int, ...]
    origin: int
    target: int
    seen_leaving: frozenset[int]
    seen_coming: frozenset[int]

    def shown_to(self, seat: int) -> bool:
        """Whether a player saw which pieces these are."""
        return seat in self.seen_leaving or seat in self.seen_coming


@dataclass(frozen=True, slots=True)
class Answered:
    """A player chose. `hidden`: nobody else sees the answer; `unnoticed`: nor that there was one."""

    player: int
    choice: Choice
    block: int
    hidden: bool
    unnoticed: bool
    shown: Shown


@dataclass(frozen=True, slots=True)
class Happened:
    """A throw, or a choice of chance (a draw is a `Moved`). `seer`: the seat that alone sees what came."""

    outcome: Outcome
    block: int
    shown: Shown
    seer: int | None = None

    def seen_by(self, seat: int) -> bool:
        """Whether a player sees what came."""
        return self.seer is None or self.seer == seat


@dataclass(frozen=True, slots=True)
class Said:
    """A text, to these seats."""

    text: str
    audience: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """What lies in a place was shown to these seats."""

    slot: int
    pieces: tuple[int, ...]
    audience: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Veiled:
    """From here on the part of `player`, seen by nobody else until `Unveiled`; `before`: the table as all see it."""

    player: int | None
    before: State | None


@dataclass(frozen=True, slots=True)
class Unveiled:
    pass


@dataclass(frozen=True, slots=True)
class Out:
    """A player dropped out."""

    player: int


Event = Moved | Answered | Happened | Said | ShownPlace | Veiled | Unveiled | Out
