"""Values and sets that are drawn, but for numbers and tests (words.py): each is text that may stand as an operand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from attack.kinds import (
    Board,
    Cell,
    Dice,
    Flag,
    Keyed,
    Many,
    Maybe,
    Name,
    Num,
    Piece,
    Place,
    Scope,
    State,
    Type,
    Word,
    World,
)

Drawn = Callable[[], str]
"""A text that is drawn when it is wanted."""


class Values:
    """Draws values of a type. `depth`: how much further a value may be nested."""

    def __init__(self, dice: Dice, world: World) -> None:
        self.dice = dice
        self.world = world

    # words.py has these
    def number(self, scope: Scope, depth: int) -> tuple[str, Num]:
        raise NotImplementedError

    def test(self, scope: Scope, depth: int) -> str:
        raise NotImplementedError

    def number_in(self, wanted: Num, scope: Scope, depth: int, tame: float = 0.88) -> str:
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------------ any type

    def value(self, ty: Type, scope: Scope, depth: int, tame: float = 0.88) -> str:
        """A value of a type. `tame`: how often numbers are held within it; else that is an obligation."""
        match ty:
            case Num():
                return self.number_in(ty, scope, depth, tame)
            case Flag():
                return self.test(scope, depth) if depth > 0 else self.dice.pick(["yes", "no"])
            case Word():
                return self._word(ty, scope, depth)
            case Piece():
                return self._piece(ty, scope, depth)
            case Cell():
                return self._cell(ty, scope, depth)
            case Maybe():
                return self.maybe(ty, scope, depth)[0]
            case Many():
                return self.set_of(ty.of, scope, depth)
            case Keyed():
                return self._map(ty, scope, depth)

    def literal(self, ty: Type) -> str:
        """A value that is plain to see; of pieces there may be none (then `none`)."""
        match ty:
            case Num():
                number = self.dice.number(ty.low, ty.high)
                return str(number) if number >= 0 else f"({number})"
            case Flag():
                return self.dice.pick(["yes", "no"])
            case Word():
                return self.dice.pick(ty.values)
            case Cell():
                return self.dice.pick(self.board(ty).cells)
            case Piece():
                alone = [kind.name for kind in self.world.components[ty.component].kinds if kind.alone]
                return self.dice.pick(alone) if alone else "none"
            case Maybe():
                return "none" if self.dice.often(0.5) else self.literal(ty.of)
            case Many():
                plain = self.literal(ty.of)
                return "{}" if plain == "none" or self.dice.often(0.5) else "{" + plain + "}"
            case Keyed():
                return "[" + ", ".join(self.literal(ty.held) for _ in range(self.count(ty.keys))) + "]"

    def count(self, ty: Type) -> int:
        """How many values a type has that may be keys."""
        match ty:
            case Num():
                return ty.high - ty.low + 1
            case Flag():
                return 2
            case Word():
                return len(ty.values)
            case Cell():
                return len(self.board(ty).cells)
            case Piece():
                return self.world.components[ty.component].size
        raise AssertionError(ty)

    def board(self, ty: Cell) -> Board:
        return self.world.boards[ty.board]

    # --------------------------------------------------------------------------------------------------------- names

    def named(self, ty: Type, scope: Scope) -> list[str]:
        """Names in scope that have a value of this type, but for numbers."""
        return [name.name for name in scope.names if self.fits(name.type, ty) and (name.open or not scope.open)]

    def fits(self, here: Type, wanted: Type) -> bool:
        match here, wanted:
            case Num(), Num():
                return wanted.low <= here.low and here.high <= wanted.high
            case Piece(), Piece():
                return here.name == wanted.name or wanted.name == wanted.component == here.component
            case _, Maybe(of):
                return here == wanted or self.fits(here, of)
            case _:
                return here == wanted

    def readable(self, thing: State | Place, scope: Scope) -> bool:
        return thing.open or not scope.open or (thing.own and scope.mine is not None)

    def states(self, scope: Scope) -> list[State]:
        """States that may be read here."""
        if scope.constant:
            return []
        return [s for s in self.world.states if self.readable(s, scope) and (not s.track or scope.promise)]

    def read(self, state: State, scope: Scope, depth: int) -> str:
        """An entry of a state."""
        if not state.index:
            return state.name
        if scope.open and not state.open and scope.mine is not None:
            return f"{state.name}[{scope.mine}]"
        indices = [self.index(ty, scope, depth) for ty in state.index]
        if len(indices) == 1 and isinstance(state.index[0], Piece | Cell) and self.dice.often(0.3):
            return f"{indices[0]}.{state.name}"
        return f"{state.name}[{', '.join(indices)}]"

    def index(self, ty: Type, scope: Scope, depth: int) -> str:
        names = self.named(ty, scope)
        if names and self.dice.often(0.7):
            return self.dice.pick(names)
        if depth < 0 and self.literal(ty) != "none":
            return self.literal(ty)
        return self.value(ty, scope, min(depth, 1), 0.85)

    def readings(self, ty: Type, scope: Scope, depth: int) -> list[Drawn]:
        """An entry of each state of a type, and a call of each define of it."""
        found: list[Drawn] = []
        for state in self.states(scope):
            if state.type == ty and (depth >= 0 or not state.index):
                found.append(partial(self.read, state, scope, depth - 1))
        if depth > 0 and not scope.constant:
            for function in self.world.functions:
                if function.type == ty and (function.open or not scope.open):
                    found.append(partial(self.call, function.name, function.params, scope, depth - 1))
        for table in self.world.tables:
            if table.type == ty and depth > 0:
                found.append(partial(self.call, table.name, table.params, scope, depth - 1))
        return found

    def call(self, name: str, params: tuple[Type, ...], scope: Scope, depth: int) -> str:
        if not params:
            return name
        return f"{name}({', '.join(self.index(ty, scope, depth) for ty in params)})"

    # -------------------------------------------------------------------------------------------------------- places

    def places(self, scope: Scope, holds: str | None = None) -> list[Place]:
        """Places whose pieces may be read here."""
        if scope.constant:
            return []
        return [p for p in self.world.places if self.readable(p, scope) and holds in (None, p.holds)]

    def place(self, place: Place, scope: Scope, depth: int, moving: bool = False) -> str:
        """An instance of a place; now and then outside of its index, and of one that is only looked at also none."""
        if not place.index:
            return place.name
        if scope.open and not place.open and scope.mine is not None:
            return f"{place.name}[{scope.mine}]"
        return f"{place.name}[{', '.join(self.place_index(ty, scope, depth, moving) for ty in place.index)}]"

    def place_index(self, ty: Type, scope: Scope, depth: int, moving: bool) -> str:
        if isinstance(ty, Num) and self.dice.often(0.3):
            text, found = self.number(scope, max(1, depth))
            if found.overlaps(ty):
                return text
        if not isinstance(ty, Num) and not moving and self.dice.often(0.2):
            text, is_optional = self.maybe(Maybe(ty), scope, max(1, depth))
            if is_optional:
                return text
        return self.index(ty, scope, depth)

    # ---------------------------------------------------------------------------------------------------------- sets

    def set_of(self, ty: Type, scope: Scope, depth: int) -> str:
        """A set of values of a type."""
        dice = self.dice
        if depth <= 0 or dice.often(0.45):
            return dice.pick(self._plain_sets(ty, scope, depth))()
        x = Name(dice.new("x"), ty, scope.open)
        inner = scope.plus(x)
        match dice.number(0, 10):
            case 0 | 1 | 2:
                return f"{{{x.name} in {self.set_of(ty, scope, depth - 1)} where {self.test(inner, depth - 1)}}}"
            case 3:
                return f"({self.set_of(ty, scope, depth - 1)} + {self.set_of(ty, scope, depth - 1)})"
            case 4:
                return f"({self.set_of(ty, scope, depth - 1)} - {self.set_of(ty, scope, depth - 1)})"
            case 5:
                best = dice.pick(["least", "most"])
                number = self.number(inner, depth - 1)[0]
                return f"{{{x.name} in {self.set_of(ty, scope, depth - 1)} with {best} {number}}}"
            case 6 | 10:
                ordered = self.ordered(ty, scope, depth - 1)
                if ordered is not None:
                    return f"{{{x.name} in {ordered} while {self.test(inner, depth - 1)}}}"
            case 7 | 8:
                return self._collected(ty, scope, depth)
            case 9:
                y = Name(dice.new("y"), ty, scope.open)
                step = self.test(inner.plus(y), depth - 1)
                if not isinstance(ty, Num) and not (isinstance(ty, Piece) and ty.name != ty.component):
                    start = self.set_of(ty, scope, depth - 1)
                    return f"(reach from {start} by {x.name} to {y.name} where {step})"
        return dice.pick(self._plain_sets(ty, scope, depth))()

    def _collected(self, ty: Type, scope: Scope, depth: int) -> str:
        """`{e for x in S}`"""
        other = self.any_type(scope)
        x = Name(self.dice.new("x"), other, scope.open)
        where = f" where {self.test(scope.plus(x), depth - 1)}" if self.dice.often(0.3) else ""
        value = self.value(ty, scope.plus(x), depth - 1)
        return f"{{{value} for {x.name} in {self.set_of(other, scope, depth - 1)}{where}}}"

    def _plain_sets(self, ty: Type, scope: Scope, depth: int) -> list[Drawn]:
        found = [said(name) for name in self.named(Many(ty), scope)]
        match ty:
            case Num():
                low, high = sorted((self.dice.number(ty.low, ty.high), self.dice.number(ty.low, ty.high)))
                found.append(said(f"({low}..{high})" if low >= 0 else f"(({low})..{high})"))
                if depth > 0:
                    found.append(lambda: f"({max(0, ty.low)}..{self.number_in(ty, scope, depth - 1)})")
            case Word():
                found += [said(ty.name), lambda: "{" + self.literal(ty) + "}"]
                if ty == self.world.players:
                    found.append(said("everyone"))
            case Piece():
                found += [*self.lying(ty, scope, depth), *self.lying(ty, scope, depth), said(ty.name)]
            case Cell():
                found += self._cells(ty, scope, depth)
            case Flag():
                found.append(said("{yes, no}"))
            case _:
                found.append(said("{}"))
        states = [s for s in self.states(scope) if s.type == Many(ty) and not s.index]
        return found + [said(s.name) for s in states]

    def lying(self, ty: Piece, scope: Scope, depth: int) -> list[Drawn]:
        """Sets of pieces that lie somewhere, if they are surely of this type."""
        if ty.name != ty.component:
            return []
        places = self.places(scope, ty.component)
        found: list[Drawn] = [partial(self.place, p, scope, depth - 1) for p in places if depth >= 0 or not p.index]
        return found + [said(p.name) for p in places if p.index and p.open]

    def _cells(self, ty: Cell, scope: Scope, depth: int) -> list[Drawn]:
        board = self.board(ty)
        found = [said(board.name), said(f"{{{self.dice.pick(board.cells)}}}")]
        found.append(said(f"{{c in {board.name} where c in {board.cells[0]}..{board.cells[-1]}}}"))
        if depth > 0:
            for word in ("beside", "around"):
                found.append(partial(self._around, word, ty, scope, depth))
            found.append(said(f"edge({board.name})"))
            if board.compass is not None:
                found += [lambda: str(self.ray(board, scope, depth))] * 3
        return found

    def _around(self, word: str, ty: Cell, scope: Scope, depth: int) -> str:
        return f"{word}({self.value(ty, scope, depth - 1)})"

    def ray(self, board: Board, scope: Scope, depth: int) -> str | None:
        if board.compass is None:
            return None
        cell = self.value(Cell(board.name), scope, depth - 1)
        direction = self.value(board.compass, scope, depth - 1)
        if self.dice.often(0.3):
            return f"ray({cell}, {direction}, {self.number_in(Num(0, 2), scope, depth - 1)})"
        return f"ray({cell}, {direction})"

    def ordered(self, ty: Type, scope: Scope, depth: int) -> str | None:
        """A set that has an order."""
        match ty:
            case Num():
                top = self.number_in(ty, scope, depth)
                return f"({max(0, ty.low)}..{top})"
            case Cell():
                ray = self.ray(self.board(ty), scope, max(1, depth))
                return ray if ray is not None and self.dice.often(0.7) else ty.board
            case Piece():
                if ty.name != ty.component:
                    return ty.name
                rows = [p for p in self.places(scope, ty.component) if p.order == "row"]
                return self.place(self.dice.pick(rows), scope, depth - 1) if rows else ty.name
            case Word():
                return ty.name
        return None

    # -------------------------------------------------------------------------------------------------------- values

    def any_type(self, scope: Scope) -> Type:
        """A type that there are sets of."""
        world, dice = self.world, self.dice
        found: list[Type] = [world.players, Num(0, dice.number(1, 3)), *world.words]
        found += [c.type for c in world.components.values()] * 3
        found += [Cell(name) for name in world.boards]
        return dice.pick(found)

    def one_of(self, ty: Type, scope: Scope, depth: int) -> str:
        """`first`, `the`: a member of a set; what else, if there is none, is said now and then."""
        dice = self.dice
        x = Name(dice.new("x"), ty, scope.open)
        where = f" where {self.test(scope.plus(x), depth - 1)}" if dice.often(0.5) else ""
        among = self.set_of(ty, scope, depth - 1)
        if dice.often(0.3):
            among = self.ordered(ty, scope, depth - 1) or among
        plain = self.literal(ty)
        otherwise = f" otherwise {plain}" if plain != "none" and dice.often(0.9) else ""
        return f"({dice.pick(['first'] * 6 + ['the'])} {x.name} in {among}{where}{otherwise})"

    def _general(self, ty: Type, scope: Scope, depth: int) -> list[Drawn]:
        """What there is of every type."""
        found = self.readings(ty, scope, depth)
        if depth > 0:
            found.append(partial(self.one_of, ty, scope, depth))
            if self.dice.often(0.3):
                found.append(partial(self._either, ty, scope, depth))
            for name in scope.names:
                if isinstance(name.type, Piece) and (name.open or not scope.open):
                    facts = self.world.components[name.type.component].facts
                    found += [said(f"{name.name}.{fact}") for fact, fact_type in facts if fact_type == ty]
                if isinstance(name.type, Keyed) and name.type.held == ty and (name.open or not scope.open):
                    found.append(said(f"{name.name}[{self.literal(name.type.keys)}]"))
            for state in self.states(scope):
                if isinstance(state.type, Keyed) and state.type.held == ty and not state.index:
                    found.append(partial(self._entry, state.name, state.type.keys, scope, depth))
        return found

    def _entry(self, of: str, keys: Type, scope: Scope, depth: int) -> str:
        return f"{of}[{self.index(keys, scope, depth - 1)}]"

    def _either(self, ty: Type, scope: Scope, depth: int) -> str:
        then, other = self.value(ty, scope, depth - 1), self.value(ty, scope, depth - 1)
        return f"(if {self.test(scope, depth - 1)} then {then} else {other})"

    def _word(self, ty: Word, scope: Scope, depth: int) -> str:
        names = self.named(ty, scope)
        if names and self.dice.often(0.5):
            return self.dice.pick(names)
        found = [said(self.literal(ty)), *self._general(ty, scope, depth)]
        if depth > 0 and ty.ring:
            words = ["next", "previous", *(["opposite"] if len(ty.values) % 2 == 0 else [])]
            found += [lambda: f"{self.dice.pick(words)}({self._word(ty, scope, depth - 1)})"] * 2
            by = Num(0, 2)
            found.append(lambda: f"({self._word(ty, scope, depth - 1)} + {self.number_in(by, scope, depth - 1)})")
        if depth > 0 and ty == self.world.players:
            found.append(lambda: f"seat({self.number_in(Num(1, len(ty.values)), scope, depth - 1)})")
            if len(ty.values) == 2:
                found.append(lambda: f"rival({self._word(ty, scope, depth - 1)})")
        return self.dice.pick(found)()

    def _piece(self, ty: Piece, scope: Scope, depth: int) -> str:
        names = self.named(ty, scope)
        if names and self.dice.often(0.6):
            return self.dice.pick(names)
        found = [said(name) for name in names]
        plain = self.literal(ty)
        if plain != "none" and ty.name == ty.component:
            found.append(said(plain))
        if not found or depth > 0:
            found += self._general(ty, scope, max(1, depth))
        if ty.name == ty.component:
            slots = [p for p in self.places(scope, ty.component) if p.order == "at most" and not p.index]
            if slots and self.dice.often(0.3):
                found.append(said(self.dice.pick(slots).name))
        return self.dice.pick(found)()

    def _cell(self, ty: Cell, scope: Scope, depth: int) -> str:
        names = self.named(ty, scope)
        if names and self.dice.often(0.5):
            return self.dice.pick(names)
        board = self.board(ty)
        found = [said(self.literal(ty)), *self._general(ty, scope, depth)]
        if depth > 0 and self.dice.often(0.3):
            column = self.number_in(Num(1, board.columns), scope, depth - 1)
            row = self.number_in(Num(1, board.rows), scope, depth - 1)
            found.append(said(f"{board.name}({column}, {row})"))
        return self.dice.pick(found)()

    def maybe(self, ty: Maybe, scope: Scope, depth: int) -> tuple[str, bool]:
        """A value that may be none, and whether the checker knows it as such."""
        names = [n for n in scope.names if n.type == ty and (n.open or not scope.open)]
        if names and self.dice.often(0.4):
            return self.dice.pick(names).name, True
        found = self.readings(ty, scope, depth)
        match ty.of:
            case Cell(name) if depth > 0:
                board = self.world.boards[name]
                if board.compass is not None:
                    found.append(partial(self._beyond, ty.of, board.compass, scope, depth))
                found.append(partial(self._at, ty.of, scope, depth))
            case Piece(name, component) if name == component:
                slots = [p for p in self.places(scope, component) if p.order == "at most"]
                found += [partial(self.place, p, scope, depth - 1) for p in slots]
        if not found or self.dice.often(0.3):
            return ("none" if self.dice.often(0.5) else self.value(ty.of, scope, max(0, depth - 1))), False
        return self.dice.pick(found)(), True

    def _beyond(self, ty: Cell, compass: Word, scope: Scope, depth: int) -> str:
        return f"next({self.value(ty, scope, depth - 1)}, {self.value(compass, scope, depth - 1)})"

    def _at(self, ty: Cell, scope: Scope, depth: int) -> str:
        return f"cell_at({self.ordered(ty, scope, depth - 1)}, {self.number(scope, depth - 1)[0]})"

    def _map(self, ty: Keyed, scope: Scope, depth: int) -> str:
        found = [*map(said, self.named(ty, scope)), *self.readings(ty, scope, 0)]
        if found and self.dice.often(0.3):
            return self.dice.pick(found)()
        if self.dice.often(0.5):
            k = Name(self.dice.new("k"), ty.keys)
            return f"[{self.value(ty.held, scope.plus(k), depth - 1)} for {k.name} in {self.keys(ty.keys)}]"
        held = [self.value(ty.held, scope, min(1, depth - 1)) for _ in range(self.count(ty.keys))]
        return f"[{', '.join(held)}]"

    def keys(self, ty: Type) -> str:
        return f"({ty})" if isinstance(ty, Num) else str(ty)


def said(text: str) -> Drawn:
    """What is drawn already."""
    return lambda: text
