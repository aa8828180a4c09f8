"""What is known of expressions before they are compiled.

`free`: the variables they depend on. `reads`: whether their value may differ from position to position. `total`: they
have a value whatever the position, so they may be worked out early. `given`: the same where their variables stand for
what they are bound to: of a piece from a place it is known that it lies there. `bold`: they may even be worked out
where a test around them fails (their value is then not used): nothing in them would read memory at a wrong index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from seaspec.analysis.reads import read_by
from seaspec.core import ir, types
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import children, variables_bound, walk

Node = Any
Lying = tuple[Variable, str]
"""That the piece a variable stands for lies in this place."""


class Facts:
    """Facts about the expressions of one game, each worked out once."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self._free: dict[int, frozenset[Variable]] = {}
        self._reads: dict[int, bool] = {}
        self._needs: dict[int, frozenset[Lying] | None] = {}
        self._needs_of: dict[str, frozenset[Lying] | None] = {}
        self._lying: set[Lying] = set()
        self._found_risks: dict[tuple[int, str], frozenset[Expr]] = {}
        self._functions: dict[tuple[str, str], bool] = {}
        self._kept: list[Node] = []

    def free(self, node: Node) -> frozenset[Variable]:
        found = self._free.get(id(node))
        if found is None:
            inner = {node.variable} if isinstance(node, ir.Local) else set()
            for child in children(node):
                inner |= self.free(child)
            inner -= set(_bound_in(node))
            found = self._free[id(node)] = frozenset(inner)
            self._kept.append(node)
        return found

    def reads(self, node: Node) -> bool:
        found = self._reads.get(id(node))
        if found is None:
            found = self._reads_position(node) or any(map(self.reads, children(node)))
            self._reads[id(node)] = found
            self._kept.append(node)
        return found

    def _reads_position(self, node: Node) -> bool:
        if not isinstance(node, Expr):
            return False
        found = read_by(node)
        return found.reads_position or (found.calls is not None and self._of_function("reads", found.calls))

    def _of_function(self, fact: str, name: str) -> bool:
        key = fact, name
        if key not in self._functions:
            self._functions[key] = fact != "reads"  # a recursive call adds nothing
            self._functions[key] = getattr(self, fact)(self.game.functions[name].body)
        return self._functions[key]

    # ---------------------------------------------------------------------------------------------------------- total

    def total(self, node: Node) -> bool:
        return self.needs(node) == frozenset()

    def given(self, node: Node) -> bool:
        """Total where it stands: what it needs is known from how its variables are bound."""
        needs = self.needs(node)
        return needs is not None and needs <= self._lying

    def sure(self, node: Node, domains: Mapping[Variable, Expr]) -> bool:
        """Total where these variables have values of their domains."""
        needs = self.needs(node)
        lying = {(variable, self._place_of(domain)) for variable, domain in domains.items()}
        return needs is not None and needs <= self._lying | lying

    def learn(self, expr: Expr) -> None:
        """Note of what is bound in an expression to the pieces of a place that it lies there. (Of what a step binds
        nothing is known: the step may move it.)"""
        for node in walk(expr):
            if isinstance(node, ir.Fold | ir.Select | ir.Collect | ir.PickOne):
                for binder in children(node):
                    place = self._place_of(binder.domain) if isinstance(binder, ir.Binder) else None
                    if place is not None:
                        self._lying.add((binder.variable, place))

    def _place_of(self, domain: Expr) -> str | None:
        """The place in which all members of a set of pieces lie."""
        match domain:
            case ir.Everywhere(_, place) | ir.PlaceRead(_, place):
                return place
            case ir.Select(_, binder):
                return self._place_of(binder.domain) or self._place_asked(binder.test, binder.variable)
            case ir.Openly(inner) | ir.Apply(_, Op.DIFFERENCE, (inner, _)):
                return self._place_of(inner)
            case ir.Call(_, function):
                return self._place_of(self.game.functions[function].body)
            case _:  # cautious: no place is known
                return None

    def _place_asked(self, test: Expr | None, variable: Variable) -> str | None:
        """The place in which a piece lies for which a test holds."""
        match test:
            case ir.Apply(_, Op.AND, arguments):
                return next(filter(None, (self._place_asked(argument, variable) for argument in arguments)), None)
            case ir.Apply(_, Op.IN, (ir.Local(member), domain)) if member is variable:
                return self._place_of(domain)
            case _:  # cautious: no place is known
                return None

    def needs(self, node: Node) -> frozenset[Lying] | None:
        """What must be known of variables so that an expression has a value; None if nothing would be enough."""
        if id(node) not in self._needs:
            self._needs[id(node)] = self._needs_in(node)
            self._kept.append(node)
        return self._needs[id(node)]

    def _needs_in(self, node: Node) -> frozenset[Lying] | None:
        match node:
            case ir.WhereIs(_, place, ir.Local(variable)) if not isinstance(variable.type, types.Optional):
                return frozenset({(variable, place)})
            case ir.Call(_, function, arguments):
                params = self.game.functions[function].params
                found = self._passed_on(self._needs_in_body(function), dict(zip(params, arguments, strict=True)))
            case _:  # cautious: all expressions are named below, and what is none fails in its expressions only
                found = frozenset() if not isinstance(node, Expr) or self._is_total(node) else None
        for child in children(node):
            needs = self.needs(child)
            if found is None or needs is None:
                return None
            found |= needs
        if isinstance(node, ir.LetIn):
            return self._passed_on(found, {node.variable: node.value})
        bound = [] if isinstance(node, ir.Binder) else _bound_in(node)
        inner = frozenset(need for need in found or () if need[0] in bound)
        return None if found is None or not inner <= self._lying else found - inner

    def _passed_on(self, needs: frozenset[Lying] | None, values: dict[Variable, Expr]) -> frozenset[Lying] | None:
        """What is needed of values that are bound to variables, instead of these."""
        found = set()
        for variable, place in needs or ():
            value = values.get(variable)
            if isinstance(value, ir.Local) and not isinstance(value.variable.type, types.Optional):
                variable = value.variable
            elif value is not None:
                return None
            found.add((variable, place))
        return None if needs is None else frozenset(found)

    def _needs_in_body(self, name: str) -> frozenset[Lying] | None:
        if name not in self._needs_of:
            self.learn(self.game.functions[name].body)
            self._needs_of[name] = frozenset()  # a recursive call adds nothing
            self._needs_of[name] = self.needs(self.game.functions[name].body)
        return self._needs_of[name]

    def _is_total(self, node: Expr) -> bool:
        """Whether it has a value whenever its parts have one."""
        match node:
            case ir.StateRead(_, state, indices):
                index = [variable.type for variable in self.game.states[state].index]
                return all(types.lies_within(i.type, ty) for i, ty in zip(indices, index, strict=True))
            case ir.Lookup(_, table, indices):
                given = self.game.tables.get(table)
                return given is None or all(
                    types.lies_within(i.type, ty) for i, ty in zip(indices, given.index, strict=True)
                )
            case ir.WhereIs() | ir.Asked() | ir.Odds() | ir.Old():
                return False
            case ir.Apply():
                return self._apply_is_total(node)
            case ir.Fold(_, kind, _, _, otherwise):
                return kind not in (FoldKind.MOST, FoldKind.LEAST) or otherwise is not None
            case ir.PickOne(_, first, _, otherwise):
                return first and otherwise is not None
            case ir.Can(_, action):
                guards = self.game.actions[action].guards
                params = self.game.actions[action].params
                return all(
                    map(self.total, [*guards, *(e for p in params for e in (p.domain, p.test) if e is not None)])
                )
            case (
                ir.Const() | ir.Local() | ir.PlaceRead() | ir.Everywhere() | ir.Call() | ir.If() | ir.Switch()
                | ir.LetIn() | ir.Select() | ir.Collect() | ir.Reach() | ir.Ways() | ir.Openly()
            ):  # fmt: skip
                return True
            case _:
                assert_never(node)

    def _apply_is_total(self, expr: ir.Apply) -> bool:
        match expr.op:
            case Op.DIVIDE | Op.MODULO:
                divisor = expr.arguments[1].type
                return isinstance(divisor, types.Int) and not divisor.low <= 0 <= divisor.high
            case Op.KEY:
                mapping, key = expr.arguments
                return isinstance(mapping.type, types.Map) and types.lies_within(key.type, mapping.type.keys)
            case Op.CHECK:
                return types.lies_within(expr.arguments[0].type, expr.type)
            case Op.MAYBE:
                return self.at_most_one(expr.arguments[0])
            case Op.ONLY | Op.SPOT:
                return False
            case (
                Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.NEGATE | Op.ABS | Op.MIN | Op.MAX | Op.EQUAL | Op.UNEQUAL
                | Op.LESS | Op.AT_MOST | Op.MORE | Op.AT_LEAST | Op.AND | Op.OR | Op.NOT | Op.IMPLIES | Op.IN | Op.SIZE
                | Op.SET | Op.UNION | Op.DIFFERENCE | Op.RANGE | Op.PREFIX | Op.NTH | Op.TURN | Op.TURNS | Op.ANGLE
                | Op.MAP | Op.KNOWN | Op.HAS_WON | Op.HAS_LOST | Op.IS_OUT
            ):  # fmt: skip
                return True
            case _:
                assert_never(expr.op)

    def at_most_one(self, expr: Expr) -> bool:
        """Whether a set has at most one member."""
        match expr:
            case ir.PlaceRead(_, name):
                capacity = self.game.places[name].capacity
                return isinstance(capacity, ir.Const) and capacity.value == 1
            case ir.Const(_, value):
                return isinstance(value, tuple) and len(value) <= 1
            case _:  # cautious: not known to have at most one
                return False

    # ----------------------------------------------------------------------------------------------------------- bold

    def bold(self, node: Node) -> bool:
        """Total, and without harm where a test around it fails."""
        return self.total(node) and self.finds_memory(node)

    def finds_memory(self, node: Node) -> bool:
        """Whether nothing in it would read memory at a wrong index where a test around it fails."""
        return not self._risks(node, "index")

    def sound(self, node: Node) -> bool:
        """Bold, and of its type even where a test around it fails."""
        return self.total(node) and not self._risks(node, "value")

    def _risks(self, node: Node, sort: str) -> frozenset[Expr]:
        """What is taken as known without a test in the node itself: as an index in it, or at all (`value`)."""
        key = id(node), sort
        found = self._found_risks.get(key)
        if found is None:
            found = self._found_risks[key] = self._risks_in(node, sort)
            self._kept.append(node)
        return found

    def _risks_in(self, node: Node, sort: str) -> frozenset[Expr]:
        inner = [self._risks(child, sort) for child in children(node)]
        found = frozenset().union(*inner) if inner else frozenset()
        if not isinstance(node, Expr):
            return found
        match node:
            case ir.Apply(_, Op.KNOWN, (subject,)) if sort == "value" and not types.lies_within(
                subject.type, node.type
            ):
                return found | {subject}
            case ir.Call(_, function, arguments):
                if not self._of_function("bold", function):
                    found |= {node}
                return found.union(*(self._risks(a, "value") for a in arguments))
            case ir.WhereIs(_, _, piece):
                return found | self._risks(piece, "value")
            case ir.StateRead(_, _, indices) | ir.PlaceRead(_, _, indices) | ir.Lookup(_, _, indices):
                return found.union(*(self._risks(i, "value") for i in indices))
            case ir.LetIn(_, value):
                return found | self._risks(value, "value")
            case ir.Can(_, _, arguments):
                return found.union(*(self._risks(a, "value") for a in arguments if a is not None))
            case ir.Apply(_, op, arguments) if op.reads_position or op in _INDEXING:
                return found.union(*(self._risks(a, "value") for a in arguments))
            case ir.If(_, test):
                return found - self._tested(test)
            case ir.Apply(_, Op.AND | Op.OR | Op.IMPLIES):
                return found - self._tested(node)
            case ir.Fold() | ir.Select() | ir.Collect() | ir.PickOne():
                tests = [
                    child.test for child in children(node) if isinstance(child, ir.Binder) and child.test is not None
                ]
                return found.difference(*map(self._tested, tests))
            case (
                ir.Const() | ir.Local() | ir.Everywhere() | ir.Apply() | ir.Switch() | ir.Reach() | ir.Ways()
                | ir.Asked() | ir.Odds() | ir.Old() | ir.Openly()
            ):  # fmt: skip
                return found
            case _:
                assert_never(node)

    def _tested(self, test: Expr) -> frozenset[Expr]:
        """The expressions of which a test asks whether they are none, or of what kind."""
        match test:
            case ir.Apply(_, Op.EQUAL | Op.UNEQUAL, (subject, ir.Const(_, None))) | ir.Apply(_, Op.IN, (subject, _)):
                return frozenset({subject})
            case ir.Apply(_, Op.AND | Op.OR | Op.NOT | Op.IMPLIES, arguments):
                return frozenset().union(*map(self._tested, arguments))
            case _:  # cautious: nothing is known to be tested
                pass
        return frozenset()


_INDEXING = {Op.KEY, Op.SET, Op.IN, Op.RANGE, Op.PREFIX, Op.NTH}
"""The operators that look something up by the number that a value is, besides those that read the position."""


def _bound_in(node: Node) -> list[Variable]:
    """The variables that have no meaning outside of a node."""
    binders = [child.variable for child in children(node) if isinstance(child, ir.Binder)]
    return binders if isinstance(node, ir.Local) else [*variables_bound(node), *binders]
