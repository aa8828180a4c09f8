"""Passes from a valid core to its flow graph: `PASSES` is the table of contents, one file a pass.

lower.py        procedures to blocks, steps and exits
mark_live.py    which variables may still be read
mark_alike.py   which pieces stand for one another
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seaspec.passes.lower import lower
from seaspec.passes.mark_alike import mark_alike
from seaspec.passes.mark_live import mark_live

PASSES: tuple[Callable[[Any], Any], ...] = (lower, mark_live, mark_alike)
"""In this order: the core goes into the first, the flow graph comes out of the last."""
