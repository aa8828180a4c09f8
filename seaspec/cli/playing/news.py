"""What has happened since a player was asked last, as lines that people read.

In: the steps of a play, and who looks. Out: what this player has noticed of them, in order: choices in the sentences of
the rules, throws by the names of their dice, moves, changes of states that outlast a procedure, and whose turn begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from seaspec.backends.interpreter.chance import Rolled, Thrown
from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import Attention, event_text
from seaspec.cli.playing.wording import act_told, sentence, spaced
from seaspec.core import flow, ir, types
from seaspec.core.show import UNSEEN, show_briefly, show_value
from seaspec.core.types import Value
from seaspec.core.walk import walk
from seaspec.drawing.names import is_player, name_of, title_of
from seaspec.play import Begun, Play


def news(play: Play, player: str, first: int) -> list[str]:
    """What a player has noticed of the steps of a play from this one on."""
    seat = play.game.players.index(player)
    return condensed(list(_lines(play, seat, first)))


def _lines(play: Play, seat: int, first: int) -> Iterator[str]:
    machine, steps = play.game.machine, play.steps
    attention = Attention()
    before: State | None = None  # the table as it was told last; none before anybody has chosen
    for number, ((state, events), begun) in enumerate(zip(steps, play.begun, strict=True)):
        is_new = number >= first
        turns = _turns(play, number, begun) if is_new else []
        said = ""
        for place in range(len(events) + 1):
            for turn in turns:
                if turn.place == place:
                    if before is not None and turn.table is not None and not attention.veiled:
                        yield from _changes(machine, before, turn.table, seat, said)
                        before = turn.table
                    yield f"-- {turn.player}'s turn --"
            if place == len(events):
                break
            heard, attention = attention.after((state, (events[place],)), seat)
            if isinstance(events[place], Answered) and before is None:
                before = state
            for at, event in heard:
                line = _event_line(machine, at, event, seat)
                said += f"{line} "
                if is_new and line is not None:
                    yield line
        if before is None or attention.veiled:
            continue
        after = steps[number + 1][0] if number + 1 < len(steps) else play.position
        if is_new:
            yield from _changes(machine, before, after, seat, said)
        before = after
    if play.is_over:  # at the end nothing is veiled
        yield from (line for at, one in attention.waiting if (line := _event_line(machine, at, one, seat)) is not None)


# --------------------------------------------------------------------------------------------------------------- turns


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn begins at this place among the events of a step; `table`: how the table is then, if that is known."""

    place: int
    player: str
    table: State | None


def _turns(play: Play, number: int, begun: Sequence[Begun]) -> list[_Turn]:
    """The turns that begin in a step."""
    machine = play.game.machine
    procedures = turn_procedures(machine.game)
    found = [one for one in begun if one.procedure in procedures]
    tables: list[State | None] = [None] * len(found)
    if found and number > 0:
        watch = _Tables(procedures)
        machine.step(play.steps[number][0], play.history[number - 1].answer, None, watch)
        tables = list(watch.tables)
    turns = []
    for one, table in zip(found, tables, strict=True):
        seat = one.arguments[procedures[one.procedure]]
        assert isinstance(seat, int)
        turns.append(_Turn(one.before, machine.game.players[seat], table))
    return turns


class _Tables:
    """Watches a step, and keeps the table as it is when one of some procedures begins."""

    def __init__(self, procedures: Container[str]) -> None:
        self.tables: list[State] = []
        self._procedures = procedures

    def begin(self, procedure: str, look: Look) -> None:
        if procedure in self._procedures:
            self.tables.append(State(tuple(look.s), tuple(look.w)))

    def finish(self, procedure: str, look: Look) -> None:
        pass


@cache
def turn_procedures(game: ir.Game) -> dict[str, int]:
    """The procedures that `play` has done for each player in turn, and which of their parameters is the player."""
    found: dict[str, int] = {}
    done: set[str] = set()
    waiting = [ir.PLAY]
    while waiting:
        name = waiting.pop()
        procedure = game.procedures.get(name)
        if name in done or procedure is None:
            continue
        done.add(name)
        calls, turns = _called((*procedure.before, *procedure.body, *procedure.after))
        found |= turns
        waiting += calls
    return found


def _called(body: Sequence[ir.Stmt]) -> tuple[list[str], dict[str, int]]:
    """What is called where no player has a turn yet; and what is called for each player."""
    calls: list[str] = []
    turns: dict[str, int] = {}
    for statement in body:
        match statement:
            case ir.Do(procedure):
                calls.append(procedure)
            case ir.Repeat():
                inner, more = _called(statement.body)
                calls += inner
                turns |= more
            case ir.ForEach(variable) if is_player(variable.type):
                turns |= dict(_with(statement.body, variable))
            case _:  # cautious: words alone: nobody is said to have a turn there
                pass
    return calls, turns


def _with(body: Sequence[ir.Stmt], player: ir.Variable) -> Iterator[tuple[str, int]]:
    for statement in body:
        if isinstance(statement, ir.Do) and ir.Local(player) in statement.arguments:
            yield statement.procedure, statement.arguments.index(ir.Local(player))


# -------------------------------------------------------------------------------------------------------------- events


def _event_line(machine: Machine, state: State, event: Event, seat: int) -> str | None:
    """An event as a player notices it; None if he does not."""
    match event:
        case Answered(player, Act() as act, _, hidden, unnoticed, shown) if player == seat or not (hidden or unnoticed):
            seen = shown[seat]
            titles = machine.game.pieces
            told = act_told(machine, state, act, lambda piece: titles[piece].title if piece in seen else UNSEEN)
            name = machine.game.players[player]
            if told is not None:
                return told if name in told else f"{name}: {told}"
        case Happened(Thrown() | Rolled(), block) if event.seen_by(seat):
            return _dice(machine, state, event, machine.flow.blocks[block].exit)
        case Moved():
            return _moved(machine, event, seat)
        case _:
            pass
    return event_text(machine, state, event, seat)


def _dice(machine: Machine, state: State, event: Happened, node: flow.Exit) -> str:
    """What was rolled, by the names of the rolls, with the sentence of the chance."""
    if isinstance(node, flow.RollNode) and isinstance(event.outcome, Rolled):
        return f"dice: {spaced(node.variable.name)} {event.outcome.total}"
    assert isinstance(node, flow.ThrowNode) and isinstance(event.outcome, Thrown)
    rule = machine.game.chances[node.chance]
    look = machine.look(state)
    env = {param: machine.effects.value(look, value) for param, value in zip(rule.params, node.arguments, strict=True)}
    text = rule.source.sentence
    told = None if text is None else sentence(machine, state, text, env)
    names = [
        spaced(roll.variable.name) for statement in rule.body for roll in walk(statement) if isinstance(roll, ir.Roll)
    ]
    totals = [str(total) for total in event.outcome.totals]
    if len(names) == len(totals):
        totals = [f"{name} {total}" for name, total in zip(names, totals, strict=True)]
    return f"{told or spaced(node.chance)}: {', '.join(totals)}"


def _moved(machine: Machine, event: Moved, seat: int) -> str | None:
    """Pieces that move, as event_text tells it, but places by their titles, and cells of one board by themselves."""
    (origin, left), (target, come) = (machine.layout.place_of[slot] for slot in (event.origin, event.target))
    if (origin.uncounted and seat not in event.seen_leaving) or (target.uncounted and seat not in event.seen_coming):
        ends = [
            UNSEEN if place.uncounted and seat not in seers else title_of(machine.game, place, key)
            for place, key, seers in ((origin, left, event.seen_leaving), (target, come, event.seen_coming))
        ]
        if ends == [UNSEEN, UNSEEN]:
            return None
    elif origin is target and len(origin.index) == 1 and isinstance(origin.index[0].type, types.Cells):
        ends = [show_value(key[0], origin.index[0].type, machine.game) for key in (left, come)]
    else:
        ends = [title_of(machine.game, place, key) for place, key in ((origin, left), (target, come))]
    known = event.shown_to(seat)
    pieces = sorted(machine.game.pieces[piece].title if known else UNSEEN for piece in event.pieces)
    return f"{', '.join(pieces)}: {ends[0]} -> {ends[1]}"


# ------------------------------------------------------------------------------------------------------------- changes


def _changes(machine: Machine, before: State, after: State, seat: int, said: str) -> Iterator[str]:
    """States that have another value now, of those that a player sees and that no procedure resets when it ends.

    What has just been said in other words is left out: who takes a course has it.
    """
    for name, family in machine.layout.states.items():
        state = machine.game.states[name]
        if state.track or state.until is not None:
            continue
        for key, slot in family.slots.items():
            old, new = before.slots[slot], after.slots[slot]
            if old == new or not all(machine.effects.sees(machine.look(one), slot, seat) for one in (before, after)):
                continue
            if state.while_in is not None and new == machine.effects.initial[slot]:
                continue
            shown = [show_value(value, index.type, machine.game) for value, index in zip(key, state.index, strict=True)]
            value = show_value(new, state.type, machine.game)
            if not value.isdigit() and all(part in said for part in (*shown, value)):
                continue
            yield _change(machine.game, state, key, old, new)


def _change(game: ir.Game, state: ir.State, key: tuple[Value, ...], old: Value, new: Value) -> str:
    """`Boat 1: masts 2 -> 1`, `the share of Ann: 1 -> 2`, `Boat 1 has been sent home`, `no longer: ..`."""
    title = title_of(game, state, key)
    is_sentence = title != name_of(game, state, key)
    shown = ", ".join(show_value(value, index.type, game) for value, index in zip(key, state.index, strict=True))
    if isinstance(state.type, types.Bool):
        words = state.source.sentence
        if not is_sentence and words is not None and all(isinstance(part, str) for part in words.parts):
            title = f"{shown}: {''.join(map(str, words.parts))}"
        elif not is_sentence:
            title = f"{shown}: {spaced(state.name)}" if shown else spaced(state.name)
        return title if new else f"no longer: {title}"
    way = f"{show_briefly(old, state.type, game)} -> {show_briefly(new, state.type, game)}"
    if is_sentence or not shown:
        return f"{title if is_sentence else spaced(state.name)}: {way}"
    return f"{shown}: {spaced(state.name)} {way}"


def condensed(log: Sequence[str]) -> list[str]:
    """A log in which moves between the same places that follow one another are told together, in one line.

    >>> condensed(["?: box -> deck", "?: box -> deck", "Ace: deck -> hand", "?: box -> deck", "Ann: pass"])
    ['2 unseen: box -> deck', 'Ace: deck -> hand', 'unseen: box -> deck', 'Ann: pass']
    """
    lines: list[str] = []
    pieces: list[str] = []
    way = ""
    for line in [*log, ""]:
        found = _MOVED.fullmatch(line)
        if pieces and (not found or found[2] != way):
            lines.append(f"{', '.join(_counted(pieces))}: {way}")
            pieces = []
        if found:
            way = found[2]
            pieces += found[1].split(", ")
        else:
            lines.append(line)
    return lines[:-1]


_MOVED = re.compile(r"(.+?): (\S.* -> \S.*)")


def _counted(pieces: Sequence[str]) -> list[str]:
    """Equal pieces together, unseen ones last: `3 Coin`, `2 unseen`."""
    counted = Counter(pieces)
    unseen = counted.pop(UNSEEN, 0)
    told = [piece if number == 1 else f"{number} {piece}" for piece, number in counted.items()]
    return [*told, f"{unseen} unseen" if unseen > 1 else "unseen"] if unseen else told
