"""What docs/architecture.md promises: which way imports point, what is pure, that the engine knows no game."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from passed import offering, proving

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
    {"owned"},
    {"source", "kept"},
    {"diagnostics"},
    {"core"},
    {"analysis"},
    {"syntax"},
    {"rulebook", "highlighting"},
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
    {"examples", "sampling", "web"},
    {"explore"},
    {"prove", "certify"},
    {"verdict"},
    {"book", "mutate"},
    {"cli"},
    {"__init__", "__main__"},
)
"""What stands below may import what stands above it."""
BACK_ENDS_READ = {"source", "kept", "diagnostics", "core", "analysis", "backends"}
"""Back ends, and `passes`, work from the core alone, and from what is known of it."""
OUTSIDE = {"os", "pathlib", "time", "datetime", "shutil", "tempfile", "subprocess", "multiprocessing", "socket", "sys"}
"""What knows files, the clock, the terminal or the environment."""
TOUCHES = {"cli", "__main__", "owned", "kept", "shelf", "library", "files", "play"}
"""The command line, what is kept on disk, the shelf (with the library, which completes its paths), saved plays."""
HOMES = {
    "lark": "seaspec/syntax/grammar.py",
    "llvmlite": "seaspec/backends/native",
    "z3": ("seaspec/backends/symbolic", "seaspec/certify"),
    "pygments": "seaspec/highlighting.py",
    "ray": "seaspec/cli/simulating/cluster.py",
}
KEEPERS = {"seaspec/syntax/grammar.py", "seaspec/backends/native/cache.py"}
"""Modules elsewhere that keep on disk what took long to make."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def unit(path: Path) -> str:
    """The folder or module of the package that a file is in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """What a module imports, and whether that is only for types."""
    for_types: set[ast.AST] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for_types.update(child for part in node.body for child in ast.walk(part))
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, f"{name(path)}: imports are absolute"
            yield node.module, node in for_types
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node in for_types) for alias in node.names)


def named(path: Path) -> Iterator[tuple[str, bool]]:
    """The same, and what may be a module that is imported from its folder by name."""
    yield from imported(path)
    of_types = {module for module, only_for_types in imported(path) if only_for_types}
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{alias.name}", node.module in of_types) for alias in node.names)


def test_imports_point_one_way() -> None:
    level = {unit_name: number for number, layer in enumerate(LAYERS) for unit_name in layer}
    wrong = []
    for path in MODULES:
        here = unit(path)
        for module, only_for_types in imported(path):
            if module == "seaspec" or only_for_types or not module.startswith("seaspec."):
                continue
            there = module.split(".")[1]
            not_from_the_core = here in ("backends", "passes") and there not in BACK_ENDS_READ | {here}
            if not_from_the_core or (level[there] >= level[here] and there != here):
                wrong.append(f"{name(path)} imports {module}")
    assert not wrong


def test_the_checker_of_certificates_shares_nothing_with_the_prover() -> None:
    for path in (PACKAGE / "certify").rglob("*.py"):
        for module, _ in imported(path):
            assert not module.startswith(("seaspec.prove", "seaspec.verdict", "seaspec.analysis")), name(path)
            assert not module.startswith("seaspec.backends.symbolic"), f"{name(path)} imports {module}"


def test_back_ends_do_not_know_each_other() -> None:
    for path in (PACKAGE / "backends").rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[1]
        for module, _ in imported(path):
            if module.startswith("seaspec.backends."):
                assert module.split(".")[2] == own, f"{name(path)} imports {module}"


def test_only_shells_touch_the_world() -> None:
    wrong = []
    for path in MODULES:
        for module, only_for_types in imported(path):
            first = module.split(".")[0]
            home = HOMES.get(first)
            if home is not None and not name(path).startswith(home):
                wrong.append(f"{name(path)} imports {first}, which belongs to {home}")
            if first in OUTSIDE and not only_for_types and unit(path) not in TOUCHES and name(path) not in KEEPERS:
                wrong.append(f"{name(path)} imports {module}")
    assert not wrong


def test_modules_say_what_they_are_for() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in MODULES}
    wrong = [name(path) for path, text in texts.items() if text.strip() and not ast.get_docstring(parsed(path))]
    assert not wrong, "a module opens with what it is for"


# ----------------------------------------------------------------------------------------------------- a small house


LONGEST = 600
TABLES = {"seaspec/core/ir.py", "seaspec/syntax/tree.py"}
"""What says one thing after the other may be as long as it likes."""
LONG: dict[str, int] = {}
MOST_FILES = 25
CROWDED: dict[str, int] = {}
LONGEST_CHAIN = 10
CHAINED: dict[str, int] = {}
"""What does not keep a law yet, and how far it is from it. These numbers get smaller; who comes to the law is
struck off."""
OFFERING, PROVING = 78, 130
"""Files that are passed (see passed.py): to offer an option (55 are wanted), to print a proved verdict (100)."""


def kept(found: dict[str, int], law: int, breaches: dict[str, int]) -> None:
    worse = {key: size for key, size in found.items() if size > breaches.get(key, law)}
    assert not worse, f"more than {law}, or than it was"
    mended = {key for key in breaches if found.get(key, 0) <= law}
    assert not mended, "they keep the law: strike them off the list"


def test_files_are_short() -> None:
    sizes = {name(path): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    kept({key: size for key, size in sizes.items() if key not in TABLES}, LONGEST, LONG)


def test_folders_are_small() -> None:
    kept(Counter(name(path.parent) for path in MODULES), MOST_FILES, CROWDED)


def test_chains_of_imports_are_short() -> None:
    """Of files of one folder. Files that import one another count as a chain of all of them."""
    chains: dict[str, int] = {}
    for folder in {path.parent for path in MODULES}:
        here = {name(path).removesuffix(".py").replace("/", "."): path for path in MODULES if path.parent == folder}
        graph = {
            module: {there for there, only_for_types in named(path) if there in here and not only_for_types}
            for module, path in here.items()
        }
        chains[name(folder)] = longest_chain(graph)
    kept(chains, LONGEST_CHAIN, CHAINED)


def longest_chain(graph: dict[str, set[str]]) -> int:
    reached = {node: closure(graph, node) for node in graph}
    knot = {node: frozenset(other for other in reached[node] if node in reached[other]) | {node} for node in graph}

    @cache
    def chain(members: frozenset[str]) -> int:
        below = {knot[there] for node in members for there in graph[node]} - {members}
        return len(members) + max(map(chain, below), default=0)

    return max((chain(members) for members in knot.values()), default=0)


def closure(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for there in graph[waiting.pop()] - found:
            found.add(there)
            waiting.append(there)
    return found


def test_a_chain_with_a_knot() -> None:
    assert longest_chain({"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set(), "e": {"d"}}) == 4


def test_few_files_are_passed() -> None:
    assert len(offering()) <= OFFERING
    assert len(proving()) <= PROVING


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
        for node in ast.walk(parsed(path)):
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


def test_the_engine_knows_no_game() -> None:
    found = []
    for path in MODULES:
        lines = path.read_text(encoding="utf-8").splitlines()
        shown = shown_to_people(path, lines)
        found += [
            f"{name(path)}:{number}: {line}"
            for number, line in enumerate(lines, 1)
            if known().search(line) and number not in shown
        ]
    assert not found, "a game's word: say it with cards, or add it to ORDINARY if the engine has it, too"


def test_the_grammar_knows_no_game() -> None:
    assert not known().findall((ROOT / "grammar" / "sea.lark").read_text(encoding="utf-8"))


@cache
def known() -> re.Pattern[str]:
    """Things are capitalised; a word at the beginning of a sentence may be any word."""
    games, things = ("|".join(sorted(names)) for names in (names_of_games(), things_of_games()))
    return re.compile(rf'\b(?:{games})\b|(?<!""")(?<!\. )(?<!# )\b(?:{things})\b')
