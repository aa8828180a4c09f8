"""Bots: players that choose by themselves.

`choosing.py` says what a bot is; `random`, `greedy`, `mcts` are made from their names by `make_bot`. A bot for a player
who does not see everything thinks about positions that agree with what this player knows (`guesses.py`): other plays
that have looked the same all along (`supposing.py`), measured by what the player has heard and seen (`evidence.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from seaspec.backends.interpreter.machine import Machine
from seaspec.bots.choosing import Bot, BotError, RandomBot, Situation
from seaspec.bots.greedy import GreedyBot
from seaspec.bots.mcts import MctsBot
from seaspec.bots.playouts import Playout

KINDS = ("random", "greedy", "mcts")


def make_bot(text: str, machine: Machine, clock: Callable[[], float] | None = None) -> Bot:
    """A bot for one play: `random`, `greedy`, `greedy:points` (by this define or state), `mcts`, `mcts:800`
    (iterations a choice), `mcts:2s` (seconds a choice; needs a clock). BotError if there is none.
    """
    kind, colon, detail = text.strip().partition(":")
    match kind:
        case "random" if not colon:
            return RandomBot()
        case "greedy" if detail or not colon:
            return GreedyBot(machine, detail or None)
        case "mcts" if not colon:
            return MctsBot()
        case "mcts" if re.fullmatch(r"[1-9]\d{0,8}", detail):
            return MctsBot(int(detail))
        case "mcts" if re.fullmatch(r"(\d{1,6}(\.\d+)?|\.\d+)s", detail):
            if clock is None:
                raise BotError(f"'{text}' goes by the clock, which is not the same twice", "give iterations: mcts:400")
            return MctsBot(seconds=float(detail[:-1]), clock=clock)
    raise BotError(f"there is no bot '{text}'", "bots are random, greedy, greedy:SCORE, mcts, mcts:ITERATIONS, mcts:2s")


__all__ = ["KINDS", "Bot", "BotError", "GreedyBot", "MctsBot", "Playout", "RandomBot", "Situation", "make_bot"]
