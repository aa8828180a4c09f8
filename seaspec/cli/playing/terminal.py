"""A play at the terminal: the table as the asked player sees it, the options, and what is typed.

When the next person is another one and may see other things, the screen is wiped and the keyboard handed over first.
"""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from functools import partial

from seaspec.cli.arguments import described
from seaspec.cli.clauses import clause_texts
from seaspec.cli.output import (
    BOLD,
    DIM,
    RED,
    YELLOW,
    clear_screen,
    is_terminal,
    paint,
    screen_width,
    wrapped,
)
from seaspec.cli.playing.commands import Left, command, command_between, read, tell_error, tell_why, told
from seaspec.cli.playing.keeping import Keeper
from seaspec.cli.playing.news import news
from seaspec.cli.playing.question import LISTED, Question
from seaspec.cli.playing.session import Session, has_secret_offers, has_secrets_between
from seaspec.cli.replay import ending_lines
from seaspec.cli.table import table_text
from seaspec.cli.why import action_named
from seaspec.play import PlayError

RECENT = 12
"""So many lines of news are told unasked."""


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
    is_secret = len(session.people) > 1 and has_secrets_between(session.game)
    if is_secret and has_secret_offers(session.game):
        print(paint("Some questions of this game are secret; at one keyboard, the others notice who is asked.", YELLOW))
    sitting: str | None = None
    session.thinking = lambda player: print(paint(f"{player} is thinking ..", DIM), flush=True)
    session.advance()
    while session.asked is not None:
        if is_secret and sitting != session.asked:
            sitting = _handed_over(session, sitting, session.asked)
            continue
        sitting = session.asked
        _show(session, is_secret)
        _ask(session)
        keeper.keep(session.play)
        session.advance()
        keeper.keep(session.play)
        if is_secret and session.asked is None and _goes_on(session, sitting):
            session.advance()
    if is_secret:
        clear_screen()
    elif sitting is not None:
        _tell_news(session, sitting, is_secret)
    _show_end(session)


def _handed_over(session: Session, sitting: str | None, player: str) -> str | None:
    """Who sits at the keyboard when it has been passed on; if the play was changed meanwhile, perhaps nobody yet."""
    if sitting is not None:
        if _goes_on(session, sitting):
            return sitting
        clear_screen()
    if _pause(session, f"Pass the keyboard to {paint(player, BOLD)}. {player}, press Enter. "):
        return None
    clear_screen()
    return player


def _goes_on(session: Session, sitting: str) -> bool:
    """Show what came of the last choice, before the screen is wiped; whether the play was changed instead."""
    _tell_news(session, sitting, is_secret=True)
    return _pause(session, f"{sitting}, press Enter, and the screen is wiped. ")


def _pause(session: Session, prompt: str) -> bool:
    """Wait for Enter; whether the play was changed by a command instead."""
    play, position = session.play, session.play.position
    while typed := read(prompt):
        if not command_between(session, typed):
            tell_error("press Enter to go on", "undo, save, load, quit and help can be typed, too")
        if session.play is not play or session.play.position is not position:
            session.advance()
            return True
    return False


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


def _show(session: Session, is_secret: bool) -> None:
    """The table and the news, as the asked player sees them."""
    view = session.view()
    print()
    print(table_text(session.game.rules, view))
    _tell_news(session, view.player, is_secret)


def _tell_news(session: Session, player: str, is_secret: bool) -> None:
    """What has happened, the last of it last; all of it is in the log."""
    lines = news(session.play, player, session.steps_untold(player, is_secret))
    print()
    if len(lines) > RECENT:
        lines = [f".. {len(lines) - RECENT} more: 'log' shows all", *lines[-RECENT:]]
    for line in lines:
        print(paint(wrapped(line, "  "), DIM))
    if lines:
        print()


def _show_end(session: Session) -> None:
    print()
    print(table_text(session.game.rules, session.common_table()))
    print()
    result = session.play.result
    assert result is not None
    ending, *scores = ending_lines(session.play)[: 1 + len(result.scores or ())]
    print("\n".join([ending, *scores]))
    for text in clause_texts(session.game, result.cites).values():
        print(wrapped(text, "  "))


def _ask(session: Session) -> None:
    """Ask until something is chosen, or the play is another one."""
    question = Question(session.play, screen_width())
    print(question.headline())
    print("\n".join(question.lines()))
    single: str | None = None
    while True:
        typed = read(f"{question.who}> ") or single
        single = None
        if typed is None:
            print("\n".join([question.headline(), *question.lines()]))
            continue
        choice = question.exact(typed)
        if choice is None and command(session, question, typed):
            if _is_new(session, question):
                return
        elif choice is None:
            single = _not_exact(session, question, typed)
        else:
            told(partial(_choose, session, choice))
        if _is_new(session, question):
            return


def _choose(session: Session, choice: str) -> None:
    session.play.do(choice)


def _is_new(session: Session, question: Question) -> bool:
    """Whether a command has led to another position."""
    return session.play is not question.play or session.play.position is not question.notation.state


def _not_exact(session: Session, question: Question, typed: str) -> str | None:
    """What was typed is no option in full: take or show what it may mean, or tell why not; the one that Enter takes."""
    found = question.matching(typed) if "(" not in typed else []
    if len(found) == 1 and question.is_clear(typed, found[0]):
        told(partial(_choose, session, found[0].text))
        return None
    if len(found) == 1:
        print(f"  {found[0].told}: Enter takes it")
        return found[0].text
    if found:
        print("\n".join(question.listed(found[: LISTED * 2])))
        if len(found) > LISTED * 2:
            print(paint(f"  and {len(found) - LISTED * 2} more", DIM))
        return None
    move = question.meant_action(typed)
    if move is None and "(" not in typed and action_named(session.game, typed) is not None:
        tell_error(f"{typed} is no option now", f"'why {typed}' tells why")
        return None
    told(partial(_try, session, question, typed, move))
    return None


def _try(session: Session, question: Question, typed: str, move: str | None) -> None:
    """Choose what was typed in full; else tell why it can not be. `move`: the action that seems to be meant."""
    try:
        session.play.do(typed)
    except PlayError as error:
        if move is not None:
            tell_why(session, question, move)
        else:
            tell_error(error.message, question.what_is_there())
