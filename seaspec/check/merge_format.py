"""The merged game as text."""

from __future__ import annotations

from seaspec.check.merged import MergedGame


def format_merged(merged: MergedGame) -> str:
    raise NotImplementedError
