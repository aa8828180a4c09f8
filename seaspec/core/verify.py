"""What a valid core is: tests run this after elaboration and after every pass.

Names resolve and have the right number of arguments; a variable is read only where it is bound, and not bound again
there; tests are yes or no, domains are sets (or optional values), operators get arguments of the right kinds; constants
lie in their types. What ranges an expression can have is not checked here: those are obligations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from seaspec.core import ir, types
from seaspec.core.ir import Binder, Expr, FoldKind, Local, Stmt, Variable
from seaspec.core.ops import Op
from seaspec.core.show import show_expr
from seaspec.core.types import Type
from seaspec.core.walk import children, variables_bound

Scope = frozenset[Variable]


def problems(game: ir.Game) -> list[str]:
    """What is wrong with a core; empty if it is valid."""
    check = _Check(game)
    check.declarations()
    return check.found


def kind(ty: Type) -> str:
    """What sort of value a type has, without its range: numbers are alike, sets of numbers are alike.

    >>> kind(types.SetOf(types.Int(1, 3))) == kind(types.SetOf(types.Int(0, 9)))
    True
    """
    match ty:
        case types.Bool():
            return "yes or no"
        case types.Int() | types.Fraction():
            return "number"
        case types.Enum(name):
            return name
        case types.Cells(board):
            return f"cell of {board}"
        case types.Borders(board):
            return f"border of {board}"
        case types.Pieces():
            return "piece"
        case types.Optional(of):
            return kind(of)
        case types.SetOf(of):
            return f"set of {kind(of)}"
        case types.Map(keys, values):
            return f"map {kind(keys)} to {kind(values)}"
        case types.Never():
            return "nothing"
        case _:
            assert_never(ty)


NUMBERS = {
    Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.MODULO, Op.NEGATE, Op.ABS, Op.MIN, Op.MAX, Op.LESS, Op.AT_MOST,
    Op.MORE, Op.AT_LEAST, Op.RANGE,
}  # fmt: skip
BOOLEANS = {Op.AND, Op.OR, Op.NOT, Op.IMPLIES}
FIRST_IS_SET = {Op.SIZE, Op.UNION, Op.DIFFERENCE, Op.PREFIX, Op.NTH, Op.ONLY, Op.MAYBE}
ALIKE = {Op.EQUAL, Op.UNEQUAL, Op.UNION, Op.DIFFERENCE, Op.TURNS, Op.ANGLE}


class _Check:
    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self.found: list[str] = []
        self.where = ""

    def wrong(self, message: str) -> None:
        self.found.append(f"{self.where}: {message}")

    # ---------------------------------------------------------------------------------------------- declarations

    def declarations(self) -> None:
        game = self.game
        for place in game.places.values():
            self.where = f"place {place.name}"
            self.expressions((place.capacity, place.sight.by), frozenset(place.index))
        for state in game.states.values():
            self.where = f"state {state.name}"
            self.expressions((state.initial, state.sight.by, *(state.bound or ())), frozenset(state.index))
            if state.until is not None:
                self.name(state.until, game.procedures, "procedure")
            if state.while_in is not None:
                self.name(state.while_in, game.places, "place")
        for table in game.tables.values():
            self.where = f"table {table.name}"
            size = 1
            for ty in table.index:
                size *= types.size(ty)
            if size != len(table.entries):
                self.wrong(f"{len(table.entries)} entries for {size} indices")
        for function in game.functions.values():
            self.where = f"define {function.name}"
            self.expr(function.body, frozenset(function.params))
            self.alike(function.body.type, function.type, "its value")
        for action in game.actions.values():
            self.action(action)
        for procedure in game.procedures.values():
            self.where = f"procedure {procedure.name}"
            scope = frozenset(procedure.params)
            for block in (procedure.before, procedure.body, procedure.after):
                self.block(block, scope)
            for clock in procedure.clocks:
                self.name(clock, game.states, "state")
        for chance in game.chances.values():
            self.where = f"chance {chance.name}"
            scope = self.block(chance.body, frozenset(chance.params))
            self.tests(chance.again, scope)
            self.expr(chance.gives, scope)
        for rule in game.whenevers:
            self.where = f"whenever {rule.name}"
            scope = self.binders(rule.witnesses, frozenset())
            self.tests((rule.test,), scope)
            self.block(rule.body, scope)
        for menu in game.menus.values():
            self.where = f"menu {menu.name}"
            for name in menu.actions:
                self.name(name, game.actions, "action")

    def action(self, action: ir.Action) -> None:
        self.where = f"action {action.name}"
        scope: Scope = frozenset()
        for param in action.params:
            if param.domain is not None:
                self.domain(param.domain, scope)
            scope = self.bind(param.variable, scope)
            if param.test is not None:
                self.tests((param.test,), scope)
        for guard in action.guards:
            self.tests((guard.test, *(test for test, _ in guard.exceptions)), scope)
        if action.name not in self.game.procedures:
            self.wrong("has no procedure of its name")
        elif len(self.game.procedures[action.name].params) != len(action.params):
            self.wrong("has other parameters than its procedure")
        if action.asks and (not action.params or kind(action.params[0].variable.type) != types.PLAYER):
            self.wrong("asks, but its first parameter is no player")

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, body: Iterable[Stmt], scope: Scope) -> Scope:
        for stmt in body:
            scope = self.statement(stmt, scope)
        return scope

    def statement(self, stmt: Stmt, scope: Scope) -> Scope:
        """Check a statement; the scope of those after it."""
        match stmt:
            case ir.Do(procedure, arguments):
                self.called(procedure, self.game.procedures, len(arguments), "procedure")
                self.expressions(arguments, scope)
            case ir.Let(variable, value):
                self.expr(value, scope)
                self.alike(value.type, variable.type, f"let {variable.name}")
                return self.bind(variable, scope)
            case ir.Assign(state, indices, value):
                self.indexed(state, self.game.states, indices, "state")
                self.expressions((*indices, value), scope)
                if state in self.game.states:
                    self.alike(value.type, self.game.states[state].type, f"{state} :=")
            case ir.Move():
                self.expressions((stmt.cargo, stmt.at), scope)
                self.targets((stmt.whole, stmt.target), scope)
                if (stmt.cargo is None) == (stmt.whole is None):
                    self.wrong("a move has a cargo or a whole place")
            case ir.MoveSome():
                self.expressions((stmt.amount, stmt.at), scope)
                self.targets((stmt.origin, stmt.target), scope)
            case ir.Draw():
                self.expressions((stmt.amount,), scope)
                self.targets((stmt.origin, stmt.target), scope)
                return scope if stmt.variable is None else self.bind(stmt.variable, scope)
            case ir.Shuffle(place):
                self.targets((place,), scope)
            case ir.Show(place, audience):
                self.targets((place,), scope)
                self.expr(audience, scope)
            case ir.Roll(number, _, variable, _, seen):
                self.expressions((number, seen), scope)
                return self.bind(variable, scope)
            case ir.Throw(chance, arguments, variable):
                if chance not in self.game.chances:
                    self.wrong(f"the chance {chance} is not there")
                elif len(self.game.chances[chance].params) != len(arguments):
                    self.wrong(f"{chance} has another number of arguments")
                self.expressions(arguments, scope)
                return self.bind(variable, scope)
            case ir.Stop(procedure):
                self.name(procedure, self.game.procedures, "procedure")
            case ir.Say(text, audience):
                self.expressions((*(p for p in text.parts if not isinstance(p, str)), audience), scope)
            case ir.End(_, players):
                self.expressions((players,), scope)
            case ir.Score(player, values):
                self.expressions(values, self.bind(player, scope))
            case ir.DropOut(player):
                self.expr(player, scope)
            case ir.Branch(test, then, otherwise):
                self.tests((test,), scope)
                self.block(then, scope)
                self.block(otherwise, scope)
            case ir.Cases(subject, cases):
                self.expr(subject, scope)
                for _, body in cases:
                    self.block(body, scope)
            case ir.ForEach():
                self.for_each(stmt, scope)
            case ir.Repeat(times, until, body):
                self.expressions((times,), scope)
                self.tests(() if until is None else (until,), scope)
                self.block(body, scope)
            case ir.Choose():
                return self.choose(stmt, scope)
            case ir.AllAtOnce(variable, domain, body):
                self.domain(domain, scope)
                self.block(body, self.bind(variable, scope))
            case ir.AnyOrder(player, lines):
                self.expr(player, scope)
                for line_test, _, body in lines:
                    self.tests(() if line_test is None else (line_test,), scope)
                    self.block(body, scope)
            case _:
                assert_never(stmt)
        return scope

    def for_each(self, stmt: ir.ForEach, scope: Scope) -> None:
        self.domain(stmt.domain, scope)
        if stmt.key is not None:
            self.expr(stmt.key[1], self.bind(stmt.key[0], scope))
        self.expressions((stmt.start,), scope)
        inner = self.bind(stmt.variable, scope)
        self.tests(() if stmt.test is None else (stmt.test,), inner)
        self.block(stmt.body, inner)

    def choose(self, stmt: ir.Choose, scope: Scope) -> Scope:
        self.expressions((stmt.decider,), scope)
        self.tests(() if stmt.until is None else (stmt.until,), scope)
        inner = self.offer(stmt.offer, scope)
        after = self.block(stmt.body, inner)
        self.block(stmt.otherwise or (), scope)
        return after if stmt.otherwise is None else scope

    def offer(self, offer: ir.Offer, scope: Scope) -> Scope:
        match offer:
            case ir.OfferActions(alternatives):
                for alternative in alternatives:
                    self.called(alternative.action, self.game.actions, len(alternative.arguments), "action")
                    inner = scope if alternative.loop is None else self.binders((alternative.loop,), scope)
                    self.expressions(alternative.arguments, inner)
                return scope
            case ir.OfferValues(binders, weights):
                inner = self.binders(binders, scope)
                self.expressions((weights,), inner)
                return inner
            case ir.OfferSubset(low, high, domain, variable):
                self.expressions((low, high), scope)
                self.domain(domain, scope)
                return self.bind(variable, scope)
            case ir.OfferShare():
                self.expressions((offer.low, offer.high), scope)
                self.domain(offer.domain, scope)
                self.expressions((offer.at_most,), self.bind(offer.member, scope))
                return self.bind(offer.gift, scope)
            case _:
                assert_never(offer)

    # ----------------------------------------------------------------------------------------------- expressions

    def expressions(self, exprs: Iterable[Expr | None], scope: Scope) -> None:
        for expr in exprs:
            if expr is not None:
                self.expr(expr, scope)

    def tests(self, exprs: Iterable[Expr], scope: Scope) -> None:
        for expr in exprs:
            self.expr(expr, scope)
            if kind(expr.type) not in ("yes or no", "nothing"):
                self.wrong(f"this is no yes or no: {show_expr(expr, self.game)}")

    def domain(self, expr: Expr, scope: Scope) -> None:
        self.expr(expr, scope)
        if not isinstance(expr.type, types.SetOf | types.Optional | types.Never):
            self.wrong(f"this is no set: {show_expr(expr, self.game)}")

    def binders(self, binders: Sequence[Binder], scope: Scope) -> Scope:
        for binder in binders:
            self.domain(binder.domain, scope)
            scope = self.bind(binder.variable, scope)
            if binder.test is not None:
                self.tests((binder.test,), scope)
        return scope

    def bind(self, variable: Variable, scope: Scope) -> Scope:
        if variable in scope:
            self.wrong(f"{variable.name} is bound again where it is bound")
        return scope | {variable}

    def expr(self, expr: Expr, scope: Scope) -> None:
        match expr:
            case Local(variable):
                if variable not in scope:
                    self.wrong(f"{variable.name} is read where it is not bound")
            case ir.Const(ty, value):
                self.constant(ty, value)
            case ir.LetIn(variable, value, body):
                self.expr(value, scope)
                self.expr(body, self.bind(variable, scope))
            case ir.Fold(_, fold, binders, body, otherwise):
                inner = self.binders(binders, scope)
                if fold in (FoldKind.EVERY, FoldKind.SOME, FoldKind.COUNT):
                    self.tests((body,), inner)
                else:
                    self.expr(body, inner)
                self.expressions((otherwise,), scope)
            case ir.Select(_, binder, best):
                inner = self.binders((binder,), scope)
                self.expressions(() if best is None else (best[1],), inner)
            case ir.Collect(_, term, binders):
                self.expr(term, self.binders(binders, scope))
            case ir.PickOne(_, _, binder, otherwise):
                self.binders((binder,), scope)
                self.expressions((otherwise,), scope)
            case ir.Reach(_, start, here, there, relation):
                self.expr(start, scope)
                self.tests((relation,), self.bind(there, self.bind(here, scope)))
            case ir.Ways(_, variable, domain, choices):
                self.domain(domain, scope)
                self.domain(choices, self.bind(variable, scope))
            case _:
                self.plain(expr, scope)

    def plain(self, expr: Expr, scope: Scope) -> None:
        """Expressions that bind nothing."""
        assert not list(variables_bound(expr)), expr
        for child in children(expr):
            self.expr(child, scope)
        game = self.game
        match expr:
            case ir.StateRead(_, state, indices):
                self.indexed(state, game.states, indices, "state")
            case ir.PlaceRead(_, place, indices):
                self.indexed(place, game.places, indices, "place")
            case ir.Everywhere(_, place):
                self.name(place, game.places, "place")
            case ir.WhereIs(_, place, _, position):
                self.name(place, game.places, "place")
                if place in game.places and not 0 <= position < len(game.places[place].index):
                    self.wrong(f"{place} has no index number {position}")
            case ir.Lookup(_, table, indices):
                self.name(table, game.tables, "table")
                if table in game.tables and len(game.tables[table].index) != len(indices):
                    self.wrong(f"{table} has {len(game.tables[table].index)} indices, not {len(indices)}")
            case ir.Call(_, function, arguments):
                self.called(function, game.functions, len(arguments), "define")
            case ir.Can(_, action, arguments):
                self.called(action, game.actions, len(arguments), "action")
            case ir.If(_, test):
                if kind(test.type) not in ("yes or no", "nothing"):
                    self.wrong(f"this is no yes or no: {show_expr(test, game)}")
            case ir.Apply():
                self.apply(expr)
            case ir.Switch() | ir.Asked() | ir.Odds() | ir.Old() | ir.Openly() | ir.Const() | Local():
                pass
            case ir.LetIn() | ir.Fold() | ir.Select() | ir.Collect() | ir.PickOne() | ir.Reach() | ir.Ways():
                raise AssertionError("they bind a name")
            case _:
                assert_never(expr)

    def apply(self, expr: ir.Apply) -> None:
        op, kinds = expr.op, [kind(argument.type) for argument in expr.arguments]
        said = show_expr(expr, self.game)
        if op.arity is not None and op.arity != len(kinds):
            self.wrong(f"{op.name} has {op.arity} arguments, not {len(kinds)}: {said}")
            return
        known = [name for name in kinds if name != "nothing"]
        if op in NUMBERS and any(name != "number" for name in known):
            self.wrong(f"numbers are wanted: {said}")
        if op in BOOLEANS and any(name != "yes or no" for name in known):
            self.wrong(f"yes or no is wanted: {said}")
        if op in FIRST_IS_SET and not isinstance(expr.arguments[0].type, types.SetOf | types.Never):
            self.wrong(f"a set is wanted: {said}")
        if op in ALIKE and len({name for name in known if "nothing" not in name}) > 1:
            self.wrong(f"{' and '.join(known)} are no values of one kind: {said}")
        if op is Op.IN and not isinstance(expr.arguments[1].type, types.SetOf | types.Never):
            self.wrong(f"a set is wanted: {said}")
        if op is Op.KEY and not isinstance(expr.arguments[0].type, types.Map | types.Never):
            self.wrong(f"a map is wanted: {said}")
        if op in (Op.TURN, Op.TURNS, Op.ANGLE) and not isinstance(expr.arguments[0].type, types.Enum | types.Never):
            self.wrong(f"a ring is wanted: {said}")

    def constant(self, ty: Type, value: object) -> None:
        match ty:
            case types.SetOf(of):
                members = value if isinstance(value, tuple) else (value,)
                if not isinstance(of, types.SetOf | types.Map | types.Never):
                    allowed = set(types.values(of))
                    if not allowed.issuperset(members):
                        self.wrong(f"{value} is no set of {kind(of)}")
            case types.Map() | types.Fraction() | types.Never():
                return
            case types.Int(low, high):
                if not isinstance(value, int) or not low <= value <= high:
                    self.wrong(f"{value} is not in {low}..{high}")
            case types.Bool() | types.Enum() | types.Cells() | types.Borders() | types.Pieces() | types.Optional():
                if value not in set(types.values(ty)):
                    self.wrong(f"{value} is no {kind(ty)}")
            case _:
                assert_never(ty)

    # ----------------------------------------------------------------------------------------------------- names

    def name(self, name: str, among: Mapping[str, object], what: str) -> None:
        if name not in among:
            self.wrong(f"the {what} {name} is not there")

    def called(
        self, name: str, among: Mapping[str, ir.Function | ir.Action | ir.Procedure], number: int, what: str
    ) -> None:
        self.name(name, among, what)
        if name in among and len(among[name].params) != number:
            self.wrong(f"{name} has {len(among[name].params)} parameters, and {number} arguments are given")

    def indexed(self, name: str, among: Mapping[str, ir.State | ir.Place], indices: Sequence[Expr], what: str) -> None:
        self.name(name, among, what)
        if name in among and len(among[name].index) != len(indices):
            self.wrong(f"{name} has {len(among[name].index)} indices, and {len(indices)} are given")

    def targets(self, targets: Iterable[ir.Target | None], scope: Scope) -> None:
        for target in targets:
            if target is not None:
                self.indexed(target.place, self.game.places, target.indices, "place")
                self.expressions(target.indices, scope)

    def alike(self, given: Type, wanted: Type, what: str) -> None:
        a, b = kind(given), kind(wanted)
        if a != b and "nothing" not in a and "nothing" not in b:
            self.wrong(f"{what} is {a}, and should be {b}")
