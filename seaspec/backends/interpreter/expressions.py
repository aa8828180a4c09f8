"""Core expressions to Python: each becomes a function of a `Look` and the values of its parameters.

`Program` holds the compiled game; an `Emitter` writes the text of one function. In the text `c` is the look, `s` its
slots, `w` where the pieces are; parameters and bound variables have their names and a number; variables of the frame
are slots. What makes it fast enough, all in `Emitter.expr` and `Emitter.call`:

- a sub-expression inside a loop or a function that depends on no variable is computed once a position: `c.H7`;
  if it does not read the position either, once for good: `k.H7`
- so is the filtered domain of a quantifier: `every c in Water where afloat[c] is filled` walks the list `c.H7`
- functions that do not read the position are tabulated as they are asked for: `k.F3[a, b]`; those that do, and have few
  arguments, once a position: `c.F3[a]`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product, takewhile
from typing import Any, assert_never

from seaspec.analysis.reads import read_by
from seaspec.backends.interpreter import library
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Entries, Look, Memo, MemoOfOne
from seaspec.backends.interpreter.operators import SPECIAL, TEMPLATES
from seaspec.backends.interpreter.state import EMPTY, Layout, contents, flat
from seaspec.core import ir, types
from seaspec.core.definedness import Definedness
from seaspec.core.ir import Binder, Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.ops import Op
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value
from seaspec.core.walk import expressions, free_variables, substitute, walk

TABULATED = 20_000
"""A function of the position is tabulated for good if it has at most so many arguments in all,"""
REMEMBERED = 128
"""and remembered for a position if it has at most so many."""
INLINED = 60
"""A define that is not remembered is written out where it is called if it has at most so many nodes."""


class Program:
    """All compiled functions of a game, and the names they use. `source` is the text of all of them.

    `can`, `asked` and `odds` are set by the engine, which knows options and nodes. `told`: what is said `openly` goes
    there, if anybody wants to hear it.
    """

    def __init__(self, game: ir.Game, layout: Layout) -> None:
        self.game = game
        self.layout = layout
        self.owed = Definedness(game)
        self.getters: dict[str, Callable[[Look], Any]] = {}
        self.texts: list[str] = []
        self.constants = Look(self, (), ())
        self.names: dict[str, Any] = {
            name: getattr(library, name) for name in dir(library) if not name.startswith("_")
        } | {
            "k": self.constants, "flat": flat, "takewhile": takewhile, "spot_of": self.spot_of, "Fraction": Fraction,
        }  # fmt: skip
        self.can: Callable[[str, tuple[bool, ...]], Callable[..., bool]]
        self.asked: Callable[[Look, int, str | None], bool]
        self.odds: Callable[[Look, str, tuple[Any, ...]], Any]
        self.told: list[Any] | None = None
        self._variables: dict[Variable, str] = {}
        self._known: dict[Any, str] = {}
        self._kept: list[object] = []
        self._reads: dict[str, bool] = {}
        for function in game.functions.values():
            self.function_reads_position(function.name)
        for number, function in enumerate(game.functions.values()):
            self._declare(f"F{number}", function)

    @property
    def source(self) -> str:
        return "\n\n".join(self.texts)

    def openly(self, value: Any) -> Any:
        """The same value, told to all."""
        if self.told is not None:
            self.told.append(value)
        return value

    # ---------------------------------------------------------------------------------------------- functions

    def compile(self, expr: Expr, params: Sequence[Variable] = (), name: str = "e") -> Callable[..., Any]:
        """A function of a look and the parameters; other free variables are those of the frame."""
        emitter = Emitter(self, params)
        text = emitter.expr(expr, outermost=True)
        return self.define(name, emitter, f"    return {text}")

    def define(self, name: str, emitter: Emitter, body: str) -> Callable[..., Any]:
        """Turn the text of a function's body into the function."""
        name = f"{re.sub('[^A-Za-z0-9_]', '_', name)}_{len(self.texts)}"
        params = "".join(f", {self.variable(v)}" for v in emitter.params)
        text = f"def {name}(c{params}):\n{emitter.header()}{body}\n"
        self.texts.append(text)
        exec(compile(text, f"<{self.game.name}: {name}>", "exec"), self.names)
        return self.names[name]  # type: ignore[no-any-return]

    def _declare(self, short: str, function: ir.Function) -> None:
        """How calls of a define are written, and how its memo comes into being; compiled when first asked for."""
        compiled: list[Callable[..., Any]] = []

        def code() -> Callable[..., Any]:
            if not compiled:
                compiled.append(self.compile(function.body, function.params, function.name))
            return compiled[0]

        arguments = 1
        for variable in function.params:
            arguments *= types.size(variable.type)
        reads = self._reads[function.name]
        recursive = function.shrinking is not None
        if not function.params:
            self.getters[short] = lambda look: code()(look)
            call = f"{'c' if reads else 'k'}.{short}"
        elif recursive or arguments <= (REMEMBERED if reads else TABULATED):
            memo = MemoOfOne if len(function.params) == 1 else Memo
            self.getters[short] = lambda look: memo(code(), look)
            call = f"{'c' if reads or recursive else 'k'}.{short}[{{0}}]"
        else:
            self.getters[short] = lambda look: code()
            call = f"k.{short}(c, {{0}})"
        self._known["call", function.name] = call

    def call_template(self, function: str) -> str:
        return self._known["call", function]

    def inlined(self, name: str, arguments: Sequence[Expr]) -> Expr | None:
        """The body of a small define with the arguments filled in, if its calls are not remembered anyhow."""
        function = self.game.functions[name]
        if not self._known["call", name].startswith("k.") or "(c, " not in self._known["call", name]:
            return None
        if len(list(islice(walk(function.body), INLINED + 1))) > INLINED:
            return None
        body, lets = function.body, []
        simple: dict[Variable, Expr] = {}
        for variable, argument in zip(function.params, arguments, strict=True):
            if all(isinstance(inner, ir.Local | ir.Const | ir.Lookup) for inner in walk(argument)):
                simple[variable] = argument
            else:
                lets.append((variable, argument))
        body = substitute(body, simple)
        for variable, argument in reversed(lets):
            body = ir.LetIn(variable, argument, body)
        self._kept.append(body)
        return body

    def hoist(self, text: str, emitter: Emitter) -> str:
        """The name of an attribute of looks that has this value."""
        key = ("hoisted", text)
        if key not in self._known:
            name = self._known[key] = f"H{len(self._known)}"
            self.getters[name] = self.define(name, emitter, f"    return {text}")
        return self._known[key]

    # ---------------------------------------------------------------------------------------------- knowledge

    def reads_position(self, node: Any) -> bool:
        """Whether the value of an expression may differ from position to position."""
        found = map(read_by, expressions(node))
        return any(one.reads_position or (one.calls and self.function_reads_position(one.calls)) for one in found)

    def function_reads_position(self, name: str) -> bool:
        if name not in self._reads:
            self._reads[name] = False  # a recursive call adds nothing
            self._reads[name] = self.reads_position(self.game.functions[name].body)
        return self._reads[name]

    def variable(self, variable: Variable) -> str:
        if variable not in self._variables:
            plain = re.sub("[^A-Za-z0-9_]", "_", variable.name)
            self._variables[variable] = f"{plain}_{len(self._variables)}"
        return self._variables[variable]

    def constant(self, value: Any) -> str:
        """The name of a value that is too long to be written out."""
        key = (type(value).__name__, value)
        if key not in self._known:
            self._known[key] = f"K{len(self._known)}"
            self.names[self._known[key]] = value
        return self._known[key]

    def shower(self, ty: Type) -> str:
        """The name of what shows values of a type as people say them."""
        key = ("shown", ty)
        if key not in self._known:
            self._known[key] = f"S{len(self._known)}"
            self.names[self._known[key]] = lambda value: show_value(value, ty, self.game)
        return self._known[key]

    def entries(self, key: object, make: Callable[[], Mapping[Any, Any]], missing: Callable[[Any], str]) -> str:
        """The name of a dict that says what is wrong if a key is missing."""
        if key not in self._known:
            self._known[key] = f"D{len(self._known)}"
            self.names[self._known[key]] = Entries(dict(make()), missing)
        return self._known[key]

    def covered(self, look: Look, place: str, where: int) -> Any:
        raise RuleError(f"shapes laid in {place} are not yet known to the interpreter")

    def spot_of(self, look: Look, piece: int) -> int:
        slot = look.w[piece]
        place, _ = self.layout.place_of[slot]
        if place.order is not PlaceOrder.ROW:
            raise RuleError(f"{self.game.pieces[piece].title} does not lie in a row, but in {place.name}")
        return look.s[slot].index(piece) + 1  # type: ignore[no-any-return]


class Emitter:
    """Writes the text of one function. `params`: variables that are Python names; the others are slots of the frame."""

    def __init__(self, program: Program, params: Iterable[Variable] = ()) -> None:
        self.program = program
        self.game = program.game
        self.layout = program.layout
        self.params = tuple(params)
        self.bound = set(self.params)
        self.uses_where = False
        self.depth = 0
        self.in_iterable = 0
        self.constant = program.constant

    def header(self) -> str:
        return "    s = c.s\n" + ("    w = c.w\n" if self.uses_where else "")

    def where(self) -> str:
        self.uses_where = True
        return "w"

    # -------------------------------------------------------------------------------------------- expressions

    def expr(self, expr: Expr, outermost: bool = False) -> str:
        """The text of an expression; computed elsewhere and only read here, if that pays."""
        repeated = self.depth > 0 or (self.params and not outermost)
        if repeated and self._worth_hoisting(expr) and not free_variables(expr):
            return self.hoisted(expr)
        match expr:
            case ir.Const(_, value):
                return self.value(value)
            case ir.Local(variable):
                return self.local(variable)
            case ir.StateRead(_, state, indices):
                return f"s[{self.state_slot(state, indices)}]"
            case ir.PlaceRead(_, place):
                pile = self.game.places[place].order is PlaceOrder.PILE
                return f"flat({self.slot(expr)})" if pile else self.slot(expr)
            case ir.Everywhere(_, place):
                family = self.layout.places[place]
                held = self.constant(self.game.places[place].holds.members)
                return f"tuple([i for i in {held} if {family.base} <= {self.where()}[i] < {family.end}])"
            case ir.WhereIs(_, place, piece, position):
                return f"{self.indices_of(place, position)}[{self.where()}[{self.expr(piece)}]]"
            case ir.Lookup(_, table, indices):
                texts = ", ".join(self.expr(index) for index in indices)
                return f"{self.table(self.game.tables[table])}[{texts or '()'}]"
            case ir.Apply(_, op, arguments):
                if op in SPECIAL:
                    return SPECIAL[op](self, expr)
                return TEMPLATES[op].format(*(self.expr(argument) for argument in arguments))
            case ir.Call(_, function, arguments):
                inside = self.program.inlined(function, arguments)
                if inside is not None:
                    return self.expr(inside, outermost)
                texts = ", ".join(self.expr(argument) for argument in arguments)
                return self.program.call_template(function).format(texts)
            case ir.If(_, test, then, otherwise):
                return f"({self.expr(then)} if {self.expr(test)} else {self.expr(otherwise)})"
            case ir.Switch():
                return self.switch(expr)
            case ir.LetIn(variable, value, body):
                return self.let(variable, self.expr(value), body)
            case ir.Fold():
                return self.fold(expr)
            case ir.Select(_, binder, best):
                return self.select(binder, best)
            case ir.Collect(ty, term, binders):
                text = self.comprehension(binders, term)
                return f"tuple([{text}])" if isinstance(ty, types.Map) else f"as_set([{text}])"
            case ir.PickOne():
                return self.pick_one(expr)
            case ir.Reach(_, start, here, there, relation):
                self.bound |= {here, there}
                names = self.program.variable(here), self.program.variable(there)
                start_text = self.expr(start)
                self.depth += 1
                every = self.constant(tuple(types.values(there.type)))
                onward = f"[{names[1]} for {names[1]} in {every} if {self.expr(relation)}]"
                self.depth -= 1
                return f"reach({start_text}, lambda {names[0]}: {onward})"
            case ir.Ways(_, variable, domain, choices):
                self.bound.add(variable)
                keys = self.constant(tuple(types.values(variable.type)))
                text = f"lambda {self.program.variable(variable)}: {self.iterable(choices)}"
                return f"ways({self.iterable(domain)}, {text}, {keys})"
            case ir.Can(_, action, arguments):
                given = tuple(argument is not None for argument in arguments)
                texts = "".join(f", {self.expr(argument)}" for argument in arguments if argument is not None)
                return f"c.program.can({action!r}, {given})(c{texts})"
            case ir.Asked(_, player, menu):
                return f"c.program.asked(c, {self.expr(player)}, {menu!r})"
            case ir.Odds(_, chance, arguments):
                texts = "".join(f"{self.expr(argument)}, " for argument in arguments)
                return f"c.program.odds(c, {chance!r}, ({texts}))"
            case ir.Old(inner):
                self.uses_where = True
                return f"(lambda c, s, w: {self.expr(inner, outermost=True)})(c.old, c.old.s, c.old.w)"
            case ir.Openly(inner):
                return f"c.program.openly({self.expr(inner)})"
            case _:
                assert_never(expr)

    def _worth_hoisting(self, expr: Expr) -> bool:
        match expr:
            case ir.Const() | ir.Local() | ir.Old() | ir.Ways() | ir.Openly():
                return False
            case ir.StateRead() | ir.Lookup():
                return False
            case ir.PlaceRead(_, place):
                return self.game.places[place].order is PlaceOrder.PILE
            case ir.Call():
                return bool(expr.arguments)
            case ir.Apply(_, op):
                return op not in (Op.EQUAL, Op.UNEQUAL, Op.NOT, Op.NEGATE, Op.HAS_WON, Op.HAS_LOST, Op.IS_OUT)
            case (
                ir.Everywhere() | ir.WhereIs() | ir.If() | ir.Switch() | ir.LetIn() | ir.Fold() | ir.Select()
                | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Can() | ir.Asked() | ir.Odds()
            ):  # fmt: skip
                return not any(isinstance(inner, ir.Old) for inner in walk(expr))
            case _:
                assert_never(expr)

    def hoisted(self, expr: Expr) -> str:
        emitter = Emitter(self.program)
        text = emitter.expr(expr, outermost=True)
        return self._hoisted(text, emitter, self.program.reads_position(expr))

    def _hoisted(self, text: str, emitter: Emitter, reads: bool) -> str:
        return f"{'c' if reads else 'k'}.{self.program.hoist(text, emitter)}"

    def value(self, value: Value) -> str:
        text = repr(value)
        return text if len(text) < 40 else self.constant(value)

    def local(self, variable: Variable) -> str:
        if variable in self.bound:
            return self.program.variable(variable)
        return f"s[{self.layout.frame[variable]}]"

    def let(self, variable: Variable, value: str, body: Expr) -> str:
        self.bound.add(variable)
        name = self.program.variable(variable)
        if self.in_iterable:
            return f"(lambda {name}: {self.expr(body)})({value})"
        return f"({name} := {value}, {self.expr(body)})[1]"

    def switch(self, expr: ir.Switch) -> str:
        if all(isinstance(body, ir.Const) for _, body in expr.cases):
            entries = tuple((v, body.value) for vs, body in expr.cases if isinstance(body, ir.Const) for v in vs)
            found = self.program.entries(("switch", entries), lambda: dict(entries), lambda key: f"no case for {key}")
            return f"{found}[{self.expr(expr.subject)}]"
        subject = Variable("subject", expr.subject.type)
        self.bound.add(subject)
        name = self.program.variable(subject)
        text = ""
        for values, body in expr.cases[:-1]:
            text += f"{self.expr(body)} if {name} in {self.constant(values)} else "
        text += self.expr(expr.cases[-1][1])
        value = self.expr(expr.subject)
        return f"(lambda {name}: {text})({value})" if self.in_iterable else f"({name} := {value}, {text})[1]"

    # ------------------------------------------------------------------------------------------------ binders

    def iterable(self, expr: Expr) -> str:
        """The members of a domain, for a loop."""
        self.in_iterable += 1
        if isinstance(expr, ir.Apply) and expr.op is Op.RANGE:
            low, high = expr.arguments
            text = f"range({self.expr(low)}, {self.expr(high)} + 1)"
        elif isinstance(expr.type, types.Optional):
            text = f"optional({self.expr(expr)})"
        else:
            text = self.expr(expr)
        self.in_iterable -= 1
        return text

    def loop(self, binder: Binder) -> str:
        """`for x in S if P`"""
        name = self.program.variable(binder.variable)
        closed = not free_variables(binder)
        if closed and binder.test is not None and (self.depth > 0 or self.params) and self._looks_safely(binder.test):
            emitter = Emitter(self.program)
            text = f"tuple([{name} {emitter.open_loop(binder)}])"
            reads = self.program.reads_position(binder)
            self.bound.add(binder.variable)
            return f"for {name} in {self._hoisted(text, emitter, reads)}"
        return self.open_loop(binder)

    def _looks_safely(self, test: Expr) -> bool:
        """Whether a test may be looked at for members that perhaps are not come to."""
        return self.program.owed.is_total(test)

    def open_loop(self, binder: Binder) -> str:
        name = self.program.variable(binder.variable)
        members = self.iterable(binder.domain)
        self.bound.add(binder.variable)
        if binder.test is None:
            return f"for {name} in {members}"
        self.depth += 1
        self.in_iterable += binder.prefix
        test = self.expr(binder.test)
        self.in_iterable -= binder.prefix
        self.depth -= 1
        if binder.prefix:
            return f"for {name} in takewhile(lambda {name}: {test}, {members})"
        return f"for {name} in {members} if {test}"

    def comprehension(self, binders: Sequence[Binder], term: Expr | str, condition: Expr | None = None) -> str:
        """`term for x in S if P for ..`"""
        loops = []
        for binder in binders:
            loops.append(self.loop(binder))
            self.depth += 1
        text = term if isinstance(term, str) else self.expr(term)
        if condition is not None:
            loops.append(f"if {self.expr(condition)}")
        self.depth -= len(binders)
        return " ".join([text, *loops])

    def fold(self, expr: ir.Fold) -> str:
        match expr.kind:
            case FoldKind.EVERY:
                return f"all({self.comprehension(expr.binders, expr.body)})"
            case FoldKind.SOME:
                return f"any({self.comprehension(expr.binders, expr.body)})"
            case FoldKind.COUNT:
                always = isinstance(expr.body, ir.Const) and expr.body.value is True
                return f"len([{self.comprehension(expr.binders, '1', None if always else expr.body)}])"
            case FoldKind.SUM:
                return f"sum([{self.comprehension(expr.binders, expr.body)}])"
            case FoldKind.MOST | FoldKind.LEAST:
                word = "max" if expr.kind is FoldKind.MOST else "min"
                terms = f"[{self.comprehension(expr.binders, expr.body)}]"
                if expr.otherwise is None:
                    return f"extreme({terms}, {expr.kind is FoldKind.MOST})"
                otherwise = self.expr(expr.otherwise)
                if isinstance(expr.otherwise, ir.Const | ir.Local):
                    return f"{word}({terms}, default={otherwise})"
                return f"(lambda found: {word}(found) if found else {otherwise})({terms})"
            case _:
                assert_never(expr.kind)

    def select(self, binder: Binder, best: tuple[bool, Expr] | None) -> str:
        name = self.program.variable(binder.variable)
        members = f"tuple([{self.comprehension((binder,), name)}])"
        if best is None:
            return members
        most, key = best
        self.depth += 1
        text = f"best({members}, lambda {name}: {self.expr(key)}, {most})"
        self.depth -= 1
        return text

    def pick_one(self, expr: ir.PickOne) -> str:
        name = self.program.variable(expr.binder.variable)
        members = self.comprehension((expr.binder,), name)
        otherwise = None if expr.otherwise is None else self.expr(expr.otherwise)
        if not expr.first:
            late = "" if otherwise is None else f", lambda: {otherwise}"
            return f"the(tuple([{members}]){late})"
        if otherwise is None:
            return f"first({members})"
        if isinstance(expr.otherwise, ir.Const | ir.Local):
            return f"next(({members}), {otherwise})"
        return f"(lambda found: found[0] if found else {otherwise})([{members}])"

    # ------------------------------------------------------------------------------------------ slots, tables

    def slot(self, expr: ir.PlaceRead) -> str:
        return f"s[{self.place_slot(expr.place, expr.indices)}]"

    def place_slot(self, place: str, indices: Sequence[Expr]) -> str:
        """The number of a slot; outside the index the empty one."""
        family = self.layout.places[place]
        plain = self._plain_slot(family, indices)
        if plain is not None:
            return plain
        slots = self.constant_dict(("slots", place), lambda: _by_key(family.slots))
        return f"{slots}.get({self._key(indices)}, {EMPTY})"

    def own_slot(self, place: str, indices: Sequence[Expr]) -> str:
        """The number of a slot that must be there."""
        family = self.layout.places[place]
        return self._plain_slot(family, indices) or self._sure_slot(family, indices)

    def state_slot(self, state: str, indices: Sequence[Expr]) -> str:
        family = self.layout.states[state]
        return self._plain_slot(family, indices) or self._sure_slot(family, indices)

    def _sure_slot(self, family: Any, indices: Sequence[Expr]) -> str:
        def missing(key: Any) -> str:
            given = key if len(family.index) > 1 else (key,)
            shown = ", ".join(show_value(v, i.type, self.game) for v, i in zip(given, indices, strict=True))
            return f"there is no {family.name}[{shown}]"

        slots = self.program.entries(("sure", family.base), lambda: _by_key(family.slots), missing)
        return f"{slots}[{self._key(indices)}]"

    def _key(self, indices: Sequence[Expr]) -> str:
        texts = [self.expr(index) for index in indices]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def _plain_slot(self, family: Any, indices: Sequence[Expr]) -> str | None:
        """By arithmetic, where the types say that the index is in range and its values follow one another."""
        if not indices:
            return str(family.base)
        text, stride = "", 1
        for index, ty in zip(reversed(indices), reversed(family.index), strict=True):
            members = tuple(types.values(ty))
            first = members[0] if members else None
            if not isinstance(first, int) or not types.lies_within(index.type, ty):
                return None
            if members != tuple(range(first, first + len(members))):
                return None
            steps = f"({self.expr(index)} - {int(first)})" if first else f"({self.expr(index)})"
            text = f" + {steps}" + (f" * {stride}" if stride > 1 else "") + text
            stride *= len(members)
        return f"{family.base}{text}"

    def table(self, table: ir.Table) -> str:
        def entries() -> dict[Any, Value]:
            keys = product(*(tuple(types.values(ty)) for ty in table.index))
            return _by_key(dict(zip(keys, table.entries, strict=True)))

        return self.program.entries(("table", table.name), entries, lambda key: f"{table.name} has no entry {key}")

    def indices_of(self, place: str, position: int) -> str:
        family = self.layout.places[place]
        return self.program.entries(
            ("where", place, position),
            lambda: {slot: key[position] for key, slot in family.slots.items()},
            lambda slot: f"a piece in {place} was expected, it lies in {self.layout.place_of[slot][0].name}",
        )

    def key_positions(self, keys: Type) -> str:
        return self.program.entries(
            ("keys", keys),
            lambda: {key: number for number, key in enumerate(types.values(keys))},
            lambda key: f"a map has no key {show_value(key, keys, self.game)}",
        )

    def constant_dict(self, key: object, make: Callable[[], Mapping[Any, Any]]) -> str:
        return self.program.entries(key, make, str)

    def checked(self, text: str, given: Type, ty: Type) -> str:
        """The text of a value of a type with the test that it lies in another one."""
        match ty:
            case types.Int(low, high):
                return f"check_number({text}, {low}, {high})"
            case types.SetOf(of):
                member = given.of if isinstance(given, types.SetOf) else given
                allowed = self.constant(frozenset(types.values(of)))
                return f"check_set({text}, {allowed}, {types.type_name(of)!r}, {self.program.shower(member)})"
            case types.Map() | types.Fraction():
                return text
            case (
                types.Bool() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.Optional()
                | types.Never()
            ):  # fmt: skip
                allowed = self.constant(frozenset(types.values(ty)))
                return f"check({text}, {allowed}, {types.type_name(ty)!r}, {self.program.shower(given)})"
            case _:
                assert_never(ty)


def _by_key(entries: Mapping[tuple[Value, ...], Any]) -> dict[Any, Any]:
    """A dict with plain keys where there is one index only."""
    return {(key[0] if len(key) == 1 else key): value for key, value in entries.items()}


__all__ = ["Emitter", "Program", "contents"]
