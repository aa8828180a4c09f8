"""SeaSpec: a language for the rules of tabletop games, and the tool that runs, checks and explains them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seaspec.backends.interpreter.errors import RuleError
    from seaspec.game import Game
    from seaspec.loading import LoadError, load
    from seaspec.play import Play, random_play
    from seaspec.saved import PlayError

__all__ = ["Game", "LoadError", "Play", "PlayError", "RuleError", "load", "random_play"]

_HOMES = {
    "Game": "seaspec.game",
    "LoadError": "seaspec.loading",
    "Play": "seaspec.play",
    "PlayError": "seaspec.saved",
    "RuleError": "seaspec.backends.interpreter.errors",
    "load": "seaspec.loading",
    "random_play": "seaspec.play",
}
"""Imported when they are first asked for: commands, and the plugin for pytest, begin at once."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'seaspec' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
