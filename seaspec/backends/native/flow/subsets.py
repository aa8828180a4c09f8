"""Subsets and shares as options: counted without being listed, and the one with a number found.

Members are grouped: identical pieces are a group, of which an option takes so many. Single members are counted by
binomials, groups by adding up. Shares are counted member by member; among identical members they fall.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import COUNTED
from seaspec.backends.native.expressions.emitter import FRAME_PARAMS
from seaspec.backends.native.flow.offers import Offers
from seaspec.backends.native.values.shapes import Entries, Packed, Universe, ordinals, universe
from seaspec.core import ir, types
from seaspec.core.types import Type

MOST_OPTIONS = 1 << 62
"""More options than this are not counted."""
MOST_BINOMIALS = 8192
MOST_WAYS = 1 << 22
"""Bytes of the table of the ways to share."""


class Subsets(Offers):
    """The part of the writer for subsets and shares."""

    # ------------------------------------------------------------------------------------------------------ subsets

    def subset_memory(self, offer: ir.OfferSubset) -> SubsetMemory:
        ty = types.member_type(offer.domain.type)
        return SubsetMemory(self, universe(ty, self.game), _most(offer.high.type, universe(ty, self.game).width), ty)

    def count_subsets(self, offer: ir.OfferSubset, weighs: bool) -> Operand:
        """How many options there are; of chance, how many subsets, identical pieces told apart."""
        simple = self.unit.constants.simplify
        memory = self.subset_memory(offer)
        domain = simple(offer.domain)
        members = self.mask_in(domain, memory.form)
        low, high = self.number(simple(offer.low)), self.number(simple(offer.high))
        classes = self.twins.of_type(memory.ty) if isinstance(memory.ty, types.Pieces) else []
        together = self.in_one_place(domain) and not any(map(self._told_apart, classes))

        def function(name: str) -> Code:
            params = [(memory.form.ty, "%members"), ("i64", "%low"), ("i64", "%high")]
            code = Code(name, "i64", [*FRAME_PARAMS, *params])
            writer = self.another(code)
            assert isinstance(writer, Subsets)
            writer.live = self.live
            inner = SubsetMemory(writer, memory.form, memory.most, memory.ty)
            code.give(writer.write_count(inner, weighs, together))
            return code

        key = "count", memory.name, memory.ty, weighs, together, self.live
        return self.invoke("i64", key, "count", function, [(memory.form.ty, members), ("i64", low), ("i64", high)])

    def write_count(self, memory: SubsetMemory, weighs: bool, together: bool) -> Operand:
        """How many subsets of `%members` with `%low` to `%high` members there are."""
        code = self.code
        form = memory.form
        members = "%members"
        count = code.population(members, form.ty)
        low = code.select(code.compare("slt", "%low", 0), 0, "%low")
        high = code.select(code.compare("slt", "%high", count), "%high", count)
        self.require(code.compare("sle", high, memory.most), "more members are chosen than the rules allow")
        high = code.select(code.compare("sle", high, memory.most), high, memory.most)
        memory.put("low", low)
        memory.put("high", high)
        code.store(form.ty, members, memory.pointer("members"), "", 8)
        self._group(members, memory, together)
        total = code.slot("i64")
        code.store("i64", 0, total)
        if weighs:
            with code.count_up(low, code.add(high, 1)) as loop:
                self._add_ways(total, self.binomial(count, loop.value, memory))
        else:
            self._fill_ways(memory)
            with code.count_up(low, code.add(high, 1)) as loop:
                self._add_ways(total, self._ways(memory, 0, loop.value))
        return code.load("i64", total)

    def _add_ways(self, total: str, more: Operand) -> None:
        code = self.code
        found = code.add(code.load("i64", total), more)
        few = code.compare("ult", found, MOST_OPTIONS)
        self.require(few, COUNTED)
        code.store("i64", code.select(few, found, MOST_OPTIONS - 1), total)

    def _group(self, members: Operand, memory: SubsetMemory, together: bool) -> None:
        """Identical pieces are grouped; the others are singles."""
        code = self.code
        form = memory.form
        singles = code.slot(form.ty)
        code.store(form.ty, members, singles)
        memory.put("groups", 0)
        classes = self.twins.of_type(memory.ty) if isinstance(memory.ty, types.Pieces) else []
        if classes:
            array = self.unit.masks([self.layout.all_pieces.mask(c) for c in classes], self.layout.all_pieces)
            with code.count_up(0, len(classes)) as loop:
                of_class = self.mask_at(array, loop.value, self.layout.all_pieces)
                rest = code.slot(form.ty)
                code.store(form.ty, code.binary("and", members, of_class, form.ty), rest)
                head, body, done = code.label("head"), code.label("body"), code.label("done")
                code.place(head)
                left = code.load(form.ty, rest)
                several = code.compare("ugt", code.population(left, form.ty), 1)
                code.branch(several, body, done)
                code.place(body)
                group = left if together else self.like(code.lowest(left, form.ty), left)
                code.store(form.ty, self.without(left, group, form), rest)
                size = code.population(group, form.ty)
                with code.when(code.compare("ugt", size, 1)):
                    number = memory.get("groups")
                    code.store(form.ty, group, memory.group(number), "", 8)
                    code.store(form.ty, self.without(code.load(form.ty, singles), group, form), singles)
                    memory.put("groups", code.add(number, 1))
                code.jump(head)
                code.place(done)
        code.store(form.ty, code.load(form.ty, singles), memory.pointer("singles"), "", 8)

    def _fill_ways(self, memory: SubsetMemory) -> None:
        """For each group from the last: in how many ways it and those after it, and the singles, give so many."""
        code = self.code
        form = memory.form
        groups, high = memory.get("groups"), memory.get("high")
        singles = code.population(code.load(form.ty, memory.pointer("singles"), "", 8), form.ty)
        memory.put("single", singles)
        with code.count_up(0, code.add(high, 1)) as loop:
            code.store("i64", self.binomial(singles, loop.value, memory), memory.ways(groups, loop.value))
        with code.count_up(0, groups) as outer:
            number = code.sub(code.sub(groups, 1), outer.value)
            size = code.population(code.load(form.ty, memory.group(number), "", 8), form.ty)
            with code.count_up(0, code.add(high, 1)) as loop:
                total = code.slot("i64")
                code.store("i64", 0, total)
                most = code.select(code.compare("slt", size, loop.value), size, loop.value)
                with code.count_up(0, code.add(most, 1)) as taken:
                    rest = memory.ways(code.add(number, 1), code.sub(loop.value, taken.value))
                    self._add_ways(total, code.load("i64", rest))
                code.store("i64", code.load("i64", total), memory.ways(number, loop.value))

    def _ways(self, memory: SubsetMemory, group: Operand, size: Operand) -> Operand:
        return self.code.load("i64", memory.ways(group, size))

    def binomial(self, count: Operand, taken: Operand, memory: SubsetMemory) -> Operand:
        """How many subsets of a size there are; MOST_OPTIONS stands for that many and more."""
        code = self.code
        width, most = memory.form.width, memory.most
        if (width + 1) * (most + 1) > MOST_BINOMIALS:
            return code.call("i64", "binomial", [("i64", count), ("i64", taken)])
        table = [min(MOST_OPTIONS, comb(n, k)) for n in range(width + 1) for k in range(most + 1)]
        number = code.add(code.mul(count, most + 1), taken)
        return code.load("i64", code.offset(self.unit.array(table, 64), code.mul(number, 8)))

    def subset_at(self, offer: ir.OfferSubset, number: Operand) -> Operand:
        """The option with a number, after `count_subsets`."""
        memory = self.subset_memory(offer)

        def function(name: str) -> Code:
            code = Code(name, memory.form.ty, [*FRAME_PARAMS, ("i64", "%number")])
            writer = self.another(code)
            assert isinstance(writer, Subsets)
            code.give(writer.write_subset_at(SubsetMemory(writer, memory.form, memory.most, memory.ty)))
            return code

        return self.invoke(memory.form.ty, ("subset", memory.name), "subset", function, [("i64", number)])

    def write_subset_at(self, memory: SubsetMemory) -> Operand:
        code = self.code
        form = memory.form
        number = "%number"
        index, size, result = code.slot("i64"), code.slot("i64"), code.slot(form.ty)
        code.store("i64", number, index)
        code.store(form.ty, 0, result)
        code.store("i64", memory.get("low"), size)
        with code.count_up(memory.get("low"), code.add(memory.get("high"), 1)) as loop:
            code.store("i64", loop.value, size)
            self._pass_over(index, self._ways(memory, 0, loop.value), loop.done)
        with code.count_up(0, memory.get("groups")) as outer:
            group = code.slot(form.ty)
            code.store(form.ty, code.load(form.ty, memory.group(outer.value), "", 8), group)
            whole = code.population(code.load(form.ty, group), form.ty)
            wanted = code.load("i64", size)
            most = code.select(code.compare("slt", whole, wanted), whole, wanted)
            taken = code.slot("i64")
            with code.count_up(0, code.add(most, 1)) as loop:
                code.store("i64", code.sub(most, loop.value), taken)
                rest = code.sub(wanted, code.sub(most, loop.value))
                self._pass_over(index, self._ways(memory, code.add(outer.value, 1), rest), loop.done)
            with code.count_up(0, code.load("i64", taken)):
                left = code.load(form.ty, group)
                bit = code.binary("and", left, code.binary("sub", 0, left, form.ty), form.ty)
                self._add_to(result, bit, form)
                code.store(form.ty, code.binary("xor", left, bit, form.ty), group)
            code.store("i64", code.sub(wanted, code.load("i64", taken)), size)
        self._take_singles(memory, index, size, result)
        return code.load(form.ty, result)

    def _pass_over(self, index: str, ways: Operand, found: str) -> None:
        """The number wanted is among these ways, or comes after them."""
        code = self.code
        onward = code.label("pass")
        here = code.load("i64", index)
        code.branch(code.compare("ult", here, ways), found, onward)
        code.place(onward)
        code.store("i64", code.sub(here, ways), index)

    def _take_singles(self, memory: SubsetMemory, index: str, size: str, result: str) -> None:
        code = self.code
        form = memory.form
        rest = code.slot("i64")
        code.store("i64", memory.get("single"), rest)
        with code.bits(code.load(form.ty, memory.pointer("singles"), "", 8), form.ty) as loop:
            wanted = code.load("i64", size)
            more, take = code.label("more"), code.label("take")
            code.branch(code.compare("eq", wanted, 0), loop.done, more)
            code.place(more)
            left = code.sub(code.load("i64", rest), 1)
            code.store("i64", left, rest)
            self._pass_over(index, self.binomial(left, code.sub(wanted, 1), memory), take)
            code.jump(loop.onward)
            code.place(take)
            self._add_to(result, code.bit(loop.value, form.ty), form)
            code.store("i64", code.sub(wanted, 1), size)

    def subset_weight(self, offer: ir.OfferSubset, subset: Operand) -> Operand:
        """How many subsets an option stands for, identical pieces told apart."""
        code = self.code
        memory = self.subset_memory(offer)
        form = memory.form
        weight = code.slot("i64")
        code.store("i64", 1, weight)
        with code.count_up(0, memory.get("groups")) as loop:
            group = code.load(form.ty, memory.group(loop.value), "", 8)
            taken = code.population(code.binary("and", group, subset, form.ty), form.ty)
            ways = code.call("i64", "binomial", [("i64", code.population(group, form.ty)), ("i64", taken)])
            code.store("i64", code.mul(code.load("i64", weight), ways), weight)
        return code.load("i64", weight)

    def random_subset(self, offer: ir.OfferSubset, random: Callable[[Operand], Operand]) -> Operand:
        """A subset by chance, each equally likely, after `count_subsets`."""
        code = self.code
        memory = self.subset_memory(offer)
        form = memory.form
        members = code.load(form.ty, memory.pointer("members"), "", 8)
        count = code.population(members, form.ty)
        index, size, left, result = code.slot("i64"), code.slot("i64"), code.slot(form.ty), code.slot(form.ty)
        total = code.slot("i64")
        code.store("i64", 0, total)
        low, end = memory.get("low"), code.add(memory.get("high"), 1)
        with code.count_up(low, end) as loop:
            code.store("i64", code.add(code.load("i64", total), self.binomial(count, loop.value, memory)), total)
        code.store("i64", random(code.load("i64", total)), index)
        code.store("i64", low, size)
        with code.count_up(low, end) as loop:
            code.store("i64", loop.value, size)
            self._pass_over(index, self.binomial(count, loop.value, memory), loop.done)
        code.store(form.ty, members, left)
        code.store(form.ty, 0, result)
        with code.count_up(0, code.load("i64", size)) as loop:
            position = self.select_bit(left, random(code.sub(count, loop.value)), form.ty)
            bit = code.bit(position, form.ty)
            self._add_to(result, bit, form)
            code.store(form.ty, code.binary("xor", code.load(form.ty, left), bit, form.ty), left)
        return self._first_of_each(code.load(form.ty, result), members, memory)

    def _first_of_each(self, subset: Operand, members: Operand, memory: SubsetMemory) -> Operand:
        """The same subset, of identical pieces the first ones, if it makes a difference which they are."""
        code, form = self.code, memory.form
        if not (isinstance(memory.ty, types.Pieces) and self.twins.numbered(memory.ty)):
            return subset
        found = code.slot(form.ty)
        code.store(form.ty, 0, found)
        with code.bits(subset, form.ty) as loop:
            group = self.like(loop.value, members)
            free = code.binary("and", group, code.complement(code.load(form.ty, found), form.ty), form.ty)
            self._add_to(found, code.bit(code.lowest(free, form.ty), form.ty), form)
        return code.load(form.ty, found)

    def select_bit(self, pointer: str, number: Operand, ty: str) -> Operand:
        """Which bit of a mask in memory is set as the one with a number, from 0."""
        code = self.code
        if ty == "i64":
            return code.call("i64", "select64", [("i64", code.load("i64", pointer)), ("i64", number)])
        return code.call("i64", "select_words", [("ptr", pointer), ("i64", number)])

    # -------------------------------------------------------------------------------------------------------- shares

    def share_memory(self, offer: ir.OfferShare) -> ShareMemory:
        return ShareMemory(self, offer)

    def count_shares(self, offer: ir.OfferShare) -> Operand:
        code = self.code
        simple = self.unit.constants.simplify
        memory = self.share_memory(offer)
        domain = simple(offer.domain)
        form = memory.form
        members = self.mask_in(domain, form)
        low, high = self.number(simple(offer.low)), self.number(simple(offer.high))
        low = code.select(code.compare("slt", low, 0), 0, low)
        memory.put("count", 0)
        memory.put("sum", 0)
        code.store("i64", high, memory.pointer("high"))
        self._line_up(offer, domain, members, memory)
        bounds = memory.get("sum")
        high = code.select(code.compare("slt", high, bounds), high, bounds)
        few = code.compare("sle", high, memory.most)
        self.require(few, "more is shared out than the rules allow")
        high = code.select(few, high, memory.most)
        memory.put("low", low)
        memory.put("high", high)
        self._fill_share_ways(memory)
        total = code.slot("i64")
        code.store("i64", 0, total)
        with code.count_up(low, code.add(high, 1)) as loop:
            self._add_ways(total, code.load("i64", memory.ways(0, 0, loop.value)))
        return code.load("i64", total)

    def _line_up(self, offer: ir.OfferShare, domain: ir.Expr, members: Operand, memory: ShareMemory) -> None:
        """The members in a row, identical ones (with equal bounds) side by side: each with its bound, and whether it is
        the first of its sort."""
        code = self.code
        form = memory.form
        at_most = None if offer.at_most is None else self.unit.constants.simplify(offer.at_most)
        rest = code.slot(form.ty)
        code.store(form.ty, members, rest)

        def bound_of(position: Operand) -> Operand:
            if at_most is None:
                return code.load("i64", memory.pointer("high"))
            with self.binding(offer.member, self.member_value(position, form)):
                return self.number(at_most)

        head, body, done = code.label("head"), code.label("body"), code.label("done")
        code.place(head)
        left = code.load(form.ty, rest)
        code.branch(code.compare("ne", left, 0, form.ty), body, done)
        code.place(body)
        first = code.lowest(left, form.ty)
        bound = bound_of(first)
        fits = code.compare("sle", bound, memory.bound)
        self.require(fits, "more may be given than the rules allow")
        bound = code.select(fits, bound, 0)
        group = self.like(first, left) if memory.twins else code.bit(first, form.ty)
        with code.bits(group, form.ty) as loop:
            same = code.compare("eq", bound_of(loop.value), bound) if memory.twins else 1
            with code.when(same):
                number = memory.get("count")
                code.store("i64", loop.value, memory.member(number))
                code.store("i64", bound, memory.member(number, 8))
                is_first = code.convert(code.compare("eq", loop.value, first), "i1", "i64")
                code.store("i64", is_first, memory.member(number, 16))
                memory.put("count", code.add(number, 1))
                memory.put("sum", code.add(memory.get("sum"), bound))
                now = code.load(form.ty, rest)
                code.store(form.ty, self.without(now, code.bit(loop.value, form.ty), form), rest)
        code.jump(head)
        code.place(done)

    def _cap(self, memory: ShareMemory, number: Operand, before: Operand) -> Operand:
        """What a member may get at most, after what the one before it got."""
        code = self.code
        bound = code.load("i64", memory.member(number, 8))
        if not memory.twins:
            return bound
        is_first = code.compare("ne", code.load("i64", memory.member(number, 16)), 0)
        less = code.select(code.compare("slt", before, bound), before, bound)
        return code.select(is_first, bound, less)

    def _fill_share_ways(self, memory: ShareMemory) -> None:
        """For each member from the last, for what was given before it, for each total: in how many ways it goes."""
        code = self.code
        count, high = memory.get("count"), memory.get("high")
        befores = memory.befores
        with code.count_up(0, befores) as before, code.count_up(0, code.add(high, 1)) as total:
            nothing = code.convert(code.compare("eq", total.value, 0), "i1", "i64")
            code.store("i64", nothing, memory.ways(count, before.value, total.value))
        with code.count_up(0, count) as outer:
            number = code.sub(code.sub(count, 1), outer.value)
            with code.count_up(0, befores) as before:
                cap = self._cap(memory, number, before.value)
                with code.count_up(0, code.add(high, 1)) as total:
                    found = code.slot("i64")
                    code.store("i64", 0, found)
                    most = code.select(code.compare("slt", cap, total.value), cap, total.value)
                    with code.count_up(0, code.add(most, 1)) as given:
                        given_before = given.value if memory.twins else 0
                        left = code.sub(total.value, given.value)
                        entry = memory.ways(code.add(number, 1), given_before, left)
                        self._add_ways(found, code.load("i64", entry))
                    code.store("i64", code.load("i64", found), memory.ways(number, before.value, total.value))

    def share_at(self, offer: ir.OfferShare, number: Operand) -> Entries:
        """The option with a number, after `count_shares`."""
        code = self.code
        memory = self.share_memory(offer)
        index, total, before = code.slot("i64"), code.slot("i64"), code.slot("i64")
        keys = ordinals(offer.member.type)
        form = Packed(0, 64, False)
        with code.count_up(0, keys.size) as loop:
            code.store("i64", 0, memory.gift(loop.value))
        code.store("i64", number, index)
        code.store("i64", 0, before)
        code.store("i64", memory.get("low"), total)
        with code.count_up(memory.get("low"), code.add(memory.get("high"), 1)) as loop:
            code.store("i64", loop.value, total)
            self._pass_over(index, code.load("i64", memory.ways(0, 0, loop.value)), loop.done)
        with code.count_up(0, memory.get("count")) as outer:
            left = code.load("i64", total)
            cap = self._cap(memory, outer.value, code.load("i64", before))
            most = code.select(code.compare("slt", cap, left), cap, left)
            given = code.slot("i64")
            with code.count_up(0, code.add(most, 1)) as loop:
                amount = code.sub(most, loop.value)
                code.store("i64", amount, given)
                entry = memory.ways(code.add(outer.value, 1), amount if memory.twins else 0, code.sub(left, amount))
                self._pass_over(index, code.load("i64", entry), loop.done)
            amount = code.load("i64", given)
            code.store("i64", amount, before)
            code.store("i64", code.sub(left, amount), total)
            value = self.member_value(code.load("i64", memory.member(outer.value)), memory.form)
            key, _ = self.ordinal(value, offer.member.type, offer.member.type)
            code.store("i64", amount, memory.gift(key))
        return Entries(memory.gift(0), form)


class _Memory:
    """Named words in memory of the thread."""

    words: tuple[str, ...] = ()

    def __init__(self, writer: Subsets, name: str) -> None:
        self.writer = writer
        self.name = name

    def part(self, name: str, size: int) -> str:
        return self.writer.memory(f"{self.name} {name}", size)

    def pointer(self, name: str) -> str:
        return self.part(name, 64)

    def get(self, name: str) -> Operand:
        return self.writer.code.load("i64", self.pointer(name))

    def put(self, name: str, value: Operand) -> None:
        self.writer.code.store("i64", value, self.pointer(name))


class SubsetMemory(_Memory):
    """What is noted while subsets are counted: low, high, members, singles, the groups, the ways."""

    def __init__(self, writer: Subsets, form: Universe, most: int, ty: Type) -> None:
        super().__init__(writer, f"subset of {form.width} up to {most}")
        self.form = form
        self.most = most
        self.ty = ty
        self.bytes = int(form.ty[1:]) // 8

    def pointer(self, name: str) -> str:
        return self.part(name, max(64, self.bytes))

    def group(self, number: Operand) -> str:
        return self.writer.code.offset(
            self.part("each group", self.bytes * (self.form.width // 2 + 1)), self.writer.code.mul(number, self.bytes)
        )

    def ways(self, group: Operand, size: Operand) -> str:
        code = self.writer.code
        table = self.part("ways", 8 * (self.form.width // 2 + 2) * (self.most + 1))
        return code.offset(table, code.mul(code.add(code.mul(group, self.most + 1), size), 8))


class ShareMemory(_Memory):
    """What is noted while shares are counted: low, high, the members in a row, the ways, the gift."""

    def __init__(self, writer: Subsets, offer: ir.OfferShare) -> None:
        self.form = universe(offer.member.type, writer.game)
        self.most = _most(offer.high.type, 1 << 20)
        bound = offer.high.type if offer.at_most is None else offer.at_most.type
        self.bound = _most(bound, self.most) if offer.at_most is None else _most(bound, 1 << 20)
        self.twins = isinstance(offer.member.type, types.Pieces) and bool(writer.twins.of_type(offer.member.type))
        self.befores = min(self.most, self.bound) + 1 if self.twins else 1
        self.entries = ordinals(offer.member.type).size
        size = 8 * (self.form.width + 1) * self.befores * (self.most + 1)
        if size > MOST_WAYS:
            raise writer.not_compiled(offer.domain)
        self.size = size
        super().__init__(writer, f"share of {self.most} among {self.form.width}, {self.bound}, {self.twins}")

    def member(self, number: Operand, offset: int = 0) -> str:
        code = self.writer.code
        row = code.offset(self.part("row", 24 * (self.form.width + 1)), code.mul(number, 24))
        return code.offset(row, offset)

    def ways(self, number: Operand, before: Operand, total: Operand) -> str:
        code = self.writer.code
        entry = code.mul(code.add(code.mul(number, self.befores), before), self.most + 1)
        return code.offset(self.part("ways", self.size), code.mul(code.add(entry, total), 8))

    def gift(self, key: Operand) -> str:
        return self.writer.code.offset(self.part("gift", 8 * (self.entries + 1)), self.writer.code.mul(key, 8))


def _most(ty: Type, otherwise: int) -> int:
    return max(0, min(ty.high, otherwise)) if isinstance(ty, types.Int) else otherwise
