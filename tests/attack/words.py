"""Numbers and tests that are drawn, in all their forms."""

from __future__ import annotations

from functools import partial

from attack.kinds import Cell, Flag, Keyed, Many, Maybe, Name, Num, Piece, Place, Scope, State, Type, Word
from attack.values import Drawn, Values, said

TAME = 0.88
"""So often a number is held within the range that is wanted; else that is an obligation."""
MOST = 60
"""Numbers beyond this are of no use."""


class Words(Values):
    """Draws expressions."""

    # ------------------------------------------------------------------------------------------------------- numbers

    def number(self, scope: Scope, depth: int) -> tuple[str, Num]:
        """A number, and its range as the checker sees it (or a wider one)."""
        if depth > 0 and self.dice.often(0.65):
            for _ in range(4):
                text, found = self._compound(scope, depth)
                if found.high <= MOST and found.low >= -MOST:
                    return text, found
        draw, found = self.dice.pick(self._leaves(scope, depth))
        return draw(), found

    def number_in(self, wanted: Num, scope: Scope, depth: int, tame: float = TAME) -> str:
        """A number for this range: held within it, or with an obligation."""
        for _ in range(3):
            text, found = self.number(scope, depth)
            if wanted.low <= found.low and found.high <= wanted.high:
                return text
            if self.dice.often(tame):
                low = str(wanted.low) if wanted.low >= 0 else f"({wanted.low})"
                return f"min({wanted.high}, max({low}, {text}))"
            if found.overlaps(wanted):
                return text
        return self.literal(wanted)

    def _leaves(self, scope: Scope, depth: int) -> list[tuple[Drawn, Num]]:
        plain = self.dice.number(0, 3)
        found = [(said(str(plain)), Num(plain, plain))]
        for name in scope.names:
            if not name.open and scope.open:
                continue
            match name.type:
                case Num():
                    found += [(said(name.name), name.type)] * 2
                case Piece():
                    facts = self.world.components[name.type.component].facts
                    found += [(said(f"{name.name}.{fact}"), ty) for fact, ty in facts if isinstance(ty, Num)] * 2
                case Cell(board):
                    found.append((said(f"{name.name}.row"), Num(1, self.world.boards[board].rows)))
                    found.append((said(f"{name.name}.column"), Num(1, self.world.boards[board].columns)))
                case Many(of):
                    found.append((said(f"(size of {name.name})"), Num(0, self._most(of))))
                case Keyed(keys, Num() as held):
                    found.append((partial(self._entry, name.name, keys, scope, depth), held))
        for state in self.states(scope):
            if depth < 0 and state.index:
                continue
            if isinstance(state.type, Num):
                found += [(partial(self.read, state, scope, depth - 1), state.type)] * 2
            elif isinstance(state.type, Keyed) and isinstance(state.type.held, Num) and not state.index:
                found.append((partial(self._entry, state.name, state.type.keys, scope, depth), state.type.held))
        found += [(said(name), Num(value, value)) for name, value in self.world.constants]
        for place in self.places(scope):
            if depth >= 0 or not place.index:
                draw = partial(self._size, place, scope, depth)
                found.append((draw, Num(0, self._most_in(place.holds))))
        return found

    def _size(self, place: Place, scope: Scope, depth: int) -> str:
        return f"(size of {self.place(place, scope, depth - 1)})"

    def _most(self, ty: Type) -> int:
        return self.count(ty) if not isinstance(ty, Maybe | Many | Keyed) else MOST

    def _most_in(self, component: str) -> int:
        return self.world.components[component].size

    def _compound(self, scope: Scope, depth: int) -> tuple[str, Num]:
        dice = self.dice
        match dice.number(0, 19):
            case 0 | 1:
                (a, m), (b, n) = self.number(scope, depth - 1), self.number(scope, depth - 1)
                return f"({a} + {b})", Num(m.low + n.low, m.high + n.high)
            case 2 | 3:
                (a, m), (b, n) = self.number(scope, depth - 1), self.number(scope, depth - 1)
                return f"({a} - {b})", Num(m.low - n.high, m.high - n.low)
            case 4:
                (a, m), (b, n) = self.number(scope, depth - 1), self.number(scope, depth - 1)
                ends = [x * y for x in (m.low, m.high) for y in (n.low, n.high)]
                return f"({a} * {b})", Num(min(ends), max(ends))
            case 5 | 6 | 7:
                return self._quotient(scope, depth)
            case 8:
                (a, m), (b, n) = self.number(scope, depth - 1), self.number(scope, depth - 1)
                best = dice.pick(["min", "max"])
                pick = min if best == "min" else max
                return f"{best}({a}, {b})", Num(pick(m.low, n.low), pick(m.high, n.high))
            case 9:
                a, m = self.number(scope, depth - 1)
                return f"abs({a})", Num(0, max(abs(m.low), abs(m.high)))
            case 10:
                a, m = self.number(scope, depth - 1)
                return f"(-{a})", Num(-m.high, -m.low)
            case 11 | 12:
                return self._folded(scope, depth)
            case 13:
                return self._counted(scope, depth)
            case 14:
                (a, m), (b, n) = self.number(scope, depth - 1), self.number(scope, depth - 1)
                test = self.test(scope, depth - 1)
                return f"(if {test} then {a} else {b})", Num(min(m.low, n.low), max(m.high, n.high))
            case 15:
                top = dice.number(1, 3)
                return self.one_of(Num(0, top), scope, depth), Num(0, top)
            case 16:
                ty = self.any_type(scope)
                return f"(size of {self.set_of(ty, scope, depth - 1)})", Num(0, max(4, self._most(ty)))
            case 17 | 18:
                return self._called(scope, depth)
        return self._measured(scope, depth)

    def _quotient(self, scope: Scope, depth: int) -> tuple[str, Num]:
        """By what may be 0, or negative."""
        (a, m), (b, n) = self.number(scope, depth - 1), self.number(scope, depth - 1)
        if n.low == n.high == 0:
            b, n = "2", Num(2, 2)
        elif n.low <= 0 <= n.high and self.dice.often(0.55):
            b, n = f"max(1, {b})", Num(1, max(1, n.high))
        most = max(abs(m.low), abs(m.high))
        if self.dice.often(0.7):
            return f"({a} / {b})", Num(-most - 1, most)
        by = max(abs(n.low), abs(n.high))
        return f"({a} mod {b})", Num(-by if n.low < 0 else 0, by)

    def _folded(self, scope: Scope, depth: int) -> tuple[str, Num]:
        dice = self.dice
        ty = self.any_type(scope)
        x = Name(dice.new("x"), ty, scope.open)
        where = f" where {self.test(scope.plus(x), depth - 1)}" if dice.often(0.3) else ""
        among = self.set_of(ty, scope, depth - 1)
        text, found = self.number(scope.plus(x), depth - 1)
        word = dice.pick(["sum", "most", "least"])
        if word == "sum":
            most = max(4, self._most(ty))
            return f"(sum {text} for {x.name} in {among}{where})", Num(min(0, most * found.low), most * found.high)
        otherwise = ""
        if dice.often(0.9):
            plain = dice.number(0, 2)
            found = Num(min(found.low, plain), max(found.high, plain))
            otherwise = f" otherwise {plain}"
        return f"({word} {text} for {x.name} in {among}{where}{otherwise})", found

    def _counted(self, scope: Scope, depth: int) -> tuple[str, Num]:
        dice = self.dice
        ty = self.any_type(scope)
        most = Num(0, max(4, self._most(ty)))
        among = self.set_of(ty, scope, depth - 1)
        if isinstance(ty, Piece) and ty.name == ty.component and dice.often(0.4):
            return f"(count {dice.pick(self.world.components[ty.component].kinds).name} in {among})", most
        x = Name(dice.new("x"), ty, scope.open)
        return f"(count {x.name} in {among} where {self.test(scope.plus(x), depth - 1)})", most

    def _called(self, scope: Scope, depth: int) -> tuple[str, Num]:
        """A define or table of numbers."""
        of = [f for f in self.world.tables if isinstance(f.type, Num)]
        if not scope.constant:
            of += [f for f in self.world.functions if isinstance(f.type, Num) and (f.open or not scope.open)]
        if not of:
            return self.number(scope, depth - 1)
        function = self.dice.pick(of)
        assert isinstance(function.type, Num)
        return self.call(function.name, function.params, scope, depth - 1), function.type

    def _measured(self, scope: Scope, depth: int) -> tuple[str, Num]:
        """Distances, turns, spots."""
        dice, world = self.dice, self.world
        rows = [p for p in self.places(scope) if p.order == "row"]
        if rows and dice.often(0.4):
            row = dice.pick(rows)
            piece = self.value(world.components[row.holds].type, scope, depth - 1)
            return f"spot({piece})", Num(1, world.components[row.holds].size)
        if world.boards and dice.often(0.5):
            board = dice.pick(list(world.boards.values()))
            a, b = (self.value(Cell(board.name), scope, depth - 1) for _ in range(2))
            if board.compass is None or dice.often(0.5):
                return f"distance({a}, {b})", Num(0, max(board.columns, board.rows))
            d = self.value(board.compass, scope, depth - 1)
            k, most = dice.new("k"), max(board.columns, board.rows) - 1
            return f"(if steps({a}, {b}, {d}) is some {k} then {k} else {most})", Num(0, most)
        rings = [word for word in (world.players, *world.words) if word.ring]
        ring = dice.pick(rings)
        a, b = (self.value(ring, scope, depth - 1) for _ in range(2))
        return f"{dice.pick(['turns', 'steps'])}({a}, {b})", Num(0, len(ring.values))

    # --------------------------------------------------------------------------------------------------------- tests

    def test(self, scope: Scope, depth: int) -> str:
        """A test."""
        if depth <= 0 or self.dice.often(0.4):
            return self._plain_test(scope, depth)
        dice = self.dice
        match dice.number(0, 15):
            case 0 | 1:
                junctor = dice.pick(["and", "or"])
                return f"({self.test(scope, depth - 1)} {junctor} {self.test(scope, depth - 1)})"
            case 2:
                return f"(not {self.test(scope, depth - 1)})"
            case 3:
                return f"({self.test(scope, depth - 1)} implies {self.test(scope, depth - 1)})"
            case 4 | 5 | 6:
                return self._quantified(scope, depth)
            case 7:
                return self._some_kind(scope, depth)
            case 8 | 9:
                return self._member(scope, depth)
            case 10 | 11:
                return self._known(scope, depth)
            case 12:
                return self._compared_sets(scope, depth)
            case 13:
                return self._about_actions(scope, depth)
            case 14:
                return self._given_out(scope, depth)
        return self._plain_test(scope, depth)

    def _plain_test(self, scope: Scope, depth: int) -> str:
        dice, world = self.dice, self.world
        compared = partial(self._compared, scope, depth)
        found: list[Drawn] = [said(name) for name in self.named(Flag(), scope) * 2] + [compared] * 4
        found += self.readings(Flag(), scope, depth)
        for place in self.places(scope):
            if dice.often(0.5) and (depth >= 0 or not place.index):
                found.append(partial(self._filled, place, scope, depth))
        for state in self.states(scope):
            if (depth >= 0 or not state.index) and isinstance(state.type, Word | Cell | Maybe):
                found.append(partial(self._equal, state, scope, depth))
            if depth >= 0 and isinstance(state.type, Many) and isinstance(state.type.of, Keyed):
                found += [partial(self._been, state, state.type.of, scope, depth)] * 3
        if not scope.constant and dice.often(0.2):
            found.append(lambda: f"out({self.value(world.players, scope, depth - 1)})")
        if scope.promise:
            found.append(lambda: f"({self.value(world.players, scope, 0)} has {dice.pick(['won', 'lost'])})")
        return dice.pick(found)()

    def _compared(self, scope: Scope, depth: int) -> str:
        number, other = self.number(scope, depth - 1), self.number(scope, depth - 1)
        return f"({number[0]} {self.dice.pick(['<', '<=', '>', '>=', '=', '!='])} {other[0]})"

    def _been(self, state: State, of: Keyed, scope: Scope, depth: int) -> str:
        """A map among those that are kept."""
        kept = self.read(state, scope, depth - 1)
        if self.dice.often(0.3):
            return f"(size of {kept} {self.dice.pick(['=', '>', '<='])} {self.dice.number(0, 2)})"
        return f"({self.value(of, scope, depth - 1)} {self.dice.pick(['in', 'not in'])} {kept})"

    def _filled(self, place: Place, scope: Scope, depth: int) -> str:
        return f"({self.place(place, scope, depth - 1)} is {self.dice.pick(['empty', 'filled'])})"

    def _equal(self, state: State, scope: Scope, depth: int) -> str:
        value = self.value(state.type, scope, depth - 1)
        return f"({self.read(state, scope, depth - 1)} {self.dice.pick(['is', 'is not', '='])} {value})"

    def _quantified(self, scope: Scope, depth: int) -> str:
        dice = self.dice
        spread = [p for p in self.places(scope) if p.index and p.open]
        if spread and dice.often(0.2):
            place = dice.pick(spread)
            x = dice.new("x")
            where = self.value(place.index[0], scope, depth - 1)
            return f"({dice.pick(['every', 'some', 'no'])} {x} in {place.name}: {x}.{place.label} = {where})"
        ty = self.any_type(scope)
        names = [Name(dice.new("x"), ty, scope.open) for _ in range(2 if dice.often(0.25) else 1)]
        inner = scope.plus(*names)
        where = f" where {self.test(inner, depth - 1)}" if dice.often(0.4) else ""
        among = self.set_of(ty, scope, depth - 1)
        word = dice.pick(["every", "some", "no"])
        return f"({word} {', '.join(n.name for n in names)} in {among}{where}: {self.test(inner, depth - 1)})"

    def _some_kind(self, scope: Scope, depth: int) -> str:
        component = self.dice.pick(list(self.world.components.values()))
        among = self.set_of(component.type, scope, depth - 1)
        return f"({self.dice.pick(['some', 'no'])} {self.dice.pick(component.kinds).name} in {among})"

    def _member(self, scope: Scope, depth: int) -> str:
        ty = self.any_type(scope)
        value = self.value(ty, scope, depth - 1, 0.3)
        if isinstance(ty, Num) and self.dice.often(0.6):  # the high end need not be looked at
            low, high = self.number(scope, depth - 1)[0], self.number(scope, depth)[0]
            return f"({value} {self.dice.pick(['in', 'not in'])} {low}..{high})"
        return f"({value} {self.dice.pick(['in', 'not in'])} {self.set_of(ty, scope, depth - 1)})"

    def _known(self, scope: Scope, depth: int) -> str:
        """A value that may be none, and what is said of it if it is there."""
        dice = self.dice
        options = [name for name in scope.names if isinstance(name.type, Maybe) and (name.open or not scope.open)]
        if options and dice.often(0.5):
            name = dice.pick(options)
            assert isinstance(name.type, Maybe)
            known = scope.plus(Name(name.name, name.type.of, name.open))
            if dice.often(0.3):
                return f"({name.name} is none or {self.test(known, depth - 1)})"
            return f"({name.name} is some and {self.test(known, depth - 1)})"
        ty = self.optional(scope)
        value, is_optional = self.maybe(ty, scope, depth)
        if not is_optional:
            return self._plain_test(scope, depth)
        if dice.often(0.25):
            return f"({value} is {dice.pick(['none', 'some'])})"
        y = Name(dice.new("y"), ty.of, scope.open)
        return f"({value} is some {y.name} and {self.test(scope.plus(y), depth - 1)})"

    def optional(self, scope: Scope) -> Maybe:
        """A type with none that something here may have."""
        found = [state.type for state in self.states(scope) if isinstance(state.type, Maybe)]
        found += [Maybe(Cell(name)) for name in self.world.boards]
        found += [Maybe(c.type) for c in self.world.components.values()]
        return self.dice.pick(found)

    def _compared_sets(self, scope: Scope, depth: int) -> str:
        ty = self.any_type(scope)
        a = self.set_of(ty, scope, depth - 1)
        if self.dice.often(0.5):
            return f"({a} is {self.dice.pick(['empty', 'filled'])})"
        return f"({a} {self.dice.pick(['=', '!='])} {self.set_of(ty, scope, depth - 1)})"

    def _about_actions(self, scope: Scope, depth: int) -> str:
        actions = [a for a in self.world.actions if not scope.open] if scope.promise else []
        if not actions:
            return self._plain_test(scope, depth)
        action = self.dice.pick(actions)
        return f"({self.value(self.world.players, scope, 0)} can {action.name})"

    def _given_out(self, scope: Scope, depth: int) -> str:
        """`ways to give each x in S one of T`"""
        dice = self.dice
        small: list[Type] = [self.world.players, *(c.type for c in self.world.components.values() if c.size <= 4)]
        ty, other = dice.pick(small), dice.pick([self.world.players, Num(0, 1)])
        x = Name(dice.new("x"), ty, scope.open)
        w = Name(dice.new("w"), Keyed(ty, Maybe(other)), scope.open)
        given = f"(ways to give each {x.name} in {self.set_of(ty, scope, 0)} one of {self.set_of(other, scope, 0)})"
        key = self.value(ty, scope, 0)
        held = self.value(other, scope, 0)
        return f"({dice.pick(['some', 'every', 'no'])} {w.name} in {given}: {w.name}[{key}] is {held})"
