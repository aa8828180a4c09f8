"""What is known of expressions before they are compiled.

`free`: the variables they depend on. `reads`: whether their value may differ from position to position. `total`: they
have a value whatever the position, so they may be worked out early. `bold`: they may even be worked out where a test
around them fails (their value is then not used): nothing in them would read memory at a wrong index.
"""

from __future__ import annotations

from typing import Any

from seaspec.backends.native.shapes import is_within
from seaspec.core import ir, types
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import children, variables_bound

POSITION_OPS = {Op.SPOT, Op.HAS_WON, Op.HAS_LOST, Op.IS_OUT}
"""The operators that read the position."""

Node = Any


class Facts:
    """Facts about the expressions of one game, each worked out once."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self._free: dict[int, frozenset[Variable]] = {}
        self._reads: dict[int, bool] = {}
        self._total: dict[int, bool] = {}
        self._found_risks: dict[tuple[int, str], frozenset[Expr]] = {}
        self._functions: dict[tuple[str, str], bool] = {}
        self._kept: list[Node] = []

    def free(self, node: Node) -> frozenset[Variable]:
        found = self._free.get(id(node))
        if found is None:
            inner = {node.variable} if isinstance(node, ir.Local) else set()
            for child in children(node):
                inner |= self.free(child)
            if not isinstance(node, ir.Local):
                inner -= set(variables_bound(node))
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
        match node:
            case ir.StateRead() | ir.PlaceRead() | ir.Everywhere() | ir.WhereIs() | ir.Can() | ir.Asked():
                return True
            case ir.Old() | ir.Odds():
                return True
            case ir.Apply(_, op):
                return op in POSITION_OPS
            case ir.Call(_, function):
                return self._of_function("reads", function)
            case _:
                return False

    def _of_function(self, fact: str, name: str) -> bool:
        key = fact, name
        if key not in self._functions:
            self._functions[key] = fact != "reads"  # a recursive call adds nothing
            self._functions[key] = getattr(self, fact)(self.game.functions[name].body)
        return self._functions[key]

    # ---------------------------------------------------------------------------------------------------------- total

    def total(self, node: Node) -> bool:
        found = self._total.get(id(node))
        if found is None:
            found = self._is_total(node) and all(map(self.total, children(node)))
            self._total[id(node)] = found
            self._kept.append(node)
        return found

    def _is_total(self, node: Node) -> bool:
        match node:
            case ir.StateRead(_, state, indices):
                index = [variable.type for variable in self.game.states[state].index]
                return all(is_within(i.type, ty) for i, ty in zip(indices, index, strict=True))
            case ir.Lookup(_, table, indices):
                given = self.game.tables.get(table)
                return given is None or all(is_within(i.type, ty) for i, ty in zip(indices, given.index, strict=True))
            case ir.WhereIs() | ir.Asked() | ir.Odds() | ir.Old():
                return False
            case ir.Apply():
                return self._apply_is_total(node)
            case ir.Call(_, function):
                return self._of_function("total", function)
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
            case _:
                return True

    def _apply_is_total(self, expr: ir.Apply) -> bool:
        match expr.op:
            case Op.DIVIDE | Op.MODULO:
                divisor = expr.arguments[1].type
                return isinstance(divisor, types.Int) and not divisor.low <= 0 <= divisor.high
            case Op.KEY:
                mapping, key = expr.arguments
                return isinstance(mapping.type, types.Map) and is_within(key.type, mapping.type.keys)
            case Op.CHECK:
                return is_within(expr.arguments[0].type, expr.type)
            case Op.MAYBE:
                return self.at_most_one(expr.arguments[0])
            case Op.ONLY | Op.SPOT:
                return False
            case _:
                return True

    def at_most_one(self, expr: Expr) -> bool:
        """Whether a set has at most one member."""
        match expr:
            case ir.PlaceRead(_, name):
                capacity = self.game.places[name].capacity
                return isinstance(capacity, ir.Const) and capacity.value == 1
            case ir.Const(_, value):
                return isinstance(value, tuple) and len(value) <= 1
            case _:
                return False

    # ----------------------------------------------------------------------------------------------------------- bold

    def bold(self, node: Node) -> bool:
        """Total, and without harm where a test around it fails."""
        return self.total(node) and not self._risks(node, "index")

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
        match node:
            case ir.Apply(_, Op.KNOWN, (subject,)) if sort == "value" and not is_within(subject.type, node.type):
                return found | {subject}
            case ir.Call(_, function, arguments):
                if not self._of_function("bold", function):
                    found |= {node}
                return found.union(*(self._risks(a, "value") for a in arguments))
            case ir.StateRead(_, _, indices) | ir.PlaceRead(_, _, indices) | ir.Lookup(_, _, indices):
                return found.union(*(self._risks(i, "value") for i in indices))
            case ir.LetIn(_, value):
                return found | self._risks(value, "value")
            case ir.Can(_, _, arguments):
                return found.union(*(self._risks(a, "value") for a in arguments if a is not None))
            case ir.Apply(_, op, arguments) if op in _INDEXING:
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
        return found

    def _tested(self, test: Expr) -> frozenset[Expr]:
        """The expressions of which a test asks whether they are none, or of what kind."""
        match test:
            case ir.Apply(_, Op.EQUAL | Op.UNEQUAL, (subject, ir.Const(_, None))) | ir.Apply(_, Op.IN, (subject, _)):
                return frozenset({subject})
            case ir.Apply(_, Op.AND | Op.OR | Op.NOT | Op.IMPLIES, arguments):
                return frozenset().union(*map(self._tested, arguments))
        return frozenset()


_INDEXING = POSITION_OPS | {Op.KEY, Op.SET, Op.IN, Op.RANGE, Op.PREFIX, Op.NTH}
"""The operators that look something up by the number that a value is."""
