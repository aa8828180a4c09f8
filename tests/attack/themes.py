"""What has been judged wrongly before, drawn with other words: what is owed, what is looked at, what can come back.

A theme is an action or two, with what they need, that turn on one such question. A game with a theme has little else,
so that what follows from it is not lost in the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from attack.kinds import (
    Board,
    Cell,
    Component,
    Deed,
    Flag,
    Keyed,
    Kind,
    Maybe,
    Name,
    Num,
    Place,
    Scope,
    State,
    Type,
    Word,
)
from attack.promises import Promises
from attack.steps import indented

Lines = list[str]


class Themes(Promises):
    """Draws themes. Each gives declarations."""

    def theme(self) -> Lines:
        return self.dice.pick(self.all_themes())()

    def all_themes(self) -> list[Callable[[], Lines]]:
        return [
            self.lazy_fold,
            self.lazy_fold,
            self.lazy_pick,
            self.lazy_range,
            self.nothing_moves,
            self.full,
            self.spots,
            self.no_weight,
            self.seats,
            self.sums_of_sets,
            self.empty_round,
            self.never_back,
            self.layers,
            self.spread,
            self.marked,
            self.indexed_by_what_changes,
            self.owed_by_options,
            self.kept_too_many,
            self.maps,
            self.nothing_there,
            self.leaves_its_caller,
            self.told_by_options,
            self.whoever_may,
            self.over_or_not,
        ]

    # ------------------------------------------------------------------------------------------------ small parts

    def flag(self, value: str = "no", extra: str = "") -> str:
        """A new state of yes or no; its lines wait in `extra_lines`."""
        name = self.dice.new("flag")
        self.world.states.append(State(name, (), Flag(), True))
        self.extra.append(f"state {name}: yes or no = {value}{extra}")
        return name

    def counter(self, low: int, high: int, first: int) -> str:
        name = self.dice.new("level")
        self.world.states.append(State(name, (), Num(low, high), True))
        self.extra.append(f"state {name}: {Num(low, high)} = {first}")
        return name

    def pieces(self) -> tuple[Component, Place, Place]:
        """Some pieces with a number that may be 0, and two places for them."""
        dice = self.dice
        name, fact = dice.new("Chip"), dice.new("val")
        numbers = [dice.pick([0, 1, 2, 3]) for _ in range(dice.number(2, 3))]
        kinds = tuple(Kind(dice.new("Sort"), True) for _ in numbers)
        component = Component(name, ((fact, Num(0, 3)),), kinds, len(kinds))
        here, there = dice.new("shelf"), dice.new("bag")
        self.extra.append(f"component {name}({fact}: 0..3)")
        homes = [dice.pick([here, here, there]) for _ in kinds]
        pairs = zip(kinds, numbers, homes, strict=True)
        self.extra += [f"  {kind.name}({number}) kept in {home}" for kind, number, home in pairs]
        self.extra += [f"place {place} set of {name} open" for place in (here, there)]
        places = tuple(Place(place, (), "set", None, name, True) for place in (here, there))
        self.world.components[name] = component
        self.world.places += places
        self.away = [kind.name for kind, home in zip(kinds, homes, strict=True) if home == there]
        return component, places[0], places[1]

    away: Lines
    """Kinds of pieces that are not where they are looked for."""

    def sort(self, component: Component) -> str:
        """A kind, mostly one that is not there."""
        if self.away and self.dice.often(0.7):
            return self.dice.pick(self.away)
        return self.dice.pick(component.kinds).name

    def act(self, body: Lines, params: tuple[Name, ...] = (), needs: str = "", within: str = "") -> Lines:
        """An action."""
        name, p = self.dice.new("act"), self.dice.new("p")
        written = "".join(f", {a.name}: {a.type}{within}" for a in params)
        self.world.actions.append(Deed(name, tuple(a.type for a in params), False, self.is_quiet(body)))
        self.world.guards[name] = []
        guard = [f"  needs {self.dice.new('guard')}: {needs}"] if needs else []
        body = [line.replace("WHO", p) for line in body]
        return [f'action {name}({p}: Player{written}) "{{{p}}} acts"', *guard, *indented(body)]

    def set_by_hand(self, state: str, low: int, high: int) -> Lines:
        """An action that gives a state a value."""
        if self.dice.often(0.6):
            a = Name(self.dice.new("a"), Num(low, high))
            return self.act([f"{state} := {a.name}"], (a,))
        return self.act([f"{state} := {self.dice.pick([low, low, high])}"])

    def carry(self, here: Place, there: Place) -> Lines:
        a = Name(self.dice.new("a"), self.world.components[here.holds].type)
        return self.act([f"move {a.name} to {there.name}"], (a,), within=f" in {here.name}")

    def marks(self) -> Lines:
        """A step that tells that one came here."""
        flag = self.flag()
        return [self.dice.pick([f"{flag} := yes", f"{flag} := yes", f"{flag} := not {flag}"])]

    extra: Lines

    # ----------------------------------------------------------------------------------------------------- what is owed

    def lazy_fold(self) -> Lines:
        """Members that are never looked at owe nothing."""
        dice = self.dice
        component, here, there = self.pieces()
        x, fact = dice.new("x"), component.facts[0][0]
        odd = dice.pick([f"({dice.number(1, 6)} / {x}.{fact})", f"({dice.number(1, 6)} mod {x}.{fact})"])
        where = dice.pick(["", "", f" where {x}.{fact} != {dice.number(0, 3)}"])
        word = dice.pick(["some", "every", "no"])
        test = f"({word} {x} in {there.name}{where}: {odd} {dice.pick(['>', '<', '='])} {dice.number(0, 3)})"
        if dice.often(0.3):
            test = f"({here.name} is {dice.pick(['empty', 'filled'])} {dice.pick(['and', 'or', 'implies'])} {test})"
        lines = self.carry(here, there) + (self.carry(there, here) if dice.often(0.4) else [])
        return lines + self.act([f"if {test}", *indented(dice.pick([["nothing"], self.marks()])), *self.marks()])

    def lazy_pick(self) -> Lines:
        """`first` looks at no more than it must, `while` at no more than the first that fails."""
        dice = self.dice
        level = self.counter(0, 3, 1)
        x = dice.new("x")
        odd = f"({dice.number(1, 6)} / ({x} - {level}))"
        among = dice.pick([f"0..{dice.number(1, 3)}", f"1..{dice.number(2, 3)}", f"0..{level}"])
        test = f"{odd} {dice.pick(['>', '<', '>=', '='])} {dice.number(0, 3)}"
        value = dice.pick(
            [
                f"(first {x} in {among} where {test} otherwise {dice.number(0, 3)})",
                f"min(3, size of {{{x} in {among} while {test}}})",
                f"min(3, (count {x} in {among} where {test}))",
            ]
        )
        got = self.counter(0, 3, 0)
        return self.set_by_hand(level, 0, 3) + self.act([f"{got} := {value}", *self.marks()])

    def lazy_range(self) -> Lines:
        """The high end of a range is not looked at when the low end fails."""
        dice = self.dice
        level = self.counter(0, 3, 1)
        value = dice.pick([level, str(dice.number(0, 3))])
        low = dice.number(1, 3)
        test = f"({value} {dice.pick(['in', 'not in'])} {low}..({dice.number(1, 6)} / {level}))"
        return self.set_by_hand(level, 0, 3) + self.act([f"if {test}: nothing", *self.marks()])

    def nothing_moves(self) -> Lines:
        """When nothing moves, nothing is owed by where it goes."""
        dice = self.dice
        component, here, there = self.pieces()
        slot = dice.new("slot")
        index: Type = dice.pick([Num(1, 2), Num(1, 3)])
        assert isinstance(index, Num)
        self.extra.append(f"place {slot}[i: {index}] set of {component.name} open")
        self.world.places.append(Place(slot, (index,), "set", None, component.name, True))
        level = self.counter(0, 3, 1)
        kind = self.sort(component)
        cargo = dice.pick(
            [
                f"up to {dice.number(1, 2)} {kind} from {here.name}",
                f"all {kind} from {here.name}",
                here.name,
                f"{{x in {here.name} where x.{component.facts[0][0]} > {dice.number(0, 2)}}}",
            ]
        )
        lines = self.set_by_hand(level, 0, 3)
        if dice.often(0.5):
            lines += self.carry(here, there)
        return lines + self.act([f"move {cargo} to {slot}[{level}]", *self.marks()])

    def full(self) -> Lines:
        """The capacity of a place that shrinks is owed by what comes, not by what lies there."""
        dice = self.dice
        component, here, there = self.pieces()
        room = self.counter(0, 3, 2)
        small = dice.new("tray")
        order = dice.pick(["set", "row"])
        self.extra.append(f"place {small} {order} of up to {room} {component.name} open")
        place = Place(small, (), order, room, component.name, True)
        self.world.places.append(place)
        kind = self.sort(component)
        lines = self.set_by_hand(room, 0, 3)
        x = dice.new("x")
        cargo = dice.pick(
            [f"up to 1 {kind} from {here.name}", here.name, f"(first {x} in {here.name} otherwise {kind})"]
        )
        lines += self.act([f"move {cargo} to {small}", *self.marks()])
        return lines + (self.carry(there, place) if dice.often(0.5) else self.act(self.marks()))

    def spots(self) -> Lines:
        """A spot of a row is owed only if something goes there."""
        dice = self.dice
        component, here, _ = self.pieces()
        line = dice.new("line")
        self.extra.append(f"place {line} row of {component.name} open")
        place = Place(line, (), "row", None, component.name, True)
        self.world.places.append(place)
        level = self.counter(0, 3, 1)
        kind = self.sort(component)
        cargo = dice.pick([f"up to 1 {kind} from {here.name}", here.name, f"all {kind} from {here.name}"])
        lines = self.set_by_hand(level, 0, 3)
        lines += self.act([f"move {cargo} to {line} at {level}", *self.marks()])
        if dice.often(0.5):
            test = f"(first x in {line} otherwise {kind}) is {dice.pick(component.kinds).name}"
            lines += self.act([f"if {test}", *indented(self.marks())])
        return lines

    def kept_too_many(self) -> Lines:
        """What is kept in a place at first may be more than it holds."""
        dice = self.dice
        name, place = dice.new("Disc"), dice.new("pot")
        number, most = dice.number(2, 3), dice.number(1, 2)
        order = dice.pick(["set of up to", "row of up to", "at most"])
        self.extra += [f"component {name}", f"  {name} times {number} kept in {place}"]
        self.extra += [f"place {place} {order} {most} {name} open", f"place tray_of_{place} set of {name} open"]
        self.world.components[name] = Component(name, (), (Kind(name, False),), number)
        self.world.places.append(Place(place, (), "set", None, name, True))
        self.world.places.append(Place(f"tray_of_{place}", (), "set", None, name, True))
        test = f"size of {place} {dice.pick(['>', '<=', '='])} {dice.number(0, most)}"
        lines = self.act([f"if {test}", *indented(self.marks())])
        return lines + self.act([f"move up to 1 {name} from {place} to tray_of_{place}", *self.marks()])

    def owed_by_options(self) -> Lines:
        """What is offered with an argument that may fail fails when one comes there."""
        dice = self.dice
        level = self.counter(0, 2, 1)
        a = Name(dice.new("a"), Num(0, 3))
        got = self.counter(0, 3, 0)
        lines = self.set_by_hand(level, 0, 2)
        lines += self.act([f"{got} := {a.name}", *self.marks()], (a,))
        action = self.world.actions[-1].name
        given = dice.pick([f"{dice.number(1, 3)} / {level}", f"{level} - 1", f"{level} + {dice.number(1, 2)}"])
        self.items.append(f"{action}({given})")
        return lines

    # ------------------------------------------------------------------------------------------------- what may happen

    def no_weight(self) -> Lines:
        """When all weights are 0, nothing comes, and `otherwise` is done."""
        dice = self.dice
        level = self.counter(0, 2, 1)
        x = dice.new("x")
        weight = dice.pick([f"({x} * {level})", level, f"max(0, {x} - {level})", f"({level} mod (1 + {x}))"])
        low = dice.number(0, 1)
        lines = self.set_by_hand(level, 0, 2)
        body = [f"chance chooses {x} in {low}..{dice.number(1, 2)} weights {weight}"]
        body += indented(dice.pick([["nothing"], self.marks()]))
        return lines + self.act([*body, "otherwise", *indented(self.marks())])

    def seats(self) -> Lines:
        """What is so of the other one, and of all but one."""
        dice = self.dice
        hit = dice.new("hit")
        self.world.states.append(State(hit, (self.world.players,), Flag(), True))
        self.extra.append(f"state {hit}[i: Player]: yes or no = no")
        word = dice.pick(["yes", "no"])
        near = [f"{hit}[WHO] := {dice.pick(['yes', 'no'])}", f"{hit}[next(WHO)] := {word}"]
        dice.random.shuffle(near)
        turn = [f"{hit}[p] := {dice.pick(['yes', 'no'])}", f"{hit}[next(p)] := {dice.pick(['yes', 'no'])}"]
        self.before += turn[:1] if dice.often(0.6) else []
        self.after_turn += turn[1:] if dice.often(0.6) else []
        return self.act(near[: dice.number(1, 2)]) + self.act(self.marks())

    def sums_of_sets(self) -> Lines:
        """A sum of sets is gone through in the order of the type."""
        dice = self.dice
        name = dice.new("Strip")
        ways = Word(f"Way{name}", tuple(f"{w}{name[5:]}" for w in "nesw"), True)
        self.extra += [f"type {ways.name} = ring of {', '.join(ways.values)}"]
        self.extra += [f"board {name}: grid 3 by 1 towards {ways.name}"]
        self.world.words.append(ways)
        self.world.boards[name] = Board(name, 3, 1, ("A1", "B1", "C1"), ways)
        here, got = dice.new("cell"), dice.new("cell")
        for state in (here, got):
            self.world.states.append(State(state, (), Cell(name), True))
            self.extra.append(f"state {state}: {name} = {dice.pick(['A1', 'B1', 'C1'])}")
        ray = f"ray({here}, {dice.pick(ways.values)})"
        other = dice.pick(["{}", f"{{{here}}}", f"ray({got}, {dice.pick(ways.values)})", "{B1}"])
        several = dice.pick([f"({other} + {ray})", f"({ray} + {other})", f"({ray} - {other})"])
        lines = self.act([f"{here} := {dice.pick(['A1', 'B1', 'C1'])}"])
        value = dice.pick(
            [f"(first c in {several} otherwise {here})", f"(first c in {{d in {several} where yes}} otherwise A1)"]
        )
        return lines + self.act([f"{got} := {value}", *self.marks()])

    def empty_round(self) -> Lines:
        """A round of nobody is a round."""
        dice = self.dice
        cursed = dice.new("cursed")
        self.world.states.append(State(cursed, (self.world.players,), Flag(), True))
        self.extra.append(f"state {cursed}[i: Player]: yes or no = no")
        q = dice.new("q")
        among = f"{{z in Player where {cursed}[z]}}"
        order = dice.pick(["", " in order from WHO", " in order from seat(1)", " in order from next(WHO)"])
        body = [f"for each {q} in {among}{order}", *indented(dice.pick([["nothing"], self.marks()])), *self.marks()]
        lines = self.act(body)
        if dice.often(0.6):
            lines += self.act([f"{cursed}[WHO] := {dice.pick(['yes', 'not ' + cursed + '[WHO]'])}"])
        if dice.often(0.3):
            lines += self.act(["WHO drops out"])
        return lines

    def never_back(self) -> Lines:
        """A procedure that never comes to its end is still running."""
        dice = self.dice
        last, flag = dice.new("last"), self.flag()
        clock = dice.new("flag")
        self.extra.append(f"state {clock}: yes or no = no until end of {last}")
        self.world.states.append(State(clock, (), Flag(), True, clock=last))
        lines = self.act([f"{flag} := not {flag}"])
        action = self.world.actions[-1].name
        self.endless = [
            f"to {last}",
            f"  {clock} := yes" if dice.often(0.5) else "  nothing",
            f"  repeat{dice.pick(['', '', ' 2 times'])}",
            f"    seat(1) chooses {action}",
        ]
        self.world.procedures.append(Deed(last, (), True))
        self.last = last
        return lines

    def layers(self) -> Lines:
        """As a set a pile has the order of its type."""
        dice = self.dice
        ring = Word(dice.new("Suit"), tuple(f"s{dice.new('')}" for _ in range(3)), True)
        self.world.words.append(ring)
        name, place, last = dice.new("Leaf"), dice.new("deck"), dice.new("last")
        order, sight = dice.pick([("pile", "hidden"), ("pile", "open"), ("set", "open"), ("row", "open")])
        self.extra += [
            f"type {ring.name} = ring of {', '.join(ring.values)}",
            f"component {name}(suit: {ring.name})",
            f"  {name} one each kept in {place}",
            f"place {place} {order} of {name} {sight}",
            f"state {last}: {ring.name} or none = none",
        ]
        self.world.states.append(State(last, (), Maybe(ring), True))
        s = Name(dice.new("s"), ring)
        value = dice.pick(
            [
                [f"for each c in {place}: {last} := c.suit"],
                [f"{last} := (first c in {place}).suit"],
                [f"{last} := {s.name}"],
                [f"{last} := (first c in {place} where c.suit is not {s.name}).suit"],
            ]
        )
        self.symmetric.append(ring)
        return self.act(value, (s,))

    def spread(self) -> Lines:
        """Pieces in many places."""
        dice = self.dice
        component, here, _ = self.pieces()
        name, water = dice.new("Lake"), dice.new("water")
        self.extra.append(f"board {name}: grid {dice.pick(['2 by 2', '3 by 1'])}")
        self.world.boards[name] = Board(name, 2, 2, ("A1", "B1"), None)
        self.extra.append(f"place {water}[c: {name}] set of {component.name} open")
        place = Place(water, (Cell(name),), "set", None, component.name, True, "c")
        self.world.places.append(place)
        a = Name(dice.new("a"), Cell(name))
        kind = dice.pick(component.kinds).name
        cargo = dice.pick([kind, f"up to 1 {kind} from {here.name}", here.name])
        lines = self.act([f"move {cargo} to {water}[{a.name}]", *self.marks()], (a,))
        if dice.often(0.5):
            lines += self.act([f"move {water} to {here.name}", *self.marks()])
        return lines

    def marked(self) -> Lines:
        """Pieces that are alike, but for what is known of each."""
        dice = self.dice
        name, here, there = dice.new("Coin"), dice.new("purse"), dice.new("vault")
        sight = dice.pick(["open", "open", "hidden"])
        self.extra += [f"component {name}", f"  {name} times {dice.number(2, 3)} kept in {here}"]
        self.extra += [f"place {here} set of {name} {sight}", f"place {there} set of {name} open"]
        self.world.components[name] = Component(name, (), (Kind(name, False),), 2)
        for place in (here, there):
            self.world.places.append(Place(place, (), "set", None, name, place == there or sight == "open"))
        state = dice.new("shiny")
        if dice.often(0.5):
            self.extra.append(f"state {state}[c: {name}]: yes or no = no while in {here}{dice.pick([' hidden', ''])}")
            mark = [f"let y = first c in {here} where not c.{state}", f"y.{state} := yes"]
            mark = [f"if (some c in {here}: not c.{state})", *indented(mark)]
        else:
            hidden = dice.pick([" hidden", ""])
            self.extra.append(f"state {state}: {name} or none = none{hidden}")
            mark = [f"if {here} is filled: {state} := first c in {here}"]
            self.secrets += [state] if hidden else []
        move = dice.pick(
            [f"move up to 1 {name} from {here} to {there}", f"if {here} is filled: move (first c in {here}) to {there}"]
        )
        lines = self.act(mark) + self.act([move])
        if dice.often(0.5):
            test = f"(some c in {here}: c.{state})" if "while in" in self.extra[-1] else f"({state} in {there})"
            test = test if "while in" in self.extra[-1] else f"({state} is some y and y in {there})"
            lines += self.act([f"if {test}", *indented(self.marks())])
        return lines

    def indexed_by_what_changes(self) -> Lines:
        """An entry that is named by what a call changes."""
        dice = self.dice
        go, who, owns = dice.new("go"), dice.new("holder"), dice.new("owns")
        self.extra += [f"state {who}: Player = seat(1)", f"state {owns}[i: Player]: yes or no = no"]
        self.world.states += [
            State(who, (), self.world.players, True),
            State(owns, (self.world.players,), Flag(), True),
        ]
        change = dice.pick([f"{who} := next({who})", f"{who} drops out", f"{owns}[{who}] := no"])
        lines = [f"to {go}", f"  {change}", *indented(self.marks() if dice.often(0.3) else [])]
        self.world.procedures.append(Deed(go, (), False))
        index = dice.pick([who, f"next({who})", f"(first q in Player where not out(q) otherwise {who})"])
        body = [f"{owns}[{index}] := {dice.pick(['yes', 'no'])}", go, f"{owns}[{index}] := {dice.pick(['yes', 'no'])}"]
        lines += self.act(body[: dice.number(2, 3)])
        return lines + self.act(dice.pick([[go], [f"{owns}[WHO] := yes"]]))

    # ---------------------------------------------------------------------------------------------- what is not there

    def maps(self) -> Lines:
        """Entries of maps that may be none; a name that is kept across a decision."""
        dice = self.dice
        alias, owed = dice.new("Perhaps"), dice.new("owed")
        held = dice.pick(["Player", "0..2"])
        self.extra += [
            f"type {alias} = {held} or none",
            f"state {owed}: map Player to {alias} = [none for q in Player]",
        ]
        ty: Type = self.world.players if held == "Player" else Num(0, 2)
        self.world.states.append(State(owed, (), Keyed(self.world.players, Maybe(ty)), True))
        x = dice.new("l")
        value = dice.pick(["WHO", "next(WHO)"]) if held == "Player" else str(dice.number(0, 2))
        lines = self.act([f"{owed} := [(if q is WHO then {value} else {owed}[q]) for q in Player]"])
        level = self.counter(0, 2, 0)
        use = f"({x} is some and {x} is {dice.pick(['WHO', 'seat(1)'])})"
        if held != "Player":
            use = f"({x} is some and {x} {dice.pick(['>', '='])} {dice.number(0, 2)})"
        body = [
            f"let {x} = {owed}[WHO]",
            f"WHO chooses k{x} in 0..1",
            f"if {use}",
            *indented(self.marks()),
            f"{level} := k{x}",
        ]
        return lines + self.act([line for line in body if dice.often(0.9) or line.startswith(("let", "if", " "))])

    def nothing_there(self) -> Lines:
        """What is read of what may be none."""
        dice = self.dice
        lead, points = dice.new("lead"), dice.new("points")
        self.extra += [f"state {lead}: Player or none = none", f"state {points}[i: Player]: 0..2 = 0"]
        self.world.states += [
            State(lead, (), Maybe(self.world.players), True),
            State(points, (self.world.players,), Num(0, 2), True),
        ]
        table = dice.new("worth")
        self.extra.append(f"table {table}(q: Player): 0..3 = {dice.number(0, 3)}")
        read = dice.pick([f"{points}[y]", f"{table}(y)"])
        compared = f"{read} {dice.pick(['>', '=', '<', '!='])} {dice.number(0, 2)}"
        test = dice.pick([f"({lead} is some y and {compared})", f"({lead} is some y implies {compared})"])
        lines = self.act([f"{lead} := {dice.pick(['WHO', 'next(WHO)'])}"])
        if dice.often(0.4):
            lines += self.act([f"{lead} := none"])
        if " implies " in test:
            test = f"(not ({lead} is some y and {compared}))"
        return lines + self.act([f"if {test}", *indented(self.marks()), f"{points}[WHO] := {dice.number(0, 2)}"])

    def leaves_its_caller(self) -> Lines:
        """A procedure that several call, and that leaves one of them."""
        dice = self.dice
        helper, outer = dice.new("go"), dice.new("go")
        flag = self.flag()
        lines = [f"to {helper}", f"  if {flag}: stop {dice.pick(['turn', outer])}", *indented(self.marks())]
        lines += [f"to {outer}", f"  {helper}", *indented(self.marks()), f"  {helper}", *indented(self.marks())]
        self.world.procedures.append(Deed(outer, (), False))
        lines += self.act([f"{flag} := {dice.pick(['yes', 'not ' + flag])}"])
        lines += self.act([outer, *self.marks()])
        return lines

    # ----------------------------------------------------------------------------------------------------- who may know

    def told_by_options(self) -> Lines:
        """What is offered tells what is hidden: of pieces that are alike one is, or is not, told apart."""
        dice = self.dice
        name, bank, vault = dice.new("Coin"), dice.new("bank"), dice.new("vault")
        self.extra += [f"component {name}", f"  {name} times {dice.number(2, 4)} kept in {bank}"]
        self.extra += [
            f"place {bank} set of {name} open",
            f"place {vault} set of {name} {dice.pick(['open', 'hidden'])}",
        ]
        self.world.components[name] = Component(name, (), (Kind(name, False),), 2)
        self.world.places.append(Place(bank, (), "set", None, name, True))
        state = dice.new("marked")
        self.extra.append(f"state {state}[p: Player]: {name} or none = none seen by p")
        self.secrets.append(state)
        x = dice.new("x")
        lines = self.act([f"WHO privately chooses {x} in {name}", f"  {state}[WHO] := {x}"])
        c = dice.new("c")
        take = dice.new("act")
        self.world.actions.append(Deed(take, (self.world.components[name].type,), False, False))
        return [*lines, f'action {take}(p: Player, {c}: {name} in {bank}) "p takes"', f"  move {c} to {vault}"]

    def whoever_may(self) -> Lines:
        """Whether somebody is asked tells whether there is an option."""
        dice = self.dice
        name, hand = dice.new("Leaf"), dice.new("hand")
        fact = dice.new("rank")
        self.extra += [f"component {name}({fact}: 1..2)", f"  {name} times 1 each"]
        self.extra += [f"place {hand}[p: Player] set of {name} seen by p", f"place heap_of_{hand} set of {name} open"]
        self.world.components[name] = Component(name, ((fact, Num(1, 2)),), (Kind(name, False),), 2)
        self.secrets.append(hand)
        c = dice.new("c")
        act = dice.new("act")
        self.world.actions.append(Deed(act, (self.world.components[name].type,), False, False))
        lines = [f'action {act}(p: Player, {c}: {name} in {hand}[p]) "p lays"']
        lines += [f"  needs guard_of_{act}: {c}.{fact} > 1", f"  move {c} to heap_of_{hand}"]
        self.setup += [f"draw 1 from box to {hand}[seat(1)]"]
        flag = self.flag()
        self.before += [f"p may {act}"] if dice.often(0.5) else [f"p chooses {act}", "otherwise", f"  {flag} := yes"]
        return lines

    def over_or_not(self) -> Lines:
        """Who has won, while nobody has, and when the game is over."""
        level = self.counter(0, 2, 0)
        test = f"{level} = {self.dice.number(0, 2)}"
        win = self.dice.pick(["win for WHO", "lose for WHO", "nobody wins"])
        p = self.dice.pick(["Ann", "q"])
        who = self.dice.pick(["won", "lost"])
        fact = f"{p} has {who}" if p == "Ann" else f"(some q in Player: q has {who})"
        other = self.dice.pick(["{Ann} is filled", f"{level} > 0", f"{level} < 2", "Ann has won", "Ann has lost"])
        name = self.dice.new("promise")
        self.own_promises.append(f"lemma {name}: {self.dice.pick(['not ', ''])}{fact} implies {other}")
        if "implies" in self.own_promises[-1]:
            self.own_promises.append(f"invariant i{name}: {self.dice.pick(['not ', ''])}{fact} implies {other}")
        return self.set_by_hand(level, 0, 2) + self.act([f"if {test}: {win}"])

    def begin(self) -> None:
        """Nothing is drawn yet."""
        self.extra, self.items, self.before, self.after_turn, self.setup = [], [], [], [], []
        self.secrets: Lines = []
        self.symmetric: list[Word] = []
        self.own_promises: Lines = []
        self.endless: Lines = []
        self.last = ""

    items: Lines
    before: Lines
    after_turn: Lines
    setup: Lines

    def scope(self) -> Scope:
        return Scope(clocks=("turn",))
