"""The steps of the flow as functions that change a position (a `Look` with lists).

Obligations are checked here: a full place, a piece that is not there, a value out of range, a clock written while its
procedure does not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, assert_never

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.expressions import Emitter, Program
from seaspec.backends.interpreter.log import Moved, Out, Said, ShownPlace, Unveiled, Veiled
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.offers import Offers
from seaspec.backends.interpreter.state import OUT, Family, Layout, State, contents
from seaspec.core import flow, ir, types
from seaspec.core.flow import Flow
from seaspec.core.ir import BOX, Expr, PlaceOrder, Put, Target
from seaspec.core.show import render, show_value

Effect = Callable[[Look], None]


class Effects:
    """The compiled steps of a game."""

    def __init__(self, graph: Flow, program: Program, offers: Offers) -> None:
        self.game = graph.game
        self.graph = graph
        self.program = program
        self.offers = offers
        self.layout: Layout = program.layout
        self.seats = range(len(self.game.players))
        self.order = {slot: place.order for slot, (place, _) in self.layout.place_of.items()}
        self.holds = {name: frozenset(place.holds.members) for name, place in self.game.places.items()}
        self.capacity = dict(self._per_slot_capacity())
        self.sight = dict(self._per_slot_sight())
        self.initial = self._initial_values()
        self.kept = [
            (self.layout.places[state.while_in], self.layout.states[name])
            for name, state in self.game.states.items()
            if state.while_in is not None
        ]
        self.slot_name = cache(self._slot_name)
        self._texts: dict[int, tuple[Expr, Callable[[Look], Any]]] = {}

    # ------------------------------------------------------------------------------------- capacities, first values

    def _per_slot_capacity(self) -> Iterable[tuple[int, int | Callable[[Look], int]]]:
        for name, place in self.game.places.items():
            if place.capacity is None:
                continue
            for key, slot in self.layout.places[name].slots.items():
                yield slot, self._per_key(place.capacity, place.index, key)

    def _per_key(self, expr: Expr, index: Sequence[ir.Variable], key: tuple[Any, ...]) -> Any:
        """The value of an expression over the index at this key, or a function from a look to it."""
        function = self.program.compile(expr, index, "of_index")
        if self.program.reads_position(expr):
            return lambda look: function(look, *key)
        return function(self.program.constants, *key)

    def _per_slot_sight(self) -> Iterable[tuple[int, Callable[[Look], Sequence[int]]]]:
        for families, things in ((self.layout.places, self.game.places), (self.layout.states, self.game.states)):
            for name, family in families.items():
                thing = things[name]
                for key, slot in family.slots.items():
                    yield slot, self._sight(thing, key)

    def _sight(self, thing: ir.Place | ir.State, key: tuple[Any, ...]) -> Callable[[Look], Sequence[int]]:
        """Who sees an instance, now: a sequence of seats."""
        if thing.sight.all:
            return lambda look: self.seats
        if thing.sight.by is None:
            return lambda look: ()
        emitter = Emitter(self.program, thing.index)
        by = thing.sight.by
        text = emitter.iterable(by) if isinstance(by.type, types.SetOf | types.Optional) else f"({emitter.expr(by)},)"
        function = self.program.define(f"sight_{thing.name}", emitter, f"    return {text}")
        if self.program.reads_position(by):
            return lambda look: function(look, *key)
        seats = tuple(function(self.program.constants, *key))
        return lambda look: seats

    def _initial_values(self) -> dict[int, Any]:
        found = {}
        for name, state in self.game.states.items():
            function = self.program.compile(state.initial, state.index, f"first_{name}")
            for key, slot in self.layout.states[name].slots.items():
                found[slot] = function(self.program.constants, *key)
        return found

    def sees(self, look: Look, slot: int, seat: int) -> bool:
        """Whether a player sees what is in a place or state instance now."""
        return seat in self.sight[slot](look)

    # -------------------------------------------------------------------------------------------------- the table

    def step(self, step: flow.Step) -> Effect:
        """The function of a step."""
        match step:
            case flow.Set(variable, value):
                return self._set(self.layout.frame[variable], self.program.compile(value, name=variable.name))
            case flow.Take():
                return self._take(step)
            case flow.Pop(variable, rest):
                return self._pop(self.layout.frame[variable], self.layout.frame[rest])
            case flow.Begin(procedure):
                return self._mark("begin", procedure)
            case flow.Finish(procedure):
                return self._mark("finish", procedure)
            case flow.Judge(action):
                return self._judge(action)
            case flow.Reset(states):
                return self._reset(states)
            case flow.Require(test, message):
                return self._require(self.program.compile(test), message)
            case flow.Veil():
                return self._veil(step)
            case ir.Assign():
                return self._assign(step)
            case ir.Move():
                return self._move(step)
            case ir.MoveSome():
                return self._move_some(step)
            case ir.Shuffle(place):
                return self._shuffle(place)
            case ir.Say(text, audience):
                return self._say(text, audience)
            case ir.Show(place, audience):
                return self._show(place, audience)
            case ir.DropOut(player):
                return self._drop_out(player)
            case _:
                assert_never(step)

    def _mark(self, moment: str, procedure: str) -> Effect:
        def run(look: Look) -> None:
            if look.watch is not None:
                getattr(look.watch, moment)(procedure, look)

        return run

    def _set(self, slot: int, value: Callable[[Look], Any]) -> Effect:
        def run(look: Look) -> None:
            look.s[slot] = value(look)

        return run

    def _take(self, step: flow.Take) -> Effect:
        members = self.offers.members(step.domain)
        rest = self.layout.frame[step.variable]
        key = None if step.key is None else self.program.compile(step.key[1], (step.key[0],), "key")

        def run(look: Look) -> None:
            taken = members(look)
            look.s[rest] = taken if key is None else tuple(sorted(taken, key=lambda member: key(look, member)))

        return run

    def _pop(self, slot: int, rest: int) -> Effect:
        def run(look: Look) -> None:
            taken = look.s[rest]
            look.s[slot] = taken[0]
            look.s[rest] = taken[1:]

        return run

    def _judge(self, action: str) -> Effect:
        params = [self.layout.frame[variable] for variable in self.graph.routines[action].params]
        can = self.offers.can(action, (True,) * len(params))

        def run(look: Look) -> None:
            if not can(look, *[look.s[slot] for slot in params]):
                raise RuleError(f"{action} is called where it is not allowed")

        return run

    def _reset(self, states: Sequence[str]) -> Effect:
        slots = [slot for state in states for slot in self.layout.states[state].all_slots]
        first = [(slot, self.initial[slot]) for slot in slots]

        def run(look: Look) -> None:
            for slot, value in first:
                look.s[slot] = value
            look.forget()

        return run

    def _require(self, test: Callable[[Look], bool], message: str) -> Effect:
        def run(look: Look) -> None:
            if not test(look):
                raise RuleError(message)

        return run

    def _veil(self, step: flow.Veil) -> Effect:
        slot = None if step.player is None else self.layout.frame[step.player]

        def run(look: Look) -> None:
            if look.events is None:
                return
            if step.lift:
                look.events.append(Unveiled())
            elif slot is None:
                look.events.append(Veiled(None, State(tuple(look.s), tuple(look.w))))
            else:
                look.events.append(Veiled(look.s[slot], None))

        return run

    # ----------------------------------------------------------------------------------------------------- states

    def _assign(self, step: ir.Assign) -> Effect:
        state = self.game.states[step.state]
        family = self.layout.states[step.state]
        emitter = Emitter(self.program)
        slot_of = self.program.define("slot", emitter, f"    return {emitter.state_slot(step.state, step.indices)}")
        value_of = self.program.compile(step.value, name=step.state)
        bounds = self._bounds(state, family)
        running = None
        if state.until is not None and state.until in self.graph.routines:
            running = self.layout.frame[self.graph.routines[state.until].back]
        place = None if state.while_in is None else self.layout.places[state.while_in]

        def run(look: Look) -> None:
            slot = slot_of(look)
            value = value_of(look)
            if bounds is not None:
                low, high = bounds(look, slot)
                if not low <= value <= high:
                    raise RuleError(f"{self.slot_name(slot)} would be {value}, and must be in {low}..{high}")
            if running is not None and look.s[running] is None:
                raise RuleError(f"{state.name} is set while {state.until} does not run")
            if place is not None:
                piece = family.keys[slot - family.base][0]
                if not place.base <= look.w[piece] < place.end:
                    title = self.game.pieces[piece].title
                    raise RuleError(f"{state.name} is set for {title}, which does not lie in {state.while_in}")
            look.s[slot] = value
            look.forget()

        return run

    def _bounds(self, state: ir.State, family: Family) -> Callable[[Look, int], tuple[int, int]] | None:
        if state.bound is None:
            if isinstance(state.type, types.Int):
                low, high = state.type.low, state.type.high
                return lambda look, slot: (low, high)
            return None
        least, most = (self.program.compile(bound, state.index, f"bound_{state.name}") for bound in state.bound)

        def bounds(look: Look, slot: int) -> tuple[int, int]:
            key = family.keys[slot - family.base]
            return least(look, *key), most(look, *key)

        return bounds

    def _slot_name(self, slot: int) -> str:
        """A place or state instance as people write it: `hand[Ann]`."""
        for things, families in ((self.game.places, self.layout.places), (self.game.states, self.layout.states)):
            for name, family in families.items():
                if family.base <= slot < family.end:
                    key = family.keys[slot - family.base]
                    index = things[name].index
                    shown = [show_value(v, variable.type, self.game) for v, variable in zip(key, index, strict=True)]
                    return f"{name}[{', '.join(shown)}]" if shown else name
        return f"slot {slot}"

    # ----------------------------------------------------------------------------------------------------- pieces

    def slot_of(self, target: Target) -> Callable[[Look], int]:
        """The slot of a place instance that must be there."""
        emitter = Emitter(self.program)
        text = emitter.own_slot(target.place, target.indices)
        if text.isdigit():
            slot = int(text)
            return lambda look: slot
        return self.program.define("slot", emitter, f"    return {text}")

    def _move(self, step: ir.Move) -> Effect:
        target_of = self.slot_of(step.target)
        at = None if step.at is None else self.program.compile(step.at)
        if step.whole is not None:
            return self._move_whole(self.slot_of(step.whole), target_of, step.put, at)
        assert step.cargo is not None
        cargo = step.cargo
        single = isinstance(cargo.type, types.Pieces)
        cargo_of = self.program.compile(cargo) if single else self.offers.members(cargo)
        ordered = isinstance(cargo.type, types.SetOf) and cargo.type.ordered

        def run(look: Look) -> None:
            found = cargo_of(look)
            pieces = (found,) if single else found
            target = target_of(look)
            spot = None if at is None else at(look)
            if ordered:
                for piece in pieces:
                    self.move(look, (piece,), target, step.put, spot)
            elif pieces:
                self.move(look, pieces, target, step.put, spot)

        return run

    def _move_whole(
        self,
        origin_of: Callable[[Look], int],
        target_of: Callable[[Look], int],
        put: Put,
        at: Callable[[Look], int] | None,
    ) -> Effect:
        def run(look: Look) -> None:
            origin, target = origin_of(look), target_of(look)
            if origin == target:
                return
            spot = None if at is None else at(look)
            if self.order[origin] is PlaceOrder.PILE and self.order[target] is PlaceOrder.PILE:
                layers = look.s[origin]
                for layer in layers if put is not Put.UNDER else reversed(layers):
                    self.move(look, layer, target, put, spot)
            elif self.order[origin] is PlaceOrder.ROW:
                for piece in look.s[origin]:
                    self.move(look, (piece,), target, put, spot)
            elif look.s[origin]:
                self.move(look, contents(self.order[origin], look.s[origin]), target, put, spot)

        return run

    def _move_some(self, step: ir.MoveSome) -> Effect:
        origin_of, target_of = self.slot_of(step.origin), self.slot_of(step.target)
        amount_of = None if step.amount is None else self.program.compile(step.amount)
        at = None if step.at is None else self.program.compile(step.at)
        kind = frozenset(step.kind.members)

        def run(look: Look) -> None:
            origin = origin_of(look)
            pieces = [piece for piece in self._from_top(look, origin) if piece in kind]
            amount = len(pieces) if amount_of is None else max(0, amount_of(look))
            if amount > len(pieces) and not step.up_to:
                where = self.slot_name(origin)
                raise RuleError(f"{amount} {step.kind.name} are to go from {where}, {len(pieces)} are there")
            if pieces[:amount]:
                spot = None if at is None else at(look)
                self.move(look, tuple(sorted(pieces[:amount])), target_of(look), step.put, spot)

        return run

    def _from_top(self, look: Look, slot: int) -> Iterable[int]:
        if self.order[slot] is PlaceOrder.PILE:
            return [piece for layer in reversed(look.s[slot]) for piece in layer]
        return look.s[slot]  # type: ignore[no-any-return]

    def move(
        self,
        look: Look,
        pieces: tuple[int, ...],
        target: int,
        put: Put = Put.ON,
        at: int | None = None,
        blind: bool = False,
    ) -> None:
        """Pieces go to a place, together; a pile gets them as one layer. `blind`: nobody chose which (a draw)."""
        origins: dict[int, tuple[int, ...]] = {}
        for piece in pieces:
            origins[look.w[piece]] = (*origins.get(look.w[piece], ()), piece)
        place, _ = self.layout.place_of[target]
        before = [self._watchers(look, origin, blind) for origin in origins] if look.events is not None else []
        holds = self.holds[place.name]
        for piece in pieces:
            if piece not in holds:
                raise RuleError(f"{self.game.pieces[piece].title} can not lie in {self.slot_name(target)}")
            self._lift(look, piece, target)
            look.w[piece] = target
        self._lay(look, pieces, target, put, at)
        look.forget()
        capacity = self.capacity.get(target)
        if capacity is not None:
            most = capacity if isinstance(capacity, int) else capacity(look)
            held = len(contents(place.order, look.s[target]))
            if held > most:
                raise RuleError(f"{self.slot_name(target)} is full: it holds {most}, and would hold {held}")
        if look.events is not None:
            after = frozenset(self.sight[target](look))
            for (origin, moved), seers in zip(origins.items(), before, strict=True):
                look.events.append(Moved(moved, origin, target, seers, after))

    def _watchers(self, look: Look, origin: int, blind: bool) -> frozenset[int]:
        """Who sees which pieces leave a place: who sees the place; but a draw from `box` is blind."""
        place, _ = self.layout.place_of[origin]
        if blind and place.name == BOX:
            return frozenset()
        return frozenset(self.sight[origin](look))

    def _lift(self, look: Look, piece: int, target: int) -> None:
        slot = look.w[piece]
        lies = look.s[slot]
        if self.order[slot] is PlaceOrder.PILE:
            layers = (tuple([p for p in layer if p != piece]) for layer in lies)
            look.s[slot] = tuple([layer for layer in layers if layer])
        else:
            number = lies.index(piece)
            look.s[slot] = lies[:number] + lies[number + 1 :]
        for place, family in self.kept:
            if place.base <= slot < place.end and not place.base <= target < place.end:
                kept = family.slots.get((piece,))
                if kept is not None:
                    look.s[kept] = self.initial[kept]

    def _lay(self, look: Look, pieces: tuple[int, ...], target: int, put: Put, at: int | None) -> None:
        lies = look.s[target]
        match self.order[target]:
            case PlaceOrder.PILE:
                layer = tuple(sorted(pieces))
                look.s[target] = (layer, *lies) if put is Put.UNDER else (*lies, layer)
            case PlaceOrder.ROW:
                if put is Put.AT:
                    if at is None or not 1 <= at <= len(lies) + 1:
                        raise RuleError(f"{self.slot_name(target)} has no spot {at}")
                    look.s[target] = (*lies[: at - 1], *pieces, *lies[at - 1 :])
                else:
                    look.s[target] = (*pieces, *lies) if put is Put.UNDER else (*lies, *pieces)
            case PlaceOrder.SET | PlaceOrder.BAG | PlaceOrder.SLOT:
                look.s[target] = tuple(sorted((*lies, *pieces)))
            case never:
                assert_never(never)

    def _shuffle(self, place: Target) -> Effect:
        slot_of = self.slot_of(place)

        def run(look: Look) -> None:
            slot = slot_of(look)
            if self.order[slot] is PlaceOrder.PILE and look.s[slot]:
                look.s[slot] = (contents(PlaceOrder.PILE, look.s[slot]),)
                look.forget()

        return run

    # ----------------------------------------------------------------------------------------------------- people

    def text(self, look: Look, text: ir.Text) -> str:
        """A sentence at a position; variables of the frame have their values."""
        return render(text, lambda expr: self.value(look, expr), self.game)

    def value(self, look: Look, expr: Expr) -> Any:
        """The value of an expression over the frame; LookupError if it reads other variables."""
        if id(expr) not in self._texts:
            self._texts[id(expr)] = expr, self.program.compile(expr, name="text")
        return self._texts[id(expr)][1](look)

    def _players(self, audience: Expr | None) -> Callable[[Look], tuple[int, ...]]:
        if audience is None:
            return lambda look: tuple(self.seats)
        if isinstance(audience.type, types.SetOf | types.Optional):
            return self.offers.members(audience)
        one = self.program.compile(audience)
        return lambda look: (one(look),)

    def players(self, expr: Expr | None) -> Callable[[Look], tuple[int, ...]]:
        """The seats that an expression (a player, or a set) names; None: everyone."""
        return self._players(expr)

    def _say(self, text: ir.Text, audience: Expr | None) -> Effect:
        audience_of = self._players(audience)

        def run(look: Look) -> None:
            if look.events is not None:
                look.events.append(Said(self.text(look, text), audience_of(look)))

        return run

    def _show(self, place: Target, audience: Expr) -> Effect:
        slot_of, audience_of = self.slot_of(place), self._players(audience)

        def run(look: Look) -> None:
            if look.events is not None:
                slot = slot_of(look)
                look.events.append(ShownPlace(slot, contents(self.order[slot], look.s[slot]), audience_of(look)))

        return run

    def _drop_out(self, player: Expr) -> Effect:
        player_of = self.program.compile(player)

        def run(look: Look) -> None:
            seat = player_of(look)
            if seat not in look.s[OUT]:
                look.s[OUT] = tuple(sorted((*look.s[OUT], seat)))
                look.forget()
                if look.events is not None:
                    look.events.append(Out(seat))

        return run
