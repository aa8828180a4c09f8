"""Plays of two back ends side by side: one stream of choices and outcomes, compared ply by ply.

At each node: the position (the native state decoded, against the slots of the interpreter's), who is asked, how many
options there are and which, what chance may give and with what probability; with a native machine that traces, what
happened on the way, as the log has it. Options are matched by meaning, never by
number. An obligation that is not met must not be met on both sides, in the same statement.

The two sides may take different ones of identical pieces. So the pieces of a native state are renamed before it is
compared: two pieces of one kind stand for each other where all that a position says of them is the same. What stands
twice in a native state (the pieces of a place, and for each piece its place) must say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from seaspec.backends.interpreter import errors
from seaspec.backends.interpreter.chance import Drawn, Rolled, Thrown
from seaspec.backends.interpreter.choices import PASS, Act, Line, Share, Subset, Values
from seaspec.backends.interpreter.log import Event, Moved, Out, Said, ShownPlace, Unveiled, Veiled
from seaspec.backends.interpreter.state import FIRST, OUT, PC, RESULT, State
from seaspec.backends.native.decode import number
from seaspec.backends.native.emitter import Happening
from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.layout import Kind
from seaspec.backends.native.machine import Machine, Option, Totals
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.types import Type
from seaspec.game import Game
from seaspec.source import NOWHERE

MANY = 400
"""Of more options than this only some are told one by one."""
SAMPLE = 40
ENDLESS = "without ever coming to a choice"

Slots = tuple[Any, ...]
Names = Sequence[int]
"""For each native piece the piece of the interpreter that it is."""


@dataclass
class Tally:
    """What was compared."""

    plays: int = 0
    plies: int = 0
    options: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Obligations that were not met, in both back ends."""
    visits: dict[int, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        self.plays += other.plays
        self.plies += other.plies
        self.options += other.options
        for mine, theirs in ((self.failures, other.failures), (self.visits, other.visits)):
            for key, count in theirs.items():  # type: ignore[attr-defined]
                mine[key] = mine.get(key, 0) + count  # type: ignore[index, attr-defined]


class Disagreement(AssertionError):
    pass


class Comparison:
    """A game in both back ends."""

    def __init__(self, game: Game, native: Machine) -> None:
        self.game = game
        self.native = native
        self.machine = game.machine
        self.layout = game.machine.layout
        self.rules = game.rules
        self.pieces = Pieces(game)
        families = (self.layout.places[name] for name in native.layout.places)
        self.slots = [slot for family in families for slot in family.all_slots]
        """For each native slot the interpreter's."""

    def plies(self, plies: int, seed: int) -> Tally:
        """Random plays, until so many plies have been compared; raises `Disagreement` at the first difference."""
        tally = Tally()
        while tally.plies < plies:
            start = tally.plies
            self._play(Random(f"{seed} {tally.plays}"), tally, plies)
            tally.plays += 1
            if tally.plies == start:  # a play that is over, or fails, before anything is chosen
                break
        return tally

    def recorded(self, seed: int, play: int) -> Totals:
        """A random play of native code, followed by the interpreter; its totals, as the interpreter has them."""
        ours = self.machine.begin()
        totals = Totals(plays=1)
        for state, option in self.native.record(seed, play):
            names = self._same_position(ours, state)
            node = self.machine.node(ours)
            if isinstance(node, flow.Decision):
                answer = self._choice(option, node, names)
                options = self.machine.options(ours)
                options.position(answer)
                totals.choices += options.size > 1
                totals.asked[ours.block] += 1
                totals.offered[ours.block] += options.size
            else:
                answer = self._outcome(option, node, names)
                self.machine.outcomes(ours).canonical(answer)
            ours = self.machine.step(ours, answer)
            totals.plies += 1
        if ours.result is None:
            raise Disagreement("only the native play is over")
        winners, losers, _ = ours.result
        totals.endings[ours.block, winners, losers] += 1
        totals.lengths[totals.asked.total()] += 1
        return totals

    def _play(self, random: Random, tally: Tally, most_plies: int) -> None:
        events: list[Event] = []
        ours: Any = _attempt(lambda: self.machine.begin(events))
        theirs: Any = _attempt(self.native.begin)
        while tally.plies < most_plies and not self._same_failure(self._if_listed(ours, theirs), theirs, tally):
            names = self._same_position(ours, theirs)
            if self.native.traces:
                self._same_happenings(events)
            node = self.machine.node(ours)
            tally.visits[ours.block] = tally.visits.get(ours.block, 0) + 1
            if isinstance(node, flow.Over):
                if not self.native.is_over(theirs):
                    raise Disagreement("only the interpreter's play is over")
                return
            state = ours
            listed: Any = _attempt(lambda s=state: self._listed(s))
            told: Any = _attempt(lambda t=theirs: self.native.count(t))
            if self._same_failure(listed, told, tally) or self._same_failure(*self._asked(ours, theirs), tally):
                return
            matched = self._matched_options if isinstance(node, flow.Decision) else self._matched_outcomes
            chosen, answer = matched(listed, told, ours, theirs, node, names, random, tally)
            events.clear()
            ours = _attempt(lambda s=state, a=answer: self.machine.step(s, a, events))
            theirs = _attempt(lambda t=theirs, n=chosen: self.native.step(t, n))
            tally.plies += 1

    def _listed(self, state: State) -> Any:
        """The options, or the outcomes, of the interpreter, worked out."""
        if self.machine.is_chance(state):
            outcomes = self.machine.outcomes(state)
            return outcomes, outcomes.weighted()
        options = self.machine.options(state)
        return options, options.size

    def _asked(self, ours: State, theirs: bytes) -> tuple[Any, Any]:
        """Who is asked, on both sides."""
        seats = _attempt(lambda: self.machine.decider(ours)), _attempt(lambda: self.native.decider(theirs))
        if seats[0] != seats[1] and not any(isinstance(seat, errors.RuleError | RuleError) for seat in seats):
            raise Disagreement(f"{seats[0]} is asked, or {seats[1]} is")
        return seats

    def _if_listed(self, ours: Any, theirs: Any) -> Any:
        """Native code lists all options as it comes to a choice; the interpreter only when it is asked for them."""
        if not isinstance(theirs, RuleError) or isinstance(ours, errors.RuleError) or ours.result is not None:
            return ours
        listed = _attempt(lambda: self._listed(ours))
        return listed if isinstance(listed, errors.RuleError) else ours

    def _same_failure(self, ours: Any, theirs: Any, tally: Tally) -> bool:
        """Whether both fail; a disagreement if one does."""
        if not isinstance(ours, errors.RuleError) and not isinstance(theirs, RuleError):
            return False
        if not isinstance(ours, errors.RuleError) or not isinstance(theirs, RuleError):
            raise Disagreement(f"only one side fails: interpreter {ours!s:.300}; native {theirs!s:.300}")
        tally.failures[theirs.message] = tally.failures.get(theirs.message, 0) + 1
        if ENDLESS in ours.message and ENDLESS in theirs.message:  # it is given up somewhere in a circle
            return True
        if ours.span is not NOWHERE and str(ours.span) != str(theirs.span):
            raise Disagreement(
                f"both fail, but elsewhere: {ours.span}: {ours.message}; {theirs.span}: {theirs.message}"
            )
        return True

    # ---------------------------------------------------------------------------------------------------- events

    def _same_happenings(self, events: list[Event]) -> None:
        """What happened on the way to this node: what was told in order, and the moves between."""
        ours, theirs = _Happenings(), _Happenings()
        for event in events:
            match event:
                case Moved(pieces, origin, target):
                    for piece in pieces:
                        ours.moved(self.pieces.kind_of(piece), origin, target)
                case Out(player):
                    ours.told(Happening.OUT, player)
                case _ if type(event) in TOLD:
                    ours.told(TOLD[type(event)])
        for happening, values in self.native.traced():
            if happening is Happening.MOVED:
                piece, origin, target = values
                theirs.moved(self.pieces.kind_of(piece), self.slots[origin], self.slots[target])
            else:
                theirs.told(happening, *values[: happening is Happening.OUT])
        if ours.parts != theirs.parts:
            raise Disagreement(f"what happened: {ours.parts}, or {theirs.parts}")

    # ------------------------------------------------------------------------------------------------- positions

    def _same_position(self, ours: State, theirs: bytes) -> Names:
        """Compare the positions; what native pieces are called on the other side."""
        check_whole(self.native, theirs)
        found = self._slots(theirs)
        wanted = ours.slots
        if wanted == found:
            return range(len(self.rules.pieces))
        names = self.pieces.renaming(found, wanted)
        found = self.pieces.renamed(found, names)
        if wanted == found:
            return names
        slot_names: dict[int, str] = {PC: "block", RESULT: "result", OUT: "out"}
        for families in (self.layout.places, self.layout.states):
            for name, family in families.items():
                slot_names |= {slot: f"{name}{list(key)}" for key, slot in family.slots.items()}
        slot_names |= {slot: f"variable {v.name}" for v, slot in self.layout.frame.items()}
        pairs = enumerate(zip(wanted, found, strict=True))
        wrong = [f"{slot_names.get(i)}: {a!r} != {b!r}" for i, (a, b) in pairs if a != b]
        raise Disagreement(f"at block {ours.block}: " + "; ".join(wrong))

    def _slots(self, state: bytes) -> Slots:
        """A native state as the slots of the interpreter's."""
        layout = self.layout
        position = self.native.position(state)
        slots: list[Any] = [None] * layout.size
        slots[PC], slots[RESULT], slots[OUT] = position.block, position.result, position.out
        slots[FIRST - 1] = ()
        for families, values in ((layout.places, position.places), (layout.states, position.states)):
            for name, family in families.items():
                for key, slot in family.slots.items():
                    slots[slot] = values[name][key]
        for variable, slot in layout.frame.items():
            slots[slot] = position.frame.get(variable)
        return tuple(slots)

    # --------------------------------------------------------------------------------------------------- answers

    def _matched_options(
        self, listed: Any, count: int, ours: State, theirs: bytes, node: Any, names: Names, random: Random, tally: Tally
    ) -> tuple[int, Any]:
        """Compare what both sides offer; an option that both have: its native number, and the interpreter's choice."""
        options, size = listed
        if size != count:
            shown = [str(options[i]) for i in range(min(30, size))]
            told = [str(o) for o in self.native.options(theirs, range(min(30, count)))]
            raise Disagreement(f"{size} options at block {ours.block} ({node.menu}), or {count}\n{shown}\n{told}")
        numbers = range(count) if count <= MANY else sorted({random.randrange(count) for _ in range(SAMPLE)})
        found = {}
        for chosen, option in zip(numbers, self.native.options(theirs, numbers), strict=True):
            choice = self._choice(option, node, names)
            try:
                found[options.position(choice)] = chosen, choice
            except errors.ChoiceError as error:
                raise Disagreement(f"{choice} is no option of the interpreter: {error}") from None
        if len(found) != len(numbers):
            raise Disagreement(f"{len(numbers)} options are only {len(found)} different ones")
        tally.options += len(numbers)
        return found[random.choice(sorted(found))]

    def _matched_outcomes(
        self, listed: Any, count: int, ours: State, theirs: bytes, node: Any, names: Names, random: Random, tally: Tally
    ) -> tuple[int, Any]:
        """The same where chance chooses; the probabilities must be equal."""
        outcomes, weighted = listed
        if len(weighted) != count:
            raise Disagreement(f"chance has {len(weighted)} outcomes, or {count}")
        numbers = range(count) if count <= MANY else sorted({random.randrange(count) for _ in range(SAMPLE)})
        told = self.native.options(theirs, numbers)
        weights = {outcome: Fraction(weight) for outcome, weight in weighted}
        total = sum(weights.values())
        native_total = sum(option.weight for option in told) if count <= MANY else None
        found = {}
        for chosen, option in zip(numbers, told, strict=True):
            answer = self._outcome(option, node, names)
            try:
                key = outcomes.canonical(answer)
            except errors.ChoiceError as error:
                raise Disagreement(f"{answer} can not happen in the interpreter: {error}") from None
            if repr(key) in found:
                raise Disagreement(f"{answer} is listed twice")
            if native_total and weights[key] / total != Fraction(option.weight, native_total):
                raise Disagreement(f"{answer} has the odds {weights[key] / total}, or {option.weight}/{native_total}")
            found[repr(key)] = chosen, answer
        tally.options += len(found)
        return found[random.choice(sorted(found))]

    def _choice(self, option: Option, node: Any, names: Names) -> Any:
        if option.is_pass:
            return PASS
        if option.action is not None:
            kinds = [param.variable.type for param in self.rules.actions[option.action].params]
            return Act(option.action, self.pieces.named_all(option.values, kinds, names))
        kinds = [variable.type for variable in flow.offer_variables(node.offer)]
        values = self.pieces.named_all(option.values, kinds, names)
        match node.offer:
            case ir.OfferValues():
                return Values(values)
            case ir.OfferSubset():
                return Subset(values[0])
            case ir.OfferShare():
                return Share(values[0])
            case flow.OfferLines():
                return Line(values[0])
        raise AssertionError(node.offer)

    def _outcome(self, option: Option, node: Any, names: Names) -> Any:
        match node:
            case flow.ChanceNode():
                return self._choice(option, node, names)
            case flow.DrawNode():
                (piece,) = option.values
                assert isinstance(piece, int)
                return Drawn(names[piece])
            case flow.RollNode():
                return Rolled(option.values[0])  # type: ignore[arg-type]
            case flow.ThrowNode():
                return Thrown(option.values[:-1], option.values[-1])  # type: ignore[arg-type]
        raise AssertionError(node)


TOLD: dict[type, Happening] = {
    Said: Happening.SAID,
    ShownPlace: Happening.SHOWN,
    Veiled: Happening.VEILED,
    Unveiled: Happening.UNVEILED,
}


class _Happenings:
    """What was told, and before, between and after it: for each sort of pieces and way, how many went it."""

    def __init__(self) -> None:
        self.parts: list[Any] = [Counter()]

    def moved(self, piece: Any, origin: int, target: int) -> None:
        self.parts[-1][piece, origin, target] += 1

    def told(self, happening: Happening, *values: int) -> None:
        self.parts += [(happening, *values), Counter()]


def _attempt(run: Any) -> Any:
    try:
        return run()
    except (errors.RuleError, RuleError) as error:
        return error


# ----------------------------------------------------------------------------------------------------- identical pieces


class Pieces:
    """Which pieces of a game may stand for each other, and what a position says of each."""

    def __init__(self, game: Game) -> None:
        rules, layout = game.rules, game.machine.layout
        self.count = len(rules.pieces)
        self.twin = [piece.twin for piece in rules.pieces]
        self.places = [(s, layout.place_of[s][0].order is PlaceOrder.PILE) for s in layout.place_slots]
        self.ordered = {s for s in layout.place_slots if layout.place_of[s][0].order is PlaceOrder.ROW}
        apart: set[int] = set()
        self.carried: dict[int, list[int]] = {}
        for state in rules.states.values():
            for variable in state.index:
                alone = len(state.index) == 1 and (state.while_in is not None or state.track)
                for piece in _pieces_in(variable.type):
                    if alone:
                        self.carried.setdefault(piece, []).append(layout.states[state.name].slots[(piece,)])
                    else:
                        apart.add(piece)
        for place in rules.places.values():
            for variable in place.index:
                apart |= _pieces_in(variable.type)
        kinds: dict[int, list[int]] = {}
        for piece in rules.pieces:
            if piece.id not in apart:
                kinds.setdefault(piece.twin, []).append(piece.id)
        self.kinds = [members for members in kinds.values() if len(members) > 1]
        self.common = {piece for members in self.kinds for piece in members}
        values = [(s, t.type) for t in rules.states.values() for s in layout.states[t.name].all_slots]
        values += [(slot, variable.type) for variable, slot in layout.frame.items()]
        self.values = [(slot, ty) for slot, ty in values if self.common & (_pieces_in(ty) | _pieces_in(_keys(ty)))]

    def kind_of(self, piece: int) -> Any:
        """The piece, or what it is if there are others like it."""
        return ("one of", self.twin[piece]) if piece in self.common else piece

    def renaming(self, found: Slots, wanted: Slots) -> Names:
        """Native pieces by what is said of them: each becomes a piece of which the other side says the same."""
        names = list(range(self.count))
        theirs, ours = self._said(found), self._said(wanted)
        for members in self.kinds:
            for mine, other in zip(
                sorted(members, key=lambda p: repr(theirs[p])),
                sorted(members, key=lambda p: repr(ours[p])),
                strict=True,
            ):
                names[mine] = other
        return names

    def _said(self, slots: Slots) -> dict[int, list[Any]]:
        """What a position says of each piece that may stand for another."""
        said: dict[int, list[Any]] = {piece: [] for piece in self.common}
        for slot, is_pile in self.places:
            layers = slots[slot] if is_pile else (slots[slot],)
            for layer, pieces in enumerate(layers):
                for spot, piece in enumerate(pieces):
                    if piece in said:
                        said[piece].append((slot, layer, spot if slot in self.ordered else 0))
        for piece, kept in self.carried.items():
            if piece in said:
                said[piece].append([slots[slot] for slot in kept])
        for slot, ty in self.values:
            for piece, how in _mentions(slots[slot], ty):
                if piece in said:
                    said[piece].append((slot, how))
        return said

    def renamed(self, slots: Slots, names: Names) -> Slots:
        found = list(slots)
        for slot, is_pile in self.places:
            if is_pile:
                found[slot] = tuple(tuple(sorted(names[p] for p in layer)) for layer in slots[slot])
            else:
                pieces = [names[p] for p in slots[slot]]
                found[slot] = tuple(pieces if slot in self.ordered else sorted(pieces))
        for piece, kept in self.carried.items():
            for slot, other in zip(kept, self.carried[names[piece]], strict=True):
                found[other] = slots[slot]
        for slot, ty in self.values:
            found[slot] = self.named(slots[slot], ty, names)
        return tuple(found)

    def named(self, value: Any, ty: Type, names: Names) -> Any:
        """A value with its pieces renamed."""
        match ty:
            case _ if value is None:
                return None
            case types.Pieces():
                return names[value]
            case types.Optional(of):
                return self.named(value, of, names)
            case types.SetOf(of, ordered) if _pieces_in(of):
                members = [self.named(member, of, names) for member in value]
                return tuple(members if ordered else sorted(members))
            case types.Map(keys, of):
                held = {
                    self.named(key, keys, names): self.named(member, of, names)
                    for key, member in zip(types.values(keys), value, strict=True)
                }
                return tuple(held[key] for key in types.values(keys))
            case _:
                return value

    def named_all(self, values: Iterable[Any], kinds: Iterable[Type], names: Names) -> tuple[Any, ...]:
        return tuple(self.named(value, ty, names) for value, ty in zip(values, kinds, strict=True))


def _pieces_in(ty: Type | None) -> set[int]:
    match ty:
        case types.Pieces(_, members):
            return set(members)
        case types.Optional(of) | types.SetOf(of):
            return _pieces_in(of)
        case types.Map(_, of):
            return _pieces_in(of)
        case _:
            return set()


def _keys(ty: Type) -> Type | None:
    return ty.keys if isinstance(ty, types.Map) else None


def _mentions(value: Any, ty: Type) -> Iterator[tuple[int, Any]]:
    """The pieces that a value names, and how."""
    if value is None:
        return
    match ty:
        case types.Pieces():
            yield value, 0
        case types.Optional(of):
            yield from _mentions(value, of)
        case types.SetOf(of, ordered):
            for spot, member in enumerate(value):
                for piece, _ in _mentions(member, of):
                    yield piece, spot if ordered else 0
        case types.Map(keys, of):
            for key, member in zip(types.values(keys), value, strict=True):
                for piece, _ in _mentions(key, keys):
                    yield piece, repr(member)
                for piece, _ in _mentions(member, of):
                    yield piece, repr(key)


# ------------------------------------------------------------------------------------------------- what stands twice


def check_whole(native: Machine, state: bytes) -> None:
    """What a native state says of places agrees with what it says of pieces."""
    layout = native.layout
    size = layout.where_bits // 8
    where = [number(state, layout.where + size * piece, size) for piece in range(layout.pieces)]
    lying: dict[int, int] = {}
    for piece, slot in enumerate(where):
        lying[slot] = lying.get(slot, 0) | 1 << piece
    for place in layout.places.values():
        filled = 0
        for instance in range(place.count):
            start = place.offset + instance * place.stride
            wanted = lying.get(place.slot + instance, 0)
            filled |= (wanted != 0) << instance
            match place.kind:
                case Kind.MASKS:
                    found = number(state, start, place.mask_bytes) << place.low
                case Kind.PILES:
                    found = number(state, start, place.mask_bytes) << place.low
                    top = number(state, start + place.mask_bytes, place.mask_bytes) << place.low
                    if top != _top_layer(native, state, wanted):
                        raise Disagreement(f"the top layer of {place.name}[{instance}] is {top:b}")
                case Kind.CELLS:
                    piece = place.cell.decode(number(state, start, place.cell.size))
                    found = 0 if piece is None else 1 << piece
                case Kind.ROWS:
                    cells = range(number(state, start, 2))
                    size_of = place.cell.size
                    held = [place.cell.decode(number(state, start + 2 + size_of * n, size_of)) for n in cells]
                    found = sum(1 << piece for piece in held if piece is not None)
                case Kind.WHERE:
                    found = wanted
            if found != wanted:
                raise Disagreement(f"{place.name}[{instance}] holds {found:b}, but {wanted:b} lie there")
        if place.kind is Kind.CELLS:
            told = number(state, place.filled, -(-place.count // 8))
            if told != filled:
                raise Disagreement(f"filled instances of {place.name}: {told:b}, not {filled:b}")


def _top_layer(native: Machine, state: bytes, pieces: int) -> int:
    layout = native.layout
    size = layout.order_bits // 8
    layers: dict[int, int] = {}
    for piece in range(layout.pieces):
        if pieces >> piece & 1:
            layer = number(state, layout.order + size * piece, size)
            layers[layer] = layers.get(layer, 0) | 1 << piece
    return layers[max(layers)] if layers else 0
