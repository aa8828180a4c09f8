"""What is kept on disk is taken only if this user alone could have written it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from seaspec import kept
from seaspec.kept import ABANDONED, Entries, NotTaken, digest, key_file

KEY, OTHER_KEY = digest(["what it is made from"]), digest(["something else"])


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Entries]:
    """With one entry, and a key of their own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    found = Entries(tmp_path / "above" / "cache", "thing", b"a thing\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotTaken)
        found.write(KEY, b"content")
        assert found.read(KEY) == b"content"
    yield found
    kept._key.cache_clear()


def file_of(entries: Entries) -> Path:
    (file,) = entries.folder.iterdir()
    return file


def not_taken(entries: Entries, why: str) -> None:
    """Nothing is read, nothing is written, and a line says why."""
    before = {file.name: file.read_bytes() for file in entries.folder.iterdir()}
    with pytest.warns(NotTaken, match=why):
        assert entries.read(KEY) is None
    with pytest.warns(NotTaken, match=why):
        entries.write(OTHER_KEY, b"more")
    assert {file.name: file.read_bytes() for file in entries.folder.iterdir()} == before


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_folder_in_which_others_can_write(entries: Entries, mode: int) -> None:
    entries.folder.chmod(mode)
    not_taken(entries, f"others can write to {entries.folder} ")
    entries.keep_newest(0)
    assert file_of(entries), "something was removed from a folder of others"


def test_a_folder_that_others_can_replace(entries: Entries) -> None:
    """Sticky as /tmp is, it may be written by all: nobody can move what belongs to somebody else."""
    entries.folder.parent.chmod(0o777)
    not_taken(entries, f"others can write to {entries.folder.parent} ")
    entries.folder.parent.chmod(0o1777)
    assert entries.read(KEY) == b"content"


def test_a_folder_that_is_a_link_counts_where_it_lies(entries: Entries, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(entries.folder)
    linked = Entries(tmp_path / "link", entries.name, entries.magic)
    assert linked.read(KEY) == b"content"
    entries.folder.parent.chmod(0o777)
    not_taken(linked, "others can write")


def test_what_belongs_to_another_user(entries: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    not_taken(entries, f"{entries.folder} belongs to another user")


def test_a_folder_of_another_user_above(entries: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.stat

    def stat(path: Path | str | int, **named: bool) -> os.stat_result:
        found = usual(path, **named)  # type: ignore[arg-type]
        owner = 12345 if path == entries.folder.parent else found.st_uid
        return os.stat_result((*found[:4], owner, *found[5:]))

    monkeypatch.setattr(os, "stat", stat)
    not_taken(entries, f"{entries.folder.parent} belongs to another user")


def test_a_file_that_others_could_have_written(entries: Entries) -> None:
    file_of(entries).chmod(0o666)
    with pytest.warns(NotTaken, match="others can write to .*thing-"):
        assert entries.read(KEY) is None
    entries.write(KEY, b"content")
    assert entries.read(KEY) == b"content" and file_of(entries).stat().st_mode & 0o777 == 0o600


def test_links_pipes_and_folders_are_no_entries(entries: Entries, tmp_path: Path) -> None:
    file = file_of(entries)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert entries.read(KEY) is None
    entries.write(KEY, b"content")
    assert not file.is_symlink() and entries.read(KEY) == b"content"
    file.unlink()
    file.mkdir()
    assert entries.read(KEY) is None
    file.rmdir()
    os.mkfifo(file, 0o600)
    with pytest.warns(NotTaken, match="is no ordinary file"):
        assert entries.read(KEY) is None


def test_an_entry_that_is_not_signed_by_this_user(entries: Entries) -> None:
    """Forged with all that is known but the key; cut; of another key; of another kind; under another's name."""
    file = file_of(entries)
    whole = file.read_bytes()
    head = entries.magic + KEY
    forged = [head + digest([b"evil"]) + b"evil", head + kept._sign(bytes(32), head, b"evil") + b"evil"]
    for bad in (*forged, b"", whole[:-1], whole + b"x", whole.replace(b"content", b"c0ntent"), whole[1:]):
        file.write_bytes(bad)
        assert entries.read(KEY) is None, bad
    file.write_bytes(whole)
    assert entries.read(KEY) == b"content"
    file.rename(file.with_name(f"thing-{OTHER_KEY.hex()}"))
    assert entries.read(OTHER_KEY) is None
    other = Entries(entries.folder, entries.name, b"another\n")
    file_of(entries).rename(file)
    assert other.read(KEY) is None and entries.read(KEY) == b"content"


def test_with_another_key_all_is_made_anew(entries: Entries) -> None:
    key_file().unlink()
    kept._key.cache_clear()
    assert entries.read(KEY) is None
    entries.write(KEY, b"anew")
    assert entries.read(KEY) == b"anew"


@pytest.mark.parametrize("damaged", [b"", b"short", bytes(33)])
def test_a_key_that_is_not_whole_is_made_anew(entries: Entries, damaged: bytes) -> None:
    key_file().write_bytes(damaged)
    kept._key.cache_clear()
    assert entries.read(KEY) is None
    entries.write(KEY, b"anew")
    assert entries.read(KEY) == b"anew" and len(key_file().read_bytes()) == 32


def test_the_key_is_for_nobody_else(entries: Entries) -> None:
    assert key_file().stat().st_mode & 0o777 == 0o600 and key_file().parent.stat().st_mode & 0o777 == 0o700
    for path, mode, why in (
        (key_file(), 0o640, "others can read"),
        (key_file(), 0o660, "others can write"),
        (key_file().parent, 0o777, "others can write"),
    ):
        usual = path.stat().st_mode
        path.chmod(mode)
        kept._key.cache_clear()
        not_taken(entries, why)
        path.chmod(usual)


def test_where_there_is_no_place_for_a_key_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    entries = Entries(tmp_path / "cache", "thing", b"a thing\n")
    assert entries.read(KEY) is None
    with pytest.warns(NotTaken, match="nothing is kept: no key can be written to .*cache.key"):
        entries.write(KEY, b"content")
    assert not list(entries.folder.iterdir())


def test_folders_are_made_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    try:
        Entries(tmp_path / "a" / "b", "thing", b"").write(KEY, b"content")
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o777 for folder in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700] * 2


def test_what_a_killed_run_has_left_is_removed(entries: Entries) -> None:
    for name, age in (("thing-new-1", ABANDONED + 9), ("thing-new-2", 0), ("other", ABANDONED + 9)):
        (entries.folder / name).write_text("half")
        os.utime(entries.folder / name, (time.time() - age,) * 2)
    entries.keep_newest(10)
    assert {file.name for file in entries.folder.iterdir()} == {file_of_key(KEY), "thing-new-2", "other"}


def file_of_key(key: bytes) -> str:
    return f"thing-{key.hex()}"


def test_the_command_line_says_so_in_a_line_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SEASPEC_CACHE", str(folder))
    monkeypatch.chdir(tmp_path)
    folder.mkdir()
    folder.chmod(0o777)
    Path("x.sea").write_text("game X\nconst players = 1\nto play\n  win for Ann\n")
    ran = subprocess.run(
        [sys.executable, "-m", "seaspec", "check", "x.sea", "--limit", "0", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    line = f"note: what was kept is not used: others can write to {folder} (chmod go-w '{folder}')\n"
    assert (ran.returncode, ran.stderr.replace(line, "", 1)) == (0, "")
    assert not [file for file in folder.rglob("*") if file.is_file()]
