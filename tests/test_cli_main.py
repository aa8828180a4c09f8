"""The command line as a whole: help, exit codes, what is told of bad words, signals and pipes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runner import ISLETS, TIC_TAC_TOE, seaspec

from seaspec.cli.main import COMMANDS
from seaspec.cli.progress import Progress, bar
from seaspec.cli.simulating.histogram import histogram

ROOT = Path(__file__).parent.parent


def seaspec_process(*words: str, stdin: int = subprocess.DEVNULL, **environment: str) -> subprocess.Popen[str]:
    """The same as a process of its own, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "seaspec", *words],
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, **environment},
    )


def test_help_lists_all_commands() -> None:
    ran = seaspec("--help")
    assert ran.code == 0
    assert all(f"\n    {command} " in ran.out for command in COMMANDS)
    assert "example" in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_an_example_and_json(command: str) -> None:
    ran = seaspec(command, "--help")
    assert ran.code == 0
    assert f"seaspec {command} " in ran.out
    assert "example" in ran.out
    assert "--json" in ran.out


@pytest.mark.parametrize("words", [["check"], ["simulate", "--plays", "2", "--jobs", "1"], ["perft", "--depth", "1"]])
def test_warnings_are_told(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "odd.sea"
    path.write_text(
        'game Odd "Odd"\naction a(p: Player): nothing\n'
        "to play\n  seat(1) chooses a\n  nobody wins\n  seat(1) chooses a\n"
    )
    ran = seaspec(words[0], str(path), *words[1:])
    assert ran.code == 0
    assert "odd.sea:6:3: warning SEA902: this is never reached" in ran.err
    if words[0] == "check":
        found = json.loads(seaspec("check", str(path), "--json").out)
        assert [told["code"] for told in found["subjects"][0]["diagnostics"]] == ["SEA902"]


def test_no_command_is_a_bad_command_line() -> None:
    ran = seaspec()
    assert (ran.code, ran.out) == (3, "")
    assert "COMMAND" in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chekc", "calm"], "there is no command 'chekc'; did you mean 'check'?"),
        (["frobnicate"], "there is no command 'frobnicate'\n"),
        (["--frobnicate"], "required: COMMAND"),
        (["simulate"], "required: FILE"),
        (["simulate", TIC_TAC_TOE, "--plys", "3"], "there is no option '--plys'; did you mean '--plays'?"),
        (["simulate", TIC_TAC_TOE, "--plays", "many"], "a whole number from 1 on is wanted, not 'many'"),
        (["simulate", TIC_TAC_TOE, "--plays", "0"], "from 1 on"),
        (["simulate", TIC_TAC_TOE, "--seed", "x"], "a whole number is wanted, not 'x'"),
        (["check", TIC_TAC_TOE, "--plays", "x"], "a whole number from 0 on is wanted, not 'x'"),
        (["check", TIC_TAC_TOE, "--plays", "9" * 5000], "from 0 on"),
        (["why", TIC_TAC_TOE, "draw_sign(B2)", "--after", "-1"], "from 0 on"),
        (["simulate", TIC_TAC_TOE, "another"], "there is a word too many: 'another'"),
        (["emit", TIC_TAC_TOE, "--stage", "tokens"], "invalid choice: 'tokens'"),
        (["why", TIC_TAC_TOE, "pass", "--after", "2", "--example", "taken"], "not allowed with argument"),
    ],
)
def test_bad_command_lines(words: list[str], told: str) -> None:
    ran = seaspec(*words)
    assert (ran.code, ran.out) == (3, "")
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_version() -> None:
    ran = seaspec("--version")
    assert ran.code == 0
    assert ran.out.startswith("seaspec ")


def test_python_dash_m_and_no_colour_in_a_pipe() -> None:
    process = seaspec_process("why", TIC_TAC_TOE, "draw_sign(B2)")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("draw_sign(B2) by Cross: legal\n")


def test_the_tool_is_at_fault_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: object) -> int:
        raise KeyError("no such thing")

    monkeypatch.setattr("seaspec.cli.emit.run", fail)
    monkeypatch.delenv("SEASPEC_DEBUG", raising=False)
    ran = seaspec("emit", TIC_TAC_TOE, "--stage", "tree")
    assert ran.code == 4
    assert "seaspec itself failed: KeyError: 'no such thing' (" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "words", [["simulate", "calm", "--engine", "reference", "--plays", "100000"], ["play", ISLETS]]
)
def test_an_interrupt_ends_quietly(words: list[str]) -> None:
    for patience in (2, 8, 30):
        process = seaspec_process(*words, stdin=subprocess.PIPE)
        time.sleep(patience)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        if process.returncode != -signal.SIGINT:  # else Python itself was still starting, on a busy machine
            break
    assert process.returncode == 130
    assert err.strip() == ""


@pytest.mark.parametrize("words", [("emit", "calm", "--stage", "tree"), ("emit", "clam", "--stage", "tree", "--json")])
def test_nobody_reads_the_output(words: tuple[str, ...]) -> None:
    process = seaspec_process(*words)
    assert process.stdout is not None and process.stderr is not None
    if "--json" not in words:
        process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141


@pytest.mark.parametrize(("closed", "code"), [("<&-", 0), (">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0)])
def test_streams_that_are_closed_from_the_start(closed: str, code: int) -> None:
    command = f'exec "{sys.executable}" -m seaspec play {TIC_TAC_TOE} {closed}'
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, input="")
    assert (done.returncode, done.stderr) == (code, "")


def test_a_histogram_has_few_bars_and_all_numbers() -> None:
    lines = histogram(list(range(1000)))
    assert len(lines) <= 16
    assert sum(int(line.split()[-1]) for line in lines) == 1000
    assert histogram([]) == []
    assert histogram([7, 7]) == ["7 | " + "#" * 40 + "  2"]
    assert histogram([-3, 12], bars=4, width=2) == [
        "-5..-1 | ##  1",
        "  0..4 |     0",
        "  5..9 |     0",
        "10..14 | ##  1",
    ]


def test_a_progress_bar() -> None:
    assert bar("plays", 0, 10, 0.0) == "plays [" + "." * 30 + "] 0 of 10"
    assert bar("plays", 10, 10, 3.0) == "plays [" + "#" * 30 + "] 10 of 10"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("term", "columns"), [("dumb", "80"), ("xterm", "20"), ("xterm", "1")])
def test_a_bar_on_odd_terminals(term: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stderr", screen := Screen())
    with Progress("plays", 10) as progress:
        progress.draw()
        progress.advance(10)
    lines = screen.getvalue().replace("\x1b[K", "").split("\r")
    assert (lines == [""]) == (term == "dumb") and max(map(len, lines)) <= max(1, int(columns) - 1)
