"""A game that can be played: the core with its flow graph and its compiled interpreter.

    game = Game(rules)              rules: an ir.Game, as seaspec/compile.py makes it
    play = game.start(seed=1)

Making a `Game` lowers and compiles it once; any number of plays may use it at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, reduce
from random import Random
from typing import Any, cast

from seaspec.backends.interpreter.machine import Machine
from seaspec.bots import Bot, make_bot
from seaspec.core import ir
from seaspec.core.flow import Flow
from seaspec.core.show import show_value
from seaspec.core.walk import walk
from seaspec.library import Subject
from seaspec.passes import PASSES
from seaspec.play import Outcome, Play
from seaspec.saved import digest_of_rules


class Game:
    """The rules of a game with its options fixed, ready to be played. `subject`: what they were loaded from."""

    def __init__(self, rules: ir.Game, subject: Subject | None = None) -> None:
        self.rules = rules
        self.subject = subject

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def title(self) -> str:
        return self.rules.title

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the seats."""
        return self.rules.players

    @property
    def stack(self) -> tuple[str, ...]:
        """The chapters that the rules were merged from."""
        return self.rules.stack

    @cached_property
    def options(self) -> dict[str, str]:
        """The options of the game and their values, as text."""
        return {o.name: show_value(o.value, o.type, self.rules) for o in self.rules.options}

    @cached_property
    def flow(self) -> Flow:
        """The flow graph."""
        graph: Flow = reduce(lambda made, one: one(made), PASSES, cast(Any, self.rules))
        return graph

    @cached_property
    def machine(self) -> Machine:
        """The compiled interpreter."""
        return Machine(self.flow)

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The files that the rules stand in: name and full text."""
        spans = (node.span for node in walk(self.rules) if isinstance(node, ir.Source))
        files = {span.file.name: span.file.text for span in spans if not span.file.name.startswith("<")}
        return dict(sorted(files.items()))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the exact rules: texts, chapters, options, wherever the files lie. Plays hold it."""
        return digest_of_rules(self.texts, self.stack, self.options)

    def bot(self, text: str = "random", clock: Callable[[], float] | None = None) -> Bot:
        """A bot for one play: `random`, `greedy`, `greedy:SCORE`, `mcts`, `mcts:ITERATIONS`, or `mcts:2s` by a clock.

        >>> import seaspec
        >>> game = seaspec.load("hex", columns=3, rows=3)
        >>> play, bot = game.start(seed=1), game.bot("mcts:50")
        >>> play.leave_to(bot).history[0].player == game.players[0]
        True
        """
        return make_bot(text, self.machine, clock)

    def start(
        self,
        seed: int | None = None,
        outcomes: Iterable[Outcome | str] | None = None,
        automatic: bool = True,
    ) -> Play:
        """A new play. Chance is drawn from the seed (a fresh one without), or taken from `outcomes`, in order.

        Not `automatic`: the play waits at each chance event (`play.chance`) until `play.happen` is called.
        """
        if outcomes is not None:
            return Play(self, None, outcomes)
        if not automatic:
            return Play(self, None, ())
        return Play(self, Random().getrandbits(63) if seed is None else seed)

    def __repr__(self) -> str:
        return f"<Game {' + '.join(self.stack) or self.name}, {len(self.players)} players>"
