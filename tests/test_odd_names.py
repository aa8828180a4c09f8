"""Files of odd names: nothing of a name acts where it is printed, and every report can be written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_runner import seaspec

TEXT = """game Odd "</text><script>alert(1)</script>&amp;|`x`"
state s: 0..9 = 0
action go(p: Player, n: 1..3) "{p} goes"
  s += n
to play
  repeat 3 times: seat(1) chooses go
  nobody wins
invariant low: s < 6
"""


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["new\nline.sea", "esc\x1b[31m.sea", "rtl\u202emod.sea", "ls\u2028.sea", "c1\x9b.sea"])
def test_a_name_that_would_act_where_it_is_printed_is_refused(name: str) -> None:
    Path(name).write_text(TEXT)
    ran = seaspec("check", name, "--limit", "0", "--plays", "2")
    assert ran.code == 1 and "SEA604: the name of the file has a control character (U+" in ran.err
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz.[31") & set(ran.out + ran.err.replace("\n", ""))


@pytest.mark.parametrize("name", ["<b>&\"x'].sea", "a b+c%20.sea", "ünï名.sea", os.fsdecode(b"bad\xff.sea"), "]]>.sea"])
def test_reports_are_whole_whatever_the_name_is(name: str) -> None:
    Path(name).write_text(TEXT)
    words = ["--limit", "0", "--plays", "2", "--jobs", "1", "--junit", "j.xml", "--sarif", "s.json", "--json"]
    ran = seaspec("check", name, *words)
    assert ran.code == 1, ran.err
    places = [p["at"] for p in json.loads(ran.out)["subjects"][0]["promises"]]
    assert places == [f"{name}:8"]
    case = ElementTree.parse("j.xml").find(".//testcase[@file]")
    assert case is not None and case.get("line") == "8"
    result = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"][0]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii() and not set(uri) & set(' <>"')
