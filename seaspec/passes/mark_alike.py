"""Mark alike: which pieces stand for one another, so that positions that differ by these alone are one position.

In: a flow graph with its live variables. Out: the same with `alike` filled in. Pieces of one kind with the same facts
are numbered, and rules can tell them by their numbers: `first x in bank`, `move 2 Coin`, `for each` take what has the
least number. Then equal-looking positions need not have the same future. So pieces stand for one another only where
what is done does not depend on their numbers:

- Nothing is indexed by them, no table tells them apart, no track counts them (a track is not seen by choices, and yet
  by promises), and what points at them is so simple that a position says all of it piece by piece.
- Where rules take the first ones of several, these lie together in one place without order, and nothing tells them
  apart: no state that points at one or goes along with one, no variable that still counts, no value from before.
  Then whichever is taken, the positions are the same but for numbers: order the pieces that are alike by their numbers
  in both positions, and exchange the first of the one for the first of the other, and so on.

What is not plainly so is not alike: then more positions are told apart than need be, and nothing false is merged. Steps
that no play comes to after it has rested once are not looked at: there is one beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, assert_never

from seaspec.core import flow, ir, types
from seaspec.core.definedness import Definedness
from seaspec.core.ir import Binder, Expr, FoldKind, PlaceOrder
from seaspec.core.ops import Op
from seaspec.core.types import Type, pieces_in
from seaspec.core.walk import children, free_variables, walk
from seaspec.passes.mark_live import live_between

Pieces = frozenset[int]
_TWO_LEVELS = (types.SetOf, types.Map)


def mark_alike(graph: flow.Flow) -> flow.Flow:
    """The graph with the pieces that stand for one another."""
    twins = _twins(graph.game)
    common = frozenset(chain.from_iterable(twins))
    if not common:
        return graph
    apart = _Apart(graph, common)
    apart.look()
    alike = (members for members in twins if not apart.found.intersection(members))
    return replace(graph, alike=tuple(sorted(chain.from_iterable(alike))))


def _twins(game: ir.Game) -> list[Pieces]:
    """Pieces of one kind and facts, with numbers in a row, that nothing is indexed by, but what they carry along."""
    by_twin: dict[int, list[int]] = {}
    for piece in game.pieces:
        by_twin.setdefault(piece.twin, []).append(piece.id)
    found = (members for members in by_twin.values() if len(members) > 1)
    return [frozenset(members) for members in found if members[-1] - members[0] == len(members) - 1]


@dataclass(frozen=True, slots=True)
class _Pick:
    """That some of several pieces come first because of their numbers. `together`: they lie in one place without order
    (`place`, if it is known which), or all of them are meant, and only their order goes by numbers."""

    pieces: Pieces
    together: bool
    place: str | None = None


_EACH_STEP = ""


class _Apart:
    """Finds the pieces, of those that have others of their kind, that are told apart."""

    def __init__(self, graph: flow.Flow, common: Pieces) -> None:
        self.graph, self.game, self.common = graph, graph.game, common
        self.owed = Definedness(graph.game)
        self.found: set[int] = set()
        self.kept: set[str] = set()
        """Procedures of which the position is kept where they begin, to be compared later; or that before each step."""
        self._within: dict[str, tuple[_Pick, ...]] = {}

    def look(self) -> None:
        self.found.update(self._indexed(), self._by_value())
        states = [state.type for state in self.game.states.values()]
        for ty in (*states, *(variable.type for variable in self.graph.frame)):
            if _is_deep(ty):
                self.found |= pieces_in(ty)
        marked: set[int] = set().union(*map(pieces_in, states))
        for state in self.game.states.values():
            for variable in state.index:  # what pieces carry along
                marked |= pieces_in(variable.type)
        old: set[int] = set()
        for promise in self.game.promises:
            for node in walk(promise):
                if isinstance(node, ir.Old):
                    told = pieces_in(node.inner.type).union(*(pieces_in(v.type) for v in free_variables(node.inner)))
                    told &= self.common
                    old |= told  # these are the same pieces before and after
                    if not told:
                        continue
                    if isinstance(promise, ir.Always) and promise.after:
                        self.kept.update(procedure for procedure, _, _ in promise.after)
                    else:
                        self.kept.add(_EACH_STEP)
        for pick, told in self._of_rules(old):
            self.found |= pick.pieces & (told | marked) if pick.together else pick.pieces
        for pick in self._picks(self.game.promises):
            self.found |= pick.pieces & (old | marked) if pick.together else pick.pieces

    def _indexed(self) -> Iterator[int]:
        """Pieces that something is indexed by for ever, or counted by; and those of which shapes lie somewhere."""
        for state in self.game.states.values():
            if state.while_in is None or state.track or len(state.index) > 1:
                for variable in state.index:
                    yield from pieces_in(variable.type)
        for place in self.game.places.values():
            for variable in place.index:
                yield from pieces_in(variable.type)
            if place.laid_on is not None:
                yield from place.holds.members

    def _by_value(self) -> Iterator[int]:
        """Pieces that a table or a constant names, and not others like them."""
        twins = [set(members) for members in _twins(self.game)]
        again = (state for state in self.game.states.values() if state.until is not None or state.while_in is not None)
        parts: list[Any] = [self.graph.blocks[number] for number in self._after_rest()]
        parts += [*self.game.functions.values(), *self.game.actions.values(), *self.game.chances.values()]
        parts += [*self.game.promises, *(state.initial for state in again)]
        parts += [bound for state in self.game.states.values() for bound in state.bound or ()]
        parts += [place.capacity for place in self.game.places.values() if place.capacity is not None]
        for node in chain.from_iterable(map(_exprs, parts)):
            if isinstance(node, ir.Const):
                yield from _named(node.value, node.type, twins)
        for table in self.game.tables.values():
            if any(pieces_in(ty) & self.common for ty in table.index) or pieces_in(table.type) & self.common:
                yield from _told_apart(table, twins)

    # ---------------------------------------------------------------------------------------------------- the rules

    def _of_rules(self, old: Collection[int]) -> Iterator[tuple[_Pick, Pieces]]:
        """What is picked in the steps that may come after a play has rested; and the pieces that are told apart then:
        variables point at them, or it is asked where they were before (`old`), and some have joined others since."""
        joined = self._joined()
        for number in self._after_rest():
            block = self.graph.blocks[number]
            here = dict(joined.get(number, {}))
            for node, live in zip((*block.steps, block.exit), live_between(self.graph, number), strict=True):
                counts = frozenset[int]().union(*(pieces_in(variable.type) for variable in live))
                for pick in self._of_node(node):
                    since = here.values() if pick.place is None else (here.get(pick.place, frozenset[int]()),)
                    yield pick, counts | frozenset(old).intersection(frozenset[int]().union(*since))
                self._join(here, node)

    def _joined(self) -> dict[int, dict[str, Pieces]]:
        """For each block the places to which pieces may have come since a position was kept, in the same step."""
        found: dict[int, dict[str, Pieces]] = {}
        waiting: list[int] = []

        def reach(number: int, here: dict[str, Pieces]) -> None:
            before = found.setdefault(number, {})
            more = {place: before.get(place, frozenset()) | pieces for place, pieces in here.items()}
            if number not in visited or any(before.get(place) != pieces for place, pieces in more.items()):
                visited.add(number)
                before.update(more)
                waiting.append(number)

        visited: set[int] = set()
        for block in self.graph.blocks:
            if flow.is_node(block.exit):
                begun: dict[str, Pieces] = {_EACH_STEP: frozenset()} if _EACH_STEP in self.kept else {}
                self._join(begun, block.exit)
                for target in flow.targets(block.exit):
                    reach(target, begun)
        while waiting:
            number = waiting.pop()
            block = self.graph.blocks[number]
            here = dict(found[number])
            for step in block.steps:
                self._join(here, step)
            if not flow.is_node(block.exit):
                for target in flow.targets(block.exit):
                    reach(target, here)
        return found

    def _join(self, here: dict[str, Pieces], node: flow.Step | flow.Exit) -> None:
        """What a step adds. Nothing, before a position was kept: then there is an entry of no place."""
        match node:
            case flow.Begin(procedure) if procedure in self.kept:
                here[_EACH_STEP] = frozenset()
                return
            case ir.Move(cargo, whole, target):
                of = self.game.places[whole.place].holds if cargo is None and whole is not None else _type(cargo)
                moved, place = pieces_in(of), target.place
            case ir.MoveSome(_, _, kind, _, target):
                moved, place = pieces_in(kind), target.place
            case flow.DrawNode(origin, target):
                moved, place = pieces_in(self.game.places[origin.place].holds), target.place
            case (
                flow.Set() | flow.Take() | flow.Pop() | flow.Begin() | flow.Finish() | flow.Judge() | flow.Reset()
                | flow.Require() | flow.Veil() | flow.Goto() | flow.Test() | flow.Switch() | flow.Enter()
                | flow.Return() | flow.Finding() | flow.Decision() | flow.ChanceNode() | flow.RollNode()
                | flow.ThrowNode() | flow.Over() | flow.Outside() | ir.Assign() | ir.Shuffle() | ir.Say()
                | ir.Show() | ir.DropOut()
            ):  # fmt: skip
                return
            case _:
                assert_never(node)
        if _EACH_STEP in here:
            here[place] = here.get(place, frozenset()) | moved

    def _after_rest(self) -> Collection[int]:
        nodes = [number for number, block in enumerate(self.graph.blocks) if flow.is_node(block.exit)]
        found = dict.fromkeys(nodes)
        waiting = list(nodes)
        while waiting:
            for target in flow.targets(self.graph.blocks[waiting.pop()].exit):
                if target not in found:
                    found[target] = None
                    waiting.append(target)
        return found

    def _of_node(self, node: flow.Step | flow.Exit) -> Iterator[_Pick]:
        yield from self._picks((node,))
        match node:
            case flow.Take(_, domain):
                yield from self._first(domain)
            case ir.MoveSome(amount, _, kind, origin, target):
                to_row = self.game.places[target.place].order is PlaceOrder.ROW
                if self.game.places[origin.place].order is not PlaceOrder.ROW and (amount is not None or to_row):
                    yield _Pick(pieces_in(kind), True, origin.place)
            case ir.Move(cargo, whole, target):
                # all of them go; in a row, or layer by layer, they may lie in the order of their numbers
                order = self.game.places[target.place].order
                if whole is not None and order is PlaceOrder.ROW:
                    yield _Pick(pieces_in(self.game.places[whole.place].holds), True)
                if cargo is not None and isinstance(cargo.type, types.SetOf):
                    if order is PlaceOrder.ROW or (order is PlaceOrder.PILE and cargo.type.ordered):
                        yield _Pick(pieces_in(cargo.type), True)
            case flow.Finding(witnesses):
                for binder in witnesses:
                    yield from self._first(binder.domain)
            case flow.Judge(action):
                yield from self._of_action(action)
            case flow.Decision(_, ir.OfferActions(alternatives)) | flow.ChanceNode(ir.OfferActions(alternatives)):
                for alternative in alternatives:
                    yield from self._of_action(alternative.action)
            case flow.ThrowNode(chance):
                yield from self._picks((self.game.chances[chance],))
            case ir.Assign(state):
                yield from self._picks(self.game.states[state].bound or ())
            case (
                flow.Set() | flow.Pop() | flow.Begin() | flow.Finish() | flow.Reset() | flow.Require()
                | flow.Veil() | flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return()
                | flow.Decision() | flow.ChanceNode() | flow.DrawNode() | flow.RollNode() | flow.Over()
                | flow.Outside() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
        capacities = [place.capacity for place in self.game.places.values() if place.capacity is not None]
        yield from self._picks(capacities) if isinstance(node, ir.Move | ir.MoveSome | flow.DrawNode) else ()

    def _of_action(self, name: str) -> tuple[_Pick, ...]:
        action = self.game.actions[name]
        return self._of_body(f"action {name}", (*action.params, *action.guards))

    def _of_body(self, name: str, parts: Iterable[Any]) -> tuple[_Pick, ...]:
        """What is picked in a define, or in what an action asks for."""
        if name not in self._within:
            self._within[name] = ()  # a call of itself picks nothing else
            self._within[name] = tuple(self._picks(parts))
        return self._within[name]

    # -------------------------------------------------------------------------------------------------- expressions

    def _picks(self, nodes: Iterable[Any]) -> Iterator[_Pick]:
        """What is picked in expressions, wherever they stand."""
        for node in nodes:
            for inner in _exprs(node):
                yield from self._of_expr(inner)

    def _of_expr(self, node: Any) -> Iterator[_Pick]:
        if not isinstance(node, ir.Expr | Binder):
            return
        match node:
            case ir.PickOne(_, True, binder, _):
                yield from self._first(binder.domain)
            case ir.Apply(_, Op.NTH | Op.PREFIX, (members, _)):
                yield from self._first(members)
            case Binder(_, domain, _, True):
                yield from self._first(domain)
            case ir.Fold(_, FoldKind.EVERY | FoldKind.SOME, binders, body):
                # what comes after an answer is not looked at: that makes no difference, if looking never fails
                firsts = [pick for binder in binders for pick in self._first(binder.domain)]
                tests = [binder.test for binder in binders if binder.test is not None]
                if firsts and not self.owed.is_total(body, *tests):
                    yield from firsts
            case ir.Reach(_, _, here, _, relation):
                if pieces_in(here.type) and not self.owed.is_total(relation):
                    yield _Pick(pieces_in(here.type), False)
            case ir.Call(_, name):
                yield from self._of_body(f"define {name}", (self.game.functions[name].body,))
            case ir.Can(_, name):
                yield from self._of_action(name)
            case (
                Binder() | ir.Const() | ir.Local() | ir.StateRead() | ir.PlaceRead() | ir.Everywhere() | ir.WhereIs()
                | ir.Lookup() | ir.Apply() | ir.If() | ir.Switch() | ir.LetIn() | ir.Fold() | ir.Select() | ir.Collect()
                | ir.PickOne() | ir.Ways() | ir.Asked() | ir.Odds() | ir.Old() | ir.Openly()
            ):  # fmt: skip
                pass  # what takes all members, or one that is the only one, does not go by numbers
            case _:
                assert_never(node)

    def _first(self, domain: Expr) -> Iterator[_Pick]:
        """The members of a set are gone through one after the other."""
        if pieces_in(domain.type) and not isinstance(domain.type, types.Optional) and not self._in_row(domain):
            place = self._one_place(domain)
            yield _Pick(pieces_in(domain.type), place is not None, place)

    def _in_row(self, domain: Expr) -> bool:
        """Whether they come in the order of a row."""
        match domain:
            case ir.PlaceRead(_, place):
                return self.game.places[place].order is PlaceOrder.ROW
            case ir.Select(_, binder):
                return self._in_row(binder.domain)
            case _:  # cautious: not known to; then they come by their numbers
                return False

    def _one_place(self, domain: Expr) -> str | None:
        """The place without order of which they lie in one instance, if that is plain."""
        match domain:
            case ir.PlaceRead(_, place):
                return None if self.game.places[place].order in (PlaceOrder.ROW, PlaceOrder.PILE) else place
            case ir.Select(_, binder):
                return self._one_place(binder.domain)
            case ir.Apply(_, Op.DIFFERENCE, (members, _)):
                return self._one_place(members)
            case _:  # cautious: no place is known
                return None


def _type(cargo: Expr | None) -> Type:
    return types.Never() if cargo is None else cargo.type


def _exprs(node: Any) -> Iterator[Any]:
    """A node and all in it but sentences, which change nothing."""
    if isinstance(node, ir.Source | ir.Text | ir.Say):
        return
    yield node
    for part in children(node):
        yield from _exprs(part)


def _is_deep(ty: Type) -> bool:
    """Whether a value may hold pieces in such a way that who points at each of them does not say all of it."""
    match ty:
        case types.Optional(of):
            return _is_deep(of)
        case types.SetOf(of):
            return bool(pieces_in(of)) and isinstance(of, _TWO_LEVELS)
        case types.Map(keys, values):
            inner = values.of if isinstance(values, types.Optional) else values
            by_pieces = bool(pieces_in(keys))
            held = bool(pieces_in(values))
            return (by_pieces and (held or isinstance(values, types.Optional))) or (
                held and (not isinstance(inner, types.Pieces | types.SetOf) or _is_deep(inner) or _is_ordered(inner))
            )
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Never() | types.Fraction()
        ):  # fmt: skip
            return False
        case _:
            assert_never(ty)


def _is_ordered(ty: Type) -> bool:
    return isinstance(ty, types.SetOf) and ty.ordered


def _named(value: Any, ty: Type, twins: list[set[int]]) -> Iterator[int]:
    """The pieces that a value names, and not all that are like them."""
    match ty:
        case types.Pieces() if value is not None:
            yield from (piece for members in twins if value in members for piece in members)
        case types.Optional(of) if value is not None:
            yield from _named(value, of, twins)
        case types.SetOf(types.Pieces()) if list(value) == sorted(value):
            for members in twins:
                if members.intersection(value) not in (set(), members):
                    yield from members
        case types.SetOf() | types.Map():
            yield from pieces_in(ty)
        case (
            types.Bool() | types.Int() | types.Enum() | types.Cells() | types.Borders() | types.Pieces()
            | types.Optional() | types.Never() | types.Fraction()
        ):  # fmt: skip
            return
        case _:
            assert_never(ty)


def _told_apart(table: ir.Table, twins: list[set[int]]) -> Iterator[int]:
    """The pieces of which a table says different things, or that it names one by one."""
    for entry in table.entries:
        yield from _named(entry, table.type, twins)
    keys = _keys(table.index)
    for number, ty in enumerate(table.index):
        if pieces_in(ty) and not isinstance(ty, types.Pieces):
            yield from pieces_in(ty)
            continue
        for members in twins:
            said: dict[tuple[Any, ...], Any] = {}
            for key, entry in zip(keys, table.entries, strict=True):
                if key[number] in members and isinstance(ty, types.Pieces):
                    others = (*key[:number], *key[number + 1 :])
                    if said.setdefault(others, entry) != entry:
                        yield from members


def _keys(index: tuple[Type, ...]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = [()]
    for ty in index:
        found = [(*key, value) for key in found for value in types.values(ty)]
    return found
