"""Wherever nodes are taken apart all are named, or the default says why it is cautious.

A match over the members of a closed union (core/ir.py, core/flow.py, core/types.py, core/ops.py, syntax/tree.py) ends
in `assert_never`, so that the type checker names the place when a node is added; or its default hands the node on to a
function that does; or it has a comment that begins with `# cautious:` and says why the default can not prove, allow or
reveal something false.
"""

from __future__ import annotations

from pathlib import Path

from nodes import PACKAGE, places

MODULES = sorted(PACKAGE.rglob("*.py"))
LATER = ("backends/symbolic/", "prove/", "core/definedness.py", "core/owing.py")
"""Folders that are not mended yet, and how many places there are in them: this number may only fall."""
NOT_YET = 68


def test_matches_over_nodes_are_exhaustive_or_cautious() -> None:
    wrong = [place for path in MODULES for place in places(path) if place.fault and not _is_later(path)]
    assert not wrong, "\n".join(map(str, wrong))


def test_what_is_left_only_shrinks() -> None:
    left = [place for path in MODULES for place in places(path) if place.fault and _is_later(path)]
    assert len(left) <= NOT_YET, "\n".join(map(str, left))


def _is_later(path: Path) -> bool:
    return path.relative_to(PACKAGE).as_posix().startswith(LATER)


# ------------------------------------------------------------------------------------------------- the rule is a rule


HEAD = (
    "from typing import assert_never\nfrom seaspec.core import ir\n\n\ndef f(node: ir.Offer, more: ir.Expr) -> int:\n"
)


def _faults(tmp_path: Path, body: str) -> int:
    folder = tmp_path / "seaspec"
    folder.mkdir(exist_ok=True)
    (folder / "text.py").write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    return sum(place.fault is not None for place in places(PACKAGE / ".." / folder / "text.py"))
