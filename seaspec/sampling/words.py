"""What whoever tells of plays must know, and nothing that only who plays needs: a kept result is told by this alone."""

from __future__ import annotations

MOST_ANSWERS = 20_000
"""A play that is longer is cut off, and said to be unfinished."""
ENDLESS = "plays can go on for ever"
"""How it is told that a play can come back to where it was."""
LONGER = "a play can be longer"
"""How it is told that it goes on beyond what is promised."""
