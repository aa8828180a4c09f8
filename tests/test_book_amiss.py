"""What goes amiss with books: places where nothing can be written, books of other rules, other builders of sites."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from cli_runner import seaspec

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
    return tmp_path


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["sticks.sea"], "sticks.sea is a file, and no folder for pages"),
        (["sticks.sea/below/it"], "sticks.sea is a file, and no folder for pages"),
        ([""], "the folder for the pages has no name"),
        (["--one-file", "nowhere/sticks.html"], "there is no folder nowhere"),
        (["--one-file", "."], ".: this is a directory"),
        (["sticks.sea", "pages"], "two books would be named 'sticks'"),
        (["pages", "--one-file", "sticks.html"], "there is no game 'pages'"),
        (["nosuch", "pages"], "there is no game 'nosuch'"),
    ],
)
def test_where_nothing_can_be_written(sticks: Path, words: list[str], told: str) -> None:
    ran = seaspec("book", "sticks.sea", *words)
    assert ran.code == 1 and told in ran.err and ran.out == "", ran
    assert [path.name for path in sticks.iterdir()] == ["sticks.sea"]


@pytest.mark.parametrize("way", [["--one-file", "sticks.html"], ["--serve", "--port", "0"]])
def test_without_the_package_that_makes_html(sticks: Path, way: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markdown", None)
    ran = seaspec("book", "sticks.sea", *way)
    assert ran.code == 1 and "'markdown'" in ran.err and "pip install 'seaspec[book]'" in ran.err and ran.out == "", ran
    assert [path.name for path in sticks.iterdir()] == ["sticks.sea"]


def test_a_folder_that_is_not_ours(sticks: Path) -> None:
    Path("theirs").mkdir()
    with mock.patch.object(os, "access", lambda path, mode: Path(path) != Path("theirs")):
        ran = seaspec("book", "sticks.sea", "theirs/pages")
    assert ran.code == 1 and "nothing can be written to theirs" in ran.err and not list(Path("theirs").iterdir())


def test_a_picture_that_is_missing_and_a_book_of_other_rules(sticks: Path) -> None:
    assert seaspec("book", "sticks.sea", "pages").code == 0
    picture = Path("pages/sticks/beginning.svg")
    picture.unlink()
    assert seaspec("book", "sticks.sea", "pages", "--check").lines == [f"stale: {picture}"]
    assert seaspec("book", "sticks.sea", "pages").code == 0 and picture.is_file()
    Path("sticks.sea").write_text(STICKS.replace("what is left", "sticks there"), encoding="utf-8")
    ran = seaspec("book", "sticks.sea", "pages", "--check")
    assert ran.code == 1 and "stale: pages/sticks/rules.md" in ran.lines
    assert "what is left" in Path("pages/sticks/rules.md").read_text(encoding="utf-8"), "nothing is written"
    Path("pages/sticks/rules.md").write_bytes(b"\xff\xfe no text")
    assert "stale: pages/sticks/rules.md" in seaspec("book", "sticks.sea", "pages", "--check").lines


def test_properdocs_makes_the_same_pages(sticks: Path) -> None:
    """The other builder of such sites has the plugin as it is, with its search."""
    Path("docs").mkdir()
    Path("docs/index.md").write_text("# Games\n", encoding="utf-8")
    theme = Path(__file__).parent.parent / "docs" / "theme"
    Path("mkdocs.yml").write_text(
        f"site_name: Games\ntheme: {{name: null, custom_dir: {theme}, include_search_page: true}}\n"
        "plugins: [search, seaspec: {games: [sticks.sea]}]\nnav: [Start: index.md, Games: seaspec]\n",
        encoding="utf-8",
    )
    made = {}
    for builder in ("mkdocs", "properdocs"):
        command = [sys.executable, "-m", builder, "build", "--strict", "--quiet", "--site-dir", builder]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        found = [path for path in Path(builder).rglob("*") if path.suffix in (".html", ".json", ".css", ".svg")]
        made[builder] = {str(path.relative_to(builder)): path.read_text(encoding="utf-8") for path in found}
        assert "seaWords" in Path(builder, "search", "lunr.js").read_text(encoding="utf-8")
    assert made["mkdocs"] == made["properdocs"] and "sticks/rules/index.html" in made["mkdocs"]
    assert "what is left" in made["mkdocs"]["search/search_index.json"]
