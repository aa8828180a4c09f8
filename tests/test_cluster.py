"""Plays on a Ray cluster: two workers on this machine, the numbers of one process, a worker that is killed."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cli_runner import DICE_RACE, TIC_TAC_TOE, seaspec
from ray.cluster_utils import Cluster

from seaspec.cli.output import Fault
from seaspec.cli.simulating import cluster as module
from seaspec.cli.simulating.cluster import cluster
from seaspec.loading import load
from seaspec.sampling.batches import NATIVE, Plan, in_batches, plays_of
from seaspec.sampling.statistics import Statistics

LONG = 40_000
"""Plays that take a worker some time."""


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Cluster]:
    """A cluster of a head that plays nothing and two nodes with one processor each."""
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        found.add_node(num_cpus=1)
    yield found
    found.shutdown()


def test_the_same_numbers_as_here(two_workers: Cluster) -> None:
    for words in (
        ["--plays", "30000"],
        ["--plays", "60000", "--until", "width=3%"],
        ["--bots", "mcts:2", "--plays", "3"],
    ):
        command = ("simulate", DICE_RACE, "--seed", "5", "--json", *words)
        there, here = (seaspec(*command, *where) for where in (("--ray", two_workers.address), ("--jobs", "1")))
        assert there.code == here.code == 0
        numbers = [json.loads(ran.out) for ran in (there, here)]
        for found in numbers:
            del found["seconds"], found["plays_per_second"]
        assert numbers[0] == numbers[1]


def test_what_machine_code_can_not_do(two_workers: Cluster) -> None:
    words = ("simulate", TIC_TAC_TOE, "--plays", "20", "--limit", "2000000", "--ray", two_workers.address)
    ran = seaspec(*words)
    assert ran.code == 0 and "note: by the reference engine, since native plays have at most " in ran.err


def workers_that_play() -> set[int]:
    """The processes that play a batch just now: Ray names them after their task."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::_play"):
                found.add(int(path.parent.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def parents(process: int) -> list[int]:
    """The process that started this one, and so on."""
    found = []
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        found.append(process)
    return found


@contextmanager
def node_to_kill(workers: Cluster) -> Iterator[Any]:
    """One of the two nodes; afterwards there are two again."""
    node = next(node for node in workers.worker_nodes if node.all_processes)
    yield node
    workers.add_node(num_cpus=1)


def kill_while_it_plays(workers: Cluster, node: Any) -> None:
    """Kill a node, with its worker, while it is at a batch."""
    (raylet,) = (started.process.pid for started in node.all_processes["raylet"])
    while not (playing := [process for process in workers_that_play() if raylet in parents(process)]):
        time.sleep(0.01)
    for process in playing:
        os.kill(process, signal.SIGKILL)
    workers.remove_node(node, allow_graceful=False)


def test_the_batch_of_a_lost_worker_is_played_again(two_workers: Cluster) -> None:
    game, plan = load("calm"), Plan(NATIVE, 3, 20_000)
    batches = [range(first, first + LONG) for first in range(0, 3 * LONG, LONG)]
    with node_to_kill(two_workers) as node, cluster(two_workers.address, game, plan) as (start, processors):
        assert processors == 2
        waiting = [start(batch) for batch in batches]
        kill_while_it_plays(two_workers, node)
        found = [wait() for wait in waiting]
    plays = plays_of(game, plan)
    assert found == [plays.play(batch) for batch in batches]


def test_a_batch_that_is_lost_for_good_is_told(two_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, if nothing is played again: so it is a batch that gets lost."""
    monkeypatch.setattr(module, "AGAIN", 0)
    game, plan = load("calm"), Plan(NATIVE, 3, 20_000)
    with node_to_kill(two_workers) as node, cluster(two_workers.address, game, plan) as (start, _):
        waiting = [start(range(first, first + LONG)) for first in range(0, 2 * LONG, LONG)]
        kill_while_it_plays(two_workers, node)
        with pytest.raises(Fault, match="the cluster lost a batch for good"):
            for wait in waiting:
                wait()


def test_few_batches_are_under_way(two_workers: Cluster) -> None:
    game, plan = load(TIC_TAC_TOE), Plan(NATIVE, 3, 20_000)
    with cluster(two_workers.address, game, plan) as (start, processors):
        under_way = most = 0

        def counted(batch: range) -> Any:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            wait = start(batch)

            def told() -> Statistics:
                nonlocal under_way
                under_way -= 1
                return wait()

            return told

        found = list(in_batches(plan, 300_000, counted, 2 * processors))
    assert sum(part.plays for part in found) == 300_000
    assert most == 2 * processors < len(found)


# -------------------------------------------------------------------------------------------------------------- faults


def told(*words: str) -> str:
    ran = seaspec("simulate", TIC_TAC_TOE, "--plays", "10", *words)
    assert ran.code == 1 and ran.out == ""
    return ran.err


def test_another_version_of_seaspec_there(two_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "own_sources", lambda: "other sources")
    assert "the cluster has another version of seaspec" in told("--ray", two_workers.address)


def test_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    err = told("--ray", "auto")
    assert "ray is not installed" in err and "pip install 'seaspec[cluster]'" in err


def test_nobody_answers() -> None:
    assert "no cluster is reached at 127.0.0.1:1: " in told("--ray", "127.0.0.1:1")


def test_somebody_else_answers() -> None:
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        Thread(target=server.handle_request, daemon=True).start()
        assert "there is something else at this port" in told("--ray", f"127.0.0.1:{server.server_port}")


@pytest.mark.parametrize(
    "address", ["", "nowhere", "local", "a:b:c", "127.0.0.1:", "127.0.0.1:999999", "http://127.0.0.1:80"]
)
def test_addresses_that_are_none(address: str) -> None:
    assert "is no address of a cluster" in told("--ray", address)


def test_jobs_are_not_for_a_cluster() -> None:
    assert "--jobs is about this machine" in told("--ray", "auto", "--jobs", "2")
