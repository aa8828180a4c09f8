"""A play at the terminal: the table as the asked player sees it, the options, and what is typed.

When the next person is another one and the game has secrets, the screen is wiped and the keyboard handed over first.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.views import UNSEEN
from seaspec.cli.arguments import described
from seaspec.cli.output import (
    BOLD,
    DIM,
    RED,
    YELLOW,
    Fault,
    clear_screen,
    is_terminal,
    paint,
    screen_width,
    wrapped,
)
from seaspec.cli.play_keeping import Keeper
from seaspec.cli.question import LISTED, Question
from seaspec.cli.replay import ending_lines
from seaspec.cli.session import Session, has_secret_offers, has_secrets
from seaspec.cli.why import action_named, explain, explain_action
from seaspec.drawing import draw_text
from seaspec.play import PlayError

_HELP = """\
  7                  the option with this number in the list
  play 45 B3         the options with these words; if it is only one, Enter takes it
  why play 45 B3     why this is or is not allowed
  board, log         the table; all that you have seen happen
  undo               take back the last choice of a person
  save FILE          save the play (the file holds all secrets)
  load FILE          go on with a saved play
  quit               leave (Ctrl-D does, too)
"""
_RECENT = 30


class Left(Exception):
    """Whoever sits at the keyboard has left."""


def play_terminal(session: Session, keeper: Keeper, go_on: str) -> None:
    """Play until the end, or until somebody leaves. `go_on`: the command that goes on with a file that it names."""
    if is_terminal(sys.stdin):
        _prepare_keyboard()
    game = session.game
    print(f"{paint(game.title, BOLD)}: {', '.join(game.players)}. 'help' tells what can be typed.")
    print(paint(wrapped(described(game)), DIM), flush=True)
    if keeper.failed:
        print(paint(f"The play can not be kept in {keeper.path} ({keeper.failed}): say where with --save.", YELLOW))
    try:
        _play(session, keeper)
    except Left:
        print("\nYou have left the table; the play is not over.")
    except KeyboardInterrupt:
        with suppress(OSError):
            print("\nThe play is not over.")
            _tell_where(session, keeper, go_on)
        raise
    _tell_where(session, keeper, go_on)


def _play(session: Session, keeper: Keeper) -> None:
    is_secret = has_secrets(session.game) and len(session.people) > 1
    if is_secret and has_secret_offers(session.game):
        print(paint("Some questions of this game are secret; at one keyboard, the others notice who is asked.", YELLOW))
    last: str | None = None
    session.advance()
    while session.asked is not None:
        if is_secret and last != session.asked:
            _hand_over(session.asked)
        last = session.asked
        _show(session)
        _ask(session)
        keeper.keep(session.play)
        session.advance()
        keeper.keep(session.play)
    if is_secret:
        clear_screen()
    _show_end(session)


def _tell_where(session: Session, keeper: Keeper, go_on: str) -> None:
    """Where the play is kept, and how to go on."""
    if keeper.is_asked or keeper.is_kept:
        keeper.keep(session.play)
    if keeper.failed:
        print(paint(f"It could not be saved in {keeper.path}: {keeper.failed}.", RED))
    if keeper.is_kept:
        path = shlex.quote(str(keeper.path))
        command = f"{go_on} {path}" if session.asked is not None else f"seaspec replay {path}"
        print(f"It is saved: {command}")


def _prepare_keyboard() -> None:
    """Editing and history of what is typed, where the system has it."""
    try:
        import readline  # noqa: F401
    except ImportError:
        return


def _read(prompt: str) -> str:
    """A line; Left at the end of the input."""
    try:
        return input(prompt).strip()
    except (EOFError, OSError):
        raise Left from None


def _hand_over(player: str) -> None:
    clear_screen()
    _read(f"Pass the keyboard to {paint(player, BOLD)}. {player}, press Enter. ")
    clear_screen()


def _show(session: Session) -> None:
    """The table and the news, as the asked player sees them."""
    view = session.view()
    news = condensed(session.news(view))
    print()
    for line in (f".. {len(news) - _RECENT} more: 'log' shows all", *news[-_RECENT:]) if len(news) > _RECENT else news:
        print(paint(wrapped(line, "  "), DIM))
    print()
    print(draw_text(session.game.rules, view, screen_width()))
    print()


def condensed(log: Sequence[str]) -> list[str]:
    """A log with moves that follow one another told together, those between the same places in one line.

    >>> condensed(["?: box -> deck", "?: box -> deck", "Ace: deck -> hand", "?: box -> deck", "Ann: pass"])
    ['3 unseen: box -> deck', 'Ace: deck -> hand', 'Ann: pass']
    """
    lines: list[str] = []
    run: dict[str, list[str]] = {}
    for line in [*log, ""]:
        found = _MOVED.fullmatch(line)
        if found:
            run.setdefault(found[2], []).extend(found[1].split(", "))
            continue
        for way, pieces in run.items():
            lines.append(f"{', '.join(_counted(pieces))}: {way}")
        run.clear()
        lines.append(line)
    return lines[:-1]


def _counted(pieces: Sequence[str]) -> list[str]:
    """Equal pieces together, unseen ones last: `3 Coin`, `2 unseen`."""
    counted = Counter(pieces)
    unseen = counted.pop(UNSEEN, 0)
    told = [piece if number == 1 else f"{number} {piece}" for piece, number in counted.items()]
    return [*told, f"{unseen} unseen"] if unseen else told


_MOVED = re.compile(r"(.+?): (\S.* -> \S.*)")


def _show_end(session: Session) -> None:
    print()
    print(draw_text(session.game.rules, session.common_table(), screen_width()))
    print()
    print("\n".join(ending_lines(session.play)))


def _ask(session: Session) -> None:
    """Ask until something is chosen, or the play is another one."""
    question = Question(session.play, screen_width())
    print(question.headline())
    print("\n".join(question.lines()))
    single: str | None = None
    while True:
        typed = _read(f"{question.who}> ")
        if not typed:
            if single is None:
                continue
            typed = single
        single = None
        choice = question.exact(typed)
        if choice is None and _command(session, question, typed):
            if _is_new(session, question):
                return
            continue
        try:
            session.play.do(typed if choice is None else choice)
            return
        except PlayError as error:
            single = _not_taken(session, question, typed, error)


def _is_new(session: Session, question: Question) -> bool:
    """Whether a command has led to another position."""
    return session.play is not question.play or session.play.position is not question.notation.state


def _not_taken(session: Session, question: Question, typed: str, error: PlayError) -> str | None:
    """What was typed is no option in full: show what it may mean, or why it can not be; the one that Enter takes."""
    found = question.matching(typed) if "(" not in typed else []
    if len(found) == 1:
        print(f"  {found[0].text}: Enter takes it")
        return found[0].text
    if found:
        print("\n".join(question.listed(found[: LISTED * 2])))
        if len(found) > LISTED * 2:
            print(paint(f"  and {len(found) - LISTED * 2} more", DIM))
        return None
    move = question.meant_action(typed)
    if move is not None:
        _told(lambda: _tell_why(session, question, move))
    elif action_named(session.game, typed) is not None:
        _tell_error(f"{typed} is no option now", "add what is to be chosen, as in the list")
    else:
        _tell_error(error.message)
    return None


def _tell_why(session: Session, question: Question, move: str) -> None:
    print("\n".join(explain(session.play, question.who, move, openly=False).lines))


def _tell_error(message: str, hint: str | None = None) -> None:
    """Part of the talk, so it goes where the rest of it goes."""
    print(f"  {paint(message, RED)}" + (f"  {hint}" if hint else ""))


# ------------------------------------------------------------------------------------------------------------ commands


def _command(session: Session, question: Question, typed: str) -> bool:
    """Do what a command says; whether it is one."""
    word, _, rest = typed.partition(" ")
    commands: dict[str, Callable[[], None]] = {
        "help": lambda: print(_HELP, end=""),
        "?": lambda: print(_HELP, end=""),
        "board": lambda: _show_board(session),
        "log": lambda: print("\n".join(wrapped(line, "  ") for line in condensed(session.view().log))),
        "why": lambda: _why(session, question, rest),
        "undo": lambda: _undo(session),
        "save": lambda: _save(session, rest),
        "load": lambda: _load(session, rest),
        "options": lambda: print("\n".join([question.headline(), *question.lines()])),
        "quit": _leave,
        "exit": _leave,
    }
    if word.removeprefix("/") not in commands:
        return False
    _told(commands[word.removeprefix("/")])
    return True


def _told(command: Callable[[], None]) -> None:
    """Do something; what goes wrong is told, and never ends the play."""
    try:
        command()
    except Fault as error:
        _tell_error(error.message, error.hint)
    except (PlayError, ChoiceError) as error:
        _tell_error(str(error))
    except RuleError as error:
        _tell_error(f"the rules fail: {error.message}")
    except OSError as error:
        _tell_error(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _leave() -> None:
    raise Left


def _show_board(session: Session) -> None:
    print(draw_text(session.game.rules, session.view(), screen_width()))


def _why(session: Session, question: Question, move: str) -> None:
    if not move:
        _tell_error("why what?", "write it as in 'why play 45 B3'")
        return
    found = question.matching(move) if "(" not in move else []
    meant = question.exact(move) or (found[0].text if len(found) == 1 else question.meant_action(move))
    action = action_named(session.game, move) or action_named(session.game, move.split()[0])
    if meant is not None or "(" in move:
        _tell_why(session, question, meant or move)
    elif action is not None:
        print("\n".join(explain_action(session.play, question.who, action)))
    elif found:
        print("\n".join(question.listed(found[: LISTED * 2])))
    else:
        _tell_error(f"'{move}' is not understood", "write an action with its arguments, or an option in full")


def _undo(session: Session) -> None:
    print(f"  The last choice of {session.undo()} is taken back.")


def _save(session: Session, path: str) -> None:
    if not path:
        _tell_error("save where?", "write it as in 'save my.play'")
        return
    session.save(path)
    print(f"  Saved in {path}.")


def _load(session: Session, path: str) -> None:
    if not path:
        _tell_error("load what?", "write it as in 'load my.play'")
        return
    session.load(path)
    print(f"  Going on with {path}.")
