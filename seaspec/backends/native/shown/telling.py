"""What a page is told while a game runs: values of sentences as words, who sees what goes where, the veiled table.

Only code that `tells` has any of this: that for browsers. What happens is noted as in code that traces, with more rows:

    WATCHED seats            who sees the place that the next piece leaves, where that depends on the position
    LAID slot, seats         pieces have come to a slot; who sees it now
    SAID text, seats         `unit.said` has the text; the values of its parts follow, a row VALUE each
    SHOWN slot, seats        what lies there is shown
    VEILED seat              the part of a seat begins (-1: a joint choice, and the position now is kept as `veiled`)
"""

from __future__ import annotations

from collections.abc import Sequence as Listed

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import FRAME_PARAMS, STATE, Base, Happening
from seaspec.backends.native.flow.chance import Chances
from seaspec.backends.native.values.shapes import Entries, Member, Sequence, is_single, ordinals, universe
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr
from seaspec.core.types import Type

VEILED = "veiled"


def words_of(e: Base, ty: Type) -> int:
    """Words that a value takes when it is told: a set a bit a value, an ordered one its length, then its members."""
    match ty:
        case types.SetOf(of, ordered) if is_single(of):
            among = universe(of, e.game)
            return 1 + among.width if ordered else int(among.ty[1:]) // 64
        case types.Map(keys, of) if is_single(keys) and is_single(of):
            return ordinals(keys).size
        case _ if is_single(ty):
            return 1
        case _:  # cautious: it is not told
            raise NotCompiled(f"telling a value of type {type(ty).__name__}")


class Telling(Chances):
    """The part of the writer that tells values."""

    def told(self, expr: Expr) -> Expr:
        return self.unit.constants.simplify(expr)

    def put_value(self, expr: Expr, out: str, offset: int) -> int:
        """The value of an expression is written to memory; how many words it takes."""
        code, ty = self.code, expr.type
        words = words_of(self, ty)
        value = self.value_as(self.told(expr), ty)
        match value:
            case Sequence():
                code.store("i64", value.length, code.offset(out, 8 * offset))
                with code.count_up(0, value.length) as loop:
                    member = self.load(self.element(value.pointer, loop.value, value.packed), value.packed, value.tag)
                    place = code.add(code.mul(loop.value, 8), 8 * (offset + 1))
                    code.store("i64", member, code.offset(out, place))
            case Entries():
                with code.count_up(0, words) as loop:
                    entry = self.load(self.element(value.pointer, loop.value, value.packed), value.packed, value.tag)
                    place = code.add(code.mul(loop.value, 8), 8 * offset)
                    code.store("i64", entry, code.offset(out, place))
            case Member():
                raise NotCompiled("telling a set of sets")
            case _ if is_single(ty):
                code.store("i64", value, code.offset(out, 8 * offset))
            case _:
                code.store(f"i{64 * words}", value, code.offset(out, 8 * offset), "", 8)
        return words

    def seats(self, players: Expr | None) -> Operand:
        """The seats that an expression (a player, or a set) names, as a set; all of them without one."""
        if players is None:
            return (1 << self.layout.seats) - 1
        return self.mask_in(self.told(players), universe(types.Enum("Player", self.game.players, True), self.game))

    # ------------------------------------------------------------------------------------------------ while it runs

    def tell_said(self, step: ir.Say) -> None:
        """A text, to whom, and its values."""
        parts = [part for part in step.text.parts if not isinstance(part, str)]
        words = sum(words_of(self, part.type) for part in parts)
        self.unit.said.append(step.text)
        self.trace(Happening.SAID, len(self.unit.said) - 1, self.seats(step.audience))
        if not parts:
            return
        memory, offset = self.code.slot("i64", words), 0
        self.code.line(f"call void @llvm.memset.p0.i64(ptr {memory}, i8 0, i64 {8 * words}, i1 false)")
        for part in parts:
            offset += self.put_value(part, memory, offset)
        with self.code.count_up(0, words) as loop:
            value = self.code.load("i64", self.code.offset(memory, self.code.mul(loop.value, 8)))
            self.trace(Happening.VALUE, value)

    def tell_shown(self, step: ir.Show) -> None:
        aim = self.aim(step.place)
        self.trace(Happening.SHOWN, self.code.add(aim.number, aim.field.slot), self.seats(step.audience))

    def tell_veil(self, step: flow.Veil) -> None:
        if step.lift:
            self.trace(Happening.UNVEILED)
            return
        self.trace(Happening.VEILED, -1 if step.player is None else self.single(step.player))
        if step.player is None:
            size = self.layout.end
            veiled = self.memory(VEILED, size)
            self.code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {veiled}, ptr {STATE}, i64 {size}, i1 false)")

    # ------------------------------------------------------------------------------------------------------- sight

    def tell_leaving(self, slot: Operand) -> None:
        """Who sees the place that a piece is about to leave."""
        if self._watched():
            self.trace(Happening.WATCHED, self._seers(slot))

    def tell_laid(self, slot: Operand) -> None:
        self.trace(Happening.LAID, slot, self._seers(slot) if self._watched() else -1)

    def _watched(self) -> list[ir.Place]:
        """The places of which it depends on the position who sees them."""
        sights = [(place, place.sight.by) for place in self.game.places.values()]
        return [place for place, by in sights if by is not None and self.facts.reads(by)]

    def _seers(self, slot: Operand) -> Operand:
        """Who sees a slot now, if that depends on the position; else -1."""

        def function(name: str) -> Code:
            code = Code(name, "i64", [*FRAME_PARAMS, ("i64", "%slot")])
            writer = self.another(code)
            assert isinstance(writer, Telling)
            for place in self._watched():
                field = self.layout.places[place.name]
                steps = code.sub("%slot", field.slot)
                with code.when(code.compare("ult", steps, field.count)):
                    code.give(writer.seers_of(place, steps))
            code.give(-1)
            return code

        return self.invoke("i64", "seers", "seers", function, [("i64", slot)])

    def seers_of(self, thing: ir.Place | ir.State, number: Operand) -> Operand:
        """Who sees an instance, by its number, of what is seen by somebody."""
        self.bind_index(thing.index, number)
        return self.seats(thing.sight.by)

    def bind_index(self, index: Listed[ir.Variable], number: Operand) -> None:
        """The variables of an index stand for the values of the instance with a number."""
        left = number
        for variable in reversed(index):
            values = list(types.values(variable.type))
            ordinal = self.code.binary("srem", left, len(values))
            left = self.code.binary("sdiv", left, len(values))
            array, form = self.unit.numbers(values, variable.type)
            self.env[variable] = self.load(self.element(array, ordinal, form), form)
