"""Plays told in the author's sentences, for people; and made into saved plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from seaspec.backends.interpreter.chance import Drawn
from seaspec.backends.interpreter.choices import Act, Subset
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.log import Event, Moved
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation, sorted_names
from seaspec.backends.interpreter.state import State, contents
from seaspec.backends.interpreter.views import SeenPlace
from seaspec.backends.interpreter.why import evaluate
from seaspec.core import flow, ir
from seaspec.core.show import show_kind, show_value
from seaspec.sampling.watch import Found

if TYPE_CHECKING:
    from seaspec.game import Game
    from seaspec.play import Play


def steps(machine: Machine, found: Found, start: State | None = None) -> Iterator[str]:
    """What the players did, a line each; chance is told where its outcome is no hidden draw.

    `start`: from this position on. The last answer is told before it is done: the rules may fail there.
    """
    if not found.answers:
        return  # there may be no beginning, either
    state = machine.begin() if start is None else start
    for number, answer in enumerate(found.answers):
        if number:
            state = machine.step(state, found.answers[number - 1])
        line = line_of(machine, state, answer)
        if line is not None:
            yield line


def each_step(machine: Machine, answers: Sequence[Answer]) -> Iterator[str]:
    """A line for each answer and outcome, hidden ones too: of two plays that are told side by side."""
    state = machine.begin()
    for answer in answers:
        line, events = line_of(machine, state, answer), list[Event]()
        text = Notation(machine, state).text(answer)
        state = machine.step(state, answer, events)
        moved = next((event for event in events if isinstance(event, Moved)), None)
        if isinstance(answer, Drawn) and moved is not None:
            line = f"{text} is drawn to {machine.effects.slot_name(moved.target)}"
        yield line or text


def line_of(machine: Machine, state: State, answer: Answer) -> str | None:
    """An answer, or outcome, in words; None for what is not told: hidden draws, nothing chosen."""
    node = machine.node(state)
    if isinstance(node, flow.DrawNode):
        return None
    text = Notation(machine, state).text(answer)
    if not isinstance(node, flow.Decision):
        return f"chance: {text}"
    seat = machine.decider(state)
    player = "?" if seat is None else machine.game.players[seat]
    if isinstance(answer, Act):
        return _sentence(machine, state, answer) or f"{player}: {text}"
    if isinstance(answer, Subset) and not answer.members:
        return None
    return f"{player}, {node.menu}: {text}"


def _sentence(machine: Machine, state: State, act: Act) -> str | None:
    """The sentence of the action, its values filled in."""
    action = machine.game.actions[act.action]
    if action.source.sentence is None:
        return None
    env = {p.variable: value for p, value in zip(action.params, act.arguments, strict=True)}
    look = machine.look(state)
    parts = []
    for part in action.source.sentence.parts:
        if isinstance(part, str):
            parts.append(part)
        else:
            parts.append(show_value(evaluate(machine, look, part, env), part.type, machine.game))
    return "".join(parts)


def as_play(game: Game, found: Found) -> Play:
    """The play, to be looked at and saved. Where the rules fail at its last answer, it stops before that."""
    play = game.start(automatic=False)
    for answer in found.answers:
        try:
            if play.chance is not None:
                play.happen(answer)
            else:
                play.do(answer)  # type: ignore[arg-type]
        except RuleError:
            break
    return play


def begins(machine: Machine) -> bool:
    """Whether there is a first choice, or outcome of chance: else the rules fail before, or somebody is stuck."""
    try:
        machine.begin()
    except RuleError:
        return False
    return True


def is_at_first(machine: Machine, found: Found) -> bool:
    """Whether nobody has chosen anything in a play."""
    if not found.answers:
        return True
    states = accumulate(found.answers[:-1], machine.step, initial=machine.begin())
    return not any(isinstance(machine.node(state), flow.Decision) for state in states)


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A position as the author of the rules may see it: all hands open, piles that nobody sees by their sizes."""

    places: dict[str, SeenPlace]
    states: dict[str, str]


def open_table(machine: Machine, state: State) -> OpenTable:
    """All that anybody may see, by name."""
    game, look = machine.game, machine.look(state)
    places = {}
    for slot in machine.layout.place_slots:
        place, _ = machine.layout.place_of[slot]
        pieces = contents(place.order, state.slots[slot])
        titles = [game.pieces[piece].title for piece in pieces]
        shown = tuple(titles if place.order is ir.PlaceOrder.ROW or len(titles) < 2 else sorted_names(titles))
        seen = _is_seen(machine, look, slot)
        places[machine.effects.slot_name(slot)] = SeenPlace(shown if seen else None, len(pieces))
    states = {}
    for name, family in machine.layout.states.items():
        for slot in family.all_slots:
            states[machine.effects.slot_name(slot)] = show_value(state.slots[slot], game.states[name].type, game)
    return OpenTable(places, states)


def _is_seen(machine: Machine, look: Look, slot: int) -> bool:
    """Whether anybody sees what lies in a place now; who does may be worked out, and be nobody."""
    try:
        return bool(machine.effects.sight[slot](look))
    except RuleError:
        return False


def sentence_of(game: ir.Game, source: ir.Source) -> str:
    """The sentence of a promise, its constants filled in, else nothing."""
    if source.sentence is None:
        return ""
    return "".join(part if isinstance(part, str) else _constant(game, part) for part in source.sentence.parts)


def in_general(game: ir.Game, source: ir.Source) -> str:
    """The sentence of an action, of whomever and whatever: `a player lays a card in a cell`; else nothing."""
    said: list[str] = []
    for part in () if source.sentence is None else source.sentence.parts:
        text = part if isinstance(part, str) else ".."
        if isinstance(part, ir.Local):
            text = show_kind(part.variable, game)
            if text in said:
                text = f"another {text.partition(' ')[2]}"
        elif isinstance(part, ir.Const):
            text = show_value(part.value, part.type, game)
        said.append(text)
    return "".join(said)


def _constant(game: ir.Game, part: ir.Expr) -> str:
    if isinstance(part, ir.Const):
        return show_value(part.value, part.type, game)
    if isinstance(part, ir.Local):
        return part.variable.name
    return ".."
