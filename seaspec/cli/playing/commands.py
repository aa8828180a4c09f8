"""What can be typed at the table besides answers: commands, and what they tell. None of them ever ends the play."""

from __future__ import annotations

from collections.abc import Callable

from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.cli.output import RED, Fault, paint, wrapped
from seaspec.cli.playing.news import news
from seaspec.cli.playing.question import LISTED, Question
from seaspec.cli.playing.session import Session
from seaspec.cli.table import table_text
from seaspec.cli.why import action_named, explain, explain_action
from seaspec.play import PlayError
from seaspec.source import NOWHERE

_ALWAYS = """\
  undo               take back the last choice of a person
  save FILE          save the play there, too (the file holds all secrets)
  load FILE          go on with a saved play
  quit               leave; the play is saved (Ctrl-D and Ctrl-C do the same)
"""


class Left(Exception):
    """Whoever sits at the keyboard has left."""


def read(prompt: str) -> str:
    """A line; Left at the end of the input."""
    try:
        return input(prompt).strip()
    except (EOFError, OSError):
        raise Left from None


def command_between(session: Session, typed: str) -> bool:
    """Do what a command says that can be given while nobody is asked; whether it is one."""
    return _do(_commands_always(session, _ALWAYS), typed)


def command(session: Session, question: Question, typed: str) -> bool:
    """Do what a command says; whether it is one."""
    commands: dict[str, Callable[[str], None]] = {
        "board": lambda _: print(table_text(session.game.rules, session.view())),
        "log": lambda _: print("\n".join(wrapped(line, "  ") for line in news(session.play, question.who, 0))),
        "why": lambda rest: _why(session, question, rest),
        "list": lambda _: print("\n".join(question.listed(question.options) if question.options else question.lines())),
        "options": lambda _: print("\n".join([question.headline(), *question.lines()])),
    }
    return _do(_commands_always(session, question.help() + _ALWAYS) | commands, typed)


def _commands_always(session: Session, help: str) -> dict[str, Callable[[str], None]]:
    return {
        "help": lambda _: print(help, end=""),
        "?": lambda _: print(help, end=""),
        "undo": lambda _: print(f"  The last choice of {session.undo()} is taken back."),
        "save": lambda rest: _save(session, rest),
        "load": lambda rest: _load(session, rest),
        "quit": _leave,
        "exit": _leave,
    }


def _do(commands: dict[str, Callable[[str], None]], typed: str) -> bool:
    word, _, rest = typed.partition(" ")
    wanted = commands.get(word.lower().removeprefix("/"))
    if wanted is None:
        return False
    told(lambda: wanted(rest.strip()))
    return True


def told(act: Callable[[], None]) -> bool:
    """Do something; what goes wrong is told. Whether all went well."""
    try:
        act()
    except Fault as error:
        tell_error(error.message, error.hint)
    except (PlayError, ChoiceError) as error:
        tell_error(str(error))
    except RuleError as error:
        where = "" if error.span is NOWHERE else f" ({error.span})"
        tell_error(f"the rules fail: {error.message}{where}", "that is a fault of the rules; 'undo' goes back")
    except OSError as error:
        tell_error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    else:
        return True
    return False


def tell_error(message: str, hint: str | None = None) -> None:
    """Part of the talk, so it goes where the rest of it goes."""
    print(f"  {paint(message, RED)}" + (f"; {hint}" if hint else ""))


def tell_why(session: Session, question: Question, move: str) -> None:
    """Whether a move may be made, and what stands against it, as far as the player may know."""
    print("\n".join(explain(session.play, question.who, move, openly=False).lines))


def _leave(_: str) -> None:
    raise Left


def _why(session: Session, question: Question, move: str) -> None:
    if not move:
        tell_error("why what?", f"write it as in 'why {question.example()}'")
        return
    found = question.matching(move) if "(" not in move else []
    meant = question.exact(move) or (found[0].text if len(found) == 1 else question.meant_action(move))
    action = action_named(session.game, move) or action_named(session.game, move.split()[0])
    if meant is not None or "(" in move:
        tell_why(session, question, meant or move)
    elif action is not None:
        print("\n".join(explain_action(session.play, question.who, action)))
    elif found:
        print("\n".join(question.listed(found[: LISTED * 2])))
    else:
        tell_error(f"'{move}' is not understood", "write an action with its arguments, or an option in full")


def _save(session: Session, path: str) -> None:
    if not path:
        tell_error("save where?", "write it as in 'save my.play'")
        return
    session.save(path)
    print(f"  Saved in {path}.")


def _load(session: Session, path: str) -> None:
    if not path:
        tell_error("load what?", "write it as in 'load my.play'")
        return
    session.load(path)
    print(f"  Going on with {path}.")
