"""Themes about what may happen, in which order, to whom, and what can come back."""

from __future__ import annotations

from attack.kinds import Board, Cell, Component, Deed, Flag, Kind, Maybe, Name, Num, Place, Scope, State, Word
from attack.parts import Lines, Parts
from attack.steps import indented


class Happening(Parts):
    """Draws these themes."""

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

    def anything(self) -> Lines:
        """One action, or two, of anything that can be done, and how one knows that they were done."""
        dice = self.dice
        self.extra += self.new_board() if dice.often(0.2) else []
        component, here, _ = self.pieces()
        for _ in range(dice.number(1, 2)):
            self.extra += self.new_state()
            state = self.world.states[-1]
            if not state.index and state.open:
                self.telling.append(self.said(state.name, state))
        if dice.often(0.5):
            self.extra += self.new_place(component.name)
        self.telling.append(f"({here.name} is {dice.pick(['empty', 'filled'])})")
        return self._of_all_sorts() + (self._of_all_sorts() if dice.often(0.4) else self.act(self.marks()))

    def _of_all_sorts(self) -> Lines:
        dice = self.dice
        params = (Name(dice.new("a"), dice.pick([Num(0, 2), self.world.players])),) if dice.often(0.4) else ()
        scope = Scope((Name("WHO", self.world.players), *params), clocks=("turn",), asks=dice.often(0.5))
        self.in_action = True
        body = self.block(scope, 2, 2)
        self.in_action = False
        return self.act([*body, *self.marks()], params)

    def seats(self) -> Lines:
        """What is so of the other one, and of all but one, for however many reasons."""
        dice = self.dice
        hit = dice.new("hit")
        self.world.states.append(State(hit, (self.world.players,), Flag(), True))
        self.extra.append(f"state {hit}[i: Player]: yes or no = no")
        calm, mild = self.flag("yes"), self.flag("yes")
        word = dice.pick(["yes", "yes", "no"])
        near = [f"{hit}[next(WHO)] := {word}", f"{hit}[WHO] := {dice.pick(['yes', 'no', 'no'])}"]
        turn = [f"{hit}[next(p)] := {dice.pick(['yes', 'no', 'no'])}", f"{hit}[p] := {dice.pick(['yes', 'no', 'no'])}"]
        for steps in (near, turn):
            steps.reverse() if dice.often(0.3) else None
        self.before += turn[:1] if dice.often(0.7) else []
        self.after_turn += turn[1:] if dice.often(0.7) else []
        if dice.often(0.4):
            early = self.flag("yes")
            self.after_turn += [f"if {early}: {hit}[next(p)] := yes", f"{early} := no"]
        one = f"(not {hit}[q] or {calm})"
        claims = [
            f"every q in Player: ({one} and (not {hit}[q] or {mild}))",
            f"every q in Player: {one}",
            f"some q in Player: not {hit}[q]",
            f"(count q in Player where {hit}[q]) <= 1",
            f"every q in Player: ({hit}[q] implies not {hit}[next(q)])",
        ]
        self.own_promises += [f"invariant {dice.new('promise')}: {dice.pick(claims)}" for _ in range(2)]
        self.telling += [f"{hit}[Ann]", f"(every q in Player: {hit}[q])", f"(no q in Player: {hit}[q])"]
        storm = [f"{calm} := no", f"{mild} := no"]
        return self.act(near[: dice.pick([1, 2, 2])]) + self.act(storm if dice.often(0.7) else self.marks())

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
            self.telling += [f"({state} is {cell})" for cell in ("A1", "B1", "C1")]
        ray = f"ray({here}, {dice.pick([ways.values[3], ways.values[3], *ways.values])})"
        other = dice.pick(["{}", "{}", "{}", f"{{{here}}}", f"ray({got}, {dice.pick(ways.values)})", "{B1}"])
        several = dice.pick([f"({other} + {ray})", f"({other} + {ray})", f"({ray} + {other})", f"({ray} - {other})"])
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
        self.extra.append(f"board {name}: grid {dice.pick(['2 by 2', '3 by 1', '4 by 4', '4 by 4'])}")
        self.world.boards[name] = Board(name, 2, 2, ("A1", "B1"), None)
        self.extra.append(f"place {water}[c: {name}] set of {component.name} open")
        place = Place(water, (Cell(name),), "set", None, component.name, True, "c")
        self.world.places.append(place)
        a = Name(dice.new("a"), Cell(name))
        kind = dice.pick(component.kinds).name
        cargo = dice.pick([kind, f"up to 1 {kind} from {here.name}", here.name])
        self.telling += [f"({kind} in {here.name})", f"({water}[A1] is empty)", f"({water} is empty)"]
        self.telling.append(f"(size of {here.name} + size of {water} {dice.pick(['=', '<'])} {component.size})")
        lines = self.act([f"move {cargo} to {water}[{a.name}]", *self.marks()], (a,))
        if dice.often(0.5):
            check, said = dice.new("go"), f"size of {here.name} + (count {component.name} in box)"
            self.extra += [f"to {check}: nothing"]
            self.world.procedures.append(Deed(check, (), False))
            number = component.size - len(self.away)
            self.own_promises.append(f"invariant {dice.new('promise')} at {check}: {said} = {number}")
            self.own_promises.append(f"invariant {dice.new('promise')} at {check}: {kind} in {here.name}")
            self.after_turn += [f"roll d2 as x{check}"] if dice.often(0.5) else []
            self.after_turn.append(check)
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
        """An entry that is named by what a call changes: by who is out, or by whoever is first."""
        dice = self.dice
        go, who, owns = dice.new("go"), dice.new("holder"), dice.new("owns")
        flagged = dice.new("flagged")
        self.extra += [f"state {who}: Player = seat(1)", f"state {owns}[i: Player]: yes or no = no"]
        self.extra.append(f"state {flagged}[b: yes or no]: 0..1 = 0")
        self.world.states.append(State(who, (), self.world.players, True))
        self.world.states.append(State(owns, (self.world.players,), Flag(), True))
        gone = [f"{who} drops out", f"{who} drops out", "seat(1) drops out"]
        change = dice.pick([f"{who} := next({who})", f"{owns}[{who}] := no", *gone])
        asks = [f"seat(1) chooses k{go} in 0..1"] if dice.often(0.6) else []
        index = dice.pick([who, f"next({who})", f"(first q in Player where not out(q) otherwise {who})"])
        late = dice.pick(
            [f"{flagged}[out({who})] := 1", f"{flagged}[out({who})] := 1", f"{owns}[{index}] := yes", *self.marks()]
        )
        lines = [f"to {go}", *indented([*asks, change, late])]
        self.world.procedures.append(Deed(go, (), bool(asks)))
        body = [f"{owns}[{index}] := {dice.pick(['yes', 'no'])}", go, f"{owns}[{index}] := {dice.pick(['yes', 'no'])}"]
        self.telling += [f"{owns}[Ann]", f"({flagged}[yes] = 1)", f"({flagged}[no] = 1)", "out(Ann)", f"({who} is Ann)"]
        self.telling += [f"(no q in Player: {owns}[q])"]
        if dice.often(0.4):
            self.after_turn.append(go)
        lines += self.act(body[: dice.number(2, 3)])
        return lines + self.act(dice.pick([[go], [f"{owns}[WHO] := yes"]]))

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
        said = f"{self.dice.pick(['not ', ''])}{fact}"
        said = self.dice.pick([said, f"{said} implies {other}", f"{said} implies {other}"])
        self.own_promises.append(f"lemma {name}: {said}")
        if "implies" in self.own_promises[-1]:
            self.own_promises.append(f"invariant i{name}: {self.dice.pick(['not ', ''])}{fact} implies {other}")
        return self.set_by_hand(level, 0, 2) + self.act([f"if {test}: {win}"])
