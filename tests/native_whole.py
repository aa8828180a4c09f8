"""What stands twice in a native state, the pieces of a place and for each piece its place, must say the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from seaspec.backends.native.machine import Machine
from seaspec.backends.native.values.decode import Contents, number, numbers
from seaspec.backends.native.values.layout import Kind, PlaceField

REMEMBERED = 256
"""So many findings about each place are kept: from one position to the next most places stay as they are."""
MANY_INSTANCES = 4096

Says = Callable[[bytes, tuple[int, ...], bytes], bool]
"""Whether an instance, given its bytes and those of `order`, says that these pieces lie there."""


class Disagreement(AssertionError):
    """Two back ends, or two parts of a native state, do not say the same."""


class Whole:
    """Tests states of one machine."""

    def __init__(self, native: Machine) -> None:
        self.native = native
        self.layout = native.layout
        self.places: list[tuple[PlaceField, Callable[[Contents, bytes, bytes, bytes], str | None]]] = []
        for place in native.layout.places.values():
            says = lru_cache(MANY_INSTANCES)(partial(self._says, place))
            self.places.append((place, lru_cache(REMEMBERED)(partial(self._fault, place, says))))

    def check(self, state: bytes) -> None:
        """Raises `Disagreement` if a place does not hold the pieces that say that they lie there."""
        layout = self.layout
        lying = self.native.decoder.lying(state)
        order = state[layout.order : layout.end]
        for place, fault in self.places:
            stored = state[place.offset : place.offset + place.count * place.stride]
            filled = state[place.filled : place.filled + -(-place.count // 8)] if place.kind is Kind.CELLS else b""
            layers = order if place.kind is Kind.PILES else b""
            found = fault(lying[place.slot : place.slot + place.count], stored, filled, layers)
            if found is not None:
                raise Disagreement(found)

    def _fault(
        self, place: PlaceField, says: Says, lying: Contents, stored: bytes, filled: bytes, order: bytes
    ) -> str | None:
        instances = [stored[at : at + place.stride] for at in range(0, len(stored), place.stride or 1)]
        for instance, (held, pieces) in enumerate(zip(instances, lying, strict=False)):
            if not says(held, pieces, order):
                return f"{place.name}[{instance}] is {held.hex()}, but {pieces} lie there"
        told = sum(1 << instance for instance, pieces in enumerate(lying) if pieces)
        if place.kind is Kind.CELLS and number(filled, 0, len(filled)) != told:
            return f"filled instances of {place.name}: {filled.hex()}, not {told:x}"
        return None

    def _says(self, place: PlaceField, held: bytes, pieces: tuple[int, ...], order: bytes) -> bool:
        size = place.mask_bytes
        match place.kind:
            case Kind.MASKS:
                return number(held, 0, size) << place.low == _mask(pieces)
            case Kind.PILES:
                layer_of = numbers(
                    order[: self.layout.pieces * self.layout.order_bits // 8], self.layout.order_bits // 8
                )
                top = max((layer_of[piece] for piece in pieces), default=-1)
                wanted = tuple(piece for piece in pieces if layer_of[piece] == top)
                whole, layer = (number(held, at, size) << place.low for at in (0, size))
                return (whole, layer, number(held, 2 * size, 2)) == (_mask(pieces), _mask(wanted), top + 1)
            case Kind.CELLS:
                return [place.cell.decode(number(held, 0, place.stride))] == list(pieces or (None,))
            case Kind.ROWS:
                size = place.cell.size
                found = [place.cell.decode(n) for n in numbers(held[2 : 2 + size * number(held, 0, 2)], size)]
                return sorted(piece for piece in found if piece is not None) == list(pieces)
            case Kind.WHERE:
                return True


def _mask(pieces: tuple[int, ...]) -> int:
    return sum(1 << piece for piece in pieces)
