"""Promises that are drawn: of every kind, many of them nearly true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from attack.kinds import Flag, Many, Maybe, Name, Num, Place, Scope, State, Word
from attack.steps import Steps

PROMISE = Scope(promise=True)


class Promises(Steps):
    """Draws promises: each gives its lines. Which of them are kept is looked up later."""

    focus = ""
    """A state that much is said of."""
    telling: Sequence[str] = ()
    """Facts that a theme turns on."""

    def promises(self, number: int) -> list[str]:
        """Some promises about positions and steps, one of each other kind that there is something to say of."""
        dice = self.dice
        lines = []
        for _ in range(number):
            found = self._about_positions()
            is_myth = found[0].startswith(("invariant", "always")) and dice.often(0.05)
            lines += [f"myth {found[0]}", *found[1:]] if is_myth else found
        if dice.often(0.7):
            lines.append("never stuck")
        if dice.often(0.3):
            lines.append(f"ends within {dice.number(1, 8)} calls of {self._procedure()}")
        if dice.often(0.2):
            lines.append(f"ends within {dice.number(2, 9)} calls of turn by {self.number(PROMISE, 2)[0]}")
        if dice.often(0.4):
            lines.append(f"{dice.pick(['', '', 'myth '])}reachable {self._name()}: {self._fact()}")
        if dice.often(0.3):
            lines.append(f"{dice.pick(['', '', 'myth '])}winnable {self._name()}: {self._fact()}")
        if dice.often(0.3):
            lines.append(f"winnable {self._name()} only if {self._fact()}: {self._fact()}")
        hidden = [t.name for t in (*self.world.places, *self.world.states) if not t.open]
        if hidden and dice.often(0.8):
            lines.append(f"secret {', '.join(hidden)}")
        if dice.often(0.35):
            lines += self._symmetry()
        for throw in self.world.throws:
            if throw.type == Flag():
                odds = dice.pick(["1/2", "1/3", "2/3", "1/4", "3/4", "1", "0", "3/8", "5/9", "1/6"])
                lines.append(f"odds {throw.name}({dice.number(1, 2)}) = {odds}")
            elif isinstance(throw.type, Num):
                mean = dice.pick(["2", "3", "5/2", "7/2", "3/2", "1", "4", "5", "9/2"])
                lines.append(f"mean {throw.name}({dice.number(1, 2)}) = {mean}")
        return lines

    def _name(self) -> str:
        return self.dice.new("promise")

    def _procedure(self) -> str:
        return self.dice.pick(["turn", *(d.name for d in (*self.world.procedures, *self.world.actions))])

    def _about_positions(self) -> list[str]:
        dice = self.dice
        name = self._name()
        fact = self.claim()
        match dice.number(0, 11):
            case 0 | 1:
                return [f"invariant {name} at {self._procedure()}: {fact}"]
            case 2:
                return [f"invariant {name} at end of {self._procedure()}: {fact}"]
            case 3:
                return [f"invariant {name} outside {self._procedure()}: {fact}"]
            case 4:
                return [f"always {name}: {self._change()}"]
            case 5:
                return [self._claimed_after(name)]
            case 6:
                return [self._lemma(name)]
            case _:
                return [f"invariant {name}: {fact}"]

    # --------------------------------------------------------------------------------------------------------- facts

    def claim(self) -> str:
        """What may hold nearly everywhere."""
        dice = self.dice
        if self.telling and dice.often(0.5):
            one, other = (dice.pick(self.telling) for _ in range(2))
            return dice.pick([f"not ({one} and {other})", f"{one} implies {other}", f"not {one}", f"{one} or {other}"])
        if self.focus and dice.often(0.6):
            first = dice.pick([self.focus, self.focus, f"(not {self.focus})"])
            form = dice.pick(["{} implies {}", "not ({} and {})", "{} implies {}"])
            return form.format(first, self._fact())
        match dice.number(0, 9):
            case 0 | 1 | 2:
                return f"not ({self._fact()} and {self._fact()})"
            case 3 | 4:
                return f"{self._fact()} implies {self._fact()}"
            case 5:
                return f"not ({self._fact()} and {self._fact()} and {self._fact()})"
            case 6:
                return self._counted_all()
            case 7:
                return self.test(PROMISE, 2)
            case _:
                return f"not {self._fact()}"

    def _fact(self) -> str:
        """Something small about a state or a place."""
        dice, world = self.dice, self.world
        seat = [Name("q", world.players)]
        if world.states and dice.often(0.65):
            state = dice.pick(world.states)
            return self._about_state(state)
        if world.places:
            return self._about_place(dice.pick(world.places))
        return self.test(PROMISE.plus(*seat[:0]), 1)

    def _about_state(self, state: State) -> str:
        dice = self.dice
        if state.index:
            k = dice.new("k")
            ty = state.index[0]
            read = f"{state.name}[{k}]"
            word = dice.pick(["every", "some", "no"])
            if dice.often(0.4) and self.literal(ty) != "none":
                return self.said(f"{state.name}[{self.literal(ty)}]", state)
            among = f"({ty})" if isinstance(ty, Num) else str(ty)
            return f"({word} {k} in {among}: {self.said(read, state)})"
        return self.said(state.name, state)

    def said(self, read: str, state: State) -> str:
        dice = self.dice
        ty = state.type
        if isinstance(ty, Num):
            return f"({read} {dice.pick(['=', '=', '!=', '<', '>'])} {self.literal(ty)})"
        if isinstance(ty, Flag):
            return dice.pick([read, f"(not {read})"])
        if isinstance(ty, Many):
            return f"({read} is {dice.pick(['empty', 'filled'])})"
        if isinstance(ty, Maybe) and dice.often(0.5):
            return f"({read} is {dice.pick(['none', 'some'])})"
        return f"({read} {dice.pick(['=', '!='])} {self.literal(ty)})"

    def _about_place(self, place: Place) -> str:
        dice = self.dice
        component = self.world.components[place.holds]
        instance = self.place(place, PROMISE, 0)
        alone = [kind.name for kind in component.kinds if kind.alone]
        if alone and dice.often(0.4):
            return f"({dice.pick(alone)} in {instance if dice.often(0.6) else place.name})"
        if dice.often(0.4):
            return f"({instance} is {dice.pick(['empty', 'filled'])})"
        if component.facts and dice.often(0.3):
            k = Name(dice.new("k"), component.type)
            word = dice.pick(["every", "some", "no"])
            return f"({word} {k.name} in {instance}: {self.test(PROMISE.plus(k), 1)})"
        return f"(size of {instance} {dice.pick(['=', '<', '>', '<='])} {dice.number(0, component.size)})"

    def _counted_all(self) -> str:
        """How many pieces lie in some places, all in all."""
        dice, world = self.dice, self.world
        component = dice.pick(list(world.components.values()))
        places = [p for p in world.places if p.holds == component.name and dice.often(0.75)]
        sizes = []
        for place in places:
            if not place.index:
                sizes.append(f"size of {place.name}")
            else:
                k = dice.new("k")
                among = f"({place.index[0]})" if isinstance(place.index[0], Num) else str(place.index[0])
                sizes.append(f"(sum size of {place.name}[{k}] for {k} in {among})")
        if dice.often(0.6):
            sizes.append(f"(count {component.name} in box)")
        if not sizes:
            return self.test(PROMISE, 1)
        return f"{' + '.join(sizes)} {dice.pick(['=', '=', '<=', '>='])} {dice.number(0, component.size)}"

    def _change(self) -> str:
        """What a step does."""
        dice, world = self.dice, self.world
        numbers = [s for s in world.states if isinstance(s.type, Num) and not s.index]
        if numbers and dice.often(0.6):
            name = dice.pick(numbers).name
            return dice.pick(
                [
                    f"{name} >= old {name}",
                    f"{name} <= old {name} + 1",
                    f"abs({name} - old {name}) <= 1",
                    f"(old {name} = {dice.number(0, 3)}) implies ({name} != {dice.number(0, 3)})",
                ]
            )
        return f"(old {self._fact()}) implies {self._fact()}"

    def _claimed_after(self, name: str) -> str:
        dice, world = self.dice, self.world
        deed = dice.pick([*world.actions, *world.actions, *world.procedures])
        params = [dice.new("k") for _ in range(len(deed.params) + (deed in world.actions))]
        scope = PROMISE.plus(
            *(
                Name(k, ty)
                for k, ty in zip(params, ((world.players,) if deed in world.actions else ()) + deed.params, strict=True)
            )
        )
        head = f"{deed.name}({', '.join(params)})" if params else deed.name
        fact = self._change() if dice.often(0.5) else (self.test(scope, 1) if dice.often(0.4) else self.claim())
        return f"always {name} after {head}: {fact}"

    def _lemma(self, name: str) -> str:
        dice, world = self.dice, self.world
        if dice.often(0.4):
            k = Name(
                dice.new("k"), dice.pick([world.players, *world.words, *(c.type for c in world.components.values())])
            )
            return f"lemma {name}({k.name}: {k.type}): {self.test(PROMISE.plus(k), 2)}"
        return f"lemma {name}: {self.claim()}"

    # ------------------------------------------------------------------------------------------------------ symmetry

    def _symmetry(self) -> list[str]:
        dice, world = self.dice, self.world
        rings: list[Word] = [w for w in (world.players, world.players, *world.words) if w.ring and len(w.values) > 1]
        if not rings:
            return []
        ring = dice.pick(rings)
        v = dice.new("v")
        image = f"next({v})"
        if len(ring.values) > 2 and dice.often(0.3):
            a, b = ring.values[:2]
            image = f"if {v} is {a} then {b} else if {v} is {b} then {a} else {v}"
        return [f"symmetry {self._name()}", f"  {v}: {ring.name} to {image}"]

    def scope_of_promises(self) -> Scope:
        return replace(PROMISE, promise=True)
