"""Which pieces a step may move, and between which places: where it is not known which, all else lies where it lay."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from seaspec.backends.symbolic.logic.terms import Term, eq, or_
from seaspec.backends.symbolic.values.places import Places
from seaspec.backends.symbolic.values.position import Args
from seaspec.backends.symbolic.values.sets import Value, among, choose
from seaspec.core import flow, ir, types


@dataclass(frozen=True)
class Moved:
    """Pieces that may move, and the places that they may leave or come to."""

    pieces: frozenset[int]
    places: frozenset[str]


def moved_by(game: ir.Game, step: flow.Step | flow.DrawNode) -> Moved | None:
    """What a step may move; None if that is nothing."""
    match step:
        case ir.Move(cargo, whole, target):
            origin = cargo.place if isinstance(cargo, ir.PlaceRead) else None if whole is None else whole.place
            if origin is not None:
                return Moved(frozenset(game.places[origin].holds.members), frozenset((origin, target.place)))
            assert cargo is not None
            pieces = _meant(cargo)
            return Moved(pieces, _where_they_may_lie(game, pieces) | {target.place})
        case ir.MoveSome(kind=kind, origin=from_, target=target):
            return Moved(frozenset(kind.members), frozenset((from_.place, target.place)))
        case flow.DrawNode(origin=from_, to=target):
            pieces = frozenset(game.places[target.place].holds.members)
            return Moved(pieces, frozenset((from_.place, target.place)))
        case (
            flow.Set() | flow.Take() | flow.Pop() | flow.Begin() | flow.Finish() | flow.Judge() | flow.Reset()
            | flow.Require() | flow.Veil() | ir.Assign() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut()
        ):  # fmt: skip
            return None
        case _:
            assert_never(step)
    assert_never(step)


def forgetful(game: ir.Game, moved: Moved | None) -> Iterator[str]:
    """The states that may be forgotten when some pieces move: those that such a piece has while it lies in a place that
    it may leave."""
    for name, state in game.states.items():
        if moved is not None and state.while_in is not None and state.while_in in moved.places:
            (index,) = state.index
            assert isinstance(index.type, types.Pieces)
            if moved.pieces & set(index.type.members):
                yield name


def _meant(cargo: ir.Expr) -> frozenset[int]:
    """The pieces that may be meant."""
    ty = cargo.type
    while isinstance(ty, types.SetOf | types.Optional):
        ty = ty.of
    assert isinstance(ty, types.Pieces), ty
    return frozenset(ty.members)


def _where_they_may_lie(game: ir.Game, pieces: Collection[int]) -> frozenset[str]:
    homes = {game.pieces[piece].home for piece in pieces}
    return frozenset(homes | {name for name, place in game.places.items() if set(pieces) & set(place.holds.members)})


NOTHING = Moved(frozenset(), frozenset())


def together(moves: Iterable[Moved]) -> Moved:
    """All that some moves may move."""
    pieces, places = set[int](), set[str]()
    for moved in moves:
        pieces |= moved.pieces
        places |= moved.places
    return Moved(frozenset(pieces), frozenset(places))


def somewhere_else(old: Places, new: Places, any_of: Moved, named: Sequence[tuple[Term, Moved]] = ()) -> Places:
    """Some pieces lie where they lie in a new position, all others where they lay. `named`: pieces that move, too, with
    those that they may be."""
    world = old.world
    moved = together((any_of, *(may_be for _, may_be in named)))
    members = tuple(sorted(any_of.pieces))

    def lies(at: Args, was: Value) -> Value:
        goes = or_(among(at[0], members), *(eq(at[0], piece) for piece, _ in named))
        return choose(goes, new.where.read(at), was)  # and the cells say the same: both are of the new position

    counts = {
        (name, sort): new.counts[name, sort] if name in moved.places and moved.pieces & set(world.sorts[sort]) else was
        for (name, sort), was in old.counts.items()
    }
    holder = {
        name: new.holder[name]
        if name in moved.places and moved.pieces & set(world.game.places[name].holds.members)
        else was
        for name, was in old.holder.items()
    }
    known = {one: lay for one, lay in old.known.items() if one.is_const and one.value not in moved.pieces}
    return replace(old, where=old.where.change(lies), counts=counts, holder=holder, known=known)
