"""SeaSpec: a language for the rules of tabletop games, and the tool that runs, checks and explains them."""

from seaspec.game import Game
from seaspec.loading import LoadError, load
from seaspec.play import Play, random_play

__all__ = ["Game", "LoadError", "Play", "load", "random_play"]
