"""The command line: `seaspec COMMAND ..`. Each command is a module of its own, imported only when it is asked for.

A command's module has `add_parser(subparsers)` and `run(args) -> int`. Exit codes:

    0    all is well: kept, legal, played
    1    broken or faulty: a text, a play, an option, a promise
    2    undecided (with --strict)
    3    the command line can not be read
    4    the tool itself failed, or had no room to write what it was to write
    130  interrupted
    141  nobody reads the output any more
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = (
    "check",
    "accept",
    "certify",
    "play",
    "why",
    "winnable",
    "simulate",
    "replay",
    "perft",
    "mutate",
    "cover",
    "show",
    "new",
    "book",
    "emit",
)
"""In the order in which help lists them; the module of each has its name."""
_ROOMS = {
    "book": "booking.book",
    "check": "checking.check",
    "play": "playing.play",
    "simulate": "simulating.simulate",
    "mutate": "mutating.mutate",
}
"""Those that have a room of their own."""

OK, BROKEN, UNDECIDED, BAD_COMMAND, TOOL_FAILED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 4, 130, 141
NO_ROOM = {getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO") if hasattr(errno, name)}
"""What the system says where a disk is full, or broken."""

_EXAMPLES = """\
examples:
  seaspec check rules/calm.sea              does my house rule break the game, and how?
  seaspec play calm --bots Ben,Cid,Dan      play against bots
  seaspec why calm "play(Island 45, B3)"    is this move legal, and if not, why?

FILE is a .sea file, the name of a game, or a game with variants: "calm + reefs + storms".
'seaspec COMMAND --help' tells more of each.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            code = _code(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _hush()
        return PIPE_CLOSED
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and error.errno in NO_ROOM:
            return _unwritten(error)
        return _tell(error, "--json" in words)


def _note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning (what was kept and is not used) is told in a line."""
    print(f"note: {message}", file=sys.stderr)


def _open_closed_streams() -> None:
    """Where a stream was closed before we began, nothing is read, and what is written goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _code(words: list[str]) -> int:
    try:
        return _run(words)
    except SystemExit as stop:  # argparse has said all there is to say
        return stop.code if isinstance(stop.code, int) else BAD_COMMAND


def _run(words: list[str]) -> int:
    command = next((word for word in words if not word.startswith("-")), None)
    known = command in COMMANDS
    parser, parsers = _parser((str(command),) if known else COMMANDS)
    if command is not None and not known:
        near = get_close_matches(command, COMMANDS, 1, 0.5)
        parser.error(f"there is no command '{command}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    if command is None and not words:
        parser.print_help(sys.stderr)
        return BAD_COMMAND
    args, unknown = parser.parse_known_args(words)
    if unknown:
        parsers[args.command].unknown(unknown)
    return int(args.run(args))


class Parser(argparse.ArgumentParser):
    """An argument parser that knows our exit codes, and helps with words that it does not know."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """As there, but that it is told if it can not be done."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(BAD_COMMAND, f"{self.prog}: {message}\n")

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Say that there are no such arguments, and which are near."""
        word = words[0].split("=")[0]
        near = get_close_matches(word, list(self._option_string_actions), 1, 0.5)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        what = "there is no option" if word.startswith("-") else "there is a word too many:"
        self.error(f"{what} '{word}'{hint}")


def _parser(commands: Sequence[str]) -> tuple[Parser, dict[str, Parser]]:
    """A parser for these commands, and their own parsers."""
    from seaspec import __doc__ as about

    parser = Parser(
        prog="seaspec",
        description=(about or "Rules of tabletop games: run, check and explain them.").split("\n\n")[0],
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"seaspec {version()}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in commands:
        import_module(home_of(command)).add_parser(subparsers)
    return parser, dict(subparsers.choices)


def home_of(command: str) -> str:
    """The module of a command."""
    return f"seaspec.cli.{_ROOMS.get(command, command)}"


def version() -> str:
    """The version of the tool, if it is installed."""
    from importlib import metadata

    try:
        return metadata.version("seaspec")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _hush() -> None:
    """Nobody listens: what is still to be written goes nowhere, without a word when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(nowhere, sys.stdout.fileno())


def _unwritten(error: OSError) -> int:
    """What was to be printed could not be written; where errors are told, there may be room."""
    _hush()
    with contextlib.suppress(OSError):
        print(f"error: what is told can not be written: {error.strerror}", file=sys.stderr)
    return TOOL_FAILED


def _tell(error: Exception, as_json: bool) -> int:
    """Say what went wrong, in one message; what is nobody's fault but the tool's is said to be so."""
    if os.environ.get("SEASPEC_DEBUG"):
        raise error
    from seaspec.cli.failures import describe_failure

    try:
        code = describe_failure(error, as_json)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _hush()
        return PIPE_CLOSED
    except OSError as unwritten:
        return _unwritten(unwritten)


if __name__ == "__main__":
    sys.exit(main())
