"""Plays that a reader steps through: the table after each move, the move in words, and how a promise stands by then.

The pictures of all plays of a page share their lines: of a step only what differs is kept (`shared`). stepper.js puts
them together again; without it the moves are a list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seaspec.backends.interpreter import chance
from seaspec.backends.interpreter.chance import Rolled, Rolls, Throws
from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.why import evaluate
from seaspec.core import flow, ir
from seaspec.drawing import Thrown, draw_svg
from seaspec.examples.seen import Course
from seaspec.game import Game
from seaspec.play import Play
from seaspec.sampling.telling import line_of, open_table
from seaspec.sampling.watch import Watcher
from seaspec.saved import PlayError, from_json
from seaspec.web import squeezed

MOST_STEPS = 60
"""Of a longer play the last ones are drawn."""
FIRST = "how it begins"


class Mark:
    """How what is promised stands after a step."""

    NONE, HOLDS, BROKEN, NOT_YET, MET, REFUSED = "", "holds", "broken", "not yet", "met", "refused"


@dataclass(frozen=True, slots=True)
class Step:
    """A move in words, and what there is after it; `number`: of the step in its play, from 0 for its beginning; `by`:
    the action that was chosen, if one was; `drawn`: the picture, in SVG."""

    number: int
    words: str
    drawn: str
    mark: str = Mark.NONE
    by: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    """A step that is not drawn yet."""

    words: str
    state: State
    mark: str = Mark.NONE
    by: str = ""
    thrown: tuple[Thrown, ...] = ()


# ---------------------------------------------------------------------------------------------- plays of a check


def of_play(game: Game, name: str, saved: Mapping[str, Any], kept: bool | None) -> tuple[Step, ...]:
    """The steps of a play that shows how a promise stands; nothing if it can not be played by these rules."""
    rules = {**saved.get("rules", {}), "texts": dict(game.texts), "digest": game.digest}
    try:
        play = from_json({**saved, "rules": rules, "seed": None}, game)
        marks = list(_marks(play, name, kept))
    except (PlayError, RuleError):
        return ()
    states = [*(state for state, _ in play.steps[1:]), play.position]
    told = [_Told(FIRST, states[0], marks[0])]
    for number, move in enumerate(play.history, 1):
        words = line_of(game.machine, states[number - 1], move.answer)
        if words is not None:
            dice = thrown(game.machine, states[number - 1], move.answer)
            told.append(_Told(words, states[number], marks[number], _action(move.answer), dice))
        else:  # a hidden draw belongs to the step before it
            told[-1] = replace(told[-1], state=states[number], mark=marks[number])
    return tuple(_drawn(game, told))


def _action(answer: Answer) -> str:
    return answer.action if isinstance(answer, Act) else ""


def _marks(play: Play, name: str, kept: bool | None) -> Iterator[str]:
    """How the promise stands at each position of the play. What no single position tells is told at the end."""
    game = play.game
    promise = next((one for one in game.rules.promises if one.name == name), None)
    before, after = (Mark.NOT_YET, Mark.MET) if isinstance(promise, ir.Reachable) else (Mark.HOLDS, Mark.BROKEN)
    if promise is None:  # it is promised no more
        before, after = Mark.NONE, Mark.BROKEN if kept is False else Mark.NONE
    watcher = Watcher(game.machine, [] if promise is None else [promise])
    watcher.follow()
    state = game.machine.begin(watch=watcher)
    watcher.position(None, state)
    moves = play.history
    for number in range(len(moves) + 1):
        found = watcher.findings
        yield after if name in found.broken or name in found.witnessed or number == len(moves) else before
        if number < len(moves):
            answer = moves[number].answer
            watcher.answered(answer)
            earlier, state = state, game.machine.step(state, answer, watch=watcher)
            watcher.position(earlier, state)


# ------------------------------------------------------------------------------------------------------ examples


def of_course(game: Game, course: Course) -> tuple[Step, ...]:
    """The steps of a worked example."""
    return tuple(_drawn(game, list(_told(game.machine, course))))


def _told(machine: Machine, course: Course) -> Iterator[_Told]:
    def before(number: int) -> State:
        """The position before a move."""
        return next((move[0] for move in course.moves[number:] if not isinstance(move, str)), course.last)

    yield _Told(FIRST, course.first)
    for number in range(len(course.moves) + 1):
        yield from (_Told(words, before(number), Mark.REFUSED) for at, words in course.refused if at == number)
        if number == len(course.moves):
            if course.wrong:
                yield _Told(f"otherwise than the example says: {course.wrong}", course.last, Mark.BROKEN)
            return
        move = course.moves[number]
        if isinstance(move, str):
            yield _Told(f"`{move}` is run", before(number + 1), by=move)
        elif (words := line_of(machine, *move)) is not None:
            yield _Told(words, before(number + 1), by=_action(move[1]), thrown=thrown(machine, *move))


# ------------------------------------------------------------------------------------------------------- pictures


def thrown(machine: Machine, state: State, answer: Answer) -> tuple[Thrown, ...]:
    """The dice of a throw, together as far as only their sum is known; nothing of what is no throw."""
    node, look = machine.node(state), machine.look(state)
    outcomes = machine.outcomes(state) if isinstance(node, flow.RollNode | flow.ThrowNode) else None
    if isinstance(outcomes, Rolls) and isinstance(answer, Rolled):
        return (Thrown(answer.total, outcomes.number, outcomes.sides),)
    if not (isinstance(node, flow.ThrowNode) and isinstance(outcomes, Throws) and isinstance(answer, chance.Thrown)):
        return ()
    rule = machine.game.chances[node.chance]
    env: dict[ir.Variable, Any] = dict(zip(rule.params, outcomes.arguments, strict=True))
    found: list[Thrown] = []
    for line in rule.body:
        if isinstance(line, ir.Roll):
            total = answer.totals[len(found)]
            found.append(Thrown(total, int(evaluate(machine, look, line.number, env)), line.sides))
            env[line.variable] = total
        else:
            env[line.variable] = evaluate(machine, look, line.value, env)
    return tuple(found)


def _drawn(game: Game, told: Sequence[_Told]) -> Iterator[Step]:
    """The pictures; what a move has changed is marked in them."""
    before = None
    for number, one in enumerate(told):
        if number < len(told) - 1 - MOST_STEPS:
            continue
        table = open_table(game.machine, one.state)
        changed = None if before is None or before == table else before
        yield Step(number, one.words, draw_svg(game.rules, table, before=changed, thrown=one.thrown), one.mark, one.by)
        before = table


def shared(plays: Mapping[str, Iterable[str]]) -> str:
    """The pictures of plays as JSON: all lines, each once, and of each picture the runs of lines that it is made of.

    >>> shared({"few": ["a\\nb\\n", "a\\nc\\n"]})
    '{"lines":["a","b","","c"],"plays":{"few":[[0,3],[0,1,3,1,2,1]]}}'
    """
    lines: dict[str, int] = {}
    found = {}
    for name, drawn in plays.items():
        pictures = []
        for picture in drawn:
            runs: list[int] = []
            for line in picture.split("\n"):
                number = lines.setdefault(line, len(lines))
                if runs and runs[-2] + runs[-1] == number:
                    runs[-1] += 1
                else:
                    runs += [number, 1]
            pictures.append(runs)
        found[name] = pictures
    return json.dumps({"lines": list(lines), "plays": found}, separators=(",", ":"), ensure_ascii=False)


def pictures_script(plays: Mapping[str, Iterable[str]]) -> str:
    """The same as a script, squeezed: stepper.js takes it up."""
    return f'(window.seaspecPlays = window.seaspecPlays || []).push("{squeezed(shared(plays).encode())}");\n'
