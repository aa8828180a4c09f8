"""Whoever adds a node is told by the type checker of every place that must know it.

To a copy of the package an expression, a statement, a promise, an operator, a type, an offer, a step, a jump and a node
of the flow graph are added, and nothing else. Each `assert_never` that such a node comes to is an error; there are at
least as many as are written here. What no type can tell, the tables of operators, tests/test_back_ends_cover.py tells.

It is run by `make adding`: the types of the whole package are checked anew, and that takes some 25 seconds.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from nodes import PACKAGE

NODE = "@dataclass(frozen=True, slots=True)\nclass {name}:\n{fields}\n\n"
SOURCED = "    source: ir.Source\n"
ADDED = {
    "NewExpression": ("core/ir.py", "    type: Type\n", r"(Expr = \(.*?)(\n\)  # fmt: skip)"),
    "NewStatement": ("core/ir.py", "    source: Source\n", r"(\nLine = [^\n]*)()"),
    "NewOffer": ("core/ir.py", "    variable: Variable\n", r"(\nOffer = [^\n]*)()"),
    "NewPromise": ("core/ir.py", "    name: str\n    myth: bool\n    source: Source\n", r"(\nPromise = [^\n]*)()"),
    "NewType": ("core/types.py", "    name: str\n", r"(\nType = [^\n]*)()"),
    "NewStep": ("core/flow.py", SOURCED, r"(\nStep = \(.*?)(\n\)  # fmt: skip)"),
    "NewJump": ("core/flow.py", "    target: Block\n", r"(\nJump = [^\n]*)()"),
    "NewNode": ("core/flow.py", "    target: Block\n" + SOURCED, r"(\nNode = [^\n]*)()"),
}
"""What is added where, with which fields, to which union."""
AT_LEAST = {
    "NewExpression": 19, "NewStatement": 8, "NewOffer": 20, "NewPromise": 6, "NewType": 42, "NewStep": 16,
    "NewJump": 26, "NewNode": 33, "NEW_OPERATOR": 1,
}  # fmt: skip
"""How many places the type checker names: a number may only rise, but where a place has become superfluous."""


def main() -> int:
    with TemporaryDirectory() as folder:
        places = named_places(Path(folder))
    for name, least in AT_LEAST.items():
        print(f"{name}: {places[name]} places" + ("" if places[name] >= least else f", and there were {least}"))
    return int(any(places[name] < least for name, least in AT_LEAST.items()))


def named_places(folder: Path) -> Counter[str]:
    """How many places the type checker names for each node that is added."""
    shutil.copytree(PACKAGE, folder / "seaspec", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE.parent / "pyproject.toml", folder)
    for name, (file, fields, union) in ADDED.items():
        _add(folder / "seaspec" / file, name, fields, union)
    ops = folder / "seaspec" / "core" / "ops.py"
    ops.write_text(ops.read_text(encoding="utf-8").rstrip() + '\n    NEW_OPERATOR = (2, "something new")\n', "utf-8")
    return Counter(name for line in _mypy(folder) for name in AT_LEAST if re.search(rf"\b{name}\b", line))


def _add(path: Path, name: str, fields: str, union: str) -> None:
    text = path.read_text(encoding="utf-8")
    found = re.search(union, text, re.DOTALL)
    assert found is not None, f"{path.name} has no {union}"
    node = NODE.format(name=name, fields=fields)
    text = text[: found.start()] + "\n\n" + node + found[1] + f" | {name}" + found[2] + text[found.end() :]
    path.write_text(text, encoding="utf-8")


def _mypy(folder: Path) -> list[str]:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", f"--cache-dir={folder / '.cache'}", "seaspec"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert found.returncode == 1, found.stdout + found.stderr
    assert not found.stderr and "[syntax]" not in found.stdout, found.stdout + found.stderr
    return [line for line in found.stdout.splitlines() if " error: " in line]


if __name__ == "__main__":
    sys.exit(main())
