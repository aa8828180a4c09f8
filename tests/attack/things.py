"""Things that are drawn: words, boards, pieces, places, states, tables, defines, throws. Each gives its lines."""

from __future__ import annotations

from attack.kinds import (
    Board,
    Cell,
    Component,
    Flag,
    Function,
    Keyed,
    Kind,
    Many,
    Maybe,
    Name,
    Num,
    Place,
    Scope,
    State,
    Type,
    Word,
)
from attack.words import Words

CONSTANT = Scope(constant=True, open=True)


class Things(Words):
    """Draws declarations, and notes what there is."""

    def options(self) -> list[str]:
        lines = []
        if self.dice.often(0.2):
            self.world.constants.append(("least_of", 1))
            lines.append("const least_of = 1")
        if self.dice.often(0.2):
            level = self.dice.number(1, 3)
            self.world.constants.append(("level", level))
            requires = f" requires players >= {self.dice.number(1, self.world.seats)}" if self.dice.often(0.3) else ""
            form = "one of 1, 2, 3" if self.dice.often(0.3) else "1..3"
            lines.append(f"option level: {form} = {level}{requires}")
        return lines

    def word(self) -> list[str]:
        """An enumeration or a ring."""
        name = self.dice.new("Word")
        number = self.dice.number(2, 4)
        ring = self.dice.often(0.5)
        values = tuple(f"w{self.dice.new('')}" for _ in range(number))
        self.world.words.append(Word(name, values, ring))
        drawn = " drawn V" if self.dice.often(0.1) else ""
        return [f"type {name} = {'ring' if ring else 'one'} of {', '.join(values)}{drawn}"]

    def new_board(self) -> list[str]:
        dice = self.dice
        name = dice.new("Board")
        lines, towards, compass = [], "", None
        if dice.often(0.7):
            compass = Word(f"Way{name}", tuple(f"{way}{name[5:]}" for way in "nesw"), True)
            lines.append(f"type {compass.name} = ring of {', '.join(compass.values)}")
            self.world.words.append(compass)
            towards = f" towards {compass.name}"
        if dice.often(0.2):
            lines += [f"board {name}: drawn{towards}", "  . b", "  s #", f"  key b = Port{name}, s = Sand{name}"]
            self.world.boards[name] = Board(name, 2, 2, ("A1", "B1", "A2"), compass)
            return lines
        columns, rows = dice.pick([(2, 1), (3, 1), (2, 2), (1, 3)])
        cells = tuple(f"{'ABC'[c]}{r + 1}" for r in range(rows) for c in range(columns))
        without = ""
        if len(cells) > 3 and dice.often(0.3):
            without, cells = f" without {{{cells[-1]}}}", cells[:-1]
        corner = dice.pick(["", " from the bottom left", " from the top left"])
        lines.append(f"board {name}: grid {columns} by {rows}{corner}{without}{towards}")
        self.world.boards[name] = Board(name, columns, rows, cells, compass)
        return lines

    # -------------------------------------------------------------------------------------------------------- pieces

    def component(self) -> list[str]:
        """Pieces with facts, and now and then some that are alike."""
        dice, world = self.dice, self.world
        name = dice.new("Card")
        facts: list[tuple[str, Type]] = [(dice.new("val"), Num(0, 3))] if dice.often(0.75) else []
        if dice.often(0.35):
            facts.append((dice.new("mark"), dice.pick([world.players, *world.words, *map(Cell, world.boards), Flag()])))
        declared = f"({', '.join(f'{fact}: {ty}' for fact, ty in facts)})" if facts else ""
        lines = [f"component {name}{declared}"]
        kinds, size = [], 0
        if len(facts) == 1 and facts[0][1] == world.players and dice.often(0.5):
            lines.append(f"  {name} one each")
            world.components[name] = Component(name, tuple(facts), (Kind(name, world.seats == 1),), world.seats)
            return lines
        for _ in range(dice.number(1, 3)):
            kind = dice.new("Sort")
            given = f"({', '.join(self.literal(ty) for _, ty in facts)})" if facts else ""
            if size and dice.often(0.1) and not facts:
                lines.append(f"  {kind} for q in Player")
                number = world.seats
            else:
                number = dice.pick([1, 1, 2, 3]) if size < 3 else 1
                lines.append(f"  {kind}{given}{f' times {number}' if number > 1 else ''}")
            kinds.append(Kind(kind, number == 1))
            size += number
        world.components[name] = Component(name, tuple(facts), tuple(kinds), size)
        return lines

    def new_place(self, holds: str) -> list[str]:
        dice, world = self.dice, self.world
        name = dice.new("spot_of")
        index: tuple[Type, ...] = ()
        if dice.often(0.45):
            kinds: list[Type] = [world.players, Num(1, 2), *map(Cell, world.boards), *world.words]
            index = (dice.pick(kinds),)
        order = dice.pick(["set", "set", "set", "bag", "pile", "row", "at most"])
        capacity = None
        states = [s for s in world.states if isinstance(s.type, Num) and not s.index and s.open]
        if order == "at most":
            capacity = dice.pick(["1", "1", "2"])
        elif order in ("set", "row") and dice.often(0.35):
            capacity = dice.pick([s.name for s in states]) if states and dice.often(0.5) else dice.pick(["1", "2", "3"])
        sight, is_open, own, label = "open", True, False, dice.new("at")
        if dice.often(0.3):
            sight, is_open = "hidden", False
            if index == (world.players,) and dice.often(0.7):
                sight, own = f"seen by {label}", True
            if dice.often(0.2):
                sight += " uncounted"
        place = Place(name, index, order, capacity, holds, is_open, label, own)
        world.places.append(place)
        held = f"at most {capacity} {holds}" if order == "at most" else f"{order} of {holds}"
        if capacity is not None and order != "at most":
            held = f"{order} of up to {capacity} {holds}"
        written = f"[{label}: {index[0]}]" if index else ""
        return [f"place {name}{written} {held} {sight}"]

    # -------------------------------------------------------------------------------------------------------- states

    def new_state(self) -> list[str]:
        dice, world = self.dice, self.world
        name = dice.new("state_of")
        index: tuple[Type, ...] = ()
        if dice.often(0.35):
            kinds: list[Type] = [world.players, world.players, Num(1, 2), *map(Cell, world.boards), *world.words]
            kinds += [c.type for c in world.components.values() if self._told_apart(c) or self._homes(c)]
            index = (dice.pick(kinds),)
        ty = self._state_type(bool(index))
        initial = self.literal(ty)
        is_open, own, sight = True, False, ""
        if dice.often(0.2):
            sight, is_open = " hidden", False
            if index == (world.players,) and dice.often(0.7):
                sight, own = " seen by i", True
        if isinstance(ty, Num) and index and dice.often(0.3):
            initial = self.number_in(ty, CONSTANT.plus(Name("i", index[0])), 0, 1.0)
        clock, while_in = None, None
        if dice.often(0.2):
            clock = "turn"
            sight += " until end of turn"
        component = next((c for c in world.components.values() if index and index[0] == c.type), None)
        if component is not None and self._homes(component) and (dice.often(0.5) or not self._told_apart(component)):
            clock, while_in = None, dice.pick(self._homes(component))
            sight = f"{sight.replace(' until end of turn', '')} while in {while_in}"
        if isinstance(ty, Many | Maybe) and initial == "none" and isinstance(ty, Many):
            initial = "{}"
        track = dice.often(0.06) and is_open and not clock and not while_in
        lines = []
        written_type = str(ty)
        if isinstance(ty, Keyed) and isinstance(ty.held, Maybe):
            alias = dice.new("Perhaps")
            lines.append(f"type {alias} = {ty.held}")
            written_type = f"map {ty.keys} to {alias}"
            initial = f"[none for k in {self.keys(ty.keys)}]"
        written = f"[i: {index[0]}]" if index else ""
        word = "track" if track else "state"
        world.states.append(State(name, index, ty, is_open, clock, while_in, False, track, own))
        bound = self._bound(ty, index)
        lines.append(f"{word} {name}{written}: {bound or written_type} = {'0' if bound else initial}{sight}")
        return lines

    def _told_apart(self, component: Component) -> bool:
        return all(kind.alone for kind in component.kinds)

    def _homes(self, component: Component) -> list[str]:
        return [place.name for place in self.world.places if place.holds == component.name]

    def _bound(self, ty: Type, index: tuple[Type, ...]) -> str | None:
        """An end of the range that depends on the index."""
        if not isinstance(ty, Num) or ty.low != 0 or not index or not self.dice.often(0.3):
            return None
        for component in self.world.components.values():
            if component.type == index[0]:
                for fact, fact_type in component.facts:
                    if fact_type == Num(0, 3) and ty.high == 3:
                        return f"0..i.{fact}"
        return None

    def _state_type(self, indexed: bool) -> Type:
        dice, world = self.dice, self.world
        pieces: list[Type] = [c.type for c in world.components.values()]
        simple: list[Type] = [Flag(), Flag(), world.players, *world.words, *map(Cell, world.boards)]
        if dice.often(0.05):
            entry: list[Type] = [Num(0, 2), Num(0, 1), Flag(), world.players]
            return Many(Keyed(dice.pick([world.players, Num(1, 2)]), dice.pick(entry)))
        if dice.often(0.5):
            return Num(dice.pick([0, 0, 0, 1, -1]), dice.number(1, 3)) if dice.often(0.9) else Num(0, 5)
        if dice.often(0.55):
            return dice.pick(simple)
        kind = dice.number(0, 9)
        if kind < 5:
            return Maybe(
                dice.pick([world.players, *pieces, *pieces, *world.words, *map(Cell, world.boards), Num(0, 2)])
            )
        if kind < 7 and not indexed:
            return Many(dice.pick([world.players, *pieces, *world.words]))
        if not indexed:
            held: list[Type] = [Num(0, 2), Flag(), Maybe(world.players), Maybe(Num(0, 1))]
            return Keyed(dice.pick([world.players, Num(1, 2)]), dice.pick(held))
        return dice.pick(simple)

    # ------------------------------------------------------------------------------------------------ words and throws

    def table(self) -> list[str]:
        dice, world = self.dice, self.world
        name = dice.new("table_of")
        kinds: list[Type] = [world.players, Num(0, 2), *world.words]
        param = dice.pick(kinds)
        held: Type = dice.pick([Num(0, 3), Num(0, 3), *world.words])
        world.tables.append(Function(name, (param,), held, True))
        if dice.often(0.25):
            return [f"table {name}(k: {param}): {held} = {self.literal(held)}"]
        keys = param.values if isinstance(param, Word) else tuple(map(str, range(3)))
        return [f"table {name}(k: {param}): {held}", *(f"  {key}  {self.literal(held)}" for key in keys)]

    def define(self) -> list[str]:
        dice, world = self.dice, self.world
        name = dice.new("word_of")
        is_open = dice.often(0.7)
        if dice.often(0.12):
            return self._recursive(name)
        kinds: list[Type] = [world.players, Num(0, 2), *world.words, *map(Cell, world.boards)]
        kinds += [c.type for c in world.components.values()] * 2
        params = tuple(Name(dice.new("k"), dice.pick(kinds), is_open) for _ in range(dice.number(0, 1)))
        scope = Scope(params, open=is_open)
        held: Type = dice.pick([Num(0, 3), Num(0, 3), Flag(), Flag(), world.players])
        head = f"define {name}"
        if params:
            head += f"({', '.join(f'{p.name}: {p.type}' for p in params)})"
        if isinstance(held, Num):
            head += f": {held}"
        lines = self._body(head, held, scope)
        world.functions.append(Function(name, tuple(p.type for p in params), held, is_open))
        return lines

    def _body(self, head: str, held: Type, scope: Scope) -> list[str]:
        """One line, a block with names, a match, or a quantifier with a block."""
        dice = self.dice
        shape = dice.number(0, 9)
        if shape == 0:
            ty = self.any_type(scope)
            local = Name(dice.new("l"), ty, scope.open)
            value = self.value(ty, scope, 2)
            return [head, f"  let {local.name} = {value}", f"  {self.value(held, scope.plus(local), 2)}"]
        if shape == 1:
            word = dice.pick([self.world.players, *self.world.words])
            cases = [f"    {value}: {self.value(held, scope, 1)}" for value in word.values]
            return [head, f"  match {self.value(word, scope, 1)}", *cases]
        if shape == 2 and held == Flag():
            ty = self.any_type(scope)
            x = Name(dice.new("x"), ty, scope.open)
            lines = [self.test(scope.plus(x), 1) for _ in range(2)]
            return [head, f"  every {x.name} in {self.set_of(ty, scope, 1)}:", *(f"    {line}" for line in lines)]
        return [f"{head} = {self.value(held, scope, 2)}"]

    def _recursive(self, name: str) -> list[str]:
        more = self.number(Scope((Name("n", Num(1, 2)),), open=True), 1)[0]
        self.world.functions.append(Function(name, (Num(0, 2),), Num(0, 9), True))
        found = f"min(9, max(0, {more} + {name}(n - 1)))"
        return [f"define {name}(n: 0..2): 0..9 shrinking n = if n = 0 then {self.dice.number(0, 2)} else {found}"]

    def throw(self) -> list[str]:
        """A named throw."""
        dice, world = self.dice, self.world
        name = dice.new("throw_of")
        lines = [f"chance {name}(n: 1..2)", f"  roll n d{dice.pick([2, 3])} as mine"]
        if dice.often(0.4):
            lines.append(f"  roll d2 as theirs{name}")
        if dice.often(0.3):
            lines.append("  let both = mine + n")
        scope = Scope((Name("mine", Num(1, 6)), Name("n", Num(1, 2))), constant=True, open=True)
        if dice.often(0.5):
            lines.append(f"  again if mine {dice.pick(['=', '>', '<'])} {dice.number(1, 3)}")
        held: Type = Flag() if dice.often(0.6) else Num(0, 3)
        given = f"mine {dice.pick(['>', '<=', '='])} {dice.number(1, 3)}" if held == Flag() else None
        lines.append(f"  gives {given or self.number_in(Num(0, 3), scope, 1, 1.0)}")
        world.throws.append(Function(name, (Num(1, 2),), held, True))
        return lines
