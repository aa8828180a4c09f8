"""The programs in C that stand beside this file: compiled with the machine's own compiler, as plainly as can be."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = ("-O2", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror")


class NoCompilerError(RuntimeError):
    """There is nothing here that compiles C."""


def compiler() -> str:
    """The C compiler: what CC names, or cc, or gcc, or clang."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise NoCompilerError("no C compiler was found: install gcc or clang, or name one in CC")


def build(name: str, folder: Path, *defined: str) -> Path:
    """The program `name`.c of this folder, compiled into `folder`, with these names defined."""
    program = folder / "_".join([name, *defined])
    command = [compiler(), *FLAGS, *(f"-D{word}" for word in defined), "-o", str(program), str(HERE / f"{name}.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}.c does not compile:\n{done.stderr}")
    return program
