"""Tests in Chromium. Where it can not be had they are not collected; what pytest says at its end tells why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from built_site import built_site
from chromium import chromium, served, why_not

collect_ignore_glob = ["test_*.py"] if why_not() else []


@pytest.fixture(scope="session")
def site() -> Path:
    return built_site()


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def home(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address
