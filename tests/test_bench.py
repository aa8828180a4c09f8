"""The runner of bench/ works, on a tiny budget, with SeaSpec and the peers in C; and it reports what goes wrong."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import checking
import contests
import installing
import measuring
import report
from measuring import Contender, Measured, measure, measure_all

BENCH = Path(__file__).parent.parent / "bench"


def program(text: str) -> Contender:
    return Contender("test", (sys.executable, "-c", text))


def test_a_run_writes_page_and_plot(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    words = ["--quick", "--peers", "c", "--seconds", "0.05", "--only", "calm", "--output", str(page)]
    done = subprocess.run([sys.executable, str(BENCH / "run.py"), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert text in done.stdout
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("|")]
    engines = [row[2] for row in rows if len(row) > 2]
    for engine in ("SeaSpec, native", "SeaSpec, interpreter", "by hand in C, plainly", "by hand in Python"):
        assert engine in engines
    assert "not measured" not in text
    plot = ElementTree.fromstring((tmp_path / "page.svg").read_text(encoding="utf-8"))
    assert plot.tag.endswith("svg")
    assert sorted(tmp_path.iterdir()) == [page, page.with_suffix(".svg")]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--rounds", "0"], "invalid rounds value"),
        (["--seconds", "-1"], "invalid positive value"),
        (["--seconds", "nan"], "invalid positive value"),
        (["--peers", "c", "--only", "no such game"], "no contest has 'no such game' in its title"),
    ],
)
def test_wrong_words_are_refused(words: list[str], why: str, tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH / "run.py"), *words, "--output", str(tmp_path / "page.md")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and why in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_program_is_measured() -> None:
    busy = "import time, json\nwhile time.process_time() < 0.2: pass\nprint(json.dumps({'seconds': 0.1, 'plays': 7}))"
    sample = measure(program(busy))
    assert isinstance(sample, dict) and sample["plays"] == 7 and sample["whole process"] > 0.1


@pytest.mark.parametrize(
    ("contender", "why"),
    [
        (program('print(\'{"seconds": 1000, "plays": 1}\')'), "the operating system has counted"),
        (program('print(\'{"seconds": 0, "plays": 1}\')'), "the operating system has counted"),
        (program("print('fast')"), "no JSON"),
        (program("print('[1]')"), "no JSON"),
        (program("raise SystemExit('no such game')"), "no such game"),
        (program("raise SystemExit(3)"), "code 3"),
        (Contender("test", ("/nowhere/to/be/found",)), "No such file"),
    ],
)
def test_what_goes_wrong_is_said(contender: Contender, why: str) -> None:
    found = measure(contender)
    assert isinstance(found, str) and why in found


def test_what_is_missing_is_not_measured_and_the_others_are() -> None:
    there = program("import json; print(json.dumps({'seconds': 0.001, 'plays': 2, 'plies': 4}))")
    gone = Contender("gone", missing="it is not on this machine")
    first, second = measure_all([gone, there], rounds=2)
    assert (first.samples, first.why) == ([], "it is not on this machine")
    assert len(second.samples) == 2 and not second.why
    results = report.Results(contests.Effort(1, 2, quick=True))
    results.plays.append((contests.Contest("Some game", contests.Unit.PLIES, ()), [first, second]))
    assert "gone | not measured: it is not on this machine |" in report.page(results, "plot.svg")


def test_ratios_are_taken_round_by_round() -> None:
    def measured(ours: bool, *rates: int) -> Measured:
        return Measured(Contender("test", ours=ours), [{"seconds": 2.0, "plays": r, "plies": 2 * r} for r in rates])

    contest = contests.Contest("Some game", contests.Unit.PLIES, ())
    base, peer = measured(True, 100, 300, 1000), measured(False, 50, 100, 100)
    assert report.base_of([peer, base]) is base
    assert report.ratio(contest, peer, base) == "3×"
    assert report.ratio(contest, base, base) == ""


def test_all_contests_can_be_listed_without_any_peer(tmp_path: Path) -> None:
    effort = contests.Effort(1, 1, quick=False)
    tools = installing.none("not today")
    listed = [*contests.play_contests(tools, tmp_path, effort), *contests.search_contests(tools, tmp_path, effort)]
    assert len({contest.title for contest in listed}) == len(listed) == 15
    missing = {c.engine for contest in listed for c in contest.contenders if c.missing == "not today"}
    assert missing == {
        "OpenSpiel, C++", "OpenSpiel, from Python", "Pgx", "Ludax", "boardgame.io", "Quint's simulator", "Spin"
    }  # fmt: skip
    specs = {
        Path(word) for contest in listed for c in contest.contenders for word in c.command if word.endswith(".sea")
    }
    assert all(spec.exists() for spec in specs)


def test_the_games_that_grow_can_be_played_in_their_first_size() -> None:
    for growth in contests.growths(contests.Effort(1, 1, quick=False)):
        size, options = growth.sizes[0]
        assert [later // size for later, _ in growth.sizes] == [4**n for n in range(len(growth.sizes))]
        sample = measure(contests.seaspec_plays(growth.spec, options, 0.01))
        assert isinstance(sample, dict) and sample["plays"] > 0, sample


def test_a_play_that_never_ended_is_no_sample() -> None:
    found = measure(program("import json; print(json.dumps({'seconds': 0.01, 'plays': 0, 'plies': 5}))"))
    assert isinstance(found, str) and "single play" in found


def test_doctests() -> None:
    for module in (measuring, report):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("game", ["calm", "sea_lords"])
def test_programs_print_what_the_runner_reads(game: str) -> None:
    """The peers in plain Python, by themselves."""
    command = [sys.executable, str(BENCH / "peers" / "python_plays.py"), game, "0.02"]
    sample = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert set(sample) == {"seconds", "plays", "plies"} and sample["plies"] > 20 * sample["plays"] > 0


def test_how_long_one_waits_for_a_check(tmp_path: Path) -> None:
    rules = tmp_path / "short.sea"
    rules.write_text(
        "game Short\nconst players = 1\nstate n: 0..9 = 0\nto play\n"
        "  Ann chooses k in 1..2\n  n += k\n  nobody wins\ninvariant low: n < 2\n",
        encoding="utf-8",
    )
    found = checking.checked(rules, "short")
    assert found.cold is not None and found.unchanged is not None and found.edited is not None, found.why
    for waited in (found.cold, found.edited):
        assert waited.news is not None and waited.broken is not None
        assert 0 < waited.news <= waited.broken <= waited.end
    results = report.Results(contests.Effort(1, 1, True), checks=[found, checking.Check("long", why="no | time")])
    text = report.page(results, "plot.svg")
    assert (
        "| short |" in text
        and "| long | not measured: no / time |" in text
        and "| **median until the break, after a change: " in text
    )
