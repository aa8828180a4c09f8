"""What all tests share: a cache of their own, with a key, in which no test finds results or answers of another one.

Machine code, and the grammar's table, are made once for all processes that run tests: each has a folder of its own, and
what one of them has made is linked into those of the others. Nothing depends on the cache of whoever runs the tests.
Solvers that are asked in the process of a test come and go: what they give back is kept for the next one, where the
allocator can be told so.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from chromium import runner, why_not

from seaspec.kept import Entries

KEPT_AT_THE_TOP, BYTES = -2, 64 * 2**20
"""What glibc calls M_TOP_PAD: without it, half of the time of such tests is for giving memory back and getting it."""
MANY = 20_000
"""So many new things, not 700, before it is looked which of them nothing leads to any more."""
SHARED = "SEASPEC_TESTS"
"""Names the folder of all processes that run tests."""
MADE_ONCE = "native", "grammar", "page"
"""What depends on nothing but its name, which is a digest of all that it is made of."""
_CACHE = pytest.StashKey[Path]()


class _Folder:
    """A folder of entries; whether any were added since it was looked at last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.looked = 0
        self.known: set[str] = set()

    def give(self, other: _Folder) -> None:
        """Link what is new here into the other one."""
        with suppress(OSError):
            changed = os.stat(self.path).st_mtime_ns
            if changed == self.looked:
                return
            names = {name for name in os.listdir(self.path) if name.partition("-")[0] in MADE_ONCE}
            for name in names - self.known:
                if "-new-" not in name:  # it is not written to its end
                    with suppress(OSError):
                        os.link(self.path / name, other.path / name)
                    self.known.add(name)
                    other.known.add(name)
            self.looked = changed


def pytest_configure(config: pytest.Config) -> None:
    folder = os.environ.get(SHARED) if hasattr(config, "workerinput") else None
    own = Path(tempfile.mkdtemp(prefix="seaspec-tests-", dir=folder))
    config.stash[_CACHE] = own
    os.environ["SEASPEC_CACHE"] = str(own)
    if folder is None:
        os.environ[SHARED] = str(own)
        os.environ["XDG_CONFIG_HOME"] = str(own / "config")
        Entries(own, "first", b"").write(b"", b"")  # now there is a key, with which all sign
        if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # else each process that a test starts compiles all modules
            os.environ["PYTHONPYCACHEPREFIX"] = str(own / "bytecode")
    if hasattr(process := ctypes.CDLL(None), "mallopt"):
        process.mallopt(KEPT_AT_THE_TOP, BYTES)


def pytest_report_header() -> list[str]:
    scripts = (
        [] if runner() else ["the page on which games are played is not tested: neither node nor chromium is here"]
    )
    return [f"tests in a browser are left out: {reason}" for reason in [why_not()] if reason] + scripts


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Who asks for few words sees no header."""
    if terminalreporter.verbosity < 0:
        for line in pytest_report_header():
            terminalreporter.write_line(line)


def pytest_collection_finish() -> None:
    """What is there now stays: it is not looked through again for what may be thrown away; nor is all else so often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY, 20, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_CACHE], ignore_errors=True)


@pytest.fixture(scope="session")
def _folders(pytestconfig: pytest.Config) -> tuple[_Folder, _Folder]:
    return _Folder(pytestconfig.stash[_CACHE]), _Folder(Path(os.environ[SHARED]))


@pytest.fixture(autouse=True)
def _is_made_once(_folders: tuple[_Folder, _Folder]) -> Iterator[None]:
    own, shared = _folders
    if own.path == shared.path:
        yield
        return
    shared.give(own)
    yield
    own.give(shared)


@pytest.fixture(autouse=True)
def _no_terminal_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of xdist have its width, and boards and lists would have it, too."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _nothing_is_known() -> None:
    for kind in ("results", "answers"):
        shutil.rmtree(Path(os.environ["SEASPEC_CACHE"]) / kind, ignore_errors=True)


collect_ignore = [] if runner() is not None else ["test_page.py"]
