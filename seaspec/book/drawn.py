"""The pictures of a book: how the game begins, and what each worked example shows."""

from __future__ import annotations

from collections.abc import Iterator

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.state import State
from seaspec.core import ir
from seaspec.drawing import draw_svg
from seaspec.examples.run import other_options
from seaspec.examples.seen import before_and_after
from seaspec.game import Game
from seaspec.sampling.telling import OpenTable, open_table

BEGINNING = "beginning.svg"


def of_example(name: str) -> str:
    """The file with the picture of an example."""
    return f"example-{name}.svg"


def pictures(game: Game) -> Iterator[tuple[str, str]]:
    """By the names of their files. Of an example that does something: its end, with what has moved since its beginning
    marked; of another one the position that it gives. Without a board there is little to draw."""
    try:
        play = game.start(seed=1)
        yield BEGINNING, draw_svg(game.rules, open_table(game.machine, play.position), game.title, "how it begins")
    except RuleError:
        pass  # the rules fail before somebody chooses: `seaspec check` tells it
    if not game.rules.boards:
        return
    for example in game.rules.examples:
        lays_nothing = not example.given and not any(isinstance(line, ir.Step) for line in example.lines)
        if lays_nothing or example.myth or other_options(game, example):
            continue
        found = before_and_after(game, example)
        if found is not None:
            before, after = (_table(game, state) for state in found)
            yield of_example(example.name), draw_svg(game.rules, after, before=None if before == after else before)


def _table(game: Game, state: State) -> OpenTable:
    return open_table(game.machine, state)
