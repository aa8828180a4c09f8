"""Answers as examples write them, and which options of a decision they mean.

An answer has a form (an action, a value, a set, shares, a pass). A decision is the one that is meant if it asks the
right player for that form; then the answer means one option, or several if it leaves something open, or none: it is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from seaspec.backends.interpreter.choices import (
    PASS,
    Act,
    Choice,
    Options,
    Share,
    Shares,
    Subset,
    Subsets,
    Values,
)
from seaspec.backends.interpreter.errors import ChoiceError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.why import Reason, evaluate, why_not
from seaspec.core import flow, ir, types
from seaspec.core.types import Value
from seaspec.examples.positions import Env

Argument = ir.Expr | ir.PieceArgument | None


def fits(machine: Machine, state: State, answer: ir.AnyAnswer) -> bool:
    """Whether a decision asks for an answer of this form (whoever is asked)."""
    node = machine.node(state)
    if not isinstance(node, flow.Decision):
        return False
    match answer:
        case ir.ActionAnswer(action):
            return any(launch.action == action for launch in node.launches)
        case ir.PassAnswer():
            return node.passing is not None
        case ir.ShareAnswer():
            return isinstance(node.offer, ir.OfferShare)
        case ir.SetAnswer(members):
            if isinstance(node.offer, ir.OfferValues):
                return len(node.offer.binders) == len(members)
            return isinstance(node.offer, ir.OfferSubset)
        case _:  # cautious: an expression or a piece: one value is chosen
            if isinstance(node.offer, ir.OfferValues):
                return len(node.offer.binders) == 1
            return isinstance(node.offer, ir.OfferSubset)


def meant(machine: Machine, state: State, answer: ir.AnyAnswer, env: Env) -> list[Choice]:
    """The options that an answer means."""
    options = machine.options(state)
    match answer:
        case ir.PassAnswer():
            return [PASS] if options.passing else []
        case ir.ActionAnswer():
            return list(_acts(machine, state, options, answer, env))
        case ir.ShareAnswer(parts):
            return _share(machine, state, options, parts, env)
        case ir.SetAnswer(members):
            if isinstance(options.inner, Subsets):
                return _subset(machine, state, options, members, env)
            return _values(machine, state, options, members, env)
        case _:  # cautious: an expression or a piece: one value is chosen
            if isinstance(options.inner, Subsets):
                return _subset(machine, state, options, (answer,), env)
            return _values(machine, state, options, (answer,), env)


def refusals(machine: Machine, state: State, seat: int, answer: ir.ActionAnswer, env: Env) -> list[Reason]:
    """What stands against an action: of all the ways to read it, the one with the fewest reasons."""
    action = machine.game.actions[answer.action]
    ways: list[tuple[Value, ...]] = [()]
    for argument, param in zip(answer.arguments, action.params, strict=True):
        values = _candidates(machine, state, argument, param.variable.type, env, seat)
        ways = [(*way, value) for way in ways for value in values][:1000]
    found = [list(why_not(machine, state, seat, answer.action, way)) for way in ways]
    return min(found, key=len, default=[])


def _candidates(
    machine: Machine, state: State, argument: Argument, ty: types.Type, env: Env, seat: int
) -> Sequence[Value]:
    if isinstance(argument, ir.PieceArgument):
        return argument.candidates
    if argument is None:
        return () if isinstance(ty, types.SetOf) else tuple(types.values(ty))
    if isinstance(argument.type, types.Never):
        return (seat,)
    return (evaluate(machine, machine.look(state), argument, env),)


def _acts(machine: Machine, state: State, options: Options, answer: ir.ActionAnswer, env: Env) -> Iterator[Choice]:
    wanted = [
        None if argument is None or _nobody(argument) else _matcher(machine, state, argument, env)
        for argument in answer.arguments
    ]
    for option in options:
        if isinstance(option, Act) and option.action == answer.action:
            pairs = zip(wanted, option.arguments, strict=True)
            if all(test is None or test(value) for test, value in pairs):
                yield option


def _nobody(argument: Argument) -> bool:
    """Answers that name no player stand for whoever is asked."""
    return not isinstance(argument, ir.PieceArgument | None) and isinstance(argument.type, types.Never)


def _matcher(machine: Machine, state: State, argument: ir.Expr | ir.PieceArgument, env: Env) -> Any:
    """A test whether a value is what an argument means; identical pieces are the same."""
    if isinstance(argument, ir.PieceArgument):
        members = frozenset(argument.candidates)
        return lambda value: value in members
    look = machine.look(state)
    wanted = evaluate(machine, look, argument, env)
    if isinstance(argument.type, types.Pieces) and wanted is not None:
        key = machine.identity.key(look, wanted)
        return lambda value: value == wanted or (value is not None and machine.identity.key(look, value) == key)
    return lambda value: value == wanted


def asked_for(machine: Machine, state: State) -> str:
    """What is asked at a state, in words; "" if nothing is."""
    node = machine.node(state)
    if not isinstance(node, flow.Decision):
        return ""
    seat = machine.decider(state)
    who = "nobody" if seat is None else machine.game.players[seat]
    actions = list(dict.fromkeys(launch.action for launch in node.launches))
    if actions:
        return f"{who} is asked for an action, so the answer is one: {' or '.join(f'{act}(..)' for act in actions)}"
    what = {ir.OfferSubset: "a set", ir.OfferShare: "shares"}.get(type(node.offer), "a value")
    return f"{who} is asked for {what}"


def _values(machine: Machine, state: State, options: Options, parts: Sequence[Any], env: Env) -> list[Choice]:
    tests = [_member_test(machine, state, part, env) for part in parts]
    return [
        option
        for option in options
        if isinstance(option, Values)
        and len(option.values) == len(tests)
        and all(test(value) for test, value in zip(tests, option.values, strict=True))
    ]


def _member_test(machine: Machine, state: State, part: Any, env: Env) -> Any:
    if isinstance(part, ir.SomePieces):
        candidates = frozenset(evaluate(machine, machine.look(state), part.candidates, env))
        return lambda value: value in candidates
    return _matcher(machine, state, part, env)


def _subset(machine: Machine, state: State, options: Options, parts: Sequence[Any], env: Env) -> list[Choice]:
    """A set of members that may be chosen there, described or named."""
    assert isinstance(options.inner, Subsets)
    free = [member for group in options.inner.groups for member in group]
    chosen: list[Any] = []
    for part in parts:
        number = part.number if isinstance(part, ir.SomePieces) else 1
        test = _member_test(machine, state, part, env)
        named = _whole_set(machine, state, part, env)
        if named is not None:
            number, test = len(named), named.__contains__
        found = [member for member in free if test(member)][:number]
        if len(found) < number:
            return []
        chosen.extend(found)
        free = [member for member in free if member not in found]
    return _option(options, Subset(tuple(sorted(chosen))))


def _whole_set(machine: Machine, state: State, part: Any, env: Env) -> tuple[Any, ...] | None:
    """The members, if the part is itself a set."""
    if isinstance(part, ir.SomePieces | ir.PieceArgument) or not isinstance(part.type, types.SetOf):
        return None
    return tuple(evaluate(machine, machine.look(state), part, env))


def _share(
    machine: Machine, state: State, options: Options, parts: Sequence[tuple[ir.Expr, Any]], env: Env
) -> list[Choice]:
    if not isinstance(options.inner, Shares):
        return []
    gift = [0] * len(options.inner.keys)
    free = list(options.inner.members)
    for number, who in parts:
        test = _matcher(machine, state, who, env)
        member = next((m for m in free if test(m)), None)
        if member is None:
            return []
        free.remove(member)
        gift[options.inner.keys[member]] = int(evaluate(machine, machine.look(state), number, env))
    return _option(options, Share(tuple(gift)))


def _option(options: Options, choice: Choice) -> list[Choice]:
    try:
        return [options.canonical(choice)]
    except ChoiceError:
        return []
