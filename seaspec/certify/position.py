"""Positions that are not known: a value for each entry of a state, and for each piece where it lies.

Places are numbered: a *slot* is one instance of a place. What lies in a row has a rank there, from 1. In which order
pieces lie in a pile is left open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

from seaspec.certify import values as v
from seaspec.certify.values import Bool, Names, Number, TooLarge, Value, and_, not_, or_, pick
from seaspec.core import flow, ir, types
from seaspec.core.evaluate import NotConstant, evaluate
from seaspec.core.ir import PlaceOrder, Variable

MOST_ENTRIES = 3_000


@dataclass(frozen=True, eq=False)
class Position:
    """`where` and `rank`: by piece. `won` and `lost`: by seat, where the game is `over`. `begun`: where procedures that
    are watched have begun. `measured`: of each `ends within`, what was measured when its procedure began last."""

    states: Mapping[tuple[str, tuple[Any, ...]], Value]
    where: tuple[Value, ...]
    rank: tuple[Number, ...]
    out: tuple[Bool, ...]
    frame: Mapping[Variable, Value]
    over: bool = False
    won: tuple[Bool, ...] = ()
    lost: tuple[Bool, ...] = ()
    begun: Mapping[str, Position] = field(default_factory=dict)
    measured: Mapping[str, Number] = field(default_factory=dict)

    def with_states(self, entries: Mapping[tuple[str, tuple[Any, ...]], Value]) -> Position:
        return replace(self, states={**self.states, **entries})

    def with_frame(self, values: Mapping[Variable, Value]) -> Position:
        return replace(self, frame={**self.frame, **values})

    def lies(self, piece: int, slots: Iterable[int]) -> Bool:
        """Whether a piece lies in one of some slots."""
        here = v.table(self.where[piece])
        return or_(*(here.get(slot, False) for slot in slots))


class World:
    """The rules as the encoding knows them."""

    def __init__(self, graph: flow.Flow) -> None:
        self.graph = graph
        self.game = game = graph.game
        self.names = Names()
        self.seats = range(len(game.players))
        self.keys = {name: _keys(variable.type for variable in place.index) for name, place in game.places.items()}
        places = [(name, key) for name, keys in self.keys.items() for key in keys]
        self.slots = {place: number for number, place in enumerate(places)}
        self.entries = {name: _keys(variable.type for variable in state.index) for name, state in game.states.items()}
        if sum(map(len, self.entries.values())) + len(self.slots) > MOST_ENTRIES:
            raise TooLarge("there are too many entries of states and places")
        self.tables = {
            name: dict(zip(_keys(table.index), table.entries, strict=True)) for name, table in game.tables.items()
        }
        self.rows = [self.slots[p] for p in places if game.places[p[0]].order is PlaceOrder.ROW]
        held = {name: set(place.holds.members) for name, place in game.places.items()}
        self.homes = [
            types.Cells("slots", "", tuple(self.slots[name, key] for name, key in places if one.id in held[name]))
            for one in game.pieces
        ]
        """Where each piece can lie, as a type."""
        self._parts: dict[int, tuple[Position, Mapping[object, tuple[Value, types.Type]]]] = {}
        parts = [part for block in graph.blocks for part in (*block.steps, block.exit)]
        self.assigned = {step.state for step in parts if isinstance(step, ir.Assign)}
        self.drops_out = any(isinstance(step, ir.DropOut) for step in parts)
        self.moves = any(isinstance(part, ir.Move | ir.MoveSome | flow.DrawNode) for part in parts)

    def first(self, name: str, key: tuple[Any, ...]) -> Value:
        """The first value of an entry of a state."""
        state = self.game.states[name]
        env = dict(zip(state.index, key, strict=True))
        try:
            return evaluate(state.initial, self.game.tables, self.game.functions, env)
        except NotConstant as why:
            raise TooLarge(f"the first value of {name} is not to be worked out ({why})") from None

    def firsts(self, names: Iterable[str]) -> dict[tuple[str, tuple[Any, ...]], Value]:
        return {(name, key): self.first(name, key) for name in names for key in self.entries[name]}

    def beginning(self) -> Position:
        """Before anything has happened."""
        where = [self.slots[piece.home, self.keys[piece.home][0]] for piece in self.game.pieces]
        rank = tuple(where[: place + 1].count(slot) for place, slot in enumerate(where))
        nobody = (False,) * len(self.seats)
        measured = {p.name: p.calls + 1 for p in self.game.promises if isinstance(p, ir.EndsWithin)}
        return Position(self.firsts(self.entries), tuple(where), rank, nobody, {}, False, nobody, nobody, {}, measured)

    def anything(self, frame: Mapping[Variable, Value], over: bool) -> Position:
        """Any position: nothing is said of it but what never changes."""
        names, first = self.names, self.beginning()
        states = {
            (name, key): names.value(f"{name}{key}", self.game.states[name].type) if name in self.assigned else value
            for (name, key), value in first.states.items()
        }
        where, rank = first.where, first.rank
        if self.moves:
            where = tuple(names.value(f"where {piece}", home) for piece, home in enumerate(self.homes))
            in_row = [bool(set(home.members) & set(self.rows)) for home in self.homes]
            rank = tuple(names.value(f"rank {p}", types.Int(1, 1)) if row else 0 for p, row in enumerate(in_row))
        out, won, lost = (
            tuple(names.value(word, types.Bool()) if some else False for _ in self.seats)
            for word, some in (("out", self.drops_out), ("won", over), ("lost", over))
        )
        measured = {name: names.value("measured", types.Int(0, 0)) for name in first.measured}
        return Position(states, where, rank, out, frame, over, won, lost, {}, measured)

    def parts(self, position: Position) -> Mapping[object, tuple[Value, types.Type]]:
        """The values of a position, each with the type that it should lie in."""
        if id(position) not in self._parts:
            found: dict[object, tuple[Value, types.Type]] = {
                (name, key): (value, self.game.states[name].type) for (name, key), value in position.states.items()
            }
            for name, value in position.frame.items():
                ty = name.type  # counters go down to 0, and below by one
                found[name] = value, types.Int(min(ty.low, 0), ty.high) if isinstance(ty, types.Int) else ty
            found |= {piece: (value, self.homes[piece]) for piece, value in enumerate(position.where)}
            self._parts[id(position)] = position, found
        return self._parts[id(position)][1]

    def same(self, a: Position, b: Position) -> Bool:
        """That two positions are the same, the first of which is not known."""
        there = self.parts(b)
        said = [v.same(one, there[what][0], ty) for what, (one, ty) in self.parts(a).items()]
        ranks = enumerate(zip(a.rank, b.rank, strict=True))
        said += [v.implies(a.lies(piece, self.rows), v.equal(x, y)) for piece, (x, y) in ranks]
        for x, y in (
            (a.out, b.out),
            (a.won, b.won),
            (a.lost, b.lost),
            ([*a.measured.values()], [*b.measured.values()]),
        ):
            said += [v.equal(one, other) for one, other in zip(x, y, strict=True)]
        return and_(*said, *(self.same(then, b.begun[name]) for name, then in a.begun.items()))

    def ranked(self, position: Position) -> Bool:
        """What ranks are: in each row the numbers from 1 to its size. So it is said how a position is written down."""
        said: list[Bool] = []
        for slot in self.rows:
            there = [(piece, position.lies(piece, [slot])) for piece in range(len(position.where))]
            there = [(piece, test) for piece, test in there if test is not False]
            size = v.ones(test for _, test in there)
            said += (v.implies(t, and_(position.rank[p] >= 1, position.rank[p] <= size)) for p, t in there)
            for (a, here), (b, too) in combinations(there, 2):
                said.append(or_(not_(here), not_(too), not_(v.equal(position.rank[a], position.rank[b]))))
        return and_(*said)

    def moved(
        self,
        position: Position,
        who: Mapping[int, Bool],
        target: Mapping[int, Bool],
        at: Number | None = None,
        order: Mapping[int, Number] | None = None,
    ) -> Position:
        """After pieces have gone to a slot, to the end of a row or `at` a spot, each if its test holds: together, or
        (`order`) one after the other."""
        who = {piece: test for piece, test in who.items() if test is not False}
        where, states = list(position.where), dict(position.states)
        for piece, test in who.items():
            before = position.where[piece]
            where[piece] = v.tabled([*((slot, and_(test, t)) for slot, t in target.items()), (before, not_(test))])
            for name, state in self.game.states.items():
                if state.while_in is not None and (name, (piece,)) in states:
                    inside = [self.slots[state.while_in, key] for key in self.keys[state.while_in]]
                    stays = or_(*(t for slot, t in target.items() if slot in inside))
                    forgotten = and_(test, position.lies(piece, inside), not_(stays))
                    kept = states[name, (piece,)]
                    states[name, (piece,)] = v.choose(forgotten, self.first(name, (piece,)), kept, state.type)
        rank = self._reranked(position, who, target, at, order) if self.rows else position.rank
        return replace(position, states=states, where=tuple(where), rank=rank)

    def _reranked(
        self,
        position: Position,
        who: Mapping[int, Bool],
        target: Mapping[int, Bool],
        at: Number | None,
        order: Mapping[int, Number] | None,
    ) -> tuple[Number, ...]:
        """Who lay behind a piece that leaves a row moves up; in the target there is room made for those that come."""
        if order is not None and at is not None:  # what comes moves what is still to come: left open
            return tuple(self.names.value("rank", types.Int(0, 0)) for _ in position.rank)
        old, rank, coming = position.rank, list(position.rank), v.ones(who.values())
        rows = {
            slot: {p: t for p in range(len(old)) if (t := position.lies(p, [slot])) is not False} for slot in self.rows
        }
        for slot, here in rows.items():
            for piece, there in here.items():
                others = [(p, t) for p, t in who.items() if p in here and p != piece]
                now = v.add(old[piece], *(pick(and_(t, here[p], old[p] < old[piece]), -1, 0) for p, t in others))
                is_behind = False if at is None else and_(target.get(slot, False), at <= now)
                rank[piece] = pick(there, v.add(now, pick(is_behind, coming, 0)), rank[piece])
        for slot, here in rows.items():
            into = target.get(slot, False)
            staying = v.ones(and_(test, not_(who.get(p, False))) for p, test in here.items())
            for piece, test in who.items() if into is not False else ():
                before = [
                    (t, p < piece if order is None else order[p] < order[piece]) for p, t in who.items() if p != piece
                ]
                first = v.add(staying, 1) if at is None else at
                rank[piece] = pick(and_(into, test), v.add(first, v.ones(and_(*both) for both in before)), rank[piece])
        return tuple(rank)


def _keys(index: Iterable[types.Type]) -> list[tuple[Any, ...]]:
    return list(product(*(tuple(types.values(ty)) for ty in index)))
