"""Many games attacked, on all cores or on a cluster: a game is a task, and one that kills its process is found out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from attack.generator import game
from attack.judge import DRAWN, Outcome, Wrong, attack
from attack.shrink import is_as_wrong, marked, smallest
from attack.workers import done_by, survived
from seaspec.cli.output import Fault
from seaspec.cli.simulating.cluster import _reach as reach
from seaspec.cli.simulating.cluster import own_sources

Result = tuple[Outcome, list[str]]
Run = Callable[[str], Result]
Results = Iterator[tuple[str, Result | int]]
PROVERS = ("whole", "apart", "thinned")


def levels_for(seed: str) -> tuple[str, ...]:
    """All levels that are quick, and of those that take long one or two, which is drawn by the seed."""
    number = int(seed.rsplit(":", 1)[-1])
    found = [PROVERS[number % 3], "plays", "reference", "odds"]
    if number % 25 == 3:
        found += ["native", "native plays"]
    if number % 25 == 13:
        found.append("watched")
    if number % 60 == 0:
        found.append("cvc5")
    if number % 15 == 7:
        found.append("locked")  # the last: its game is another one
    return tuple(found)


def one(seed: str, levels: tuple[str, ...] | None, shrink: float) -> Result:
    outcome = attack(seed, levels or levels_for(seed))
    texts = []
    seen: set[tuple[str, str]] = set()
    for wrong in outcome.wrong:
        again = (wrong.promise, wrong.how) in seen
        seen.add((wrong.promise, wrong.how))
        texts.append(_small(wrong, shrink) if shrink and not again else wrong.text)
    return outcome, texts


def _small(wrong: Wrong, seconds: float) -> str:
    try:
        return marked(wrong, smallest(wrong, seconds))
    except Exception as error:  # it is told all the same, as it was drawn
        return f"-- it can not be made smaller: {error}\n{wrong.text}"


def died(seed: str, code: int, levels: tuple[str, ...] | None, seconds: float) -> Result:
    """A process died of a game: at which level, is found out by trying."""
    text = game(seed, DRAWN)
    for level in levels or levels_for(seed):
        wrong = Wrong(seed, level, "death", "", f"the process dies: {code}", "it must not happen", text)
        if survived(partial(is_as_wrong, text, wrong)) is None:
            return Outcome(games=1, wrong=[wrong]), [marked(wrong, smallest(wrong, seconds))]
    wrong = Wrong(seed, "?", "death", "", f"the process dies: {code}", "it must not happen", text)
    return Outcome(games=1, wrong=[wrong]), [text]


class NoCluster(Exception):
    """There is no cluster, and why."""


def attacked(run: Run, seeds: list[str], jobs: int, address: str) -> Results:
    """What comes out of each game; the exit code, if the process has died of it."""
    if address:
        yield from _on_a_cluster(run, seeds, address)
    else:
        yield from done_by(jobs, run, seeds)


def _on_a_cluster(run: Run, seeds: list[str], address: str) -> Results:
    """A game is a task. These files are sent along; the package must be the same on all machines."""
    try:
        import ray
    except ImportError:
        raise NoCluster("ray is not installed: pip install 'seaspec[cluster]'") from None
    try:
        reach(address)
    except Fault as fault:
        raise NoCluster(str(fault)) from None
    here = Path(__file__).parent
    sent = {"py_modules": [str(here), str(here.parent / "relational_truth.py")]}
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, runtime_env=sent)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise NoCluster(
            f"no cluster is reached at {address}: {next(iter(str(error).splitlines()), '')[:200]}"
        ) from None
    try:
        task = ray.remote(max_retries=1, num_cpus=1)(_on_the_other_side)
        waiting = {task.remote(run, seed, own_sources()): seed for seed in seeds}
        while waiting:
            for ready in ray.wait(list(waiting))[0]:
                seed = waiting.pop(ready)
                try:
                    found = ray.get(ready)
                except ray.exceptions.WorkerCrashedError:
                    found = -1
                if found is None:
                    raise NoCluster("the cluster has another version of seaspec")
                yield seed, found
    finally:
        ray.shutdown()


def _on_the_other_side(run: Run, seed: str, sources: str) -> Result | None:
    return run(seed) if own_sources() == sources else None
