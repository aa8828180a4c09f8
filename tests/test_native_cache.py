"""Machine code on disk: used when it fits, rebuilt when it does not, never in the way of another run."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from small_games import TINY, game_of

from seaspec.backends.native import cache
from seaspec.backends.native.cache import compiled, digest
from seaspec.backends.native.explore.explorer import Explorer
from seaspec.backends.native.machine import Machine
from seaspec.game import Game
from seaspec.kept import usual_folder

GAME = game_of(TINY)
OTHER = game_of(TINY, players="3")


def plays(game: Game, folder: Path) -> object:
    return Machine(game.flow, folder).simulate(5, 0, 20)


def only_entry(folder: Path) -> Path:
    (entry,) = folder.iterdir()
    return entry


def forbid_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str, effort: int | None) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(cache, "compile_text", fail)


def test_an_entry_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = plays(GAME, tmp_path)
    forbid_compiling(monkeypatch)
    assert plays(GAME, tmp_path) == first
    with pytest.raises(AssertionError, match="compiled again"):
        plays(OTHER, tmp_path)


def test_damaged_entries_are_rebuilt(tmp_path: Path) -> None:
    """Cut short anywhere, with a wrong bit anywhere, empty, or of another game: the entry is as good as none."""
    first = plays(GAME, tmp_path)
    entry = only_entry(tmp_path)
    whole = entry.read_bytes()
    compiled(OTHER.flow, tmp_path / "other")
    damaged = [whole[:end] for end in (0, 1, 20, 60, 100, len(whole) // 2, len(whole) - 1)]
    for place in (0, 25, 70, 90, 200, len(whole) // 2, len(whole) - 1):
        damaged.append(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
    damaged.append(only_entry(tmp_path / "other").read_bytes())
    damaged.append(b"something else")
    for text in damaged:
        assert text != whole
        entry.write_bytes(text)
        assert plays(GAME, tmp_path) == first
        assert entry.read_bytes()[: len(cache.MAGIC)] == cache.MAGIC
        assert compiled(GAME.flow, tmp_path)[0], "the entry was not replaced"


def test_a_replaced_entry_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plays(GAME, tmp_path)
    only_entry(tmp_path).write_bytes(b"")
    plays(GAME, tmp_path)
    forbid_compiling(monkeypatch)
    plays(GAME, tmp_path)


def test_an_entry_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    expected = plays(GAME, tmp_path / "fine")
    monkeypatch.setattr(os, "replace", full_disk)
    folder = tmp_path / "full"
    assert plays(GAME, folder) == expected
    assert not list(folder.iterdir()), "something was left behind"


def test_where_nothing_can_be_written_games_are_compiled_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    assert plays(GAME, file) == plays(GAME, tmp_path / "folder")
    assert file.read_text() == "not a folder"


def test_runs_at_the_same_time_do_not_clash(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from test_native_cache import *\n"
        "print(plays(GAME, Path(sys.argv[1])))"
    )
    root = Path(__file__).parent.parent
    runs = [Popen([sys.executable, "-c", code, str(tmp_path)], stdout=PIPE, text=True, cwd=root) for _ in range(4)]
    told = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * 4
    assert len(set(told)) == 1 and "plays=20" in told[0]
    assert only_entry(tmp_path)


def test_the_digest_says_what_a_game_means() -> None:
    same = [
        game_of(TINY.replace('"the cell is taken"', '"this cell is not free"')),
        game_of("-- a comment\n" + TINY),
        game_of(TINY),
    ]
    assert {digest(game.flow) for game in same} == {digest(GAME.flow)}
    others = [
        OTHER,
        game_of(TINY.replace("needs rising", "needs rises_up")),
        game_of(TINY.replace("implies number(n) > v", "implies number(n) >= v")),
        game_of(TINY.replace("Finish times 2", "Finish times 3")),
        game_of(TINY.replace("grid 3 by 2", "grid 2 by 3")),
        game_of(TINY.replace("draw 2 from", "draw 1 from")),
    ]
    digests = [digest(game.flow) for game in [GAME, *others]]
    assert len(set(digests)) == len(digests)


def test_another_compiler_or_processor_has_other_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(GAME.flow)
    monkeypatch.setattr(cache, "compiler", lambda: "LLVM 99")
    other = digest(GAME.flow)
    monkeypatch.setattr(cache, "_own_source", lambda: "another version")
    assert len({before, other, digest(GAME.flow)}) == 3


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path / "mine"))
    assert usual_folder() == tmp_path / "mine"
    Machine(GAME.flow)
    assert only_entry(tmp_path / "mine")
    monkeypatch.delenv("SEASPEC_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert usual_folder() == tmp_path / "seaspec"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert usual_folder() == tmp_path / ".cache" / "seaspec"


def test_old_entries_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 2)
    (tmp_path / "of another program").write_text("stays")
    for number, players in enumerate(("1", "2", "3")):
        game = game_of(TINY.replace("2..3", "1..3"), players=players)
        compiled(game.flow, tmp_path)
        for entry in tmp_path.glob("native-*"):
            os.utime(entry, (entry.stat().st_mtime - 10, entry.stat().st_mtime - 10))
        assert len(list(tmp_path.glob("native-*"))) == min(2, number + 1)
        assert (tmp_path / f"native-{digest(game.flow).hex()}").exists()
    assert (tmp_path / "of another program").read_text() == "stays"


def test_code_that_explores_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEASPEC_CACHE", str(tmp_path))
    promised = TINY + "invariant small: size of deck[seat(1)] <= 1\n"
    first = Explorer(game_of(promised).flow).explore(10_000)
    assert first.positions > 1 and any(finding.event for finding in first.findings)
    forbid_compiling(monkeypatch)
    again = Explorer(game_of(promised).flow).explore(10_000)
    assert again.positions == first.positions and again.findings == first.findings
    with pytest.raises(AssertionError, match="compiled again"):
        Explorer(game_of(promised.replace("<= 1", "<= 2")).flow)
