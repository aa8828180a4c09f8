"""Measures programs in turn: each a process of its own on one core, which prints what it counted as JSON.

A program says how many seconds of processor time its work took (`seconds`: without start and warming up) and how much
work it was. The clock is checked against what the operating system has counted for the process and its children.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log

Sample = dict[str, float]
TIMEOUT = 600.0
"""Seconds after which a program is given up."""
CLOCKS_DIFFER = 0.05
"""Seconds by which a program's own clock may go ahead of the operating system's."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A program to be measured; `missing`: why it can not be. `ours`: it is SeaSpec."""

    engine: str
    command: tuple[str, ...] = ()
    missing: str = ""
    ours: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Measured:
    """The samples of a contender, one a round; or why there are none."""

    contender: Contender
    samples: list[Sample] = field(default_factory=list)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some numbers, the least and the greatest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """
        >>> Spread.of([3, 1, 2])
        Spread(median=2, low=1, high=3)
        """
        return cls(statistics.median(values), min(values), max(values))


def measure_all(contenders: Sequence[Contender], rounds: int) -> list[Measured]:
    """Each contender once a round, so that a busy moment of the machine hits all alike."""
    results = [Measured(contender, why=contender.missing) for contender in contenders]
    for _ in range(rounds):
        for result in results:
            if not result.why:
                sample = measure(result.contender)
                if isinstance(sample, str):
                    result.why, result.samples = sample, []
                else:
                    result.samples.append(sample)
    return results


def measure(contender: Contender) -> Sample | str:
    """What a program counted, or why it did not."""
    before = _seconds_of_children()
    try:
        done = subprocess.run(
            contender.command,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
            env={**os.environ, **contender.environment},
            preexec_fn=pin,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    spent = _seconds_of_children() - before
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        return lines[-1]
    try:
        sample: Sample = json.loads(done.stdout)
        claimed = sample["seconds"]
    except (ValueError, KeyError, TypeError):
        return "it printed no JSON with seconds"
    if not 0 < claimed <= spent + CLOCKS_DIFFER:
        return f"it claims {claimed:.2f} s of processor time, and the operating system has counted {spent:.2f} s"
    if not all(sample.get(name, 1) for name in ("plays", "plies", "positions")):
        return "it has not come to the end of a single play"
    return {**sample, "whole process": spent}


def pin() -> None:
    """Keep this process on one core: the last one that it may use, where the system can do that."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The k for which values grow as sizes to the power of k, by least squares on logarithms.

    >>> exponent([1, 4, 16], [3, 12, 48])
    1.0
    """
    return round(statistics.linear_regression([log(s) for s in sizes], [log(v) for v in values]).slope, 3)
