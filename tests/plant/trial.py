"""A plugin of pytest that plants faults: instead of running tests it runs, for each fault, those that may notice it.

The tests are collected once. For each fault a process is forked, in which the function with the fault is changed, and
the tests are run in turn until one fails. What is changed in a process so is gone with it. A fault that nobody notices
is tried again in processes of its own, from a text with the fault (see __main__.py): what was worked out when modules
were loaded, and is used by tests since, is worked out with the fault then.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import shutil
import signal
import tempfile
import time
import types
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from plant.recording import forget

WORK, OUT, JOBS = "PLANT_WORK", "PLANT_OUT", "PLANT_JOBS"
LEAST_SECONDS, SLOWER = 5, 4
"""A test that takes longer than it should is stopped after so many seconds of a processor, or so many times as long."""
PATIENCE = 15
"""Processors are shared: so much longer by the clock on the wall."""
MOST_MEMORY = 8 * 2**30
NATIVE = "backends/native"
Functions = dict[tuple[str, str], list[types.FunctionType]]
"""All functions of the engine that are in memory, by module and name."""


@dataclass
class _Child:
    task: dict[str, Any]
    begun: float
    most: float
    out: Path


class Planter:
    def __init__(self) -> None:
        self.work = json.loads(Path(os.environ[WORK]).read_text(encoding="utf-8"))
        self.out = Path(os.environ[OUT])
        self.jobs = int(os.environ[JOBS])
        self.shared = Path(tempfile.mkdtemp(prefix="plant-cache-"))
        self.passing: dict[str, bool] = {}
        """Of the tests that have noticed something, whether they pass without a fault."""
        self.running: dict[int, _Child] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        functions = _functions({task["module"] for task in self.work})
        gc.freeze()
        for task in self.work:
            task["tests"] = [test for test in task["tests"] if test in items]
        waiting = list(reversed(self.work))
        while waiting or self.running:
            if waiting and len(self.running) < self.jobs:
                self._begin(waiting.pop(), items, functions)
            else:
                waiting += self._wait()
        shutil.rmtree(self.shared, ignore_errors=True)
        return True

    def _begin(self, task: dict[str, Any], items: dict[str, pytest.Item], functions: Functions) -> None:
        tests = [test for test in task["tests"] if self.passing.get(test, True)]
        out = self.out.with_suffix(f".{len(self.running)}-{time.monotonic_ns()}")
        most = LEAST_SECONDS + sum(max(LEAST_SECONDS, SLOWER * task["seconds"][test]) for test in tests)
        process = os.fork()
        if not process:
            os.setsid()
            _run(task, [items[test] for test in tests], functions, out, self.shared)
        self.running[process] = _Child(task, time.monotonic(), most, out)

    def _wait(self) -> list[dict[str, Any]]:
        """Until a process has ended: tell what came out, and what is to be tried next because of that."""
        while True:
            for process, child in list(self.running.items()):
                ended, status = os.waitpid(process, os.WNOHANG)
                is_late = time.monotonic() - child.begun > PATIENCE * child.most
                if is_late and not ended:
                    os.killpg(process, signal.SIGKILL)
                    _, status = os.waitpid(process, 0)
                if ended or is_late:
                    del self.running[process]
                    return self._after(child, status)
            time.sleep(0.02)

    def _after(self, child: _Child, status: int) -> list[dict[str, Any]]:
        told = json.loads(child.out.read_text(encoding="utf-8")) if child.out.exists() else {"outcome": "stopped"}
        child.out.unlink(missing_ok=True)
        if os.WIFSIGNALED(status) and told["outcome"] != "noticed":
            told["outcome"] = "stopped"
        task, by = child.task, told.get("by", "")
        if "then" in task:  # a test without the fault
            self.passing[by or task["tests"][0]] = told["outcome"] == "survived"
            return [task["then"]]
        if told["outcome"] != "survived" and task["text"] and self.passing.get(by) is not True and by in task["tests"]:
            if by not in self.passing:
                return [{**task, "text": "", "tests": [by], "then": task}]
            return [task]
        found = {"by": "", **told, "key": task["key"], "seconds": round(time.monotonic() - child.begun, 1)}
        with self.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
        return []


def _run(task: dict[str, Any], items: list[pytest.Item], functions: Functions, out: Path, shared: Path) -> None:
    """In a process of its own: plant a fault, and run tests until one notices."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    own = Path(tempfile.mkdtemp(prefix="plant-child-"))
    if NATIVE not in task["path"]:  # machine code is what it is without the fault
        (own / "native").symlink_to(shared)
    result: dict[str, Any] = {"outcome": "survived", "by": ""}
    try:
        os.environ["SEASPEC_CACHE"] = str(own)
        forget()
        if not _plant(task, functions):
            result["outcome"] = "elsewhere"
        else:
            for item, following in zip(items, [*items[1:], None], strict=False):
                out.write_text(json.dumps({"outcome": "stopped", "by": item.nodeid}), encoding="utf-8")
                _no_longer_than(max(LEAST_SECONDS, SLOWER * task["seconds"][item.nodeid]))
                if not _passes(item, following):
                    result |= {"outcome": "noticed", "by": item.nodeid}
                    break
    except BaseException as error:
        result |= {"outcome": "noticed", "by": f"{type(error).__name__}: {error}"[:200]}
    out.write_text(json.dumps(result), encoding="utf-8")
    shutil.rmtree(own, ignore_errors=True)
    os._exit(0)


def _no_longer_than(seconds: float) -> None:
    """From now on; of a processor."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    most = int(spent.ru_utime + spent.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    return all(report.passed or report.skipped for report in runtestprotocol(item, nextitem=following, log=False))


# ------------------------------------------------------------------------------------------------------- the change


def _plant(task: dict[str, Any], functions: Functions) -> bool:
    """Change the function in memory; False where that can not be done. Without a text it was changed before."""
    if not task["text"]:
        return True
    code = compile(Path(task["text"]).read_text(encoding="utf-8"), task["file"], "exec", dont_inherit=True)
    function = task["function"]
    new = next((one for one in _codes(code) if one.co_qualname == function), None)
    if new is None:
        return False
    inner = Counter(one.co_qualname for one in _codes(new))
    try:
        for code in (new, *_codes(new)):
            live = functions.get((task["module"], code.co_qualname), ())
            if live and inner[code.co_qualname] > 1:  # made before: which of them is which is not known
                return False
            for one in live:
                one.__code__ = code
    except ValueError:  # it has other names from around it
        return False
    return (task["module"], function) in functions


def _functions(modules: Iterable[str]) -> Functions:
    """Of these modules and all that they load; what is frozen the collector does not tell of."""
    for module in modules:
        importlib.import_module(module)
    gc.unfreeze()
    found: Functions = {}
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and (one.__module__ or "").startswith("seaspec."):
            found.setdefault((one.__module__, one.__code__.co_qualname), []).append(one)
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield one
            yield from _codes(one)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Planter(), "plant")
