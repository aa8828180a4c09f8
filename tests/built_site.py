"""The site of the project, built once for all tests that look at it, whichever process they run in."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def built_site() -> Path:
    """The folder with the pages. It lies in the cache that the processes of a run share (see conftest.py)."""
    shared = Path(os.environ["SEASPEC_TESTS"])
    site = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.is_dir():
            made = shared / "site-new"
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(made)]
            ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr
            made.rename(site)
    return site
