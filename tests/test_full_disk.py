"""A full disk: whatever can not be written is told, the exit code says so, and nothing half-written is left.

Each write of each command fails once, alone: a file that can not be made, a write that gets halfway, a name that can
not be given; and each line that is printed.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_runner import seaspec
from test_cli_check import STICKS

from seaspec import files, owned
from seaspec.cli.main import TOOL_FAILED, main

ROOT = Path(__file__).parent.parent
BROKEN = STICKS.replace("9", "6") + "invariant many: size of heap > 3\nreachable few: size of heap = 2\n"
FAILING = BROKEN.replace(
    "needs enough: n <= size of heap", "needs enough: 6 / (size of heap - 1) >= 0 and n <= size of heap"
)
ASIDE = Path(".seaspec")


class Disk:
    """What owned.py writes with; the operation of this number fails, or (`stays`) all from this one on."""

    def __init__(self, fails: int, stays: bool = False) -> None:
        self.fails = range(fails, sys.maxsize if stays else fails + 1)
        self.done: list[str] = []
        self._paths: dict[int, str] = {}

    def as_os(self) -> SimpleNamespace:
        return SimpleNamespace(**{**vars(os), "open": self.open, "write": self.write, "replace": self.replace})

    def open(self, path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            self._do("open", str(path))
        descriptor = os.open(path, flags, mode)
        self._paths[descriptor] = str(path)
        return descriptor

    def write(self, descriptor: int, content: memoryview) -> int:
        if len(self.done) in self.fails:
            os.write(descriptor, content[: len(content) // 2])
        self._do("write", self._paths[descriptor])
        return os.write(descriptor, content)

    def replace(self, source: Path, target: Path) -> None:
        self._do("replace", str(target))
        os.replace(source, target)

    def _do(self, what: str, path: str) -> None:
        if f"{tempfile.gettempdir()}/seaspec-" in path:
            return  # machine code of mutants, which is thrown away: nobody misses it
        self.done.append(f"{what} {path.partition('.part-')[0]}")
        if len(self.done) - 1 in self.fails:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sticks.sea").write_text(BROKEN)
    Path("failing.sea").write_text(FAILING)
    Path("clean.sea").write_text(STICKS)
    Path("cited.sea").write_text(STICKS + "rulebook sticks\n")
    Path("rulebooks").mkdir()
    Path("rulebooks/sticks.md").write_text(
        "# Sticks\n\n## Clauses\n\n| id | kind | text |\n|---|---|---|\n| a.1 | rule | Take. |\n"
    )
    monkeypatch.setattr("seaspec.cli.forking.can_fork", lambda: False)  # in this process all is seen


def contents() -> dict[str, str]:
    return {str(path): path.read_text() for path in Path().rglob("*") if path.is_file()}


CHECK = ("check", "sticks.sea", "--limit", "0", "--plays", "3", "--no-cache")
COMMANDS: list[tuple[tuple[str, ...], str]] = [
    ((*CHECK, "--junit", "asked"), ""),
    ((*CHECK, "--sarif", "asked"), ""),
    ((*CHECK, "--certificate", "asked"), ""),
    (("play", "sticks.sea", "--save", "asked", "--seed", "1"), "1\n1\n"),
    (("play", "sticks.sea", "--seed", "1"), "1\nsave other\n"),
    (("replay", "before.play", "--svg", "asked"), ""),
    (("winnable", "sticks.sea"), ""),
    (("simulate", "failing.sea", "--plays", "20", "--seed", "1", "--jobs", "1"), ""),
    (("mutate", "clean.sea", "--only", "bounds", "--sample", "3", "--quick", "--jobs", "1"), ""),
]


@pytest.mark.parametrize(
    ("words", "typed"), COMMANDS, ids=lambda part: " ".join(part) if isinstance(part, tuple) else ""
)
def test_each_write_fails_once(words: tuple[str, ...], typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seaspec("play", "sticks.sea", "--save", "before.play", "--seed", "1", typed="1\n")
    before = contents()
    seaspec(*words, typed=typed)  # so that machine code is there
    monkeypatch.setattr(owned, "os", (whole := Disk(sys.maxsize)).as_os())
    usual = seaspec(*words, typed=typed)
    after = contents()
    assert whole.done and set(after) > set(before), "nothing is written"
    for number, operation in enumerate(whole.done):
        for path in set(contents()) - set(before):
            Path(path).unlink()
        monkeypatch.setattr(owned, "os", (disk := Disk(number, stays=words[0] == "play")).as_os())
        ran = seaspec(*words, typed=typed)
        assert disk.done[: number + 1] == whole.done[: number + 1]
        found = contents()
        assert set(found) <= set(after), (operation, "something is left")
        for path, text in found.items():
            assert (text[:9], text[-9:]) == (after[path][:9], after[path][-9:]), (operation, path, "is not whole")
        told = ran.out + ran.err
        assert "No space left on device" in told and "Traceback" not in told and "itself failed" not in told, operation
        is_asked = "asked" in operation and words[0] != "play"  # there one can say where else
        assert ran.code == (TOOL_FAILED if is_asked else usual.code), operation


class FullOutput(io.StringIO):
    """It takes so many lines, and no more."""

    def __init__(self, takes: int) -> None:
        super().__init__()
        self.takes = takes

    def write(self, text: str) -> int:
        self.takes -= 1
        if self.takes < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(text)


PRINTING = [
    ("check", "sticks.sea", "--limit", "0", "--plays", "1", "--no-cache", "--json"),
    ("check", "sticks.sea", "--limit", "0", "--plays", "1", "--no-cache", "--json-lines"),
    ("check", "sticks.sea", "--limit", "0", "--plays", "1", "--no-cache"),
    ("check", "missing.sea", "--json"),
    ("play", "sticks.sea", "--seed", "1"),
    ("play", "sticks.sea", "--seed", "1", "--json"),
    ("why", "sticks.sea", "take(1)", "--json"),
    ("winnable", "sticks.sea"),
    ("simulate", "sticks.sea", "--plays", "5", "--jobs", "1"),
    ("replay", "before.play", "--json"),
    ("perft", "sticks.sea", "--json"),
    ("cover", "cited.sea"),
    ("show", "sticks.sea"),
    ("emit", "sticks.sea", "--stage", "core"),
    ("--help",),
    ("check", "--help"),
    ("--version",),
]


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_each_line_fails_to_be_printed(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    seaspec("play", "sticks.sea", "--save", "before.play", "--seed", "1", typed="1\n")
    for takes in (0, 1, 2):
        out, err = FullOutput(takes), io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.StringIO("1\n1\n1\n"))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        if out.takes >= 0:
            assert takes > 0, "nothing was printed"
            continue
        assert code == TOOL_FAILED, takes
        assert err.getvalue().endswith("error: what is told can not be written: No space left on device\n")


@pytest.mark.parametrize("words", [("--version",), ("nothing",)], ids=" ".join)
@pytest.mark.parametrize("stream", [">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full"])
def test_devices_that_are_full(words: tuple[str, ...], stream: str) -> None:
    if not Path("/dev/full").is_char_device():
        return  # there is none on this system
    command = f'exec "{sys.executable}" -m seaspec {" ".join(words)} {stream}'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=env)
    is_full = ("2>" if words == ("nothing",) else " >") in f" {stream}"
    assert ran.returncode == (TOOL_FAILED if is_full else 3 if words == ("nothing",) else 0)
    assert "Traceback" not in ran.stdout + ran.stderr


# -------------------------------------------------------------------------------------------------------------- files


def test_a_device_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    files.write_whole(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        files.write_whole(Path("pipe"), "text")
        assert reader.communicate()[0] == "text"
    assert Path("pipe").is_fifo()


def test_a_link_that_waits_beside_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of others, somebody may guess under which name a file is written first."""
    monkeypatch.setattr(os, "urandom", lambda number: bytes(number))
    Path("precious").write_text("precious")
    Path(f"report.part-{bytes(8).hex()}").symlink_to("precious")
    with pytest.raises(FileExistsError, match="report"):
        files.write_whole(Path("report"), "text")
    assert Path("precious").read_text() == "precious"


def test_what_a_killed_run_has_left_beside_is_removed() -> None:
    for name, age in (("report.part-1", 99), ("report.part-2", 0), ("other.part-1", 99)):
        Path(name).write_text("half")
        os.utime(name, (Path(name).stat().st_mtime - age,) * 2)
    files.write_whole(Path("report"), "text")
    names = {path.name for path in Path().glob("*part*")}
    assert names == {"report.part-2", "other.part-1"}


@pytest.mark.parametrize("name", ["n" * 250, "ö" * 120, "[a]*?"])
def test_odd_names_of_files(name: str) -> None:
    files.write_whole(Path(name), "text")
    assert Path(name).read_text() == "text"
