"""Batches of plays on a Ray cluster. Nothing else knows Ray; it need not be installed (`seaspec[cluster]`).

A batch is a task: the pickled rules, the plan, the numbers of the plays; so it gives the same wherever it is run. If
its worker is lost, Ray runs it again elsewhere. A worker keeps the compiled game for the next batch. SeaSpec must be
installed on all machines, and be the same everywhere: each answer says by which sources it was made.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from seaspec.backends.native.errors import LimitReached, NotCompiled
from seaspec.cli.output import Fault
from seaspec.game import Game
from seaspec.sampling.batches import Plan, Plays, Start, plays_of
from seaspec.sampling.statistics import Statistics

AGAIN = 10
"""So often a batch is run again if its worker is lost."""
PATIENCE = 10.0
"""Seconds in which the cluster must answer when it is first called."""
SETTINGS = b"\4"
"""The kind of the first frame of HTTP/2; it stands after three bytes that say how long the frame is."""
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + SETTINGS + b"\0\0\0\0\0"
"""How HTTP/2 begins: words that say so, and an empty frame of settings."""

Answer = tuple[str, Statistics | str]
"""A digest of the sources by which the batch was played, and what it shows; or why there is no machine code for it."""


@contextmanager
def cluster(address: str, game: Game, plan: Plan) -> Iterator[tuple[Start, int]]:
    """A cluster that plays batches, and how many processors it has; `address`: HOST:PORT, ray://HOST:PORT or `auto`."""
    try:
        import ray
    except ImportError:
        raise Fault("ray is not installed", "pip install 'seaspec[cluster]'") from None
    _reach(address)
    # Ray tells on stdout, whenever it likes, what happens to its nodes: there it would spoil our results.
    with redirect_stdout(sys.stderr):
        try:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError, ImportError) as error:
            raise _unreached(address, error) from None
        try:
            processors = int(ray.cluster_resources().get("CPU", 0))
            if processors < 1:
                raise Fault(f"the cluster at {address} has no processors")
            sources = own_sources()
            rules = ray.put(pickle.dumps(game.rules))
            task = ray.remote(max_retries=AGAIN, num_cpus=1)(_play)
            yield lambda batch: partial(_result, ray, task.remote(rules, plan, batch), sources), processors
        finally:
            ray.shutdown()


def _reach(address: str) -> None:
    """Whether anybody is there who may be a cluster (it speaks HTTP/2, as gRPC does): Ray would wait for minutes."""
    if address == "auto":
        return
    found = re.fullmatch(r"(?:ray://)?([^:/]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})", address)
    if found is None:
        raise Fault(f"'{address[:100]}' is no address of a cluster", "HOST:PORT, ray://HOST:PORT or auto")
    try:
        with socket.create_connection((found[1].strip("[]"), int(found[2])), PATIENCE) as connection:
            connection.sendall(HELLO)
            is_cluster = connection.recv(4)[3:] == SETTINGS
    except (OSError, OverflowError) as error:
        raise _unreached(address, error) from None
    if not is_cluster:
        raise _unreached(address, ValueError("there is something else at this port"))


def _unreached(address: str, error: Exception) -> Fault:
    reason = next(iter(str(error).splitlines()), "")[:200].rstrip(". ")
    return Fault(f"no cluster is reached at {address}: {reason}", "a cluster of one machine: ray start --head")


def _result(ray: Any, task: Any, sources: str) -> Statistics:
    """What a batch shows, when it has been played; by these sources, if all is well."""
    try:
        theirs, found = ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise Fault(f"a batch failed on the cluster: {_last_line(error)}", "is seaspec installed there?") from None
    except ray.exceptions.RayError as error:
        raise Fault(f"the cluster lost a batch for good: {_last_line(error)}") from None
    if theirs != sources:
        raise Fault("the cluster has another version of seaspec", "install the same version on all machines")
    if isinstance(found, str):
        raise LimitReached(found)
    return found  # type: ignore[no-any-return]


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__


# --------------------------------------------------------------------------------------------------- on the other side


def _play(rules: bytes, plan: Plan, batch: range) -> Answer:
    sources = _sources_here()
    try:
        return sources, _plays(rules, plan).play(batch)
    except NotCompiled as error:
        return sources, str(error)


@lru_cache(1)
def _plays(rules: bytes, plan: Plan) -> Plays:
    return plays_of(Game(pickle.loads(rules)), plan)


@cache
def _sources_here() -> str:
    """The same for all batches: what is loaded does not change."""
    return own_sources()


def own_sources() -> str:
    """A digest of the sources of this package."""
    package = Path(__file__).parent.parent.parent
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
