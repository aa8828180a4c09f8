"""Themes about what is owed: what is never looked at owes nothing, and neither does what does not happen."""

from __future__ import annotations

from attack.kinds import Component, Deed, Keyed, Kind, Maybe, Name, Num, Place, State, Type
from attack.parts import Lines, Parts
from attack.steps import indented


class Owed(Parts):
    """Draws these themes."""

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
        self.telling += [f"(size of {small} > {room})", f"(size of {small} = {dice.number(0, 2)})"]
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
        self.telling += [f"({level} > 1 + size of {line})", f"(size of {line} = {dice.number(0, 1)})"]
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

    # ---------------------------------------------------------------------------------------------- what is not there

    def first_in_a_row(self) -> Lines:
        """In the order of a row the search stops at the first that fits: those behind it owe nothing."""
        dice = self.dice
        component, here, there = self.pieces()
        line, fact, x = dice.new("line"), component.facts[0][0], dice.new("x")
        self.extra.append(f"place {line} row of {component.name} open")
        place = Place(line, (), "row", None, component.name, True)
        self.world.places.append(place)
        kind, got = self.sort(component), self.counter(0, 3, 0)
        odd = (
            f"{dice.number(1, 6)} {dice.pick(['/', 'mod'])} {x}.{fact} {dice.pick(['>', '<', '='])} {dice.number(0, 3)}"
        )
        among = dice.pick([line, f"{{y in {component.name} where y in {line}}}", f"{{y in {line} where yes}}"])
        find = dice.pick(
            [
                f"(first {x} in {among} where {odd} otherwise {kind}).{fact}",
                f"min(3, size of {{{x} in {among} while {odd}}})",
                f"spot(first {x} in {line} where {odd})",
            ]
        )
        lines = self.carry(here, place) + (self.carry(place, there) if dice.often(0.3) else [])
        self.telling += [f"(size of {line} = {dice.number(0, 2)})", f"({kind} in {line})", f"({got} = 3)"]
        return lines + self.act([f"{got} := min(3, {find})", *self.marks()])

    def maps(self) -> Lines:
        """Entries of maps have a range; a name that is kept across a decision has that of what it was given."""
        dice = self.dice
        alias, owed = dice.new("Perhaps"), dice.new("owed")
        held, most = dice.pick(["Player", "0..2", "0..2"]), dice.pick(["0..2", "none"])
        is_plain = held == "0..2" and most == "0..2"
        first = "0" if is_plain else "none"
        self.extra += [] if is_plain else [f"type {alias} = {held} or none"]
        self.extra.append(f"state {owed}: map Player to {held if is_plain else alias} = [{first} for q in Player]")
        ty: Type = self.world.players if held == "Player" else Num(0, 2)
        self.world.states.append(State(owed, (), Keyed(self.world.players, ty if is_plain else Maybe(ty)), True))
        x, y = dice.new("l"), dice.new("y")
        self.telling.append(f"({owed}[{dice.pick(['Ann', 'seat(1)'])}] {dice.pick(['=', '!='])} {first})")
        level = self.counter(0, 4, 0)
        if is_plain:
            rise = dice.pick([f"[{owed}[q] + 1 for q in Player]", f"[{owed}[q] + {level} for q in Player]"])
            self.telling.append(f"({owed}[Ann] = 2)")
            use = f"{x} > {dice.number(1, 2)}"
        else:
            value = dice.pick(["WHO", "next(WHO)"]) if held == "Player" else str(dice.number(0, 2))
            if held != "Player" and dice.often(0.6):
                value = f"(if {owed}[q] is some {y} then {y} + 1 else 0)"
            rise = f"[(if q is WHO then {value} else {owed}[q]) for q in Player]"
            use = f"({x} is some and {x} is {dice.pick(['WHO', 'seat(1)'])})"
            if held != "Player":
                use = f"({x} is some and {x} {dice.pick(['>', '='])} {dice.number(0, 3)})"
        lines = self.act([f"{owed} := {rise}"])
        body = [
            f"let {x} = {owed}[WHO]",
            f"WHO chooses k{x} in 0..1",
            f"if {use}",
            *indented(self.marks()),
            f"{level} := {dice.pick([f'k{x}', f'{x} + k{x}' if is_plain else f'k{x}'])}",
        ]
        return lines + self.act(body if dice.often(0.8) else [body[0], *body[2:-1]])

    def nothing_there(self) -> Lines:
        """What is read of what may be none has no value; nothing follows from it."""
        dice = self.dice
        lead, low = dice.new("lead"), dice.new("low")
        self.extra += [f"state {lead}: 1..2 or none = none", f"state {low}[i: 1..2]: 0..2 = 1"]
        self.world.states.append(State(lead, (), Maybe(Num(1, 2)), True))
        self.world.states.append(State(low, (Num(1, 2),), Num(0, 2), True))
        table, sound = dice.new("worth"), dice.new("sound")
        self.extra += [f"table {table}(q: 1..2): 0..3", f"  1  {dice.number(0, 3)}", f"  2  {dice.number(0, 3)}"]
        read = dice.pick([f"{low}[y]", f"{low}[y]", f"{table}(y)"])
        compared = f"{read} {dice.pick(['>', '=', '<', '!='])} {dice.number(0, 2)}"
        self.extra.append(f"define {sound}(y: 1..2 or none) = y is none or {compared}")
        test = dice.pick(
            [f"({lead} is some y and {compared})", f"(not {sound}({lead}))", f"{sound}({lead})", f"{lead} is none"]
        )
        self.telling += [f"({lead} is none)", f"{sound}({lead})", f"({low}[1] = {dice.number(0, 2)})"]
        a = Name(dice.new("a"), Num(1, 2))
        lines = self.act([f"{lead} := {a.name}"], (a,)) + self.act([f"{low}[{a.name}] := {dice.number(0, 2)}"], (a,))
        lines += self.act([f"{lead} := none"]) if dice.often(0.6) else []
        inner = [f"if {test}", *indented(self.marks())]
        if dice.often(0.4):
            inner = [f"let y = {lead}", f"if (y is none or {compared})", *indented(self.marks())]
        return lines + self.act([*inner, *self.marks()])

    def leaves_its_caller(self) -> Lines:
        """A procedure that several call, and that leaves one of them, or its caller."""
        dice = self.dice
        helper, outer, other = dice.new("go"), dice.new("go"), dice.new("go")
        flag, left = self.flag(), self.flag()
        asks = [f"seat(1) chooses k{helper} in 0..1", f"  if k{helper} = 1: {flag} := yes"] if dice.often(0.7) else []
        lines = [f"to {helper}", *indented(asks), f"  if {flag}: stop {dice.pick(['turn', 'turn', outer])}"]
        if "stop turn" not in lines[-1]:
            other = outer
        lines += indented(dice.pick([[], self.marks(), [f"{left} := yes"]]))
        between = dice.pick([[f"{left} := {flag}"], [f"{left} := not {flag}"], self.marks()])
        lines += [f"to {outer}", *indented([helper, *between, helper, *self.marks()])]
        if other != outer:
            lines += [f"to {other}", *indented([*self.marks(), helper, *self.marks()])]
        self.world.procedures += [Deed(outer, (), bool(asks)), Deed(other, (), bool(asks))][: 1 + (other != outer)]
        lines += self.act([f"{flag} := {dice.pick(['yes', 'no', 'not ' + flag])}"])
        self.after_turn += [outer] if dice.often(0.4) else []
        if dice.often(0.6) and "stop turn" in "".join(lines):
            self.after_turn += [helper, f"{left} := {dice.pick(['', 'not '])}{flag}", helper]
            self.telling.append(left)
        self.after_turn += self.marks() if dice.often(0.5) else []
        return lines + (self.act(self.marks()) if dice.often(0.5) else [])
