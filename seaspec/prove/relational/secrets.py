"""Secrets for all positions: what a player sees does not depend on what is hidden from this player there.

Two positions look alike to a player if places and states that this player sees (as `seen by` gives them) are the same,
sizes are the same unless `uncounted`, and names of the rules have the same values; all else may be anything, reached by
a play or not. What is shown, for each player and any two such positions:

1. *Who sees what*: it depends on what all see.
2. *Whether there is a choice*, and who is asked: the same at both. Where nobody is asked if there is nothing to choose
   (`may`, `otherwise`, any number of a set), that there is something is the same, too: for all players, not only for
   the one who would be asked. Of offers that nobody notices (`secretly`) for the one who is. Where the game would be
   over for want of a choice, it is told that it goes on.
3. *Which options*: if it is this player who is asked, the same are legal. Identical pieces are one option, so nothing
   may tell them apart that this player does not see: no hidden state, no name that others know alone, no rule that goes
   by the numbers of pieces (passes/mark_alike.py).
4. *What happens*: each effect writes, moves, throws as told in check/rules/telling.py. This judges expressions by the
   things they name, and so do the rules of who may know (check/rules/knowledge.py) on which it rests, what names stand
   for, and that whether a choice is come to depends on what all see. Both are asked here in their strict form: a name
   is taken for nothing that may have changed since it was given. In a joint choice no part reads what others may do.

So from positions that look alike the same answers and outcomes (as this player sees them, with the pieces that are
shown) lead to positions that look alike. What is told on purpose is left out, and the verdict says so: actions whose
guards say `openly`, and states that are read after it; a promise that names such a state is not shown. Not part of it:
what a player can work out from what was seen before (the last card of a kind), and who has won.

The log is made from events whose audience was settled when they happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import assert_never

from seaspec.analysis.control import reachable
from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.terms import YES, Term, and_, at_most, eq, iff, implies, number
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.read.lookalike import lookalike
from seaspec.backends.symbolic.run.offers import has_option
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import Value, same
from seaspec.backends.symbolic.values.world import World
from seaspec.check.rules.telling import Effects, told_by_effects
from seaspec.core import flow, ir, types
from seaspec.core.ir import Binder, Expr, Source, Variable
from seaspec.core.ops import Op
from seaspec.core.types import pieces_in
from seaspec.core.walk import free_variables
from seaspec.prove.entail import Solver
from seaspec.prove.proof import Proof, Step
from seaspec.prove.relational.pairs import Second, Twins
from seaspec.prove.relational.sight import Seeing
from seaspec.sampling.secrets import Public, public_of

SAID = (
    "who is asked, whether, and the options, for all positions that look alike; "
    "effects, and whether a choice is come to, by what they read"
)
OPENLY = "what is told openly left out"
NOT_OVER = "that somebody has something to choose is told, where else the game is over"


class Leaking(Exception):
    """Something is not known to be the same at positions that look alike: what, and where."""

    def __init__(self, what: str, source: Source | None = None) -> None:
        super().__init__(what if source is None else f"{what} ({source.span})")


def kept_secret(
    graph: flow.Flow, secrets: Sequence[ir.Secret], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> tuple[dict[str, Proof], list[Step]]:
    """Try to prove that nobody learns what is hidden, wherever it is: what comes out for promises of secrets, and what
    a solver has found to follow for them."""
    public = public_of(graph.game)
    said = f"{SAID}; {OPENLY}" if public.actions or public.states else SAID
    said = f"{said}; {NOT_OVER}" if _may_end_for_want(graph) else said
    try:
        effects = told_by_effects(graph.game)
        for telling in effects.found:
            raise Leaking(telling.what, telling.source)
        _sights(graph.game)
        _identical(graph, effects)
        _told_by_names(graph, effects)
        scripts = [one for seat in range(len(graph.game.players)) for one in same_choices(graph, seat, solve, go_on)]
    except Leaking as error:
        return {secret.name: Proof(secret.name, False, str(error)) for secret in secrets}, []
    found = {}
    for secret in secrets:
        told = [thing for thing in secret.things if thing in public.states]
        why = f"{told[0]} is told openly, and left out" if told else ""
        found[secret.name] = Proof(secret.name, False, why) if told else Proof(secret.name, True, said=said)
    return found, [Step(one, name) for name, proof in found.items() if proof.proved for one in scripts]


def same_choices(graph: flow.Flow, seat: int, solve: Solver, go_on: Callable[[], bool] = lambda: True) -> list[Script]:
    """Show that a player has the same choices at positions that look alike, else `Leaking`: what a solver has found to
    follow."""
    choices = _Choices(graph, seat, solve, go_on)
    for block in reachable(graph, graph.start):
        exit = graph.blocks[block].exit
        if isinstance(exit, flow.Decision):
            choices.look_at(exit)
            choices.look_whether(exit)
    return list(choices.twins.scripts("what is the same at positions that look alike"))


def _sights(game: ir.Game) -> None:
    """Who sees what is known to all."""
    seeing = Seeing(game, frozenset())
    things: list[ir.Place | ir.State] = [*game.places.values(), *game.states.values()]
    for thing in things:
        if thing.sight.by is not None and not seeing.sees_all(thing.sight.by, frozenset()):
            raise Leaking(f"who sees {thing.name} depends on what not all see", thing.source)


def _told_by_names(graph: flow.Flow, effects: Effects) -> None:
    """Whether somebody is asked does not depend on names of what not all know: here, and nowhere else, it is not judged
    by the rule of who may know."""
    for block in map(graph.blocks.__getitem__, reachable(graph, graph.start)):
        if isinstance(exit := block.exit, flow.Decision):
            exprs = [expr for part in _deciding(graph, exit) for expr in part]
            hidden = set(effects.asked.get(exit.source.span, effects.unknown)) - set(_bound_in(exit.offer))
            told = [name.name for name in free_variables(*exprs) if name in hidden]
            if told:
                raise Leaking(f"whether there is something to choose may tell what {told[0]} is", exit.source)


def _deciding(graph: flow.Flow, exit: flow.Decision) -> Iterator[Sequence[Expr]]:
    """What decides whether somebody is asked, where all notice whether."""
    if isinstance(exit.offer, ir.OfferSubset):
        yield exit.offer.low, exit.offer.high
    left = exit.passing is not None or (exit.nothing is not None and not ends_at(graph, exit.nothing))
    if left and not exit.secretly:
        yield from _parts_of(graph.game, exit.offer)


def _bound_in(offer: flow.AnyOffer) -> Iterator[Variable]:
    """The names that are chosen, or stand for what is chosen among."""
    match offer:
        case ir.OfferActions(alternatives):
            yield from (one.loop.variable for one in alternatives if one.loop is not None)
        case ir.OfferShare():
            yield offer.member
        case _:  # cautious: what is chosen has a name, and nothing else
            yield from flow.offer_variables(offer)


def ends_at(graph: flow.Flow, start: int) -> bool:
    """Whether the game is over when a block is come to, before anybody is asked or anything is left to chance."""
    found = {start}
    waiting = [start]
    while waiting:
        exit = graph.blocks[waiting.pop()].exit
        if flow.is_node(exit) and not isinstance(exit, flow.Over):
            return False
        for target in flow.targets(exit):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return True


def _may_end_for_want(graph: flow.Flow) -> bool:
    exits = (graph.blocks[number].exit for number in reachable(graph, graph.start))
    return any(isinstance(e, flow.Decision) and e.nothing is not None and ends_at(graph, e.nothing) for e in exits)


def _identical(graph: flow.Flow, effects: Effects) -> None:
    """Identical pieces are told apart by nothing that is hidden from who may choose among them. That a state or a name
    stands for one of them all may know, but not where that one lies."""
    by_twin: dict[int, set[int]] = {}
    for one in graph.game.pieces:
        by_twin.setdefault(one.twin, set()).add(one.id)
    twins = {piece for members in by_twin.values() if len(members) > 1 for piece in members}
    for piece in sorted(twins - set(graph.alike)):
        raise Leaking(
            f"rules go by the numbers of identical pieces, which nobody sees: {graph.game.pieces[piece].title}"
        )
    for state in graph.game.states.values():
        if not (state.sight.all or state.track) and any(
            twins & pieces_in(ty) for ty in (state.type, *(v.type for v in state.index))
        ):
            raise Leaking(f"{state.name} tells identical pieces apart, and not all see it", state.source)
    for block in map(graph.blocks.__getitem__, reachable(graph, graph.start)):
        if isinstance(block.exit, flow.Decision):
            choices = list(_offered(graph.game, block.exit.offer))
            for ty, domain in choices:
                _lie_in_sight(graph.game, frozenset(twins & pieces_in(ty)), domain, block.exit.source)
            offered = twins.intersection(chain.from_iterable(pieces_in(ty) for ty, _ in choices))
            states = (state for state in graph.game.states.values() if not state.track)
            pointed_at = frozenset(chain.from_iterable(pieces_in(state.type) for state in states))
            _lie_in_sight(graph.game, pointed_at & offered, None, block.exit.source)
            for variable in block.live:
                held = pieces_in(variable.type)
                _lie_in_sight(graph.game, frozenset(offered & held), None, block.exit.source)
                if offered & held and (
                    variable in effects.unknown or isinstance(variable.type, types.SetOf | types.Map)
                ):
                    what = f"{variable.name} tells identical pieces apart, and who is asked may not know it"
                    raise Leaking(what, block.exit.source)


def _lie_in_sight(game: ir.Game, offered: frozenset[int], domain: Expr | None, source: Source) -> None:
    """Pieces are identical if they lie in one place, in piles and rows at one spot: so who may choose among them must
    see where they lie, unless all lie in one place without order."""
    if not offered or (domain is not None and (_is_one(domain) or _in_one_place(game, domain))):
        return
    for place in game.places.values():
        is_seen = place.sight.all and place.order is not ir.PlaceOrder.PILE  # of a pile the layers are not shown
        if place.name != ir.BOX and not is_seen and offered.intersection(place.holds.members):
            what = f"where identical pieces lie in {place.name} tells them apart, and who is asked may not see it"
            raise Leaking(what, source)


def _is_one(given: Expr) -> bool:
    """Whether it is a piece, and not a set to choose from."""
    return isinstance(given.type, types.Pieces | types.Optional)


def _in_one_place(game: ir.Game, domain: Expr, within: frozenset[str] = frozenset()) -> bool:
    """Whether all members lie in one instance of a place without order. `within`: the defines that it stands in."""
    match domain:
        case ir.PlaceRead(_, place):
            return game.places[place].order not in (ir.PlaceOrder.ROW, ir.PlaceOrder.PILE)
        case ir.Select(_, binder):
            return _in_one_place(game, binder.domain, within)
        case ir.Apply(_, Op.DIFFERENCE, (members, _)):
            return _in_one_place(game, members, within)
        case ir.Call(_, name):
            return name not in within and _in_one_place(game, game.functions[name].body, within | {name})
        case _:  # cautious: they may lie in several places
            return False


def _offered(game: ir.Game, offer: flow.AnyOffer) -> Iterator[tuple[types.Type, Expr | None]]:
    """The types of what can be chosen, and from what it is chosen; None: from all values."""
    match offer:
        case ir.OfferActions(alternatives):
            for alternative in alternatives:
                params = game.actions[alternative.action].params
                for param, given in zip(params, alternative.arguments, strict=True):
                    yield param.variable.type, param.domain if given is None else given
                if alternative.loop is not None:
                    yield alternative.loop.variable.type, alternative.loop.domain
        case ir.OfferValues(binders):
            for binder in binders:
                yield binder.variable.type, binder.domain
        case ir.OfferSubset(_, _, domain, variable):
            yield variable.type, domain
        case ir.OfferShare(_, _, _, domain, _, gift):
            yield gift.type, domain
        case flow.OfferLines():
            yield offer.line.type, None
        case _:
            assert_never(offer)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A choice. `known`: names that have this value if it is this player who is asked; `decider`, if that is not said
    by them."""

    source: Source
    known: dict[Variable, object]
    decider: Expr | None


class _Choices:
    """All choices of a game, as a player sees them."""

    def __init__(self, graph: flow.Flow, seat: int, solve: Solver, go_on: Callable[[], bool]) -> None:
        self.graph = graph
        self.game = graph.game
        self.seat = seat
        self.public: Public = public_of(graph.game)
        self.same = self.public.states | {name for name, state in graph.game.states.items() if state.track}
        self.seeing = Seeing(graph.game, self.same)
        self.twins = Twins(graph, self._second, solve, go_on)

    def _second(self, world: World, position: Position, told: list[Term]) -> Second:
        return Second(lookalike(world, position, self.seat, self.same, told), lambda value, ty: value)

    def look_at(self, exit: flow.Decision) -> None:
        """Nothing, if a choice tells nothing that is hidden; else `Leaking`."""
        decider, source = exit.decider, exit.source
        if isinstance(decider, ir.Local) and not isinstance(decider.type, types.Optional):
            asked = _Asked(source, {decider.variable: self.seat}, None)
        elif isinstance(decider, ir.Const):
            if decider.value != self.seat:
                return
            asked = _Asked(source, {}, None)
        else:
            asked = _Asked(source, {}, decider)
            if not self.seeing.sees_all(decider, frozenset()):
                self._needs((decider,), self._equal(decider), "who is asked", source)
        self._offer(exit.offer, asked)

    def look_whether(self, exit: flow.Decision) -> None:
        """Nothing, if it tells nothing that is hidden whether there is a choice; else `Leaking`."""
        offer, source = exit.offer, exit.source
        if isinstance(offer, ir.OfferSubset):  # nobody is asked to choose none of a set
            ends = (offer.low, offer.high)
            if not all(self.seeing.sees_all(end, frozenset()) for end in ends):
                self._needs(ends, self._both_none(*ends), "whether somebody is asked", source)
        left = exit.passing is not None or (exit.nothing is not None and not ends_at(self.graph, exit.nothing))
        if not left or exit.secretly or self.seeing.sees_whether(offer):
            return
        exprs = [expr for part in _parts_of(self.game, offer) for expr in part]
        self._needs(
            exprs, lambda one, other: iff(has_option(one, offer), has_option(other, offer)),
            "whether there is something to choose", source,
        )  # fmt: skip

    def _both_none(self, low: Expr, high: Expr) -> Callable[[Reader, Reader], Term]:
        def none(reader: Reader) -> Term:
            return and_(eq(reader.number(high), number(0)), at_most(reader.number(low), number(0)))

        return lambda one, other: iff(none(one), none(other))

    def _needs(
        self,
        exprs: Sequence[Expr],
        claim: Callable[[Reader, Reader], Term],
        what: str,
        source: Source,
        known: dict[Variable, object] | None = None,
    ) -> None:
        if self.twins.follows(exprs, lambda one, other, _: claim(one, other), known or {}):
            return
        player = self.game.players[self.seat]
        if not self.twins.go_on():
            raise Leaking("no time left", source)
        reason = f"; no encoding: {self.twins.unsupported}" if self.twins.unsupported else ""
        raise Leaking(f"{what} may tell {player} what is hidden{reason}", source)

    def _equal(self, *exprs: Expr) -> Callable[[Reader, Reader], Term]:
        return lambda one, other: and_(*(_alike(one, other, expr) for expr in exprs))

    def _options(
        self, exprs: Sequence[Expr], claim: Callable[[Reader, Reader], Term], what: str, asked: _Asked
    ) -> None:
        """Something is to hold of expressions if it is this player who is asked."""
        if not all(self.seeing.sees_all(expr, frozenset(asked.known)) for expr in exprs):
            self._if_asked(exprs, claim, what, asked)

    def _if_asked(
        self, exprs: Sequence[Expr], claim: Callable[[Reader, Reader], Term], what: str, asked: _Asked
    ) -> None:
        decider = asked.decider

        def wanted(one: Reader, other: Reader) -> Term:
            who = YES if decider is None else eq(one.number(decider), number(self.seat))
            return implies(who, claim(one, other))

        whole = exprs if decider is None else (*exprs, decider)
        self._needs(whole, wanted, what, asked.source, asked.known)

    # ------------------------------------------------------------------------------------------------------- offers

    def _offer(self, offer: flow.AnyOffer, asked: _Asked) -> None:
        what = "what can be chosen"
        match offer:
            case ir.OfferActions(alternatives):
                for alternative in alternatives:
                    if alternative.action not in self.public.actions:
                        self._alternative(alternative, asked)
            case ir.OfferValues(binders):
                self._options(_exprs(binders), lambda one, other: _bound_alike(one, other, binders), what, asked)
            case ir.OfferSubset(low, high, domain):
                self._options((low, high, domain), self._equal(low, high, domain), what, asked)
            case ir.OfferShare(low, high, member, domain, at_most):
                self._options((low, high, domain), self._equal(low, high, domain), what, asked)
                if at_most is not None:
                    binder = Binder(member, domain)
                    claim = self._with_member(binder, at_most)
                    self._options((*_exprs((binder,)), at_most), claim, what, asked)
            case flow.OfferLines(_, tests):
                told = [test for test in tests if test is not None]
                self._options(told, self._equal(*told), what, asked)
            case _:
                assert_never(offer)

    def _with_member(self, binder: Binder, expr: Expr) -> Callable[[Reader, Reader], Term]:
        """That an expression is the same for each member of a set that is the same."""

        def claim(one: Reader, other: Reader) -> Term:
            there, _ = _member(one, other, binder)
            return implies(there, _alike(one, other, expr))

        return claim

    def _alternative(self, alternative: ir.Alternative, asked: _Asked) -> None:
        action = self.game.actions[alternative.action]
        if self._sees(alternative, action, frozenset(asked.known)):
            return
        loops = () if alternative.loop is None else (alternative.loop,)
        given = [argument for argument in alternative.arguments if argument is not None]

        def claim(one: Reader, other: Reader) -> Term:
            here, there = _members(one, other, loops)
            alike: list[Term] = []
            values: list[tuple[Value, Value]] = []
            for param, argument in zip(action.params, alternative.arguments, strict=True):
                if argument is None:
                    free = one.world.free(param.variable.name, param.variable.type, one.told)
                    values.append((free, free))
                else:
                    values.append((one.value(argument), other.value(argument)))
                    alike.append(same(*values[-1]))
            legal = and_(here, one.can(action, [value for value, _ in values]))
            legal_there = and_(there, other.can(action, [value for _, value in values]))
            return and_(iff(legal, legal_there), implies(legal, and_(*alike)))

        self._if_asked((*_exprs(loops), *given), claim, f"what {action.name} can do", asked)

    def _sees(self, alternative: ir.Alternative, action: ir.Action, own: frozenset[Variable]) -> bool:
        """Whether all that an alternative reads is plainly seen."""
        given = [argument for argument in alternative.arguments if argument is not None]
        loop = () if alternative.loop is None else _exprs((alternative.loop,))
        plain = all(self.seeing.sees_all(expr, own) for expr in (*loop, *given))
        return plain and self.seeing.sees_options(action, alternative.arguments, own)


def _parts_of(game: ir.Game, offer: flow.AnyOffer) -> Iterator[Sequence[Expr]]:
    """Expressions that say what may be chosen, as far as they have names of the rules."""
    match offer:
        case ir.OfferActions(alternatives):
            for alternative in alternatives:
                yield [argument for argument in alternative.arguments if argument is not None]
                yield () if alternative.loop is None else _exprs((alternative.loop,))
        case ir.OfferValues(binders):
            yield _exprs(binders)
        case ir.OfferSubset(low, high, domain):
            yield (low, high, domain)
        case ir.OfferShare(low, high, member, domain, at_most):
            yield (low, high, domain)
            yield () if at_most is None else (*_exprs((Binder(member, domain),)), at_most)
        case flow.OfferLines(_, tests):
            yield [test for test in tests if test is not None]
        case _:
            assert_never(offer)


def _exprs(binders: Iterable[Binder]) -> tuple[Expr, ...]:
    parts = ((binder.domain, binder.test, ir.Local(binder.variable)) for binder in binders)
    return tuple(part for three in parts for part in three if part is not None)


def _alike(one: Reader, other: Reader, expr: Expr) -> Term:
    """That an expression that is looked at has the same value at both positions, if the rules give one there."""
    given = and_(*one.certain(expr), *other.certain(expr))
    return implies(given, same(one.value(expr), other.value(expr)))


def _member(one: Reader, other: Reader, binder: Binder) -> tuple[Term, Term]:
    """Whether the value of a name is one that its binder allows, at both positions."""
    found = []
    for reader in (one, other):
        held = reader.set(binder.domain).member(reader.env[binder.variable])
        tested = YES if binder.test is None else reader.test(binder.test)
        found.append(and_(held, tested))
    return found[0], found[1]


def _members(one: Reader, other: Reader, binders: Iterable[Binder]) -> tuple[Term, Term]:
    pairs = [_member(one, other, binder) for binder in binders]
    return and_(*(here for here, _ in pairs)), and_(*(there for _, there in pairs))


def _bound_alike(one: Reader, other: Reader, binders: Iterable[Binder]) -> Term:
    """Whether the same values may be chosen."""
    return iff(*_members(one, other, binders))
