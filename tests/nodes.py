"""The closed unions of nodes, and where the code takes them apart: read from the syntax trees of the package."""

from __future__ import annotations

import ast
import enum
import inspect
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from seaspec.core import flow, ir, ops, types
from seaspec.syntax import tree

PACKAGE = Path(__file__).parent.parent / "seaspec"
TABLES = {module.__name__: module for module in (ir, flow, types, ops, tree)}
"""The modules that define nodes."""
MANY = 3
"""So many tests with `isinstance`, one after the other, are a match by another name."""


@cache
def members() -> frozenset[str]:
    """All members of closed unions, and all enumerations, by their full names."""
    found: set[str] = set()
    for module in TABLES.values():
        for value in vars(module).values():
            classes = [arg for arg in typing.get_args(value) if inspect.isclass(arg)]
            if inspect.isclass(value) and issubclass(value, enum.Enum) and value.__module__ == module.__name__:
                classes.append(value)
            found |= {f"{one.__module__}.{one.__name__}" for one in classes if one.__module__ in TABLES}
    return frozenset(found)


def union(alias: object) -> tuple[type, ...]:
    """The members of a union, those of unions in it with them."""
    return tuple(typing.get_args(alias))


@dataclass(frozen=True)
class Place:
    """Where nodes are taken apart: in a `match`, or one `isinstance` after the other."""

    path: Path
    line: int
    fault: str | None

    def __str__(self) -> str:
        return f"{self.path.relative_to(PACKAGE.parent)}:{self.line}: {self.fault}"


def places(path: Path) -> Iterator[Place]:
    """The places in a module where nodes are taken apart, and what is wrong with them."""
    module = _Module(path)
    if not module.knows_nodes:
        return
    for node in module.all:
        if isinstance(node, ast.Match) and any(map(module.is_member, _named(node))):
            yield Place(path, node.lineno, module.fault(node))
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(block, list) and any(isinstance(part, ast.If) for part in block):
                yield from (Place(path, line, fault) for line, fault in module.chains(block))


def _named(match: ast.Match) -> Iterator[ast.expr]:
    """What the patterns of a match name: classes, and values of enumerations."""
    for case in match.cases:
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, ast.MatchClass):
                yield pattern.cls
            elif isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Attribute):
                yield pattern.value.value


class _Module:
    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self.names: dict[str, str] = {}
        own = ".".join(path.with_suffix("").parts[-3:])
        if own in TABLES:
            self.names = {name: f"{own}.{name}" for name in vars(TABLES[own])}
        self.all = list(ast.walk(self.tree))
        for node in self.all:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                self.names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        self.knows_nodes = any(full.startswith(tuple(TABLES)) for full in self.names.values())
        functions = [node for node in self.all if isinstance(node, ast.FunctionDef)]
        self.functions = {function.name: function for function in functions}

    def is_member(self, named: ast.expr) -> bool:
        return self._full(named) in members()

    def _full(self, named: ast.expr) -> str:
        if isinstance(named, ast.Attribute):
            return f"{self._full(named.value)}.{named.attr}"
        return self.names.get(named.id, named.id) if isinstance(named, ast.Name) else ""

    def fault(self, match: ast.Match) -> str | None:
        """What is wrong with a match over nodes: None where it names all cases, or says why its default is cautious."""
        last = match.cases[-1]
        if last.guard is not None or not _takes_all(last.pattern):
            return "it does not end in `assert_never`"
        if _calls_assert_never(last.body) or self._is_cautious(last):
            return None
        if any(self._leads_on(call, match) for part in last.body for call in ast.walk(part)):
            return None
        return "its default says nothing; `# cautious: ..` says why it can not prove, allow or reveal"

    def _is_cautious(self, case: ast.match_case) -> bool:
        return any("# cautious: " in line for line in self.lines[case.pattern.lineno - 1 : case.body[0].lineno])

    def _leads_on(self, call: ast.AST, match: ast.Match) -> bool:
        """Whether a default calls what names the other cases: a function of this module that ends so, or that takes
        these alone (then the type checker sees to it)."""
        if not isinstance(call, ast.Call):
            return False
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        function = self.functions.get(name)
        passed = [place for place, argument in enumerate(call.args) if ast.dump(argument) == ast.dump(match.subject)]
        if function is None or not passed:
            return False
        params = [param for param in function.args.args if param.arg != "self"]
        takes = params[passed[0]].annotation
        here = next(f for f in self.functions.values() if f.lineno <= match.lineno <= (f.end_lineno or 0))
        given = [p.annotation for p in here.args.args if p.arg == ast.unparse(match.subject)]
        narrower = takes is not None and all(one is None or ast.dump(one) != ast.dump(takes) for one in given)
        return narrower or any(_ends_in_assert_never(node) for node in ast.walk(function))

    def chains(self, block: list[ast.stmt]) -> Iterator[tuple[int, str]]:
        """Where a block asks one thing of many nodes, one after the other, and nothing is said of the others."""
        asked: list[ast.If] = []
        subject = ""
        for statement in block:
            tests = [(part, self._asked_of(part.test)) for part in _branches(statement)]
            same = [part for part, of in tests if of and of == (subject or tests[0][1])]
            if not same:
                asked, subject = [], ""
                continue
            subject = tests[0][1]
            asked += same
            if len(asked) >= MANY and not any("# cautious: " in line for line in self._text(asked)):
                yield asked[0].lineno, f"{len(asked)} times `isinstance`: that is a `match`"
                return
            if not _leaves(same[-1].body):
                asked, subject = [], ""

    def _text(self, asked: list[ast.If]) -> list[str]:
        return self.lines[asked[0].lineno - 2 : (asked[-1].end_lineno or 0) + 1]

    def _asked_of(self, test: ast.expr) -> str:
        """The subject of a test of which node something is."""
        for call in ast.walk(test):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "isinstance":
                if any(isinstance(n, ast.expr) and self.is_member(n) for n in ast.walk(call.args[1])):
                    return ast.unparse(call.args[0])
        return ""


def _branches(statement: ast.stmt) -> Iterator[ast.If]:
    """An `if` with its `elif`s."""
    while isinstance(statement, ast.If):
        yield statement
        if len(statement.orelse) != 1:
            return
        statement = statement.orelse[0]


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Continue | ast.Raise)


def _takes_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _calls_assert_never(body: list[ast.stmt]) -> bool:
    return "assert_never(" in ast.unparse(ast.Module(body, []))


def _ends_in_assert_never(node: ast.AST) -> bool:
    return isinstance(node, ast.Match) and _calls_assert_never(node.cases[-1].body)
