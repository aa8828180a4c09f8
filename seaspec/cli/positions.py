"""Where a question about a game is asked: at its start, in a saved play, in an example, after some random choices."""

from __future__ import annotations

from random import Random

from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.why import evaluate
from seaspec.cli.output import Fault
from seaspec.core import flow, ir
from seaspec.diagnostics.model import near
from seaspec.examples.answers import fits
from seaspec.examples.place import find_choice
from seaspec.examples.positions import GivenError, build, tuples
from seaspec.examples.run import other_options
from seaspec.game import Game
from seaspec.loading import load_subject
from seaspec.play import Play


class PlayFrom(Play):
    """A play that begins at a position, not at the start of the game."""

    def __init__(self, game: Game, state: State, seed: int | None = None) -> None:
        super().__init__(game, None, ())
        self._states = [state]
        self._moves = []
        self._first_events = []
        self._events = [[]]
        self.draw_from(Random().getrandbits(63) if seed is None else seed)


def after_random_choices(game: Game, seed: int, number: int) -> Play:
    """A play in which so many choices were made at random; fewer if it is over before."""
    play = game.start(seed=seed)
    random = Random(seed)
    for _ in range(number):
        options = play.options
        if options is None:
            break
        play.do(options.random(random))
    return play


def in_example(game: Game, name: str, player: str | None, action: str) -> Play:
    """The position that an example gives, at a choice of this action, or else at the one that the example answers."""
    example = _example(game, name)
    options = other_options(game, example)
    if options:
        if game.subject is None:
            raise Fault(f"the example {name} is about other options: {_written(options)}")
        game = load_subject(game.subject, {**game.options, **options})
        example = _example(game, name)
    machine = game.machine
    try:
        env = next(tuples(machine, example.any), {})
        look, env = build(machine, example, env)
    except GivenError as error:
        raise Fault(f"the position of {name} can not be: {error}") from error
    step = next((line for line in example.lines if isinstance(line, ir.Step) and line.player is not None), None)
    seat = None if player is None else game.players.index(player)
    if seat is None and step is not None and step.player is not None:
        seat = evaluate(machine, look, step.player, env)

    def offers(state: State) -> bool:
        node = machine.node(state)
        assert isinstance(node, flow.Decision)
        return any(launch.action == action for launch in node.launches)

    def is_asked(state: State) -> bool:
        return seat is None or machine.decider(state) == seat

    def answered(state: State) -> bool:
        return step is not None and step.answer is not None and fits(machine, state, step.answer)

    for wanted in (
        lambda state: offers(state) and is_asked(state),
        lambda state: answered(state) and is_asked(state),
        is_asked,
        lambda state: True,
    ):
        state = find_choice(machine, look, wanted)
        if state is not None:
            return PlayFrom(game, state)
    raise Fault(f"in the example {name} nobody is asked anything")


def _example(game: Game, name: str) -> ir.Example:
    examples = {example.name: example for example in game.rules.examples}
    if name in examples:
        return examples[name]
    if name in game.rules.inapplicable:
        raise Fault(f"the example {name} does not apply: {game.rules.inapplicable[name]}")
    raise Fault(f"there is no example '{name}'", near(name, examples))


def _written(options: dict[str, str]) -> str:
    return ", ".join(f"--set {name}={value}" for name, value in options.items())
