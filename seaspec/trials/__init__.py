"""Trials: what can be found out about a game by running it. Examples, random plays, exact odds of throws."""
