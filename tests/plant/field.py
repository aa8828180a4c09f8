"""A copy of the project in a temporary folder: tests run there, and a fault is planted there, never in the tree."""

from __future__ import annotations

import compileall
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PARTS = ("seaspec", "tests", "spec", "rules", "grammar", "docs", "bench", "pyproject.toml", "README.md", "Makefile",
         "mkdocs.yml", ".ci", ".gitignore", ".pre-commit-hooks.yaml")  # fmt: skip
"""What tests look at."""


@contextmanager
def field() -> Iterator[Path]:
    """A copy of the project, compiled to byte code."""
    with tempfile.TemporaryDirectory(prefix="seaspec-plant-") as folder:
        root = Path(folder) / "field"
        for part in PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, root / part)
            elif (ROOT / part).exists():
                root.mkdir(exist_ok=True)
                shutil.copy(ROOT / part, root / part)
        (Path(folder) / "home").mkdir()
        compileall.compile_dir(root, quiet=2)
        yield root


def surroundings(root: Path) -> dict[str, str]:
    """The environment of what runs in a copy: nothing is written but there, and no library uses several threads."""
    home = str(root.parent / "home")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SEASPEC", "PYTEST"))},
        "PYTHONPATH": f"{root}{os.pathsep}{root / 'tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "HOME": home,
        "XDG_CACHE_HOME": home,
        "XDG_CONFIG_HOME": home,
        "TMPDIR": home,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


@contextmanager
def planted(path: Path, text: str) -> Iterator[None]:
    """While it lasts, a file of a copy has another text."""
    before, stamp = path.read_bytes(), path.stat()
    byte_code = Path(cache_from_source(str(path)))
    hidden = byte_code.with_suffix(".kept")
    if byte_code.exists():
        byte_code.rename(hidden)
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        if hidden.exists():
            hidden.rename(byte_code)
