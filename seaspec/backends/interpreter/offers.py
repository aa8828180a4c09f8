"""From an offer in the rules to its options at a position.

The legal arguments of an action are found by a generator written for it: nested loops over the parameters, each guard
judged as soon as the parameters it reads are bound. The parameters that make a guard judgeable come first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from math import prod
from typing import Any, assert_never

from seaspec.backends.interpreter.choices import (
    Act,
    Choice,
    Identity,
    Inner,
    Line,
    Listed,
    Shares,
    Subsets,
    Values,
    choice_signature,
)
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.expressions import Emitter, Program
from seaspec.backends.interpreter.look import Look
from seaspec.core import ir, types
from seaspec.core.flow import MOST_OPTIONS, MOST_TRIED, AnyOffer, OfferLines
from seaspec.core.ir import Expr, Variable
from seaspec.core.types import Type
from seaspec.core.walk import free_variables

Legal = Callable[..., Iterator[tuple[Any, ...]]]


class Offers:
    """The compiled offers of a game."""

    def __init__(self, program: Program, alike: Collection[int] = ()) -> None:
        self.program = program
        self.game = program.game
        self.identity = Identity(program.game, program.layout, alike)
        self.kinds: dict[str, tuple[Type, ...]] = {
            name: tuple(param.variable.type for param in action.params) for name, action in self.game.actions.items()
        }
        self._legal: dict[tuple[str, tuple[bool, ...]], Legal] = {}
        self._can: dict[tuple[str, tuple[bool, ...]], Callable[..., bool]] = {}
        program.getters["named"] = self.identity.named
        program.names["unlike"] = self.identity.unlike
        program.names["tried_too_much"] = _tried_too_much
        program.can = self.can

    def legal(self, action: str, given: tuple[bool, ...]) -> Legal:
        """A function of a look and the arguments given: all legal ways to fill in the others, as full tuples."""
        if (action, given) not in self._legal:
            self._legal[action, given] = self._write(self.game.actions[action], given)
        return self._legal[action, given]

    def can(self, action: str, given: tuple[bool, ...]) -> Callable[..., bool]:
        """Whether there is a legal way; a function of the same arguments."""
        if (action, given) not in self._can:

            def found(look: Look, *arguments: Any) -> bool:
                return any(True for _ in self.legal(action, given)(look, *arguments))

            self._can[action, given] = found
        return self._can[action, given]

    def options(self, offer: AnyOffer) -> Callable[[Look], Inner]:
        """A function from a look to the options (without passing)."""
        match offer:
            case ir.OfferActions(alternatives):
                return self._actions(alternatives)
            case ir.OfferValues(binders):
                return self._values(binders)
            case ir.OfferSubset(low, high, domain):
                return self._subset(low, high, domain)
            case ir.OfferShare():
                return self._share(offer)
            case OfferLines():
                return self._lines(offer)
            case _:
                assert_never(offer)

    def signature(self, look: Look, choice: Choice, kinds: dict[str, tuple[Type, ...]]) -> Any:
        return choice_signature(look, self.identity, choice, kinds)

    # ------------------------------------------------------------------------------------------------ actions

    def _actions(self, alternatives: Sequence[ir.Alternative]) -> Callable[[Look], Inner]:
        parts = [self._alternative(alternative) for alternative in alternatives]
        names = [alternative.action for alternative in alternatives]
        unlike = len(set(names)) == len(names) and all(alternative.loop is None for alternative in alternatives)

        def source(look: Look) -> Iterator[Choice]:
            seen = set()
            left = MOST_OPTIONS
            for name, part in zip(names, parts, strict=True):
                for act in part(look):
                    if not unlike:
                        signature = choice_signature(look, self.identity, act, self.kinds)
                        if signature in seen:
                            continue
                        seen.add(signature)
                    if not left:
                        raise _too_many().at(self.game.actions[name].source.span)
                    left -= 1
                    yield act

        judges = [self._judge(alternative) for alternative in alternatives]

        def allows(look: Look, choice: Choice) -> bool | None:
            verdicts = [judge(look, choice) for judge in judges]
            return True if True in verdicts else None if None in verdicts else False

        return lambda look: Listed(look, self.identity, source(look), self.kinds, allows)

    def _judge(self, alternative: ir.Alternative) -> Callable[[Look, Choice], bool | None]:
        """Whether a choice is one of an alternative, without listing them all; None: who knows."""
        params = self.game.actions[alternative.action].params
        given = [
            (place, self.program.compile(argument, (), alternative.action))
            for place, argument in enumerate(alternative.arguments)
            if argument is not None and alternative.loop is None
        ]

        def judge(look: Look, choice: Choice) -> bool | None:
            if not isinstance(choice, Act) or choice.action != alternative.action:
                return False
            if alternative.loop is not None or len(choice.arguments) != len(params):
                return None
            try:
                if any(choice.arguments[place] != argument(look) for place, argument in given):
                    return None  # perhaps another of identical pieces
                return self.can(alternative.action, (True,) * len(params))(look, *choice.arguments)
            except RuleError:
                return None

        return judge

    def _alternative(self, alternative: ir.Alternative) -> Callable[[Look], Iterator[Act]]:
        action = alternative.action
        legal = self.legal(action, tuple(argument is not None for argument in alternative.arguments))
        params = () if alternative.loop is None else (alternative.loop.variable,)
        given = [self.program.compile(a, params, action) for a in alternative.arguments if a is not None]
        members = None if alternative.loop is None else self._generator((alternative.loop,), "members")

        span = self.game.actions[action].source.span

        def acts(look: Look) -> Iterator[Act]:
            try:
                for loop in ((),) if members is None else members(look):
                    for arguments in legal(look, *[argument(look, *loop) for argument in given]):
                        yield Act(action, arguments)
            except RuleError as error:
                raise error.at(span) from None

        return acts

    def _write(self, action: ir.Action, given: tuple[bool, ...]) -> Legal:
        """The text of the generator, turned into a function."""
        params = action.params
        known = [param.variable for param, is_given in zip(params, given, strict=True) if is_given]
        emitter = Emitter(self.program, known)
        emitter.depth = 1
        ways = prod(types.size(p.variable.type) for p, is_given in zip(params, given, strict=True) if not is_given)
        lines: list[str] = ["    tried = 0"] if ways > MOST_TRIED else []
        guards = list(action.guards)
        bound = set(known)
        own = {param.variable for param in params}

        def judge(indent: str, leave: str) -> None:
            for guard in list(guards):
                exceptions = [test for test, _ in guard.exceptions]
                if own & set(free_variables(guard.test, *exceptions)) <= bound:
                    guards.remove(guard)
                    tests = " or ".join(emitter.expr(test) for test in (guard.test, *exceptions))
                    lines.append(f"{indent}if not ({tests}): {leave}")

        for param, is_given in zip(params, given, strict=True):
            if is_given:
                name = self.program.variable(param.variable)
                if param.domain is not None:
                    lines.append(f"    if {name} not in {emitter.iterable(param.domain)}: return")
                if param.test is not None:
                    lines.append(f"    if not {emitter.expr(param.test)}: return")
        indent = "    "
        judge(indent, "return")
        rest = [param for param, is_given in zip(params, given, strict=True) if not is_given]
        while rest:
            param = self._next(rest, bound, own, guards)
            rest.remove(param)
            members = self._members(emitter, param, bound)
            lines.append(f"{indent}for {self.program.variable(param.variable)} in {members}:")
            indent += " "
            bound.add(param.variable)
            emitter.bound.add(param.variable)
            if ways > MOST_TRIED:
                lines += [f"{indent}tried += 1", f"{indent}if tried > {MOST_TRIED}: tried_too_much({action.name!r})"]
            if param.test is not None:
                lines.append(f"{indent}if not {emitter.expr(param.test)}: continue")
            judge(indent, "continue")
        lines.append(f"{indent}yield ({''.join(self.program.variable(p.variable) + ', ' for p in params)})")
        return self.program.define(f"legal_{action.name}", emitter, "\n".join(lines))

    def _next(self, rest: list[ir.Param], bound: set[Variable], own: set[Variable], guards: list[ir.Guard]) -> ir.Param:
        """The parameter to bind next: one that makes most guards judgeable, else the first that can be bound."""

        def judged(param: ir.Param) -> int:
            known = bound | {param.variable}
            needs = [own & set(free_variables(g.test, *(test for test, _ in g.exceptions))) for g in guards]
            return sum(need <= known for need in needs)

        def ready(param: ir.Param) -> bool:
            nodes = [node for node in (param.domain, param.test) if node is not None]
            return own & set(free_variables(*nodes)) <= bound | {param.variable}

        return max((param for param in rest if ready(param)), key=judged)

    def _members(self, emitter: Emitter, param: ir.Param, bound: set[Variable]) -> str:
        ty = param.variable.type
        if param.domain is None:
            members = emitter.constant(tuple(types.values(ty)))
        else:
            members = emitter.iterable(param.domain)
        return self._one_of_each(members, ty, [v for v in bound if self._has_twins(v.type)])

    def _one_of_each(self, members: str, ty: Type, earlier: Sequence[Variable]) -> str:
        """Identical pieces once, where there may be any."""
        if not self._has_twins(ty):
            return members
        chosen = "".join(f"{self.program.variable(variable)}, " for variable in earlier)
        return f"unlike(c, {members}, ({chosen}))"

    def _has_twins(self, ty: Type) -> bool:
        inner = ty.of if isinstance(ty, types.Optional) else ty
        return isinstance(inner, types.Pieces) and not all(self.identity.twins.alone[i] for i in inner.members)

    # ------------------------------------------------------------------------------------------------- values

    def every(self, binders: Sequence[ir.Binder]) -> Legal:
        """All tuples of values that the binders allow, identical pieces as often as there are."""
        return self._generator(binders, "every", once=False)

    def _generator(self, binders: Sequence[ir.Binder], name: str, once: bool = True) -> Legal:
        """All tuples of values that the binders allow, identical pieces once."""
        emitter = Emitter(self.program)
        emitter.depth = 1
        lines: list[str] = []
        indent = "    "
        earlier: list[Variable] = []
        for binder in binders:
            variable = self.program.variable(binder.variable)
            members = emitter.iterable(binder.domain)
            if once and not binder.prefix:
                members = self._one_of_each(members, binder.variable.type, earlier)
            lines.append(f"{indent}for {variable} in {members}:")
            indent += " "
            emitter.bound.add(binder.variable)
            if binder.test is not None:
                lines.append(f"{indent}if not {emitter.expr(binder.test)}: {'break' if binder.prefix else 'continue'}")
            if self._has_twins(binder.variable.type):
                earlier.append(binder.variable)
        values = "".join(f"{self.program.variable(binder.variable)}, " for binder in binders)
        lines.append(f"{indent}yield ({values})")
        return self.program.define(name, emitter, "\n".join(lines))

    def _values(self, binders: Sequence[ir.Binder]) -> Callable[[Look], Inner]:
        generator = self._generator(binders, "values")
        kinds = {"": tuple(binder.variable.type for binder in binders)}

        def source(look: Look) -> Iterator[Choice]:
            for number, values in enumerate(generator(look)):
                if number == MOST_OPTIONS:
                    raise _too_many()
                yield Values(values)

        return lambda look: Listed(look, self.identity, source(look), kinds)

    def _subset(self, low: Expr, high: Expr, domain: Expr) -> Callable[[Look], Inner]:
        least, most = self.program.compile(low), self.program.compile(high)
        members = self.members(domain)
        of = types.member_type(domain.type)
        return lambda look: Subsets(look, self.identity, members(look), of, least(look), most(look))

    def _share(self, offer: ir.OfferShare) -> Callable[[Look], Inner]:
        least, most = self.program.compile(offer.low), self.program.compile(offer.high)
        members = self.members(offer.domain)
        of = offer.member.type
        bound = None if offer.at_most is None else self.program.compile(offer.at_most, (offer.member,))

        def options(look: Look) -> Inner:
            low, high, who = least(look), most(look), members(look)
            bounds = [high if bound is None else bound(look, member) for member in who]
            return Shares(look, self.identity, who, of, low, min(high, sum(bounds)), bounds)

        return options

    def _lines(self, offer: OfferLines) -> Callable[[Look], Inner]:
        tests = [None if test is None else self.program.compile(test) for test in offer.tests]
        left = self.program.layout.frame[offer.left]

        def source(look: Look) -> Iterator[Choice]:
            for number in look.s[left]:
                test = tests[number]
                if test is None or test(look):
                    yield Line(number)

        return lambda look: Listed(look, self.identity, source(look), {})

    def members(self, domain: Expr) -> Callable[[Look], tuple[Any, ...]]:
        """The members of a domain, as a tuple."""
        emitter = Emitter(self.program)
        text = f"tuple({emitter.iterable(domain)})"
        return self.program.define("members", emitter, f"    return {text}")


def _too_many() -> RuleError:
    return RuleError(f"there are more than {MOST_OPTIONS:,} options, each of its own")


def _tried_too_much(action: str) -> None:
    raise RuleError(f"more than {MOST_TRIED:,} ways to do {action} would have to be tried")
