"""A play as JSON lines: events on stdout, answers on stdin. For programs, and for tests.

    {"event": "start", "game", "options", "players", "people"}
    {"event": "asked", "player", "menu", "number", "choices", "log", "places", "states"}
    {"event": "refused", "message", "reasons"}           the answer was no option; the question stands
    {"event": "over", "winners", "losers", "scores", "reason", "cites", "clauses"}
    {"event": "left"}                                    stdin has ended before the play

`choices` are the texts of the options, or null if there are more than MOST; `log` is what the player has come to know
since being asked last. An answer is a line: the index of an option, from 0, or its text; or a command,
`{"undo": true}`, `{"save": "FILE"}`, `{"load": "FILE"}`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from seaspec.backends.interpreter.notation import Notation
from seaspec.cli.output import print_json_line
from seaspec.cli.playing.keeping import Keeper
from seaspec.cli.playing.session import Session
from seaspec.cli.replay import result_data, table_data
from seaspec.cli.why import action_named, reasons_against
from seaspec.play import PlayError

MOST = 5000


def play_json(session: Session, keeper: Keeper | None) -> None:
    """Play until the end, or the end of stdin."""
    session.advance()
    game = session.game
    names = [game.name, *game.stack]
    people = [name for name in game.players if name in session.people]
    start = {"event": "start", "game": names, "options": game.options, "players": list(game.players), "people": people}
    print_json_line(start)
    is_asking = True
    while session.asked is not None:
        if is_asking:
            print_json_line(_asked(session))
        line = sys.stdin.readline()
        if not line:
            print_json_line({"event": "left"})
            return
        if line.strip():
            is_asking = _answer(session, line.strip())
            if keeper is not None:
                keeper.keep(session.play)
    print_json_line({"event": "over", **result_data(session.play)})


def _asked(session: Session) -> dict[str, Any]:
    view = session.view()
    play = session.play
    options = play.options
    assert options is not None
    notation = Notation(play.game.machine, play.position)
    choices = [notation.text(choice) for choice in options] if len(options) <= MOST else None
    return {
        "event": "asked",
        "player": view.player,
        "menu": view.menu,
        "number": len(options),
        "choices": choices,
        "log": list(session.news(view)),
        **table_data(view),
    }


def _answer(session: Session, line: str) -> bool:
    """Do what a line says; whether there is a new question."""
    try:
        answer = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        answer = line
    try:
        match answer:
            case {"undo": True}:
                session.undo()
            case {"save": str(path)}:
                session.save(path)
            case {"load": str(path)}:
                session.load(path)
            case bool() | dict() | list() | None | float():
                raise PlayError("an index, a text or a command was expected")
            case int() if answer >= 0:
                session.play.do(answer)
            case _:
                session.play.do(_text(session, answer, line))
    except (PlayError, OSError) as error:
        print_json_line({"event": "refused", "message": str(error), "reasons": _reasons(session, line)})
        return False
    session.advance()
    return True


def _text(session: Session, answer: Any, line: str) -> str:
    return answer if isinstance(answer, str) else line


def _reasons(session: Session, line: str) -> list[str]:
    """What stands against a move, if it is an action."""
    move = line.strip('"')
    if session.asked is None or action_named(session.game, move) is None or "(" not in move:
        return []
    try:
        return [str(reason) for reason in reasons_against(session.play, session.asked, move, openly=False)]
    except PlayError:
        return []
