"""Which statements of the engine each test runs.

In a copy of the package each statement of each function notes that it was run, in a file that all processes of a test
share; so what is forked or spawned counts, too. What is kept of a test is not lines but statements of functions, each
by the name of its module and function, a digest of the function, and its number there: so the map outlives that files
are moved, and that other functions are changed.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

FOLDERS = (
    "prove",
    "analysis",
    "explore",
    "sampling",
    "verdict",
    "backends/interpreter",
    "backends/native",
    "backends/symbolic",
    "passes",
    "certify",
    "bots",
)
"""Of the package: where faults are planted."""
COLLECTED = "collected"
"""What the map calls that which is run before the first test of some files: `collected tests/test_flow.py ..`."""
HITS, PLACES = "plant-hits", "plant-places.json"
"""In a copy with probes: the bytes that are set, and what each of them stands for."""
PROBE = """\
import mmap, os
with open(os.environ["PLANT_HITS"], "r+b") as _file:
    hit = mmap.mmap(_file.fileno(), 0)
"""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(root: Path) -> list[Path]:
    """The files in which faults are planted."""
    return sorted(path for folder in FOLDERS for path in (root / "seaspec" / folder).rglob("*.py"))


@dataclass(frozen=True, slots=True)
class Place:
    """A function of a module, as the map knows it."""

    module: str
    function: str
    digest: str

    @property
    def name(self) -> str:
        return f"{self.module}:{self.function}"


def functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """The functions of a module that stand in no other one, with their names."""

    def within(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
        for statement in body:
            if isinstance(statement, Function):
                yield prefix + statement.name, statement
            elif isinstance(statement, ast.ClassDef):
                yield from within(statement.body, f"{prefix}{statement.name}.")

    return within(tree.body, "")


def place_of(path: Path, name: str, function: Function) -> Place:
    return Place(path.stem, name, sha256(ast.unparse(function).encode()).hexdigest()[:16])


def statements(function: Function) -> list[ast.stmt]:
    """All statements of a function, in the order of the text; its own is the first one."""
    return [node for node in _in_order(function) if isinstance(node, ast.stmt)]


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


# ------------------------------------------------------------------------------------------------------- the copy


def put_probes(root: Path) -> None:
    """Into a copy of the project: from now on what its functions do is noted."""
    places: list[tuple[str, str, str, int]] = []
    for path in modules(root):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, function in functions(tree):
            place = place_of(path, name, function)
            numbers = {id(one): len(places) + number for number, one in enumerate(statements(function))}
            places += ((place.module, place.function, place.digest, number) for number in range(len(numbers)))
            _probe(function, numbers)
            function.body.insert(_opening(function.body), _mark(numbers[id(function)]))
        tree.body.insert(_opening(tree.body), ast.parse("from plant_probe import hit as _hit").body[0])
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
    (root / "plant_probe.py").write_text(PROBE, encoding="utf-8")
    (root / HITS).write_bytes(bytes(len(places)))
    (root / PLACES).write_text(json.dumps(places), encoding="utf-8")


def _probe(node: ast.AST, numbers: dict[int, int]) -> None:
    """Before each statement within a node: that it was come to."""
    for _, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                _probe(child, numbers)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            opening = _opening(value) if isinstance(node, Function) else 0
            rest = [new for one in value[opening:] for new in (_mark(numbers[id(one)]), one)]
            value[opening:] = rest


def _mark(number: int) -> ast.stmt:
    return ast.parse(f"_hit[{number}] = 1").body[0]


def _opening(body: list[ast.stmt]) -> int:
    """How many statements have to stay first: a docstring, imports from the future."""
    count = 0
    for statement in body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (is_text or is_future):
            break
        count += 1
    return count


# -------------------------------------------------------------------------------------------------------- the map


@dataclass(frozen=True, slots=True)
class Known:
    """A test: how long it takes (seconds of a processor), and how many statements it runs."""

    test: str
    seconds: float
    breadth: int


@dataclass(slots=True)
class Map:
    """Which tests run what."""

    tests: list[Known] = field(default_factory=list)
    by_statement: dict[tuple[Place, int], set[int]] = field(default_factory=lambda: defaultdict(set))
    by_function: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    by_module: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    loading: set[tuple[Place, int]] = field(default_factory=set)
    """What is run before the first test: when modules are loaded, and tests collected."""

    @classmethod
    def read(cls, path: Path, root: Path) -> Map:
        """As recording.py writes it; of a test that was recorded several times the last one counts. Tests of files that
        are gone are left out."""
        found = cls()
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for told in {one["test"]: one for one in map(json.loads, lines)}.values():
            if told["test"].startswith(COLLECTED):
                found.loading.update((Place(*place), one) for *place, ran in told["ran"] for one in ran)
                continue
            if not (root / told["test"].split("::")[0]).exists():
                continue
            number = len(found.tests)
            breadth = sum(len(ran) for *_, ran in told["ran"])
            found.tests.append(Known(told["test"], told["seconds"], breadth))
            for module, function, digest, ran in told["ran"]:
                place = Place(module, function, digest)
                for statement in ran:
                    found.by_statement[place, statement].add(number)
                found.by_function[place.name].add(number)
                found.by_module[module].add(number)
        return found

    def running(self, place: Place, statement: int) -> set[int]:
        """The tests that run a statement. Of those that were recorded when its function was another one: all that run
        the function."""
        exactly = self.by_statement.get((place, statement), set())
        recorded = self.by_statement.get((place, 0), set())
        if place.name not in self.by_function:
            return self.by_module.get(place.module, set())
        return exactly | (self.by_function[place.name] - recorded)
