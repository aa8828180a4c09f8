"""The legal options of a choice, found by nested loops over what is to be chosen, guards judged as soon as they can be.

They are noted as *rows* in memory of the thread: how many options the row stands for (of chance: its weight), which
alternative, the values chosen. The last value is not looped over where it need not be: the row has the set of all its
legal values, and stands for as many options.

    words of a row: count | alternative | values .. | the set
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from math import prod
from typing import assert_never

from seaspec.backends.native.assembly import Code, Operand
from seaspec.backends.native.errors import LISTED, NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS
from seaspec.backends.native.flow.alike import Alike
from seaspec.backends.native.values.shapes import NONE, is_single, universe
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.ops import Op

MOST_ROWS = 1 << 16
"""More rows than this are an error when they come up."""
FEW = 4
"""A value from a given set is taken to have about so many possibilities."""
WIDEST_SET = 2048
"""The last value is taken as a set if its type has at most so many values."""


@dataclass(frozen=True, slots=True)
class Want:
    """A value that is to be chosen. `whole`: identical pieces are one."""

    variable: Variable
    domain: Expr | None
    test: Expr | None
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class RowForm:
    """The rows of one choice: so many values, sets of so many bits; `loops`: first comes the value of a loop over an
    alternative."""

    values: int
    bits: int
    loops: bool = False

    @property
    def stride(self) -> int:
        return self.set_offset + self.bits // 8

    @property
    def set_offset(self) -> int:
        return self.offset(self.values)

    def offset(self, number: int) -> int:
        """Where the value with a number stands; that of the loop is -1."""
        return 16 + 8 * (number + self.loops)


@dataclass(frozen=True, slots=True)
class Plan:
    """An alternative of a choice: the variables whose values stand in its rows, in order; the one whose values stand in
    the set, and the one of the loop over the alternative, if there are any."""

    variables: tuple[Variable, ...]
    last: Variable | None
    loop: Variable | None = None


class Sink:
    """What is done with the options that are found."""

    takes_sets = True

    def one(self) -> None:
        raise NotImplementedError

    def many(self, variable: Variable, mask: Operand) -> None:
        raise NotImplementedError


class Offers(Alike):
    """The part of the writer for options."""

    # ------------------------------------------------------------------------------------------------- enumeration

    def enumerate(self, wants: list[Want], guards: list[Expr], sink: Sink, leave: str, chosen: list[Variable]) -> None:
        """Loops over what is wanted, in this order. `leave`: where to go if a guard fails before anything is chosen."""
        code = self.code
        open_variables = {want.variable for want in wants}
        later = []
        for guard in guards:
            if self.facts.free(guard) & open_variables:
                later.append(guard)
                continue
            onward = code.label("legal")
            code.branch(self.truth(guard), onward, leave)
            code.place(onward)
        if not wants:
            sink.one()
            return
        want, *rest = wants
        if not rest and sink.takes_sets and self._by_set(want):
            self._last_as_set(want, later, sink, chosen)
            return
        self._loop(want, chosen, lambda onward: self.enumerate(rest, later, sink, onward, [*chosen, want.variable]))

    def _ordered(self, wants: list[Want], guards: list[Expr]) -> list[Want]:
        """Chosen first is what has the fewest values, as far as one can tell; so the most are left for the set. Where
        something may fail, the order decides whether it does: it stays as it is."""
        open_variables = {want.variable for want in wants}
        asked = [expr for want in wants for expr in (want.domain, want.test) if expr is not None]
        asked += [guard for guard in guards if self.facts.free(guard) & open_variables]
        domains = {want.variable: want.domain for want in wants if want.domain is not None}
        if not all(self.facts.sure(expr, domains) for expr in asked):
            return wants
        rest, found = list(wants), []
        while rest:
            found.append(self._next(rest))
            rest.remove(found[-1])
        return found

    def _next(self, wants: list[Want]) -> Want:
        open_variables = {want.variable for want in wants}

        def ready(want: Want) -> bool:
            needs = [expr for expr in (want.domain, want.test) if expr is not None]
            return not any(self.facts.free(expr) & (open_variables - {want.variable}) for expr in needs)

        def values(want: Want) -> int:
            return types.size(want.variable.type) if want.domain is None or not self._by_set(want) else FEW

        return min((want for want in wants if ready(want)), key=values)

    def _by_set(self, want: Want) -> bool:
        ty = want.variable.type
        if want.prefix or not is_single(ty):
            return False
        low_high = ty.of if isinstance(ty, types.Optional) else ty
        if isinstance(low_high, types.Int) and low_high.high - low_high.low >= WIDEST_SET:
            return False
        return universe(ty, self.game).width <= WIDEST_SET

    def _last_as_set(self, want: Want, guards: list[Expr], sink: Sink, chosen: list[Variable]) -> None:
        variable = want.variable
        mask = self._members(want, chosen)
        if want.test is not None:
            mask = self.where(want.test, variable, mask)
        for guard in guards:
            mask = self.where(guard, variable, mask)
        sink.many(variable, mask)

    def _members(self, want: Want, chosen: list[Variable]) -> Operand:
        """What a value may be chosen from, identical pieces once."""
        variable = want.variable
        form = self.of_variable(variable)
        if want.domain is None:
            mask: Operand = form.mask(list(types.values(variable.type)))
        else:
            mask = self.mask_in(want.domain, form)
        if isinstance(variable.type, types.Pieces):
            mask = self.one_of_each(mask, variable.type, self._pieces_among(chosen), self.in_one_place(want.domain))
        return mask

    def _pieces_among(self, chosen: list[Variable]) -> list[Operand]:
        return [self.single(v) for v in chosen if is_single(v.type) and self.twins.common & types.pieces_in(v.type)]

    def _loop(self, want: Want, chosen: list[Variable], body: Callable[[str], None]) -> None:
        code = self.code
        variable = want.variable
        twins = isinstance(variable.type, types.Pieces) and self.twins.of_type(variable.type)

        def judged(onward: str, done: str) -> None:
            if want.test is not None:
                holds = code.label("holds")
                code.branch(self.truth(want.test), holds, done if want.prefix else onward)
                code.place(holds)
            body(onward)

        if want.domain is not None and (want.prefix or not twins):
            self.each(want.domain, lambda value, loop: self._bound(variable, value, judged, loop.onward, loop.done))
            return
        if not is_single(variable.type):
            raise NotCompiled(f"a choice among all values of {variable.name}")
        if want.domain is None and not twins:
            every = ir.Const(types.SetOf(variable.type), tuple(types.values(variable.type)))
            self.each(every, lambda value, loop: self._bound(variable, value, judged, loop.onward, loop.done))
            return
        form = self.of_variable(variable)
        with code.bits(self._members(want, chosen), form.ty) as loop:
            self._bound(variable, self.member_value(loop.value, form), judged, loop.onward, loop.done)

    def _bound(
        self, variable: Variable, value: object, body: Callable[[str, str], None], onward: str, done: str
    ) -> None:
        with self.binding(variable, value):  # type: ignore[arg-type]
            body(onward, done)

    # ------------------------------------------------------------------------------------------------------ actions

    def begin_action(self, action: ir.Action, given: Listed[Expr | None]) -> tuple[list[Want], list[Expr]]:
        """Bind what is given; what is wanted yet, in the order in which it is chosen, and the guards, those of what is
        given among them."""
        wants, guards = [], []
        values = [
            None if expr is None else self.value_as(expr, param.variable.type)
            for param, expr in zip(action.params, given, strict=True)
        ]
        for param, value in zip(action.params, values, strict=True):
            if value is None:
                wants.append(Want(param.variable, self._simple(param.domain), self._simple(param.test)))
                continue
            self.env[param.variable] = value
            if param.domain is not None:
                guards.append(member_of(ir.Local(param.variable), param.domain))
            if param.test is not None:
                guards.append(param.test)
        guards = [*map(self.unit.constants.simplify, guards), *self._guards(action)]
        ordered = self._ordered(wants, guards)
        if (
            prod(FEW if want.domain is not None else types.size(want.variable.type) for want in ordered[:-1])
            > flow.MOST_TRIED
        ):
            raise NotCompiled(f"the action {action.name}, which may be done in so many ways,", action.source.span)
        return ordered, guards

    def _guards(self, action: ir.Action) -> list[Expr]:
        """Each holds, or one of its exceptions."""
        found: list[Expr] = []
        for guard in action.guards:
            tests = (guard.test, *(test for test, _ in guard.exceptions))
            whole = tests[0] if len(tests) == 1 else ir.Apply(types.Bool(), Op.OR, tests)
            found.append(self.unit.constants.simplify(whole))
        return found

    def _simple(self, expr: Expr | None) -> Expr | None:
        return None if expr is None else self.unit.constants.simplify(expr)

    def can(self, expr: ir.Can) -> Operand:
        action = self.game.actions[expr.action]
        given = tuple(argument is not None for argument in expr.arguments)
        arguments: list[tuple[str, Operand]] = []
        for param, argument in zip(action.params, expr.arguments, strict=True):
            if argument is not None:
                arguments += self.passed(param.variable, argument)
        key = "can", action.name, given
        hint = f"can_{action.name}"
        return self.invoke("i1", key, hint, lambda name: self._write_can(name, action, given), arguments)

    def _write_can(self, name: str, action: ir.Action, given: tuple[bool, ...]) -> Code:
        known = tuple(param.variable for param, is_given in zip(action.params, given, strict=True) if is_given)
        written, env = self.received(known)
        code = Code(name, "i1", [*FRAME_PARAMS, *written])
        writer = self.another(code)
        assert isinstance(writer, Offers)
        writer.env.update(env)
        yes, no = code.label("yes"), code.label("no")
        locals_ = [ir.Local(p.variable) if is_given else None for p, is_given in zip(action.params, given, strict=True)]
        wants, guards = writer.begin_action(action, locals_)
        writer.enumerate(wants, guards, _Found(writer, yes), no, list(known))
        code.place(no)
        code.give(0)
        code.place(yes)
        code.give(1)
        return code

    # --------------------------------------------------------------------------------------------------------- rows

    def plans(self, node: flow.Decision | flow.ChanceNode) -> tuple[list[Plan], RowForm]:
        """The alternatives of a node whose offer is noted in rows, and the form of its rows. Of chance each row is one
        outcome."""
        asked = isinstance(node, flow.Decision)
        offer = node.offer
        match offer:
            case ir.OfferActions(alternatives):
                apart = offers_apart(alternatives)
                plans = [self._plan_of(alternative, apart, asked) for alternative in alternatives]
            case ir.OfferValues(binders):
                variables = tuple(binder.variable for binder in binders)
                wants = [Want(b.variable, b.domain, b.test, b.prefix) for b in binders]
                as_set = asked and self._by_set(wants[-1])
                plans = [Plan(variables[:-1], variables[-1]) if as_set else Plan(variables, None)]
            case flow.OfferLines(_, _, _, line):
                plans = [Plan((line,), None)]
            case ir.OfferSubset() | ir.OfferShare():
                raise NotCompiled(f"an offer of the sort {type(offer).__name__}")
            case _:
                assert_never(offer)
        values = max((len(plan.variables) for plan in plans), default=0)
        bits = max((int(self.of_variable(plan.last).ty[1:]) for plan in plans if plan.last is not None), default=0)
        return plans, RowForm(values, bits, any(plan.loop is not None for plan in plans))

    def _plan_of(self, alternative: ir.Alternative, apart: bool, asked: bool) -> Plan:
        action = self.game.actions[alternative.action]
        wanted = [p for p, given in zip(action.params, alternative.arguments, strict=True) if given is None]
        last = None
        if wanted and apart and asked:
            order = self._order_of(action, alternative)
            if self._by_set(order[-1]):
                last = order[-1].variable
        loop = None if alternative.loop is None else alternative.loop.variable
        variables = tuple(p.variable for p in action.params if is_single(p.variable.type) and p.variable is not last)
        if not apart and len(variables) < len(action.params):
            raise NotCompiled(f"an action with sets, {action.name}, as several alternatives", action.source.span)
        return Plan(variables, last, loop)

    def _order_of(self, action: ir.Action, alternative: ir.Alternative) -> list[Want]:
        """In which order the arguments of an action are chosen."""
        wants = [
            Want(p.variable, self._simple(p.domain), self._simple(p.test))
            for p, given in zip(action.params, alternative.arguments, strict=True)
            if given is None
        ]
        return self._ordered(wants, self._guards(action))

    def write_rows(self, node: flow.Decision | flow.ChanceNode) -> Operand:
        """Note all options; how many there are, of chance the sum of the weights."""
        offer = node.offer
        plans, form = self.plans(node)
        rows = _Rows(self, form)
        match offer:
            case ir.OfferActions(alternatives):
                for number, (alternative, plan) in enumerate(zip(alternatives, plans, strict=True)):
                    rows.begin(number, plan, None if offers_apart(alternatives) else self._same_action(offer, number))
                    self._noting_errors(number, lambda a=alternative: self._alternative(a, rows))  # type: ignore[misc]
            case ir.OfferValues(binders, weights):
                rows.begin(0, plans[0], None)
                self._choose_values(
                    binders, None if weights is None else self._simple(weights), rows, isinstance(node, flow.ChanceNode)
                )
            case flow.OfferLines():
                rows.begin(0, plans[0], None)
                self._lines(offer, rows)
            case ir.OfferSubset() | ir.OfferShare():
                raise AssertionError("they are counted, not listed")
            case _:
                assert_never(offer)
        return rows.finish()

    def _noting_errors(self, alternative: int, write: Callable[[], None]) -> None:
        """Where something fails it is noted, for the message, in which alternative."""
        code = self.code
        before, code.fails = code.fails, False
        write()
        if code.fails:
            pointer, tag = code.offset(CONTEXT, self.unit.context.ALTERNATIVE), self.unit.tag("alternative")
            first = code.compare("eq", code.load("i64", pointer, tag), 0)
            with code.when(code.both(self.failed(), first)):
                code.store("i64", alternative + 1, pointer, tag)
        code.fails = code.fails or before

    def _same_action(self, offer: ir.OfferActions, number: int) -> list[int]:
        mine = offer.alternatives[number].action
        return [n for n, alternative in enumerate(offer.alternatives) if alternative.action == mine]

    def _alternative(self, alternative: ir.Alternative, rows: _Rows) -> None:
        code = self.code
        action = self.game.actions[alternative.action]

        def one(leave: str) -> None:
            simple = [self._simple(argument) for argument in alternative.arguments]
            wants, guards = self.begin_action(action, simple)
            known = [p.variable for p, given in zip(action.params, simple, strict=True) if given is not None]
            self.enumerate(wants, guards, rows, leave, known)

        end = code.label("end")
        if alternative.loop is None:
            one(end)
        else:
            loop = alternative.loop
            want = Want(loop.variable, self._simple(loop.domain), self._simple(loop.test), loop.prefix)
            self._loop(want, [], one)
        code.place(end)

    def _choose_values(self, binders: Listed[ir.Binder], weights: Expr | None, rows: _Rows, weighs: bool) -> None:
        code = self.code
        wants = [Want(b.variable, self._simple(b.domain), self._simple(b.test), b.prefix) for b in binders]

        def chosen(number: int, before: list[Variable], multiple: Operand) -> None:
            if number == len(wants):
                weight = multiple
                if weights is not None:
                    heavy = self.number(weights)
                    self.require(code.compare("sge", heavy, 0), "a weight is below 0")
                    weight = code.mul(heavy, multiple)
                with code.when(code.compare("ne", weight, 0)):
                    rows.note(weight, None)
                return
            want = wants[number]
            if number == len(wants) - 1 and rows.plan.last is not None:
                self._last_as_set(want, [], rows, before)
                return

            def inner(onward: str) -> None:
                more = multiple
                if weighs and self.twins.of_type(want.variable.type):
                    more = code.mul(multiple, self._copies(want, before))
                chosen(number + 1, [*before, want.variable], more)

            self._loop(want, before, inner)

        chosen(0, [], 1)

    def _copies(self, want: Want, before: list[Variable]) -> Operand:
        """How many identical pieces an option stands for."""
        code = self.code
        assert want.domain is not None
        mask = self.mask_in(want.domain, self.of_variable(want.variable))
        piece = self.single(want.variable)
        for other in self._pieces_among(before):
            is_other = code.both(code.compare("ne", other, piece), code.compare("ult", other, self.layout.pieces))
            bit = code.bit(code.select(is_other, other, 0), self.pieces_ty)
            gone = code.select(is_other, bit, 0, self.pieces_ty)
            mask = code.binary("and", mask, code.complement(gone, self.pieces_ty), self.pieces_ty)
        return code.population(self.like(piece, mask), self.pieces_ty)

    def _lines(self, offer: flow.OfferLines, rows: _Rows) -> None:
        code = self.code
        form = self.of_variable(offer.line)
        left = self.mask_in(ir.Local(offer.left), form)
        for number, test in enumerate(offer.tests):
            holds = code.has_bit(left, form.position(number), form.ty)
            with code.when(holds), self.binding(offer.line, number):
                stands = 1 if test is None else self.truth(self.unit.constants.simplify(test))
                with code.when(stands):
                    rows.note(1, None)


class _Found(Sink):
    """Leaves with the first option."""

    def __init__(self, writer: Offers, yes: str) -> None:
        self.writer = writer
        self.yes = yes

    def one(self) -> None:
        self.writer.code.jump(self.yes)

    def many(self, variable: Variable, mask: Operand) -> None:
        code = self.writer.code
        no = code.label("none")
        ty = self.writer.of_variable(variable).ty
        code.branch(code.compare("ne", mask, 0, ty), self.yes, no)
        code.place(no)


class _Rows(Sink):
    """Notes options as rows."""

    def __init__(self, writer: Offers, form: RowForm) -> None:
        self.writer = writer
        self.form = form
        code = writer.code
        self.rows = code.load("ptr", code.offset(CONTEXT, writer.unit.context.ROWS), writer.unit.tag("context"))
        self.total, self.count = code.slot("i64"), code.slot("i64")
        code.store("i64", 0, self.total)
        code.store("i64", 0, self.count)
        self.tag = writer.unit.tag("rows")
        self.most = min(MOST_ROWS, max(64, (1 << 22) // form.stride))
        context = writer.unit.context
        context.rows = max(context.rows, (self.most + 1) * form.stride)

    def begin(self, alternative: int, plan: Plan, same: list[int] | None) -> None:
        """The rows of an alternative follow. `same`: alternatives among which an option counts once."""
        self.alternative = alternative
        self.plan = plan
        self.same = same
        self.takes_sets = plan.last is not None

    def one(self) -> None:
        self.note(1, None)

    def many(self, variable: Variable, mask: Operand) -> None:
        code = self.writer.code
        ty = self.writer.of_variable(variable).ty
        with code.when(code.compare("ne", mask, 0, ty)):
            self.note(code.population(mask, ty), (ty, mask))

    def note(self, weight: Operand, mask: tuple[str, Operand] | None) -> None:
        code = self.writer.code
        count = code.load("i64", self.count)
        room = code.compare("slt", count, self.most)
        self.writer.require(room, LISTED)
        row = code.offset(self.rows, code.mul(code.select(room, count, 0), self.form.stride))
        code.store("i64", weight, row, self.tag)
        code.store("i64", self.alternative, code.offset(row, 8), self.tag)
        if self.plan.loop is not None:
            code.store("i64", self.writer.single(self.plan.loop), code.offset(row, self.form.offset(-1)), self.tag)
        for number, variable in enumerate(self.plan.variables):
            value = self.writer.single(variable)
            code.store("i64", value, code.offset(row, self.form.offset(number)), self.tag)
        if mask is not None:
            code.store(mask[0], mask[1], code.offset(row, self.form.set_offset), self.tag, 8)
        fresh = 1 if self.same is None else self._is_new(row, count)
        with code.when(fresh):
            code.store("i64", code.add(count, 1), self.count)
            code.store("i64", code.add(code.load("i64", self.total), weight), self.total)

    def _is_new(self, row: str, count: Operand) -> Operand:
        """Whether no earlier row of the same action says the same, identical pieces apart."""
        writer, code = self.writer, self.writer.code
        assert self.same is not None
        new = code.slot("i1")
        code.store("i1", 1, new)
        variables = self.plan.variables
        twins = [n for n, v in enumerate(variables) if writer.twins.common & types.pieces_in(v.type)]
        with code.count_up(0, count) as loop:
            other = code.offset(self.rows, code.mul(loop.value, self.form.stride))
            alternative = code.load("i64", code.offset(other, 8), self.tag)
            equal: Operand = 0
            for number in self.same:
                equal = code.either(equal, code.compare("eq", alternative, number))
            values: list[tuple[Operand, Operand]] = []
            for number in range(len(variables)):
                mine, theirs = (code.offset(r, self.form.offset(number)) for r in (row, other))
                values.append((code.load("i64", mine, self.tag), code.load("i64", theirs, self.tag)))
            for number, (my_value, their_value) in enumerate(values):
                same = code.compare("eq", my_value, their_value)
                if number in twins:
                    few = writer.layout.pieces
                    known = code.both(code.compare("ult", my_value, few), code.compare("ult", their_value, few))
                    first, second = (code.select(known, value, 0) for value in (my_value, their_value))
                    same = code.either(same, code.both(known, writer.alike(first, second)))
                    for before in [n for n in twins if n < number]:
                        repeats = [code.compare("eq", values[number][i], values[before][i]) for i in (0, 1)]
                        same = code.both(same, code.compare("eq", repeats[0], repeats[1], "i1"))
                equal = code.both(equal, same)
            with code.when(equal):
                code.store("i1", 0, new)
        return code.load("i1", new)

    def finish(self) -> Operand:
        code = self.writer.code
        pointer = code.offset(CONTEXT, self.writer.unit.context.COUNT)
        code.store("i64", code.load("i64", self.count), pointer, self.writer.unit.tag("context"))
        return code.load("i64", self.total)


def offers_apart(alternatives: Listed[ir.Alternative]) -> bool:
    """Whether no two alternatives can be the same option."""
    names = [alternative.action for alternative in alternatives]
    return len(set(names)) == len(names) and all(alternative.loop is None for alternative in alternatives)


def member_of(member: Expr, domain: Expr) -> Expr:
    """`member in domain`, also where the domain is a single value or none."""
    if not is_single(domain.type):
        return ir.Apply(types.Bool(), Op.IN, (member, domain))
    equal = ir.Apply(types.Bool(), Op.EQUAL, (member, domain))
    some = ir.Apply(types.Bool(), Op.UNEQUAL, (domain, ir.Const(types.Optional(types.Never()), None)))
    return ir.Apply(types.Bool(), Op.AND, (some, equal))


__all__ = ["NONE", "Offers", "Plan", "RowForm", "Want", "member_of", "offers_apart"]
