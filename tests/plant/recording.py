"""A plugin of pytest: notes after each test which statements of the engine it ran (see probes.py).

What modules of the engine keep in memory is forgotten before each test: what it needs is worked out again, and noted.
Tests that take long are left out, hardly any fault would be tried with them; and of a test with many cases only as many
are run as take its share of the time, spread over all. Both together they would be three quarters of the time.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import _lru_cache_wrapper
from itertools import groupby
from math import ceil
from pathlib import Path

import pytest
from fast import Spent, function_of, read

from plant.probes import COLLECTED, FOLDERS, PLACES

LONGEST, SHARE = 1.2, 12.0
"""Seconds, as durations.json tells them: of one case, and of all cases of a test."""
BUSY = tuple(f"seaspec.{folder.replace('/', '.')}" for folder in FOLDERS)


def recorded(cases: Sequence[str], known: Mapping[str, Spent]) -> Iterator[str]:
    """Those that are run, in all."""
    met: Counter[str] = Counter()
    for case in cases:
        function = function_of(case)
        spent = known.get(function, Spent(0, 1))
        if spent.each <= LONGEST and met[function] % ceil(max(1, spent.seconds / SHARE)) == 0:
            yield case
        met[function] += 1


class Recorder:
    def __init__(self, out: Path) -> None:
        import plant_probe  # type: ignore[import-not-found]

        self.hit = plant_probe.hit
        self.nothing = bytes(len(self.hit))
        self.places = [tuple(place) for place in json.loads(Path(PLACES).read_text(encoding="utf-8"))]
        self.out = out
        self.passed = True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = set(recorded([item.nodeid for item in items], read()))
        items[:] = [item for item in items if item.nodeid in kept]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._tell(f"{COLLECTED} {' '.join(session.config.args)}", 0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        forget()
        self.hit[:] = self.nothing
        self.passed = True
        before = sum(os.times()[:4])
        yield
        if self.passed:
            self._tell(item.nodeid, sum(os.times()[:4]) - before)

    def _tell(self, test: str, seconds: float) -> None:
        ran = [self.places[number] for number, hit in enumerate(self.hit[:]) if hit]
        if ran:
            told = [[*place, [one[3] for one in several]] for place, several in groupby(ran, key=lambda one: one[:3])]
            with self.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"test": test, "seconds": round(seconds, 2), "ran": told}) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed &= report.passed


def forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith(BUSY):
            for thing in vars(module).values():
                if isinstance(thing, _lru_cache_wrapper):
                    thing.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(Path(os.environ["PLANT_MAP"])), "plant recorder")
