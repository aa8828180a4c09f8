"""SeaSpec: a language for the rules of tabletop games, and the tool that runs, checks and explains them."""

from seaspec.backends.interpreter.errors import RuleError
from seaspec.game import Game
from seaspec.loading import LoadError, load
from seaspec.play import Play, random_play
from seaspec.saved import PlayError

__all__ = ["Game", "LoadError", "Play", "PlayError", "RuleError", "load", "random_play"]
