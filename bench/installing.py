"""The peers, installed into bench/.env beside this file: never into SeaSpec's own environment, or the system.

Each peer is optional. What can not be had is a `Missing` with the reason, and its place in the tables says so.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import c_programs

HERE = Path(__file__).resolve().parent
FOLDER = HERE / ".env"
PYTHON_PEERS = {"pyspiel": "open_spiel", "pgx": "pgx", "ludax": "ludax"}
"""Module and package."""
NPM_PEERS = {"boardgame.io": "^0.50.2", "@informalsystems/quint": "0.33.0"}
OVERRIDES = {"antlr4ts": "0.5.0-alpha.4"}
"""Quint does not start with the newer one, which it would get."""
PATIENCE = 900.0
"""Seconds for one installation."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Why something is not there."""

    why: str


@dataclass(frozen=True, slots=True)
class Tools:
    """What the peers run with: a path, or why there is none."""

    python: dict[str, str | Missing]
    """By module: the Python that has it."""
    node: str | Missing
    quint: str | Missing
    spin: str | Missing
    compiler: str | Missing

    @property
    def node_path(self) -> str:
        """Where Node finds packages."""
        return str(FOLDER / "node_modules")


def none(why: str) -> Tools:
    """No peers, but for what is compiled here."""
    missing = Missing(why)
    return Tools(dict.fromkeys(PYTHON_PEERS, missing), missing, missing, missing, _compiler())


def install(tell: bool = True) -> Tools:
    """All peers that can be had; what stands already is not installed again."""
    FOLDER.mkdir(exist_ok=True)
    python = {module: _python_with(module, package, tell) for module, package in PYTHON_PEERS.items()}
    node = shutil.which("node") or Missing("node is not on this machine")
    modules = _npm(tell)
    quint = FOLDER / "node_modules" / ".bin" / "quint"
    spin = shutil.which("spin") or Missing("spin is not on this machine (Debian has it: apt-get install spin)")
    return Tools(python, modules or node, modules or str(quint), spin, _compiler())


def _compiler() -> str | Missing:
    try:
        return c_programs.compiler()
    except c_programs.NoCompilerError as error:
        return Missing(str(error))


def _python_with(module: str, package: str, tell: bool) -> str | Missing:
    python = FOLDER / "python" / "bin" / "python"
    if not python.exists():
        why = _run([sys.executable, "-m", "venv", str(FOLDER / "python")])
        if why:
            return why
    if _run([str(python), "-c", f"import {module}"]) is None:
        return str(python)
    if tell:
        print(f"installing {package} ..", file=sys.stderr, flush=True)
    why = _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])
    return why or _run([str(python), "-c", f"import {module}"]) or str(python)


def _npm(tell: bool) -> Missing | None:
    npm = shutil.which("npm")
    if npm is None:
        return Missing("npm is not on this machine")
    if all((FOLDER / "node_modules" / name).exists() for name in NPM_PEERS):
        return None
    if tell:
        print(f"installing {', '.join(NPM_PEERS)} ..", file=sys.stderr, flush=True)
    package = {"private": True, "dependencies": NPM_PEERS, "overrides": OVERRIDES}
    (FOLDER / "package.json").write_text(json.dumps(package), encoding="utf-8")
    return _run([npm, "install", "--silent", "--no-audit", "--no-fund"])


def _run(command: list[str]) -> Missing | None:
    """None if it went well."""
    try:
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Missing(str(error))
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).strip().splitlines() or [f"{command[0]} ended with code {done.returncode}"]
    return Missing(lines[-1])


def versions(tools: Tools) -> dict[str, str]:
    """What SeaSpec and each peer say their versions are."""
    found = {name: f"{name} {metadata.version(name)}" for name in ("seaspec", "llvmlite")}
    for module, package in PYTHON_PEERS.items():
        python = tools.python[module]
        if isinstance(python, str):
            wanted = [package, "jax"] if module in ("pgx", "ludax") else [package]
            code = (
                "import sys, importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
            )
            done = subprocess.run([python, "-c", code, *wanted], capture_output=True, text=True, check=False)
            found[package] = done.stdout.strip() or "version unknown"
    for name in NPM_PEERS:
        file = FOLDER / "node_modules" / name / "package.json"
        if not isinstance(tools.node, Missing) and file.exists():
            found[name] = f"{name} {json.loads(file.read_text(encoding='utf-8'))['version']}"
    for tool, words in ((tools.spin, ["-V"]), (tools.compiler, ["--version"]), (tools.node, ["--version"])):
        if isinstance(tool, str):
            done = subprocess.run([tool, *words], capture_output=True, text=True, check=False)
            lines = done.stdout.strip().splitlines()
            found[tool] = f"{Path(tool).name}: {lines[0]}" if lines else f"{Path(tool).name}: version unknown"
    return found
