"""Processes that are forked end when the one that forked them is killed, though they have much to tell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection

from seaspec.cli import forking

FAR_MORE_THAN_A_PIPE_HOLDS = b"x" * 10_000_000


def tells_much(told: bytes, connection: Connection) -> None:
    print(os.getpid(), flush=True)
    connection.send_bytes(told)


def test_who_tells_does_not_wait_for_who_was_killed() -> None:
    begun = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert begun.stdout is not None
    with begun.stdout as said:
        number = int(said.readline())
        time.sleep(0.2)  # until it tells
        begun.send_signal(signal.SIGKILL)
        begun.wait()
        assert said.read() == "", "who told is still there: it holds the line open"
    for _ in range(100):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("it is still there")


if __name__ == "__main__":
    forking.begin(tells_much, FAR_MORE_THAN_A_PIPE_HOLDS)
    time.sleep(60)
