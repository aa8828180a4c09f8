"""What stands at the table in the words of the rules: sentences with their values, what a question is about.

Names from the source stand only where the rules have no sentence, without their underscores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

from seaspec.analysis.reads import reads
from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.notation import NameOf, Notation
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.why import Eyes, evaluate
from seaspec.check.rules.telling import told_by_effects
from seaspec.core import flow, ir, types
from seaspec.core.show import UNSEEN, show_kind, show_value
from seaspec.core.types import Value
from seaspec.core.walk import free_variables
from seaspec.play import Play

Env = Mapping[ir.Variable, Value]


def sentence(machine: Machine, state: State, text: ir.Text, env: Env, name: NameOf | None = None) -> str | None:
    """A sentence with its values; None if one of them is not known here, or rests on what not all see.

    `name`: the names of pieces.
    """
    if not set(free_variables(text)) <= set(env) or not all(is_open(machine.game, part) for part in text.parts):
        return None
    look = machine.look(state)
    parts = []
    for part in text.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        value = env[part.variable] if isinstance(part, ir.Local) else evaluate(machine, look, part, dict(env))
        ty = part.type.of if isinstance(part.type, types.Optional) else part.type
        if name is not None and isinstance(ty, types.Pieces) and isinstance(value, int):
            parts.append(name(value))
        else:
            parts.append(show_value(value, part.type, machine.game))
    return "".join(parts)


def is_open(game: ir.Game, part: str | ir.Expr) -> bool:
    """Whether all see what a part of a sentence reads."""
    return isinstance(part, str) or _reads_open_things(game, part)


@cache
def _reads_open_things(game: ir.Game, expr: ir.Expr) -> bool:
    found = reads(game, expr)
    sights = [place.sight for name, place in game.places.items() if name in found.places]
    sights += [state.sight for name, state in game.states.items() if name in found.states]
    return not found.others and all(sight.all for sight in sights)


def act_told(machine: Machine, state: State, act: Act, name: NameOf | None = None) -> str | None:
    """What somebody does by an action, in a sentence; None if the rules have none."""
    action = machine.game.actions[act.action]
    if action.source.sentence is None:
        return None
    env = {param.variable: value for param, value in zip(action.params, act.arguments, strict=True)}
    return sentence(machine, state, action.source.sentence, env, name)


def asked_about(play: Play) -> str:
    """What a question is about: the sentence of the choice, of its menu, or of the procedure or action it stands in."""
    machine, state = play.game.machine, play.position
    node = machine.node(state)
    assert isinstance(node, flow.Decision)
    if node.source.sentence is not None:
        return Eyes(machine, machine.look(state), machine.decider(state)).read(node.source.sentence, {})
    menu = play.game.rules.menus.get(node.menu)
    if menu is not None:
        return _told(play, menu.name, menu.source, _values_of_menu(play, menu, node))
    procedure = play.game.rules.procedures.get(node.menu)
    if procedure is None:
        return spaced(node.menu)
    arguments = play.calls.get(node.menu, ())
    return _told(play, node.menu, procedure.source, dict(zip(procedure.params, arguments, strict=False)))


def _told(play: Play, name: str, source: ir.Source, env: Env) -> str:
    """A sentence, or a name with its values: `heave to: Boat 1`; with those alone that all know."""
    told = None
    hidden = hidden_names(play.game.rules)
    env = {v: value for v, value in env.items() if v not in hidden or isinstance(v.type, types.Pieces)}
    if source.sentence is not None:
        told = sentence(play.game.machine, play.position, source.sentence, env, partial(_seen_name, play))
    if told is not None:
        return told
    shown = [_shown(play, variable, value) for variable, value in env.items()]
    others = [value for value in shown if value != play.asked]
    return f"{spaced(name)} ({', '.join(others)})" if others else spaced(name)


@cache
def hidden_names(game: ir.Game) -> frozenset[ir.Variable]:
    """Names of the rules that may stand for what not all know."""
    return told_by_effects(game).unknown


def _shown(play: Play, variable: ir.Variable, value: Value) -> str:
    if isinstance(variable.type, types.Pieces) and isinstance(value, int):
        return _seen_name(play, value)
    return show_value(value, variable.type, play.game.rules)


def _seen_name(play: Play, piece: int) -> str:
    """The title of a piece, if the player who is asked sees it where it lies."""
    machine, state = play.game.machine, play.position
    seat = machine.decider(state)
    seen = seat is not None and machine.effects.sees(machine.look(state), state.where[piece], seat)
    return machine.game.pieces[piece].title if seen else UNSEEN


def _values_of_menu(play: Play, menu: ir.Menu, node: flow.Decision) -> Env:
    """The values that stand for the parameters of a menu where it is offered, of those that its actions get."""
    machine = play.game.machine
    look = machine.look(play.position)
    offered: Sequence[ir.Alternative] = node.offer.alternatives if isinstance(node.offer, ir.OfferActions) else ()
    if [one.action for one in offered] != [one.action for one in menu.alternatives]:
        return {}
    env: dict[ir.Variable, Value] = {}
    for declared, given in zip(menu.alternatives, offered, strict=True):
        for param, argument in zip(declared.arguments, given.arguments, strict=True):
            if isinstance(param, ir.Local) and argument is not None and param.variable in menu.params:
                env[param.variable] = machine.effects.value(look, argument)
    return {param: env[param] for param in menu.params if param in env}


def what_is_chosen(notation: Notation, offer: flow.AnyOffer) -> str:
    """What the values of a choice are: `a ship`, `a cell and a direction`; the name of a number."""
    return " and ".join(show_kind(variable, notation.game) for variable in flow.offer_variables(offer))


def spaced(name: str) -> str:
    """A name from the source as words."""
    return name.removeprefix("to ").replace("_", " ")
