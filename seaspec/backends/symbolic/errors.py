"""What the symbolic back end can not do."""

from __future__ import annotations

from seaspec.core.ir import Source


class Unsupported(Exception):
    """A construct that has no encoding here; a promise that needs it is decided in other ways.

    >>> str(Unsupported("the order of a pile"))
    'the order of a pile'
    """

    def __init__(self, what: str, where: Source | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where


class Uneven(Exception):
    """Seats are not alike where it was supposed that they are."""


class TooMany(Unsupported):
    """More ways, or longer ones, than can be followed."""
