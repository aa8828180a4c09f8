"""Why something may not be done: each reason with the sentence of the rules that forbids it, its values and clauses.

Whoever asks is told no more than this player sees: what a sentence or a side of a comparison reads beside is a `?`, or
left out. Whoever is not asked for the action hears nothing of guards that read what this player does not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import Family, State
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.show import UNSEEN, render, show_expr, show_value
from seaspec.core.types import Value
from seaspec.core.walk import children, free_variables, substitute
from seaspec.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that stands against an action. `guard`: its name, if it is a guard of the rules.

    `values`: parts of the test as they are written, with their values: `("price(card.number, cell)", "7")`.
    """

    text: str
    guard: str | None = None
    values: tuple[tuple[str, str], ...] = ()
    cites: tuple[str, ...] = ()
    span: Span = NOWHERE

    def __str__(self) -> str:
        values = f" ({', '.join(f'{name} = {value}' for name, value in self.values)})" if self.values else ""
        cites = f" [{', '.join(self.cites)}]" if self.cites else ""
        return f"{self.text}{values}{cites}"


Env = dict[Variable, Value]


def why_not(machine: Machine, state: State, seat: int, action: str, arguments: Sequence[Value]) -> tuple[Reason, ...]:
    """What stands against a player's doing an action with these arguments (all of them, the player too) now."""
    reasons = reasons_of_turn(machine, state, seat, action)
    look = machine.look(state)
    rules = machine.game.actions[action]
    env: Env = {}
    is_asked = not reasons
    eyes = Eyes(machine, look, seat, hears=is_asked)
    for param, value in zip(rules.params, arguments, strict=True):
        env[param.variable] = value
        outside = _outside(machine, look, param, env)
        if outside is not None and eyes.see((param.domain, param.test), env):
            reasons.append(outside)
    if any(not _in_type(value, variable.type) for variable, value in env.items()):
        return tuple(reasons)
    for guard in rules.guards:
        tests = [guard.test, *(test for test, _ in guard.exceptions)]
        if not eyes.see(tests, env):
            if is_asked and not _is_offered(machine, state, action, arguments):
                reasons.append(Reason(f"you do not see whether {guard.name} holds", guard.name, span=guard.source.span))
            continue
        try:
            if any(evaluate(machine, look, test, env) for test in tests):
                continue
        except RuleError as error:
            reasons.append(Reason(f"that can not even be asked: {error.message}", guard.name, span=guard.source.span))
            continue
        reasons.append(_forbidden(eyes, guard, env))
    return tuple(reasons)


def _is_offered(machine: Machine, state: State, action: str, arguments: Sequence[Value]) -> bool:
    try:
        machine.options(state).canonical(Act(action, tuple(arguments)))
    except ChoiceError:
        return False
    return True


def reasons_of_turn(machine: Machine, state: State, seat: int, action: str) -> list[Reason]:
    """What stands against any way for a player to do an action now: somebody else is asked, or for something else."""
    if state.result is not None:
        return [Reason("the game is over")]
    node = machine.node(state)
    decider = machine.decider(state)
    if not isinstance(node, flow.Decision):
        return [Reason("nobody is asked now")]
    if decider != seat:
        if node.secretly or decider is None:
            return [Reason("you are not asked now")]
        return [Reason(f"it is not your turn: {machine.game.players[decider]} is asked")]
    if action not in [launch.action for launch in node.launches]:
        offered = " or ".join(dict.fromkeys(launch.action for launch in node.launches)) or "something else"
        return [Reason(f"{action} is not on the menu here: you are asked for {offered}")]
    return []


def _outside(machine: Machine, look: Look, param: ir.Param, env: Env) -> Reason | None:
    """Whether an argument may be chosen at all."""
    value = env[param.variable]
    shown = show_value(value, param.variable.type, machine.game)
    if not _in_type(value, param.variable.type):
        return Reason(f"{shown} can not be the {param.variable.name}")
    try:
        if param.domain is not None:
            members = evaluate(machine, look, param.domain, env)
            among = members if isinstance(param.domain.type, types.SetOf) else (members,)
            if value not in among:
                return Reason(f"{shown} is not in {_written(machine, param.domain, env)}")
        if param.test is not None and not evaluate(machine, look, param.test, env):
            return Reason(f"{shown} can not be chosen: {_written(machine, param.test, env)} does not hold")
    except RuleError as error:
        return Reason(f"{shown} can not be chosen: {error.message}", span=error.span)
    return None


def _forbidden(eyes: Eyes, guard: ir.Guard, env: Env) -> Reason:
    """A guard that fails, with the witness that its sentence may name."""
    found = {**env, **_witness(eyes, guard.test, env)}
    sentence = guard.source.sentence
    text = f"{guard.name} does not hold" if sentence is None else eyes.read(sentence, found)
    return Reason(text, guard.name, _parts(eyes, guard.test, found), guard.source.cites, guard.source.span)


def _witness(eyes: Eyes, test: Expr, env: Env) -> Env:
    """The first way to bind the names of a failing `every`, or of the `some` in a failing `no`."""
    machine, look = eyes.machine, eyes.look
    match test:
        case ir.Apply(_, Op.NOT, (ir.Fold(_, FoldKind.SOME, binders, body),)):
            return first_witness(machine, look, binders, body, env, True) or {}
        case ir.Fold(_, FoldKind.EVERY, binders, body):
            return first_witness(machine, look, binders, body, env, False) or {}
        case ir.Apply(_, Op.AND, arguments):
            for argument in arguments:
                if not evaluate(machine, look, argument, env):
                    return _witness(eyes, argument, env)
            return {}
        case ir.LetIn(variable, value, body):
            return _witness(eyes, body, {**env, variable: evaluate(machine, look, value, env)})
        case ir.Openly(inner):
            return _witness(eyes, inner, env) if eyes.see(inner, env) else {}
        case _:  # cautious: no name is explained; the verdict is reached already
            return {}


def first_witness(
    machine: Machine, look: Look, binders: Sequence[ir.Binder], body: Expr, env: Env, wanted: bool
) -> Env | None:
    """The first way to bind names for which a test holds (or, not `wanted`, fails); None if there is none."""
    if not binders:
        return {} if bool(evaluate(machine, look, body, env)) is wanted else None
    binder, *rest = binders
    members: Any = evaluate(machine, look, binder.domain, env)
    if isinstance(binder.domain.type, types.Optional):
        members = () if members is None else (members,)
    for member in members:
        inner = {**env, binder.variable: member}
        if binder.test is not None and not evaluate(machine, look, binder.test, inner):
            if binder.prefix:
                return None
            continue
        found = first_witness(machine, look, rest, body, inner, wanted)
        if found is not None:
            return {binder.variable: member} | found
    return None


def parts(machine: Machine, look: Look, test: Expr, env: Env) -> tuple[tuple[str, str], ...]:
    """The sides of a comparison that fails, with their values."""
    return _parts(Eyes(machine, look, None), test, env)


def _parts(eyes: Eyes, test: Expr, env: Env) -> tuple[tuple[str, str], ...]:
    machine, look = eyes.machine, eyes.look
    match test:
        case ir.Apply(_, Op.NOT, (inner,)):
            return _parts(eyes, inner, env)
        case ir.Openly(inner):
            return _parts(eyes, inner, env) if eyes.see(inner, env) else ()
        case ir.LetIn(variable, value, body):
            return _parts(eyes, body, env | {variable: evaluate(machine, look, value, env)})
        case ir.Apply(_, op, sides) if op in COMPARISONS:
            known = [s for s in sides if not isinstance(s, ir.Const) and set(free_variables(s)) <= set(env)]
            told = [(_part(machine, s, env), _value(machine, look, s, env)) for s in known]
            return tuple((part, value) for part, value in told if part != value)
        case _:  # cautious: no side is shown; the verdict is reached already
            return ()


COMPARISONS = {Op.EQUAL, Op.UNEQUAL, Op.LESS, Op.AT_MOST, Op.MORE, Op.AT_LEAST}


def _value(machine: Machine, look: Look, expr: Expr, env: Env) -> str:
    return show_value(evaluate(machine, look, expr, env), expr.type, machine.game)


def _part(machine: Machine, expr: Expr, env: Env) -> str:
    """A side of a comparison: a name stands for itself, in all else the values of names are filled in."""
    return expr.variable.name if isinstance(expr, ir.Local) else _written(machine, expr, env)


def _written(machine: Machine, expr: Expr, env: Env) -> str:
    """An expression as it is written, with the values of the names that are known."""
    known: dict[Variable, Expr] = {variable: ir.Const(variable.type, value) for variable, value in env.items()}
    return show_expr(substitute(expr, known), machine.game)


def sentence_text(machine: Machine, look: Look, text: ir.Text, env: Env) -> str:
    """A sentence with names bound in `env` or in the frame."""
    return render(text, lambda expr: evaluate(machine, look, expr, env), machine.game)


@dataclass(frozen=True, slots=True)
class Eyes:
    """What a player (None: somebody who sees all) sees of a position. `hears`: what is asked `openly` is said now."""

    machine: Machine
    look: Look
    seat: int | None
    hears: bool = True
    within: list[tuple[str, tuple[tuple[Variable, Any], ...]]] = field(default_factory=list)
    """The defines that are being looked into."""

    def read(self, text: ir.Text, env: Env) -> str:
        """A sentence with names bound in `env` or in the frame; `?` for what this player does not see."""
        told: list[str] = []
        for part in text.parts:
            seen = isinstance(part, str) or self.see(part, env)
            told.append(sentence_text(self.machine, self.look, ir.Text((part,)), env) if seen else UNSEEN)
        return "".join(told)

    def see(self, node: object, env: Env) -> bool:
        """Whether this player sees all that is read there. Names are known."""
        game = self.machine.game
        match node:
            case _ if self.seat is None:
                return True
            case ir.Openly() if self.hears:
                return True
            case ir.Apply(_, Op.SIZE, (ir.PlaceRead(_, place, indices),)) if not game.places[place].uncounted:
                return self.see(indices, env)
            case ir.Apply(_, Op.SPOT):
                rows = [place for place in game.places.values() if place.order is ir.PlaceOrder.ROW]
                return all(row.sight.all for row in rows) and self._parts(node, env)
            case ir.StateRead(_, name, indices):
                return self._instance(self.machine.layout.states[name], indices, env) and self.see(indices, env)
            case ir.PlaceRead(_, name, indices):
                return self._instance(self.machine.layout.places[name], indices, env) and self.see(indices, env)
            case ir.Everywhere(_, name) | ir.WhereIs(_, name):
                return self._all(self.machine.layout.places[name]) and self._parts(node, env)
            case ir.Call(_, name, arguments):
                return self.see(arguments, env) and self._body(name, self._given(name, arguments, env))
            case ir.Can(_, name):
                action = game.actions[name]
                tests = [(param.domain, param.test) for param in action.params]
                return self._parts(node, env) and self.see((tests, action.guards), {})
            case _:  # cautious: it is seen if all its parts are
                return self._parts(node, env)

    def _parts(self, node: object, env: Env) -> bool:
        if node is None or isinstance(node, ir.Source):
            return True
        return all(self.see(part, env) for part in (node if isinstance(node, tuple | list) else children(node)))

    def _body(self, name: str, given: Env) -> bool:
        """What is read where a define is worked out; of one that calls itself alike, once."""
        call = name, tuple(given.items())
        if call in self.within:
            return True
        self.within.append(call)
        try:
            return self.see(self.machine.game.functions[name].body, given)
        finally:
            self.within.pop()

    def _given(self, name: str, arguments: Sequence[Expr], env: Env) -> Env:
        """The parameters of a define whose values are known."""
        pairs = zip(self.machine.game.functions[name].params, arguments, strict=True)
        found = {variable: self._known(argument, env) for variable, argument in pairs}
        return {variable: value[0] for variable, value in found.items() if value}

    def _known(self, expr: Expr, env: Env) -> tuple[Any, ...]:
        """The value of an expression, if its names have one; what the rules would not come to may have none."""
        if not set(free_variables(expr)) <= set(env):
            return ()
        try:
            return (evaluate(self.machine, self.look, expr, env),)
        except RuleError:
            return ()

    def _instance(self, family: Family, indices: Sequence[Expr], env: Env) -> bool:
        """Whether an entry is seen; if it is not known which one, all of them."""
        known = [self._known(index, env) for index in indices]
        if not all(known):
            return self._all(family)
        slot = family.slots.get(tuple(value for (value,) in known))
        return slot is None or self._sees(slot)

    def _all(self, family: Family) -> bool:
        return all(map(self._sees, family.all_slots))

    def _sees(self, slot: int) -> bool:
        return self.seat is None or self.machine.effects.sees(self.look, slot, self.seat)


def evaluate(machine: Machine, look: Look, expr: Expr, env: Env) -> Any:
    """The value of an expression; LookupError if it reads a name that is bound nowhere."""
    key = id(expr), tuple(env)
    kept = machine.evaluated.get(key)
    if kept is None:
        kept = machine.evaluated[key] = expr, machine.program.compile(expr, tuple(env), "asked")
    return kept[1](look, *env.values())


def _in_type(value: Value, ty: types.Type) -> bool:
    if isinstance(ty, types.SetOf | types.Map | types.Fraction):
        return True
    return value in tuple(types.values(ty))
