"""A plugin of pytest: `--fast` chooses tests that take a minute together; `--durations-file` writes what each takes.

    pytest -p tests.fast --fast                                   what `make test-fast` runs
    pytest -p tests.fast --durations-file tests/durations.json    what `make durations` runs

durations.json has the seconds of processor time of each test function, child processes and all, and how many cases it
has. Of each function `--fast` runs as many of its cases as take its share of the time, the first ones; the share is the
same for all, and as large as the time allows. What has no case so short is left to `make test`, but of each file at
least one case runs: the shortest that there is, if it is no longer than LONGEST. What is not in the file is new: NEW of
its cases run.
"""

from __future__ import annotations

import json
import resource
from collections import defaultdict
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

DURATIONS = Path(__file__).parent / "durations.json"
BUDGET = 16.0
"""Seconds of processor time for all tests. Two cores need half of it, and some twenty-five seconds to begin."""
LONGEST = 0.7
"""Seconds: a file all of whose cases are longer waits for `make test`."""
SHARES = [8 * 0.9**step for step in range(80)]
NEW = 4
_SPENT = "seconds"
_REPORTED: dict[str, float] = {}


@dataclass(frozen=True, slots=True)
class Spent:
    """What a test function takes: all of its cases together."""

    seconds: float
    cases: int

    @property
    def each(self) -> float:
        return self.seconds / self.cases

    def within(self, share: float) -> int:
        """How many of its cases take that long at most."""
        return self.cases if self.seconds <= share else int(share / self.each)


def read(path: Path = DURATIONS) -> dict[str, Spent]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return {name: Spent(seconds, cases) for name, (seconds, cases) in found.items()}


def chosen(known: Mapping[str, Spent], budget: float = BUDGET) -> dict[str, int]:
    """How many cases of each function run."""
    for share in SHARES:
        found = {name: spent.within(share) for name, spent in known.items()}
        for file in {file_of(name) for name in known}:
            here = [name for name in known if file_of(name) == file]
            shortest = min(here, key=lambda name: known[name].each)
            if not any(found[name] for name in here) and known[shortest].each <= LONGEST:
                found[shortest] = 1
        if sum(known[name].each * cases for name, cases in found.items()) <= budget:
            return found
    return found


def function_of(case: str) -> str:
    return case.partition("[")[0]


def file_of(case: str) -> str:
    return case.partition("::")[0]


# ---------------------------------------------------------------------------------------------------------- the plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fast")
    group.addoption("--fast", action="store_true", help="only tests that take a minute together")
    group.addoption("--durations-file", metavar="FILE", type=Path, help="write how long each test takes")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--fast"):
        return
    left: dict[str, int] = chosen(read())
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        function = function_of(item.nodeid)
        left[function] = left.get(function, NEW) - 1
        (kept if left[function] >= 0 else dropped).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _measured(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _measured(item))


def _measured(item: pytest.Item) -> Generator[None, object, object]:
    begun = _processor_time()
    try:
        return (yield)
    finally:
        item.user_properties.append((_SPENT, _processor_time() - begun))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that collects what others report."""
    if report.when == "teardown":
        _REPORTED[report.nodeid] = sum(float(str(value)) for key, value in report.user_properties if key == _SPENT)


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--durations-file")
    if path is None or hasattr(session.config, "workerinput"):
        return
    together: dict[str, list[float]] = defaultdict(list)
    for case, seconds in sorted(_REPORTED.items()):
        together[function_of(case)].append(seconds)
    rows = (f"{json.dumps(name)}: [{sum(all_of):.2f}, {len(all_of)}]" for name, all_of in together.items())
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def _processor_time() -> float:
    """Of this process, and of its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
