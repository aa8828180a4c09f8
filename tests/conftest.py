"""What all tests share: a cache of their own, with a key, in which no test finds results or answers of another one.

Machine code may be shared by tests; nothing depends on the cache of whoever runs them. Solvers that are asked in the
process of a test come and go: what they give back is kept for the next one, where the allocator can be told so.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from pathlib import Path

import pytest

KEPT_AT_THE_TOP, BYTES = -2, 64 * 2**20
"""What glibc calls M_TOP_PAD: without it, half of the time of such tests is for giving memory back and getting it."""
_CACHE = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_CACHE] = Path(tempfile.mkdtemp(prefix="seaspec-tests-"))
    os.environ["SEASPEC_CACHE"] = str(config.stash[_CACHE])
    os.environ["XDG_CONFIG_HOME"] = str(config.stash[_CACHE] / "config")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # else each process that a test starts compiles all modules
        os.environ["PYTHONPYCACHEPREFIX"] = str(config.stash[_CACHE] / "bytecode")
    if hasattr(process := ctypes.CDLL(None), "mallopt"):
        process.mallopt(KEPT_AT_THE_TOP, BYTES)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_CACHE], ignore_errors=True)


@pytest.fixture(autouse=True)
def _no_terminal_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of xdist have its width, and boards and lists would have it, too."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _nothing_is_known() -> None:
    for kind in ("results", "answers"):
        shutil.rmtree(Path(os.environ["SEASPEC_CACHE"]) / kind, ignore_errors=True)
