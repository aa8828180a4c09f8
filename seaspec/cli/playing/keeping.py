"""Keeping a play while it goes on: its file is written after each choice, whole or not at all, so that no play is lost.

Without `--save` that is `LAST`; what another play has left there is moved to `BEFORE`, once there is something to keep.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from seaspec.backends.interpreter.state import State
from seaspec.cli.output import Fault
from seaspec.files import try_to_write
from seaspec.play import Play, PlayError

LAST = Path(".seaspec/last.play")
BEFORE = Path(".seaspec/previous.play")


def path_named(text: str) -> Path:
    """The path of a file that somebody has typed; PlayError if there can be none."""
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise PlayError(f"{text}: there is no such user") from None
    try:
        is_possible = "\0" not in text and bool(os.fsencode(path))
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible or not text.strip():
        raise PlayError(f"{text!r} is no name of a file")
    return path


class Keeper:
    """Keeps one play. `failed`: why the last attempt was none; `is_kept`: something has been written."""

    def __init__(self, path: Path | None) -> None:
        """`path` None: nobody has said where."""
        self.is_asked = path is not None
        self.path = LAST if path is None else path
        self.is_kept = False
        self.failed = ""
        self._position: State | None = None

    def try_to_write(self) -> None:
        """See that the file can be written, before anything is played; Fault if it was asked for and can not be."""
        try:
            if not self.is_asked:
                self.path.parent.mkdir(exist_ok=True)
            self._try()
        except OSError as error:
            self.failed = error.strerror or str(error)
            if self.is_asked:
                hint = "say where with --save FILE"
                raise Fault(f"{self.path}: {self.failed}, so the play could not be saved there", hint) from error

    def _try(self) -> None:
        if not self.path.parent.is_dir():
            raise OSError(f"{self.path.parent} is no directory")
        if self.path.is_dir():
            raise OSError("this is a directory")
        if self.path.exists() and not self.path.is_file():
            raise OSError("this is no ordinary file")
        try_to_write(self.path)

    def keep(self, play: Play) -> None:
        """Write the play, if it has changed."""
        if play.position is self._position:
            return
        try:
            if not self.is_asked and not self.is_kept and self.path.is_file():
                self.path.replace(BEFORE)
            play.save(self.path)
        except OSError as error:
            self.failed = error.strerror or str(error)
            return
        self.is_kept, self.failed, self._position = True, "", play.position


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Who closes the terminal, or ends the program from outside, interrupts it as Ctrl-C does."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names if current_thread() is main_thread()]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
