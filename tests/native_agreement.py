"""Plays of two back ends side by side: one stream of choices and outcomes, compared ply by ply.

At each node: the position (the native state decoded, against the slots of the interpreter's), who is asked, how many
options there are and which, what chance may give and with what probability. Options are matched by meaning, never by
number. An obligation that is not met must not be met on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from seaspec.backends.interpreter import errors
from seaspec.backends.interpreter.chance import Drawn, Rolled, Thrown
from seaspec.backends.interpreter.choices import PASS, Act, Line, Share, Subset, Values
from seaspec.backends.interpreter.state import FIRST, OUT, PC, RESULT, State
from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.machine import Machine, Option
from seaspec.core import flow, ir
from seaspec.game import Game

MANY = 400
"""Of more options than this only some are told one by one."""
SAMPLE = 40


@dataclass
class Tally:
    """What was compared."""

    plays: int = 0
    plies: int = 0
    options: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Obligations that were not met, in both back ends."""
    visits: dict[int, int] = field(default_factory=dict)


class Disagreement(AssertionError):
    pass


def compare_plays(game: Game, native: Machine, plays: int, seed: int, most_plies: int = 3000) -> Tally:
    """Random plays on both sides; raises `Disagreement` at the first difference."""
    tally = Tally()
    for number in range(plays):
        _compare_play(game, native, Random(f"{seed} {number}"), tally, most_plies)
        tally.plays += 1
    return tally


def compare_plies(game: Game, native: Machine, plies: int, seed: int) -> Tally:
    """The same, until so many plies have been compared."""
    tally = Tally()
    while tally.plies < plies:
        _compare_play(game, native, Random(f"{seed} {tally.plays}"), tally, max(1, plies - tally.plies))
        tally.plays += 1
    return tally


def _compare_play(game: Game, native: Machine, random: Random, tally: Tally, most_plies: int) -> None:
    ours = _attempt(game.machine.begin)
    theirs = _attempt(native.begin)
    for _ in range(most_plies):
        if isinstance(ours, errors.RuleError) or isinstance(theirs, RuleError):
            _same_failure(ours, theirs, tally)
            return
        _same_position(game, native, ours, theirs)
        node = game.machine.node(ours)
        tally.visits[ours.block] = tally.visits.get(ours.block, 0) + 1
        if not isinstance(node, flow.Decision) and not game.machine.is_chance(ours):
            if not isinstance(node, flow.Over):
                raise Disagreement(f"a play rests at {node}")
            return
        found = _attempt(lambda s=ours, t=theirs, n=node: _matched(game, native, s, t, n, random, tally))  # type: ignore[misc]
        if isinstance(found, errors.RuleError):
            return
        number, answer = found
        state = ours
        ours = _attempt(lambda s=state, a=answer: game.machine.step(s, a))  # type: ignore[misc]
        theirs = _attempt(lambda t=theirs, n=number: native.step(t, n))  # type: ignore[misc]
        tally.plies += 1


def _attempt(run: Any) -> Any:
    try:
        return run()
    except (errors.RuleError, RuleError) as error:
        return error


def _same_failure(ours: Any, theirs: Any, tally: Tally) -> None:
    if not isinstance(ours, errors.RuleError) or not isinstance(theirs, RuleError):
        raise Disagreement(f"only one side fails: interpreter {ours!s}; native {theirs!s}"[:600])
    tally.failures[theirs.message] = tally.failures.get(theirs.message, 0) + 1
    if str(ours.span) != str(theirs.span):
        raise Disagreement(f"both fail, but elsewhere: {ours.span}: {ours.message}; {theirs.span}: {theirs.message}")


def _same_position(game: Game, native: Machine, ours: State, theirs: bytes) -> None:
    wanted = ours.slots
    found = _slots(game, native, theirs)
    if wanted == found:
        return
    machine = game.machine
    names: dict[int, str] = {PC: "block", RESULT: "result", OUT: "out"}
    for families in (machine.layout.places, machine.layout.states):
        for name, family in families.items():
            names |= {slot: f"{name}{list(key)}" for key, slot in family.slots.items()}
    names |= {slot: f"variable {v.name}" for v, slot in machine.layout.frame.items()}
    wrong = [f"{names.get(i)}: {a!r} != {b!r}" for i, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b]
    raise Disagreement(f"at block {ours.block}: " + "; ".join(wrong))


def _slots(game: Game, native: Machine, state: bytes) -> tuple[Any, ...]:
    """A native state as the slots of the interpreter's."""
    layout = game.machine.layout
    position = native.position(state)
    slots: list[Any] = [None] * layout.size
    slots[PC], slots[RESULT], slots[OUT] = position.block, position.result, position.out
    slots[FIRST - 1] = ()
    for families, values in ((layout.places, position.places), (layout.states, position.states)):
        for name, family in families.items():
            for key, slot in family.slots.items():
                slots[slot] = values[name][key]
    for variable, slot in layout.frame.items():
        slots[slot] = position.frame.get(variable)
    return tuple(slots)


def _matched(
    game: Game, native: Machine, ours: State, theirs: bytes, node: Any, random: Random, tally: Tally
) -> tuple[int, Any]:
    """Compare what both sides offer; an option that both have, by its native number."""
    if isinstance(node, flow.Decision):
        return _matched_options(game, native, ours, theirs, node, random, tally)
    return _matched_outcomes(game, native, ours, theirs, node, random, tally)


def _matched_options(
    game: Game, native: Machine, ours: State, theirs: bytes, node: flow.Decision, random: Random, tally: Tally
) -> tuple[int, Any]:
    seat, other = game.machine.decider(ours), native.decider(theirs)
    if seat != other:
        raise Disagreement(f"{seat} is asked, or {other} is")
    options = game.machine.options(ours)
    count = native.count(theirs)
    if options.size != count:
        shown = [str(options[i]) for i in range(min(30, options.size))]
        told = [str(o) for o in native.options(theirs, range(min(30, count)))]
        raise Disagreement(f"{options.size} options at block {ours.block} ({node.menu}), or {count}\n{shown}\n{told}")
    numbers = range(count) if count <= MANY else sorted({random.randrange(count) for _ in range(SAMPLE)})
    found = {}
    for number, option in zip(numbers, native.options(theirs, numbers), strict=True):
        choice = _choice(option, node)
        try:
            found[options.position(choice)] = number, choice
        except errors.ChoiceError as error:
            raise Disagreement(f"{choice} is no option of the interpreter: {error}") from None
    if len(found) != len(numbers):
        raise Disagreement(f"{len(numbers)} options are only {len(found)} different ones")
    tally.options += len(numbers)
    return found[random.choice(sorted(found))]


def _matched_outcomes(
    game: Game, native: Machine, ours: State, theirs: bytes, node: Any, random: Random, tally: Tally
) -> tuple[int, Any]:
    outcomes = game.machine.outcomes(ours)
    count = native.count(theirs)
    if count > MANY:
        number = random.randrange(count)
        (option,) = native.options(theirs, [number])
        answer = _outcome(option, node)
        outcomes.canonical(answer)
        return number, answer
    told = native.options(theirs)
    listed = outcomes.weighted()
    weights = {_key(outcome): Fraction(weight) for outcome, weight in listed}
    total = sum(weights.values())
    native_total = sum(option.weight for option in told)
    found = {}
    for number, option in enumerate(told):
        answer = _outcome(option, node)
        key = _key(outcomes.canonical(answer))
        if key in found:
            raise Disagreement(f"{answer} is listed twice")
        if weights[key] / total != Fraction(option.weight, native_total):
            raise Disagreement(f"{answer} has the odds {weights[key] / total}, or {option.weight}/{native_total}")
        found[key] = number, answer
    if len(found) != len(listed):
        raise Disagreement(f"chance has {len(listed)} outcomes, or {len(found)}")
    tally.options += len(found)
    return found[random.choice(sorted(found))]


def _key(outcome: Any) -> str:
    return repr(outcome)


def _choice(option: Option, node: Any) -> Any:
    if option.is_pass:
        return PASS
    if option.action is not None:
        return Act(option.action, option.values)
    match node.offer:
        case ir.OfferValues():
            return Values(option.values)
        case ir.OfferSubset():
            return Subset(option.values[0])
        case ir.OfferShare():
            return Share(option.values[0])
        case flow.OfferLines():
            return Line(option.values[0])
    raise AssertionError(node.offer)


def _outcome(option: Option, node: Any) -> Any:
    match node:
        case flow.ChanceNode():
            return _choice(option, node)
        case flow.DrawNode():
            return Drawn(option.values[0])
        case flow.RollNode():
            return Rolled(option.values[0])
        case flow.ThrowNode():
            return Thrown(option.values[:-1], option.values[-1])
    raise AssertionError(node)
