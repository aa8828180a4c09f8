"""What comes out of a proof: whether a promise is proved, what the proof uses, and its steps, to be asked again."""

from __future__ import annotations

from dataclasses import dataclass

from seaspec.backends.symbolic.logic.smtlib import Script

FROM_A_POSITION = "from a position that no play may reach"
"""Said of a proof that fails, before the position."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What came out for a promise. `why`: where it failed, if it is not proved, and from which position."""

    name: str
    proved: bool
    why: str = ""
    rests_on: tuple[str, ...] = ()
    """Promises and guards that the proof uses, if it is proved."""
    said: str = "for all positions"
    """What is proved, if it is proved."""
    over: int = 1
    """So many steps in a row its induction looks at, where one is not enough."""
    empty: str = ""
    """Why the promise says nothing, if it is proved, and shown to say nothing (see `vacuity.py`)."""

    @property
    def has_position(self) -> bool:
        """Whether it is known from which position a proof fails; else the solver may only have had too little time."""
        return FROM_A_POSITION in self.why


@dataclass(frozen=True, slots=True)
class Step:
    """A step of proofs: its goal follows. `of`: the promise that it shows at last; None: a step of the induction, on
    which all promises but lemmas rest."""

    script: Script
    of: str | None
