"""Whether pieces that have a name may have gone elsewhere since they got it, or since they were moved by it.

Where they come from when they are moved tells, then, whether they have. `places`: those in which they lay, as far as
that is known; `left`: those that something may have left since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from seaspec.check.rules.reading import nodes
from seaspec.core import ir, types
from seaspec.core.ir import Expr, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import variables_bound


@dataclass(slots=True)
class _Known:
    places: set[str]
    left: set[str] = field(default_factory=set)


class Whereabouts:
    """What is known of names, step by step as the rules are walked."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self.names: dict[Variable, _Known] = {}
        self._leaving: dict[tuple[str, _Asked], frozenset[str]] = {}
        self._stands_in: dict[int, str | None] = {}
        """In which procedure a statement stands, and a name is given; None: in several."""
        self._given_in: dict[Variable, str | None] = {}
        self._homes: dict[Variable, set[str]] = {}
        """Where pieces lie of whatever name, when they get it; not of names of which that is not known."""
        self._note_homes()

    def may_be_elsewhere(self, expr: Expr) -> bool:
        """Whether pieces that are named in an expression may have gone."""
        return any(map(self._may_have_gone, self._named(expr)))

    def _may_have_gone(self, known: _Known) -> bool:
        """Whether pieces may have gone unseen: all see what leaves an open place, and where it goes to."""
        unseen = {name for name, place in self.game.places.items() if not place.sight.all or name == ir.BOX}
        return not known.places.isdisjoint(known.left) and not unseen.isdisjoint(known.left)

    def given_away(self, statement: ir.Stmt) -> Iterator[Expr]:
        """Pieces that may have gone, and are given to a procedure that may move them."""
        match statement:
            case ir.Do(name):
                called = {name}
            case ir.Choose(offer=ir.OfferActions(alternatives)):
                called = {alternative.action for alternative in alternatives}
            case _:  # cautious: it calls nothing
                return
        parts = [part for name in called for part in nodes(self.game.procedures[name])]
        going = [part for part in parts if isinstance(part, ir.Move | ir.Do | ir.Alternative | ir.Let | ir.ForEach)]
        named = {part.variable for one in going for part in nodes(one) if isinstance(part, ir.Local)}
        for param, value in self._arguments(statement):
            if value is not None and param in named and self.may_be_elsewhere(value):
                yield value

    def after(self, statement: ir.Stmt) -> None:
        """A statement is done, or begins, if there are others in it."""
        own = _name_of(statement.cargo) if isinstance(statement, ir.Move) else None
        for name, known in self.names.items():
            if name != own and self._is_at_work(name, statement):
                known.left |= self._left_by(statement, name)
        if own is not None and isinstance(statement, ir.Move):
            self.names[own] = _Known({statement.target.place})
        for name, value in self._given(statement):
            if types.pieces_in(name.type):
                known = _Known((None if value is None else self._places(value)) or set(self.game.places))
                if isinstance(statement, ir.ForEach):
                    known.left |= self._left_by(statement, name)
                elif value is not None:
                    known.left = set[str]().union(*(one.left for one in self._named(value)))
                self.names[name] = known

    def _is_at_work(self, name: Variable, statement: ir.Stmt) -> bool:
        """Whether a statement may stand in the procedure that has a name. What stands in others is looked at where
        these are called."""
        there, here = self._given_in.get(name), self._stands_in.get(id(statement))
        return there is None or here is None or there == here

    # ----------------------------------------------------------------------------------------------------- names

    def _named(self, expr: Expr) -> Iterator[_Known]:
        """The names of such pieces as are meant."""
        pieces = types.pieces_in(expr.type)
        for node in nodes(expr):
            if isinstance(node, ir.Local) and node.variable in self.names:
                if not types.pieces_in(node.type).isdisjoint(pieces):
                    yield self.names[node.variable]

    def _places(self, expr: Expr) -> set[str]:
        """The places of which an expression speaks."""
        found = set[str]().union(*(known.places for known in self._named(expr)))
        called: set[str] = set()
        waiting: list[object] = [expr]
        while waiting:
            for node in nodes(waiting.pop()):
                match node:
                    case ir.PlaceRead(_, place) | ir.Everywhere(_, place):
                        found.add(place)
                    case ir.Call(_, name) if name not in called:
                        called.add(name)
                        waiting.append(self.game.functions[name].body)
                    case (
                        _
                    ):  # cautious: where they lie is not known from it, then where they come from is asked otherwise
                        pass
        return found

    def _given(self, statement: ir.Stmt) -> Iterator[tuple[Variable, Expr | None]]:
        """The names that a statement gives, with what says where that lies."""
        match statement:
            case ir.Let(name, value) | ir.ForEach(name, value):
                yield name, value
            case ir.Draw(variable=name, target=target) if name is not None:
                yield name, ir.PlaceRead(types.SetOf(name.type, False), target.place, target.indices)
            case ir.Choose(offer=ir.OfferValues(binders)):
                for binder in binders:
                    yield binder.variable, binder.domain
            case ir.Choose(offer=ir.OfferSubset(_, _, domain, name)):
                yield name, domain
            case ir.Choose() | ir.Do():
                yield from self._arguments(statement)
            case _:  # cautious: a name of which nothing is known is asked about otherwise
                return

    def _arguments(self, statement: ir.Stmt) -> Iterator[tuple[Variable, Expr | None]]:
        match statement:
            case ir.Do(name, arguments):
                yield from zip(self.game.procedures[name].params, arguments, strict=True)
            case ir.Choose(offer=ir.OfferActions(alternatives)):
                for alternative in alternatives:
                    params = self.game.actions[alternative.action].params
                    for param, value in zip(params, alternative.arguments, strict=True):
                        yield param.variable, param.domain if value is None else value
            case _:  # cautious: it calls nothing
                return

    def _note_homes(self) -> None:
        unknown: set[Variable] = set()
        for procedure in self.game.procedures.values():
            here = procedure.name
            for node in nodes(procedure):
                self._stands_in[id(node)] = here if self._stands_in.get(id(node), here) == here else None
                for name in () if isinstance(node, ir.Local) else variables_bound(node):
                    self._given_in[name] = here if self._given_in.get(name, here) == here else None
        for rules in (*self.game.procedures.values(), *self.game.actions.values()):
            for node in nodes(rules):
                match node:
                    case ir.Binder(name, domain) | ir.Param(name, domain) | ir.ForEach(name, domain):
                        found = set() if domain is None else self._places(domain)
                        self._homes.setdefault(name, set()).update(found)
                        unknown |= set() if found else {name}
                    case ir.Do(called, arguments) | ir.Alternative(called, arguments):
                        params = self.game.procedures[called].params
                        unknown.update(
                            param for param, value in zip(params, arguments, strict=True) if value is not None
                        )
                    case _:  # cautious: of names that it gives it is not known where they lie
                        pass
        for name in unknown:
            self._homes.pop(name, None)

    # ---------------------------------------------------------------------------------------------------- what leaves

    def _left_by(self, statement: ir.Stmt, name: Variable) -> frozenset[str]:
        """The places that something else of this sort may leave by a statement, and by what is called or stands in it
        again and again."""
        here = _Asked(frozenset({name}), frozenset(types.pieces_in(name.type)))
        match statement:
            case ir.ForEach(body=body) | ir.Repeat(body=body) | ir.AllAtOnce(body=body):
                return self._left_in(body, here)
            case ir.Choose(offer=offer, again=again, body=body):
                return self._left_in_offer(offer, here).union(
                    self._settles(here), self._left_in(body if again else (), here)
                )
            case ir.Do(called, arguments):
                return self._settles(here) | self._left_in_call(called, arguments, here)
            case ir.Roll() | ir.Throw() | ir.Draw() | ir.AnyOrder():
                return self._settles(here) | self._left_at_once(statement, here)
            case _:  # cautious: what stands in it is looked at for itself
                return self._left_at_once(statement, here)

    def _settles(self, asked: _Asked) -> frozenset[str]:
        bodies = (self._left_in(rule.body, asked) for rule in self.game.whenevers)
        return frozenset[str]().union(*bodies)

    def _left_in_offer(self, offer: ir.Offer, asked: _Asked) -> frozenset[str]:
        alternatives = offer.alternatives if isinstance(offer, ir.OfferActions) else ()
        called = (self._left_in_call(one.action, one.arguments, asked) for one in alternatives)
        return frozenset[str]().union(*called)

    def _left_at_once(self, node: object, asked: _Asked) -> frozenset[str]:
        """The places that a single step may make such pieces leave."""
        places = self.game.places
        match node:
            case ir.MoveSome(kind=kind, origin=origin) if not asked.pieces.isdisjoint(kind.members):
                return frozenset({origin.place})
            case ir.Draw(origin=origin) if not asked.pieces.isdisjoint(places[origin.place].holds.members):
                return frozenset({origin.place})
            case ir.Move(_, whole) if whole is not None:
                return frozenset({whole.place})
            case ir.Move(cargo) if cargo is not None and not asked.pieces.isdisjoint(types.pieces_in(cargo.type)):
                name = _name_of(cargo)
                if name is not None:
                    return frozenset(() if name in asked.names else self._homes.get(name, places))
                return frozenset(self._places(cargo) or places)
            case _:  # cautious: nothing else moves pieces
                return frozenset()

    def _left_in(self, body: Iterable[ir.Stmt], asked: _Asked) -> frozenset[str]:
        found: set[str] = set()
        for node in (node for statement in body for node in nodes(statement)):
            match node:
                case ir.Do(called, arguments) | ir.Alternative(called, arguments):
                    found |= self._left_in_call(called, arguments, asked)
                case _:  # cautious: what it calls is asked before
                    found |= self._left_at_once(node, asked)
        return frozenset(found)

    def _left_in_call(self, name: str, arguments: Iterable[Expr | None], asked: _Asked) -> frozenset[str]:
        rules = self.game.procedures[name]
        given = zip(rules.params, arguments, strict=True)
        own = frozenset(param for param, value in given if _name_of(value) in asked.names)
        within = _Asked(own, asked.pieces)
        if (name, within) not in self._leaving:
            self._leaving[name, within] = frozenset()  # none calls itself
            self._leaving[name, within] = self._left_in((*rules.before, *rules.body, *rules.after), within)
        return self._leaving[name, within]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked about: what else than pieces of these names moves such pieces."""

    names: frozenset[Variable]
    pieces: frozenset[int]


def _name_of(expr: Expr | None) -> Variable | None:
    """The name that an expression is, and nothing else."""
    while isinstance(expr, ir.Apply) and expr.op in (Op.KNOWN, Op.CHECK):
        expr = expr.arguments[0]
    return expr.variable if isinstance(expr, ir.Local) else None
