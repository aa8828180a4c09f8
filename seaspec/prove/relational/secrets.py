"""Secrets for all positions: at positions that look alike to a player, the same is asked, with the same options.

For each choice that the rules offer, each player, and any two positions that this player sees alike (places and states
as `seen by` gives them, sizes unless `uncounted`; all else may be anything, reached by a play or not), with the same
values of the names of the rules: the same player is asked, and if it is this one, the same options are legal. What the
rules give away `openly` is left out as in the test on plays (secrets.py). What somebody has done in a joint choice that
still runs is taken as seen.

That is what proofs add to the rule of who may know (check/rules/knowledge.py), which judges each expression by the
things it names. The rest is left to that rule: what names stand for, that whether a choice is come to depends on what
all see alone. The log is made from events whose audience was settled when they happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from seaspec.backends.symbolic.logic.smtlib import Script
from seaspec.backends.symbolic.logic.terms import YES, Term, and_, eq, iff, implies, number
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.read.lookalike import lookalike
from seaspec.backends.symbolic.values.position import Position
from seaspec.backends.symbolic.values.sets import Value, same
from seaspec.backends.symbolic.values.world import World
from seaspec.check.rules.knowledge import is_known
from seaspec.core import flow, ir, types
from seaspec.core.ir import Binder, Expr, Source, Variable
from seaspec.prove.entail import Solver
from seaspec.prove.proof import Proof, Step
from seaspec.prove.relational.pairs import Second, Twins
from seaspec.prove.relational.sight import Seeing
from seaspec.prove.relational.symmetry import reachable
from seaspec.sampling.secrets import Public, public_of

SAID = "who is asked and the options, for all positions that look alike; the rest by the rule of who may know"
JOINT = "what others have done in a joint choice taken as seen"


class Leaking(Exception):
    """Something is not known to be the same at positions that look alike: what, and where."""

    def __init__(self, what: str, source: Source | None = None) -> None:
        super().__init__(what if source is None else f"{what} ({source.span})")


def kept_secret(
    graph: flow.Flow, secrets: Sequence[ir.Secret], solve: Solver, go_on: Callable[[], bool] = lambda: True
) -> tuple[dict[str, Proof], list[Step]]:
    """Try to prove that nobody learns what is hidden, wherever it is: what comes out for promises of secrets, and what
    a solver has found to follow for them."""
    said = f"{SAID}; {JOINT}" if _has_joint_choices(graph) else SAID
    try:
        if not is_known(graph.game):
            raise Leaking("the rule of who may know is not kept, or there are too many calls to see it")
        _sights(graph.game)
        scripts = [one for seat in range(len(graph.game.players)) for one in same_choices(graph, seat, solve, go_on)]
    except Leaking as error:
        return {secret.name: Proof(secret.name, False, str(error)) for secret in secrets}, []
    names = [secret.name for secret in secrets]
    steps = [Step(one, name) for name in names for one in scripts]
    return {name: Proof(name, True, said=said) for name in names}, steps


def same_choices(graph: flow.Flow, seat: int, solve: Solver, go_on: Callable[[], bool] = lambda: True) -> list[Script]:
    """Show that a player has the same choices at positions that look alike, else `Leaking`: what a solver has found to
    follow."""
    choices = _Choices(graph, seat, solve, go_on)
    for block in reachable(graph, graph.start):
        exit = graph.blocks[block].exit
        if isinstance(exit, flow.Decision):
            choices.look_at(exit)
    return list(choices.twins.scripts("what is the same at positions that look alike"))


def _sights(game: ir.Game) -> None:
    """Who sees what is known to all."""
    seeing = Seeing(game, frozenset())
    things: list[ir.Place | ir.State] = [*game.places.values(), *game.states.values()]
    for thing in things:
        if thing.sight.by is not None and not seeing.sees_all(thing.sight.by, frozenset()):
            raise Leaking(f"who sees {thing.name} depends on what not all see", thing.source)


def _has_joint_choices(graph: flow.Flow) -> bool:
    return any(isinstance(step, flow.Veil) for block in graph.blocks for step in block.steps)


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
        self.twins = Twins(graph, self._second, solve, go_on, may_fail=True)

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
        return lambda one, other: and_(*(same(one.value(expr), other.value(expr)) for expr in exprs))

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
            with one.given(who), other.given(who):
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
            return implies(there, same(one.value(expr), other.value(expr)))

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


def _exprs(binders: Iterable[Binder]) -> tuple[Expr, ...]:
    parts = ((binder.domain, binder.test, ir.Local(binder.variable)) for binder in binders)
    return tuple(part for three in parts for part in three if part is not None)


def _member(one: Reader, other: Reader, binder: Binder) -> tuple[Term, Term]:
    """Whether the value of a name is one that its binder allows, at both positions."""
    found = []
    for reader in (one, other):
        held = reader.set(binder.domain).member(reader.env[binder.variable])
        with reader.given(held):
            tested = YES if binder.test is None else reader.test(binder.test)
        found.append(and_(held, tested))
    return found[0], found[1]


def _members(one: Reader, other: Reader, binders: Iterable[Binder]) -> tuple[Term, Term]:
    pairs = [_member(one, other, binder) for binder in binders]
    return and_(*(here for here, _ in pairs)), and_(*(there for _, there in pairs))


def _bound_alike(one: Reader, other: Reader, binders: Iterable[Binder]) -> Term:
    """Whether the same values may be chosen."""
    return iff(*_members(one, other, binders))
