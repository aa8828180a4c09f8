"""`seaspec book --serve`: a change is shown, a fault is told above the last good book, Ctrl-C ends it.

Nobody sleeps here: `look` is called where the command would do so by the clock.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from cli_runner import seaspec

from seaspec.cli.booking.serving import Shown, opened

STICKS = """game Sticks "Sticks"
state left: 0..3 = 3 "what is left"
type Player = ring of Ann, Ben
to play
  win for Ann
"""


@pytest.fixture
def sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sticks.sea").write_text(STICKS, encoding="utf-8")
    return Path("sticks.sea")


def _read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def _news(address: str, seen: str) -> dict[str, str]:
    found = json.loads(_read(f"{address}news?seen={seen}"))
    assert isinstance(found, dict)
    return found


def test_a_change_is_shown_and_a_fault_told(sticks: Path) -> None:
    shown = Shown(["sticks.sea"])
    assert shown.look() and not shown.look(), "nothing has changed"
    with opened(shown, 0) as address:
        page = _read(address)
        assert "what is left" in page and 'data-book="1"' in page and _read(f"{address}sticks") == page
        first = _news(address, "")
        assert (first["book"], first["faults"]) == ("1", "")
        # somebody waits for news, and gets it
        got: list[dict[str, str]] = []
        waiting = threading.Thread(target=lambda: got.append(_news(address, first["seen"])))
        waiting.start()
        sticks.write_text(STICKS.replace("what is left", "sticks that are left"), encoding="utf-8")
        assert shown.look()
        waiting.join(60)
        assert got[0]["book"] == "2" and "sticks that are left" in _read(address)
        # the last good book stays for as long as there are faults
        sticks.write_text(STICKS.replace("0..3 = 3", "0..3 = tree"), encoding="utf-8")
        assert shown.look()
        faulty = _news(address, got[0]["seen"])
        assert faulty["book"] == "2" and "sticks.sea:2:20" in faulty["faults"] and "^" in faulty["faults"]
        assert "sticks that are left" in _read(address)
        sticks.unlink()
        assert shown.look() and "sticks.sea" in shown.faults
        sticks.write_text(STICKS, encoding="utf-8")
        assert shown.look() and shown.faults == "" and shown.number == 3
        with pytest.raises(urllib.error.HTTPError) as missing:
            _read(f"{address}other")
        assert missing.value.code == 404
        # the catalogue of its rule book is watched, too
        sticks.write_text(STICKS.replace("state", "rulebook sticks\nstate"), encoding="utf-8")
        assert shown.look() and "sticks" in shown.faults
        Path("rulebooks").mkdir()
        Path("rulebooks/sticks.md").write_text("## Clauses\n\n| id | clause |\n|---|---|\n| a.1 | Ten lie there. |\n")
        assert shown.look() and shown.faults == "" and "Ten lie there." in _read(address)
    with pytest.raises(urllib.error.URLError):
        _read(address)


def test_a_text_may_be_faulty_at_first(sticks: Path) -> None:
    sticks.write_text("game Sticks\nconst one = tow <b>\n", encoding="utf-8")
    shown = Shown(["sticks.sea"])
    shown.look()
    with opened(shown, 0) as address:
        page = _read(address)
        assert "No book yet" in page and "sticks.sea:2:" in page and "<b>" not in page
        sticks.write_text(STICKS, encoding="utf-8")
        shown.look()
        assert "what is left" in _read(address)


def test_several_games_are_listed(sticks: Path) -> None:
    Path("stones.sea").write_text(STICKS.replace("Sticks", "Stones"), encoding="utf-8")
    shown = Shown(["sticks.sea", "stones.sea"])
    shown.look()
    with opened(shown, 0) as address:
        assert re.findall(r'href="([^"]*)"', _read(address)) == ["/sticks", "/stones"]
        assert "Stones" in _read(f"{address}stones")
        Path("stones.sea").write_text("game Stones\nconst one = tow\n", encoding="utf-8")
        assert shown.look() and "stones.sea:2" in shown.faults and shown.number == 1


def test_ctrl_c_ends_it(sticks: Path) -> None:
    command = [sys.executable, "-m", "seaspec", "book", "sticks.sea", "--serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().split()[0]
    assert "what is left" in _read(address)
    seen = _news(address, "")["seen"]
    waiting = threading.Thread(target=lambda: _silently(address, seen))
    waiting.start()
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    waiting.join(60)
    assert (process.returncode, out, err) == (0, "ended\n", "")


def _silently(address: str, seen: str) -> None:
    try:
        _news(address, seen)
    except (OSError, ValueError):
        return


def test_ports_and_words_that_make_no_sense(sticks: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = seaspec("book", "sticks.sea", "--serve", "--port", str(port))
    assert ran.code == 1 and f"port {port} can not be used: Address already in use" in ran.err and "--port 0" in ran.err
    for port in ("65536", "-1", "http", "8e3", "٣"):
        ran = seaspec("book", "sticks.sea", "--serve", f"--port={port}")
        assert ran.code == 3 and "a port is a number from 0 to 65535" in ran.err
    ran = seaspec("book", "sticks.sea", "pages", "--port", "80")
    assert ran.code == 1 and "a port is for --serve alone" in ran.err
    for words in (["--json"], ["--check"], ["--one-file", "x.html"]):
        ran = seaspec("book", "sticks.sea", "--serve", *words)
        assert ran.code == 1 and f"leave out {words[0]}" in ran.out + ran.err
    ran = seaspec("book", "no_such_game", "--serve", "--port", "0")
    assert ran.code == 1 and "no_such_game" in ran.err and ran.out == ""
