"""What docs/architecture.md promises: which way imports point, what is pure, that the engine knows no game."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from seaspec.check.describe import snake_case
from seaspec.diagnostics.model import Report
from seaspec.source import SourceFile
from seaspec.syntax import tree
from seaspec.syntax.parse import parse
from seaspec.syntax.walk import walk

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "seaspec"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

LAYERS = (
    {"source", "kept"},
    {"diagnostics"},
    {"core"},
    {"syntax"},
    {"rulebook"},
    {"check"},
    {"passes"},
    {"backends"},
    {"translating"},
    {"bots"},
    {"compile"},
    {"shelf"},
    {"library"},
    {"saved"},
    {"files"},
    {"play"},
    {"game"},
    {"loading", "drawing", "strategies"},
    {"analysis"},
    {"examples", "sampling"},
    {"explore"},
    {"prove"},
    {"verdict"},
    {"mutate"},
    {"cli"},
    {"__init__", "__main__"},
)
"""What stands below may import what stands above it."""
BACK_ENDS_READ = {"source", "kept", "diagnostics", "core", "backends"}
"""Back ends, and `passes`, work from the core alone."""
OUTSIDE = {"os", "pathlib", "time", "datetime", "shutil", "tempfile", "subprocess", "multiprocessing", "socket", "sys"}
"""What knows files, the clock, the terminal or the environment."""
TOUCHES = {"cli", "__main__", "kept", "shelf", "library", "files", "play"}
"""The command line, what is kept on disk, the shelf (with the library, which completes its paths), saved plays."""
HOMES = {
    "lark": "seaspec/syntax/grammar.py",
    "llvmlite": "seaspec/backends/native",
    "z3": "seaspec/backends/symbolic",
    "ray": "seaspec/cli/simulating/cluster.py",
}
KEEPERS = {"seaspec/syntax/grammar.py", "seaspec/backends/native/cache.py"}
"""Modules elsewhere that keep on disk what took long to make."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def unit(path: Path) -> str:
    """The folder or module of the package that a file is in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """What a module imports, and whether that is only for types."""
    for_types: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for_types.update(child for part in node.body for child in ast.walk(part))
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, f"{name(path)}: imports are absolute"
            yield node.module, node in for_types
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node in for_types) for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_point_one_way(path: Path) -> None:
    level = {unit_name: number for number, layer in enumerate(LAYERS) for unit_name in layer}
    here = unit(path)
    for module, only_for_types in imported(path):
        if module == "seaspec" or only_for_types or not module.startswith("seaspec."):
            continue
        there = module.split(".")[1]
        assert level[there] < level[here] or there == here, f"{here} imports {module}"
        if here in ("backends", "passes"):
            assert there in BACK_ENDS_READ | {here}, f"{here} imports {module}"


def test_back_ends_do_not_know_each_other() -> None:
    for path in (PACKAGE / "backends").rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[1]
        for module, _ in imported(path):
            if module.startswith("seaspec.backends."):
                assert module.split(".")[2] == own, f"{name(path)} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_shells_touch_the_world(path: Path) -> None:
    for module, only_for_types in imported(path):
        first = module.split(".")[0]
        home = HOMES.get(first)
        assert home is None or name(path).startswith(home), f"{first} belongs to {home}"
        if first in OUTSIDE and not only_for_types:
            assert unit(path) in TOUCHES or name(path) in KEEPERS, f"{name(path)} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_say_what_they_are_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "a module opens with what it is for"


# ----------------------------------------------------------------------------------------- the engine knows no game


ORDINARY = {
    "calm", "fewer", "hex", "hunt", "lines", "passage", "pig", "scenario", "solo",
    "Card", "Class", "Coin", "Colour", "Compass", "Direction", "Hunt", "Lines", "Long", "Part", "Passage", "Player",
    "Rank", "Scenario", "Side", "Solo", "Water",
}  # fmt: skip
"""Names in games that are ordinary words, too, or stand in the examples of docs/language.md."""
GAMES = [*(ROOT / "spec").rglob("*.sea"), *(ROOT / "tests/cases/excerpts").glob("*.sea")]


def names_of_games() -> set[str]:
    """Names of games and variants, as they are and in snake case."""
    texts = [path.read_text(encoding="utf-8") for path in GAMES]
    heads = {head for text in texts for head in re.findall(r"^(?:game|variant) (\w+)", text, re.MULTILINE)}
    return (heads | {snake_case(head) for head in heads}) - ORDINARY


def things_of_games() -> set[str]:
    """What they are played with: names of components, kinds, boards, shapes, types."""
    found: set[str] = set()
    for path in (path for path in GAMES if path.parent.name != "anchors"):
        for chapter in parse(SourceFile(path.name, path.read_text(encoding="utf-8")), Report()).chapters:
            for node in walk(chapter):
                match node:
                    case tree.Component() | tree.KindDecl() | tree.Board() | tree.Shape() | tree.TypeDecl():
                        found.add(node.name)
    return found - ORDINARY - names_of_the_engine()


def names_of_the_engine() -> set[str]:
    """Its own classes and types, which may be called like something in a game."""
    found: set[str] = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ClassDef(name=own) | ast.Assign(targets=[ast.Name(id=own)]):
                    found.add(own)
    return found


def shown_to_people(path: Path, lines: list[str]) -> set[int]:
    """The lines of doctests with what they give, and of help texts."""
    found: set[int] = set()
    is_in = False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        is_in = text.startswith(">>>") or (is_in and bool(text) and not text.startswith('"""'))
        if is_in or (unit(path) == "cli" and "help=" in line):
            found.add(number)
    for node in ast.parse("\n".join(lines)).body:
        if unit(path) == "cli" and isinstance(node, ast.Assign) and "_EXAMPLE" in ast.unparse(node.targets[0]):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_the_engine_knows_no_game(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    shown = shown_to_people(path, lines)
    known = [line for number, line in enumerate(lines, 1) if KNOWN.search(line) and number not in shown]
    assert not known, "a game's word: say it with cards, or add it to ORDINARY if the engine has it, too"


def test_the_grammar_knows_no_game() -> None:
    assert not KNOWN.findall((ROOT / "grammar" / "sea.lark").read_text(encoding="utf-8"))


GAME_NAMES = "|".join(sorted(names_of_games()))
THINGS = "|".join(sorted(things_of_games()))
KNOWN = re.compile(rf'\b(?:{GAME_NAMES})\b|(?<!""")(?<!\. )(?<!# )\b(?:{THINGS})\b')
"""Things are capitalised; a word at the beginning of a sentence may be any word."""
