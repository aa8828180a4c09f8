"""Steps that are drawn: what actions and procedures do, what is chosen, what is left to chance."""

from __future__ import annotations

from dataclasses import replace

from attack.kinds import Cell, Component, Deed, Flag, Keyed, Many, Maybe, Name, Num, Scope, State, Type, Word
from attack.things import Things


def indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


LOUD = (
    "win for",
    "lose for",
    "wins",
    "score ",
    "drops out",
    "stop ",
    "chooses",
    "shares",
    "roll",
    "draw",
    "order",
    "throw",
)
"""Words of steps after which others may see something."""


class Steps(Things):
    """Draws blocks: lines without indentation."""

    def block(self, scope: Scope, depth: int, most: int) -> list[str]:
        """Some steps; names that one gives are known to the next."""
        lines: list[str] = []
        for number in range(self.dice.number(1, most)):
            new, scope = self.step(scope, depth)
            lines += new
            if number and new and new[0].startswith(("stop ", "win ", "lose ", "nobody ", "score ")):
                break
        return lines or ["nothing"]

    def step(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        if scope.asks and self.dice.often(0.3):
            return self.asking(scope, depth)
        dice = self.dice
        if depth > 0 and dice.often(0.35):
            return self._nested(scope, depth), scope
        kind = dice.number(0, 21)
        if kind <= 7:
            return self._assign(scope, depth), scope
        if kind <= 13:
            return self._move(scope, depth), scope
        if kind == 14:
            ty: Type = dice.pick([self.any_type(scope), Num(0, 3), Flag()])
            if dice.often(0.3):
                ty = self.optional(scope)
            local = Name(dice.new("l"), ty, scope.open)
            if isinstance(ty, Maybe):
                value, is_optional = self.maybe(ty, scope, depth)
                if not is_optional:
                    return self._assign(scope, depth), scope
            elif isinstance(ty, Num):
                value, held = self.number(scope, depth)
                local = Name(local.name, held, scope.open)
            else:
                value = self.value(ty, scope, depth)
            return [f"let {local.name} = {value}"], scope.plus(local)
        if kind == 15:
            return self._told(scope, depth), scope
        if kind == 16 and scope.clocks and scope.stops:
            return [f"stop {dice.pick(scope.clocks)}"], scope
        if kind == 17 and scope.ends and scope.stops:
            return self.end(scope, depth), scope
        if kind == 18 and scope.stops and dice.often(0.5):
            return [f"{self.value(self.world.players, scope.public(), depth)} drops out"], scope
        if kind >= 19:
            called = self.call_of(scope, depth)
            if called:
                return [called], scope
        return self._assign(scope, depth), scope

    def call_of(self, scope: Scope, depth: int) -> str | None:
        """A call of a procedure; of an action, now and then."""
        if scope.setup or not scope.clocks:
            return None
        able = [d for d in self.world.procedures if scope.asks or not d.asks]
        if scope.stops and able and self.dice.often(0.95):
            deed = self.dice.pick(able)
            return self.call(deed.name, deed.params, scope.public() if deed.asks else scope, depth)
        actions = [d for d in self.world.actions if (scope.asks or not d.asks) and scope.stops]
        if actions and not self.in_action:
            deed = self.dice.pick(actions)
            return self.call(deed.name, (self.world.players, *deed.params), scope.public(), depth)
        return None

    in_action = False

    def end(self, scope: Scope, depth: int) -> list[str]:
        """The game ends."""
        dice = self.dice
        scope = scope.public()
        some = self.value(self.world.players, scope, 1)
        some = f"{{{some}}}" if dice.often(0.5) else some
        match dice.number(0, 5):
            case 0 | 1:
                return [f"win for {some}"]
            case 2:
                return [f"lose for {some}"]
            case 3:
                return ["nobody wins"]
            case _:
                return [self.score(scope)]

    def score(self, scope: Scope) -> str:
        q = Name(self.dice.new("q"), self.world.players)
        tie = f" tie by {self.number(scope.plus(q), 1)[0]}" if self.dice.often(0.4) else ""
        return f"score {q.name}: {self.number(scope.plus(q), 2)[0]}{tie}"

    def _told(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        places = [p for p in self.world.places if not scope.setup]
        if places and dice.often(0.5):
            place = self.place(dice.pick(places), replace(scope, open=False), depth)
            return [f"show {place} to {self.value(self.world.players, scope.public(), 1)}"]
        audience = f" to {self.value(self.world.players, scope.public(), 0)}" if dice.often(0.4) else ""
        value = self.number(scope.public(), 0)[0]
        return [f'say "it is {{{value}}}"{audience}', *([] if dice.often(0.5) else ["nothing"])]

    # ------------------------------------------------------------------------------------------------------- effects

    def written(self, scope: Scope) -> list[State]:
        """States that may be written here."""
        return [
            s
            for s in self.world.states
            if (s.clock is None or s.clock in scope.clocks) and not (s.while_in and scope.setup) and not s.track
        ]

    def _assign(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        states = self.written(scope)
        if not states:
            return ["nothing"]
        state = dice.pick(states)
        reading = replace(scope, mine=None)
        if state.while_in is not None:
            return self._mark(state, reading, depth)
        target = self.read(state, replace(reading, open=False), depth)
        if isinstance(state.type, Num | Word) and dice.often(0.3):
            if (isinstance(state.type, Num) and state.type.high > state.type.low) or (
                isinstance(state.type, Word) and state.type.ring
            ):
                by = dice.pick(["1", "1", self.number_in(Num(0, 1), reading, depth)])
                if isinstance(state.type, Num) and dice.often(0.8):
                    up, end = (f"< {state.type.high}", "+=") if dice.often(0.6) else (f"> {state.type.low}", "-=")
                    return [f"if {target} {up}: {target} {end} 1"]
                return [f"{target} {dice.pick(['+=', '-='])} {by}"]
        if isinstance(state.type, Many) and isinstance(state.type.of, Keyed) and dice.often(0.8):
            member = self.value(state.type.of, reading, max(1, depth), 0.9)
            return [f"{target} {dice.pick([':=', '+=', '+=', '+=', '-='])} {{{member}}}"]
        if isinstance(state.type, Many):
            value = self.value(state.type, reading, depth)
            return [f"{target} {dice.pick([':=', '+=', '-='])} {value}"]
        if state.type == Flag() and dice.often(0.6):
            return [f"{target} := {dice.pick(['yes', 'yes', 'no', f'not {target}'])}"]
        return [f"{target} := {self.value(state.type, reading, max(1, depth), 0.75)}"]

    def _mark(self, state: State, scope: Scope, depth: int) -> list[str]:
        """A state of a piece that lies there."""
        place = next(p for p in self.world.places if p.name == state.while_in)
        x = Name(self.dice.new("x"), state.index[0], False)
        instance = self.place(place, scope, depth)
        value = self.value(state.type, replace(scope, open=False).plus(x), depth, 0.9)
        assign = f"{x.name}.{state.name} := {value}"
        if self.dice.often(0.5):
            return [f"if {instance} is filled", f"  let {x.name} = first c{x.name} in {instance}", f"  {assign}"]
        return [f"for each {x.name} in {instance}", f"  {assign}"]

    def _move(self, scope: Scope, depth: int) -> list[str]:
        dice, world = self.dice, self.world
        if not world.places:
            return ["nothing"]
        scope = replace(scope, mine=None)
        target = dice.pick(world.places)
        component = world.components[target.holds]
        to = self.place(target, scope, depth, True)
        sources = [p for p in world.places if p.holds == target.holds]
        source = dice.pick(sources)
        come = "box" if dice.often(0.12) or scope.setup else self.place(source, scope, depth, True)
        whither = f"to {to}"
        if target.order == "pile" and dice.often(0.25):
            whither = f"under {to}"
        elif target.order == "row" and dice.often(0.35):
            spot = self.number_in(Num(1, 3), scope, 1)
            whither = f"to {to} at {f'min(size of {to} + 1, {spot})' if dice.often(0.6) else spot}"
        if target.capacity is not None and dice.often(0.75):
            fewer = self._one(component, come, scope, depth)
            return [f"if (size of {to}) < {target.capacity}: move {fewer} {whither}"]
        if target.order == "pile" and dice.often(0.2):
            return [f"shuffle {to}"]
        kind = dice.number(0, 9)
        sort = dice.pick([*component.kinds]).name if dice.often(0.6) else component.name
        several = sort == component.name and len(component.kinds) > 1
        if kind <= 2 and not several:
            return [f"move up to {self._few(scope, depth)} {sort} from {come} {whither}"]
        if kind == 3 and not several:
            few = self._few(scope, 0)
            test = f"if (count {sort} in {come}) >= {few}"
            move = f"move {few} {sort} from {come} {whither}"
            return [f"{test}: {move}"] if dice.often(0.8) and come != "box" else [move]
        if kind == 4:
            return [f"move all {sort} from {come} {whither}"]
        if kind == 5 and come != "box":
            return [f"move {come} {whither}"]
        if kind == 6:
            return [f"move {self.set_of(component.type, scope, depth)} {whither}"]
        names = self.named(component.type, scope)
        if names and dice.often(0.7):
            return [f"move {dice.pick(names)} {whither}"]
        x = dice.new("x")
        if come == "box" or dice.often(0.5):
            return [f"move {self.value(component.type, scope, depth)} {whither}"]
        return [f"if {come} is filled: move (first {x} in {come}) {whither}"]

    def _one(self, component: Component, come: str, scope: Scope, depth: int) -> str:
        """A piece, or up to one."""
        sort = self.dice.pick(component.kinds).name
        if come == "box" or self.dice.often(0.6):
            return f"up to 1 {sort} from {come}"
        return self.value(component.type, scope, depth)

    def _few(self, scope: Scope, depth: int) -> str:
        if self.dice.often(0.5):
            return str(self.dice.number(1, 2))
        return f"({self.number(scope, depth)[0]})"

    # -------------------------------------------------------------------------------------------------------- nested

    def _nested(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        hides = not dice.often(0.6)
        inner = replace(scope, asks=False, stops=False, ends=False) if hides else scope
        control = replace(scope, mine=None) if hides else replace(scope.public(), mine=None)
        match dice.number(0, 5):
            case 0 | 1 | 2:
                hidden = any(not thing.open for thing in (*self.world.states, *self.world.places))
                if hidden and scope.asks and dice.often(0.15):
                    openly = self.test(replace(scope, open=False, mine=None), 1)
                    return [f"if openly {openly}", *indented(self.block(scope, depth - 1, 2))]
                lines = [f"if {self.test(control, depth)}", *indented(self.block(inner, depth - 1, 2))]
                if dice.often(0.4):
                    lines += ["else", *indented(self.block(inner, depth - 1, 2))]
                return lines
            case 3:
                return self._for_each(control, inner, depth)
            case 4:
                times = self.number_in(Num(0, 2), control, depth)
                return [f"repeat {times} times", *indented(self.block(inner, depth - 1, 2))]
            case _:
                word = dice.pick([self.world.players, *self.world.words])
                lines = [f"match {self.value(word, control, depth)}"]
                for value in word.values:
                    lines += [f"  {value}", *(f"    {line}" for line in self.block(inner, 0, 1))]
                return lines

    def _for_each(self, control: Scope, inner: Scope, depth: int) -> list[str]:
        dice = self.dice
        ty = self.any_type(control)
        x = Name(dice.new("x"), ty, control.open)
        among = self.set_of(ty, control, depth)
        order = ""
        if isinstance(ty, Word) and ty.ring and dice.often(0.6):
            order = f" in order from {self.value(ty, control, 1)}"
        elif dice.often(0.2):
            order = f" in order of {self.number(control.plus(x), 1)[0]}"
        where = f" where {self.test(control.plus(x), depth - 1)}" if dice.often(0.3) else ""
        body = self.block(replace(inner, asks=False).plus(x), depth - 1, 2)
        return [f"for each {x.name} in {among}{order}{where}", *indented(body)]

    # -------------------------------------------------------------------------------------------- choices and chance

    def asking(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        """A choice, a draw, a throw."""
        dice = self.dice
        match dice.number(0, 11):
            case 0 | 1:
                return self._draw(scope, depth)
            case 2:
                total = Name(dice.new("rolled"), Num(1, 6))
                number = dice.pick(["", "", "2 "])
                seen, is_open = self._seen(scope)
                total = Name(total.name, Num(1, 3) if not number else Num(2, 6), is_open)
                return [f"roll {number}d{dice.pick([2, 3])} as {total.name}{seen}"], scope.plus(total)
            case 3 if self.world.throws:
                return self._throw(scope, depth)
            case 4 | 5:
                return self._by_chance(scope, depth), scope
            case 6:
                return self._at_once(scope, depth), scope
            case 7:
                return self._in_any_order(scope, depth), scope
            case 8:
                return self._shared(scope, depth), scope
            case 9 | 10:
                return self._subset(scope, depth), scope
        return self._values(scope, depth), scope

    def decider(self, scope: Scope) -> str:
        names = self.named(self.world.players, scope.public())
        if names and self.dice.often(0.8):
            return self.dice.pick(names)
        return self.dice.pick([self.value(self.world.players, replace(scope.public(), mine=None), 1), "seat(1)"])

    def _draw(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        dice = self.dice
        place = dice.pick(self.world.places) if self.world.places else None
        if place is None:
            return ["nothing"], scope
        public = replace(scope.public(), mine=None)
        targets = [p for p in self.world.places if p.holds == place.holds]
        target = dice.pick(targets)
        come = "box" if dice.often(0.2) else self.place(place, public, depth, True)
        few = dice.pick(["1", "1", "2", f"({self.number(public, 1)[0]})"])
        if dice.often(0.4):
            c = Name(dice.new("c"), self.world.components[place.holds].type, target.open)
            return [f"draw 1 from {come} to {self.place(target, public, depth, True)} as {c.name}"], scope.plus(c)
        return [f"draw up to {few} from {come} to {self.place(target, public, depth, True)}"], scope

    def _throw(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        throw = self.dice.pick(self.world.throws)
        call = f"{throw.name}({self.number_in(Num(1, 2), replace(scope.public(), mine=None), 1)})"
        if throw.type == Flag() and self.dice.often(0.6):
            return [f"if {call}", *indented(self.block(scope, depth - 1, 2))], scope
        local = Name(self.dice.new("thrown"), throw.type)
        return [f"let {local.name} = {call}"], scope.plus(local)

    def _by_chance(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        ty = self.any_type(scope)
        public = replace(scope.public(), mine=None)
        seen, is_open = self._seen(scope)
        x = Name(dice.new("x"), ty, is_open)
        among = self.set_of(ty, public, depth)
        weights = f" weights {self._weight(public.plus(x), depth)}" if dice.often(0.6) else ""
        lines = [
            f"chance chooses {x.name} in {among}{weights}{seen}",
            *indented(self.block(scope.plus(x), depth - 1, 2)),
        ]
        if dice.often(0.85):
            lines += ["otherwise", *indented(self.block(scope, depth - 1, 1))]
        return lines

    def _seen(self, scope: Scope) -> tuple[str, bool]:
        """Who alone sees what chance brings, and whether all do."""
        if self.dice.often(0.75):
            return "", True
        return f" seen by {self.dice.pick([*self.named(self.world.players, scope.public()), 'seat(1)'])}", False

    def _weight(self, scope: Scope, depth: int) -> str:
        """A number that is never below 0; of all it may be 0."""
        for _ in range(4):
            text, found = self.number(scope, 1)
            if found.low >= 0 and found.high > 0:
                return text
        return f"max(0, {text})" if found.high > 0 else "1"

    def _manner(self) -> str:
        return self.dice.pick(["chooses", "chooses", "privately chooses"])

    def _otherwise(self, scope: Scope, depth: int, share: float = 0.8) -> list[str]:
        if not self.dice.often(share):
            return []
        return ["otherwise", *indented(self.block(scope, depth - 1, 1))]

    def _values(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        who = self.decider(scope)
        manner = self._manner()
        shown = manner == "chooses"
        public = replace(scope.public(), mine=who if who.isidentifier() else None)
        names, picks = [], []
        for _ in range(2 if dice.often(0.2) else 1):
            ty = self.any_type(scope)
            x = Name(dice.new("x"), ty)
            where = f" where {self.test(public.plus(*names, x), depth - 1)}" if dice.often(0.5) else ""
            picks.append(f"{x.name} in {self.set_of(ty, public.plus(*names), depth)}{where}")
            names.append(x)
        chosen = tuple(replace(name, open=shown) for name in names)
        body = self.block(self._after(scope, shown).plus(*chosen), depth - 1, 2)
        return [f"{who} {manner} {', '.join(picks)}", *indented(body), *self._otherwise(scope, depth)]

    def _after(self, scope: Scope, shown: bool) -> Scope:
        """What may come after an answer that not all see."""
        return scope if shown else replace(scope, asks=False, stops=False, ends=False)

    def _subset(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        who = self.decider(scope)
        manner = self._manner()
        public = replace(scope.public(), mine=who if who.isidentifier() else None)
        types: list[Type] = [c.type for c in self.world.components.values()]
        ty = dice.pick([*types, *types, self.world.players, Num(1, 3)])
        it = Name("it", ty)
        where = f" where {self.test(public.plus(it), 1)}" if dice.often(0.3) else ""
        quota = dice.pick(
            ["1", "1", "up to 2", "up to 2", "1..2", "1..2", "any", "2", f"up to ({self.number(public, 1)[0]})"]
        )
        xs = Name(dice.new("xs"), Many(ty), manner == "chooses")
        body = self.block(self._after(scope, manner == "chooses").plus(xs), depth - 1, 2)
        head = f"{who} {manner} {quota} of {self.set_of(ty, public, 1)}{where} as {xs.name}"
        return [head, *indented(body), *self._otherwise(scope, depth)]

    def _shared(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        who = self.decider(scope)
        public = replace(scope.public(), mine=None)
        ty = dice.pick([self.world.players, Num(1, 2)])
        gift = Name(dice.new("gift"), Keyed(ty, Num(0, 2)))
        x = dice.new("x")
        most = f" at most {dice.number(1, 2)}" if dice.often(0.4) else ""
        total = self.number_in(Num(0, 2), public, 1) if dice.often(0.5) else f"0..{dice.number(1, 2)}"
        lines = [f"{who} shares {total} among {x} in {self.set_of(ty, public, 1)}{most} as {gift.name}"]
        return lines + self.block(scope.plus(gift), depth - 1, 1)

    def _at_once(self, scope: Scope, depth: int) -> list[str]:
        dice = self.dice
        q = Name(dice.new("q"), self.world.players)
        inner = replace(scope, stops=False, ends=False, asks=False).plus(q)
        x = Name(dice.new("x"), Num(0, 2), False)
        body = [f"{q.name} privately chooses {x.name} in 0..{dice.number(1, 2)}"]
        body += indented(self.block(inner.plus(x), 0, 1))
        among = "Player" if dice.often(0.7) else self.set_of(self.world.players, replace(scope.public(), mine=None), 1)
        return [f"all at once each {q.name} in {among}", *indented(body)]

    def _in_any_order(self, scope: Scope, depth: int) -> list[str]:
        inner = replace(scope, asks=False)
        lines = []
        for _ in range(self.dice.number(2, 3)):
            if self.dice.often(0.4):
                test = self.test(replace(scope.public(), mine=None), 1)
                lines += [f"if {test}", *indented(self._assign(inner, 1))]
            else:
                lines += self._assign(inner, 1)
        return [f"{self.decider(scope)} in any order", *indented(lines)]

    def offer(self, who: str, scope: Scope, depth: int, whole: bool = False) -> list[str]:
        """Actions on offer; the `whole` of them somewhere."""
        dice, world = self.dice, self.world
        public = replace(scope.public(), mine=who if who.isidentifier() else None)
        items = []
        for _ in range(dice.number(1, 4)):
            deed = dice.pick(world.actions)
            given = dice.number(0, len(deed.params)) if dice.often(0.3) else 0
            items.append(self.call(deed.name, deed.params[:given], public, depth) if given else deed.name)
        items = list(dict.fromkeys([*items, *(a.name for a in world.actions if whole or dice.often(0.6))]))
        if world.menus and (whole or dice.often(0.3)):
            items = [f"{dice.pick(world.menus).name}({who})"]
        until = ""
        quiet = all(deed.quiet for deed in world.actions)
        manner = dice.pick(["chooses"] * 8 + ["may"] + ["privately chooses", "may secretly"] * 2 * quiet)
        if dice.often(0.08):
            manner = dice.pick(["may repeatedly", "repeatedly chooses"])
            until = f" until {self.test(replace(scope.public(), mine=None), 1)}" if dice.often(0.7) else ""
        lines = [f"{who} {manner} {' or '.join(items)}{until}"]
        if manner == "chooses":
            lines += self._otherwise(scope, depth, 0.75)
        return lines

    # ------------------------------------------------------------------------------------------- actions and procedures

    def params(self, who: str | None, number: int) -> tuple[list[str], tuple[Name, ...]]:
        """Parameters as they are written, and their names."""
        dice, world = self.dice, self.world
        written, names = [], []
        scope = Scope((Name(who, world.players),) if who else (), open=True, mine=who)
        for _ in range(number):
            kinds: list[Type] = [world.players, Num(0, 2), *world.words, *map(Cell, world.boards)]
            kinds += [c.type for c in world.components.values()] * 3
            ty = dice.pick(kinds)
            name = Name(dice.new("a"), ty)
            within = ""
            if who is not None and dice.often(0.5):
                within = f" in {self.set_of(ty, scope.plus(*names), 1)}"
            if who is not None and dice.often(0.2):
                within += f" where {self.test(scope.plus(*names, name), 1)}"
            written.append(f"{name.name}: {ty}{within}")
            names.append(name)
        return written, tuple(names)

    def action(self) -> list[str]:
        dice, world = self.dice, self.world
        name, who = dice.new("act"), dice.new("p")
        written, names = self.params(who, dice.pick([0, 0, 1, 1, 2]))
        scope = Scope((Name(who, world.players), *names), clocks=("turn",), asks=dice.often(0.35))
        guards, lines = [], []
        public = replace(scope.public(), mine=who)
        for _ in range(dice.pick([0, 0, 1, 1, 2])):
            guard = dice.new("guard")
            line = f'  needs {guard}: {self.test(public, 2)} "no"'
            if dice.often(0.2):
                lines += [line, f"    unless {self.test(public, 1)}"]
            else:
                lines.append(line)
            guards.append(guard)
        if world.shared and dice.often(0.6):
            lines.insert(0, f"  needs {dice.pick(world.shared)}({who})")
        self.in_action = True
        done = self.block(replace(scope, open=False), 2, 3)
        lines += indented(done)
        self.in_action = False
        deed = Deed(name, tuple(n.type for n in names), scope.asks, self.is_quiet(done))
        world.actions.append(deed)
        world.guards[name] = guards
        return [f'action {name}({", ".join([f"{who}: Player", *written])}) "{{{who}}} acts"', *lines]

    def shared_guards(self) -> list[str]:
        """Guards that several actions share."""
        dice = self.dice
        if not dice.often(0.15):
            return []
        name, q = dice.new("rules_of"), dice.new("q")
        self.world.shared.append(name)
        test = self.test(Scope((Name(q, self.world.players),), open=True), 1)
        return [f"rules {name}({q}: Player)", f'  needs {dice.new("guard")}: {test} "no"']

    def plain_action(self) -> list[str]:
        """An action that nothing can be wrong with: a state, or a piece, is changed."""
        dice, world = self.dice, self.world
        name, who = dice.new("act"), dice.new("p")
        scope = Scope((Name(who, world.players),), clocks=("turn",))
        simple = [s for s in self.written(scope) if not s.while_in and isinstance(s.type, Num | Flag | Word | Maybe)]
        if not simple or dice.often(0.35):
            return self._carrying(name, who)
        state = dice.pick(simple)
        target = self.read(state, scope, 0)
        a = Name(dice.new("a"), state.type if isinstance(state.type, Num) else Num(0, 1))
        world.guards[name] = []
        if isinstance(state.type, Num) and dice.often(0.6):
            world.actions.append(Deed(name, (a.type,), False, True))
            return [f'action {name}({who}: Player, {a.name}: {a.type}) "{{{who}}} sets"', f"  {target} := {a.name}"]
        world.actions.append(Deed(name, (), False, True))
        value = f"not {target}" if state.type == Flag() else self.value(state.type, scope, 1, 1.0)
        return [f'action {name}({who}: Player) "{{{who}}} changes"', f"  {target} := {value}"]

    def _carrying(self, name: str, who: str) -> list[str]:
        """A piece goes from one place to another."""
        dice, world = self.dice, self.world
        place = dice.pick([p for p in world.places if p.open] or world.places)
        other = dice.pick([p for p in world.places if p.holds == place.holds])
        scope = Scope((Name(who, world.players),), open=True)
        come, to = self.place(place, scope, 0, True), self.place(other, scope, 0, True)
        guard, x = dice.new("guard"), dice.new("x")
        is_guarded = other.capacity is not None and other.open
        world.guards[name] = [guard] if is_guarded else []
        few = f"up to 1 {dice.pick(world.components[place.holds].kinds).name}"
        lines = [f'action {name}({who}: Player) "{{{who}}} carries"']
        if place.open and dice.often(0.7):
            world.actions.append(Deed(name, (world.components[place.holds].type,), False, True))
            lines = [f'action {name}({who}: Player, {x}: {place.holds} in {come}) "{{{who}}} carries {{{x}}}"']
            if is_guarded:
                lines.append(f'  needs {guard}: size of {to} < {other.capacity} "full"')
            return [*lines, f"  move {x} to {to}"]
        world.actions.append(Deed(name, (), False, True))
        if is_guarded:
            lines.append(f'  needs {guard}: size of {to} < {other.capacity} "full"')
        return [*lines, f"  move {few} from {dice.pick([come, 'box'])} to {to}"]

    def procedure(self) -> list[str]:
        dice, world = self.dice, self.world
        name = dice.new("go")
        written, names = self.params(None, dice.pick([0, 0, 1]))
        asks = dice.often(0.4)
        scope = Scope(names, clocks=("turn", name) if dice.often(0.5) else ("turn",), asks=asks)
        lines = self.block(scope, 2, 3)
        head = f"to {name}({', '.join(written)})" if written else f"to {name}"
        world.procedures.append(Deed(name, tuple(n.type for n in names), asks, self.is_quiet(lines)))
        return [head, *indented(lines)]

    def is_quiet(self, lines: list[str]) -> bool:
        """Whether these steps change states and places, and do nothing else."""
        words = " ".join(lines)
        loud = [d.name for d in (*self.world.procedures, *self.world.actions) if not d.quiet]
        return not any(word in words for word in (*LOUD, *loud))
