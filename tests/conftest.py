"""What all tests share: a cache of their own, in which no test finds results or answers of another one.

Machine code may be shared by tests; nothing depends on the cache of whoever runs them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

_CACHE = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_CACHE] = Path(tempfile.mkdtemp(prefix="seaspec-tests-"))
    os.environ["SEASPEC_CACHE"] = str(config.stash[_CACHE])


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_CACHE], ignore_errors=True)


@pytest.fixture(autouse=True)
def _nothing_is_known(pytestconfig: pytest.Config) -> None:
    for kind in ("results", "answers"):
        shutil.rmtree(pytestconfig.stash[_CACHE] / kind, ignore_errors=True)
