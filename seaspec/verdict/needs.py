"""What a goal needs, as the game itself says: its promises `winnable .. only if C: goal`, asked of one position.

Each condition holds there, or it lacks something: then the parts that fail are told, down to the define or comparison
at the bottom, with values. How far such a promise can be trusted is for the verdicts to say: `trust` asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.why import Env, evaluate, first_witness, parts, sentence_text
from seaspec.core import ir, types
from seaspec.core.ir import Apply, Expr, Fold, FoldKind
from seaspec.core.ops import Op
from seaspec.core.show import show_expr, show_value
from seaspec.explore.reference import Explored
from seaspec.verdict.verdicts import PromiseVerdict, Verdict, World, explored_in

if TYPE_CHECKING:
    from seaspec.game import Game


@dataclass(frozen=True, slots=True)
class Lack:
    """A part of a condition that fails: its sentence (else its name), its define, the values that show it."""

    text: str
    name: str
    values: tuple[tuple[str, str], ...]
    source: ir.Source


@dataclass(frozen=True, slots=True)
class Need:
    """A condition at a position. `lacks`: what fails, nothing if it holds."""

    promise: ir.Winnable
    condition: Expr
    holds: bool
    lacks: tuple[Lack, ...]


def usual_goal(game: ir.Game) -> Expr:
    """What `winnable` promises of the game are about, if they agree; else that somebody has won."""
    goals = {show_expr(p.test, game): p.test for p in game.promises if isinstance(p, ir.Winnable)}
    if len(goals) == 1:
        return next(iter(goals.values()))
    player = game.types[types.PLAYER]
    who = ir.Variable("p", player)
    everybody = ir.Const(types.SetOf(player), tuple(types.values(player)))
    won = Apply(types.Bool(), Op.HAS_WON, (ir.Local(who),))
    return Fold(types.Bool(), FoldKind.SOME, (ir.Binder(who, everybody),), won)


def needs_of(game: ir.Game, goal: Expr) -> tuple[ir.Winnable, ...]:
    """The promises that say what this goal needs; not myths, nor what is said to be broken."""
    wanted = show_expr(goal, game)
    return tuple(
        promise
        for promise in game.promises
        if isinstance(promise, ir.Winnable) and promise.needed is not None and not promise.myth
        if promise.name not in game.breaks and show_expr(promise.test, game) == wanted
    )


def judge(machine: Machine, state: State, promises: Iterable[ir.Winnable]) -> tuple[Need, ...]:
    """What holds and what fails of the conditions, at a decision."""
    return tuple(_judged(machine, state, promise) for promise in promises)


def _judged(machine: Machine, state: State, promise: ir.Winnable) -> Need:
    condition = promise.needed
    assert condition is not None
    look = machine.look(state)
    try:
        if evaluate(machine, look, condition, {}):
            return Need(promise, condition, True, ())
        lacks = tuple(_Lacking(machine, state, promise).of(condition, {}))
    except RuleError as error:
        lacks = (Lack(f"it has no value here: {error.message}", promise.name, (), promise.source),)
    return Need(promise, condition, False, lacks)


class _Lacking:
    """The parts of a condition that fail."""

    def __init__(self, machine: Machine, state: State, promise: ir.Winnable) -> None:
        self.machine, self.look, self.promise = machine, machine.look(state), promise

    def fails(self, test: Expr, env: Env) -> bool:
        return not evaluate(self.machine, self.look, test, env)

    def of(self, test: Expr, env: Env, define: ir.Function | None = None, inside: Env | None = None) -> Iterator[Lack]:
        """`define`: the define with a sentence whose body this is, `inside`: with these names."""
        match test:
            case Apply(_, Op.OR, _) if define is not None:
                yield self.told(define, test, env, inside)
            case Apply(_, Op.AND | Op.OR, arguments):
                several = [part for part in arguments if self.fails(part, env)]
                if len(several) == 1 and define is not None and not _says_more(self.machine.game, several[0]):
                    yield self.told(define, several[0], env, inside)
                else:
                    for part in several:
                        yield from self.of(part, env, define, inside)
            case Apply(_, Op.IMPLIES, (_, conclusion)):
                yield from self.of(conclusion, env, define, inside)
            case ir.Openly(inner):
                yield from self.of(inner, env, define, inside)
            case ir.LetIn(variable, value, body):
                bound = {**env, variable: evaluate(self.machine, self.look, value, env)}
                yield from self.of(body, bound, define, inside)
            case Fold(_, FoldKind.EVERY, binders, body):
                witness = first_witness(self.machine, self.look, binders, body, env, False) or {}
                yield from self.of(body, {**env, **witness}, define, {**(inside or {}), **witness})
            case Apply(_, Op.NOT, (Fold(_, FoldKind.SOME, binders, body),)):
                witness = first_witness(self.machine, self.look, binders, body, env, True) or {}
                yield self.told(define, body, {**env, **witness}, {**(inside or {}), **witness})
            case ir.Call(_, name, arguments) if self.machine.game.functions[name].shrinking is None:
                function = self.machine.game.functions[name]
                values = [evaluate(self.machine, self.look, argument, env) for argument in arguments]
                bound = dict(zip(function.params, values, strict=True))
                known = define is not None and function.source.sentence is None
                yield from self.of(function.body, bound, define if known else function, inside if known else bound)
            case _:  # cautious: told as it stands; the verdict is reached already
                yield self.told(define, test, env, inside)

    def told(self, define: ir.Function | None, test: Expr, env: Env, inside: Env | None) -> Lack:
        machine, game = self.machine, self.machine.game
        names = {v.name: show_value(value, v.type, game) for v, value in (inside or {}).items()}
        values = dict(parts(machine, self.look, test, env))
        name = show_expr(test, game) if define is None else define.name
        source = self.promise.source if define is None else define.source
        text = name
        if define is not None and source.sentence is not None:
            text = sentence_text(machine, self.look, source.sentence, {**env, **(inside or {})})
        return Lack(text, name, tuple({**names, **values}.items()), source)


def _says_more(game: ir.Game, test: Expr) -> bool:
    """Whether a part of a condition has words of its own."""
    return isinstance(test, ir.Call | Fold) or (isinstance(test, Apply) and test.op in (Op.AND, Op.OR, Op.IMPLIES))


Explore = Callable[["Game", str], Explored]
"""Explores a game, as far as it should; also told: in which world, as people say it."""


def trust(
    game: Game, promises: Iterable[ir.Winnable], worlds: Iterable[Callable[[], World | None]], explore: Explore
) -> tuple[PromiseVerdict, ...]:
    """How far promises are known to hold: in one of the small worlds of the game; in the game itself if it has none."""
    said = "its author says so, and no exploration has shown it"
    found = tuple(PromiseVerdict(p.name, "winnable", p, Verdict.UNDECIDED, said, None) for p in promises)
    builds = list(worlds)
    if not builds:
        return _explored(found, None, game, explore)
    for build in builds:
        if all(verdict.kept is not None for verdict in found):
            break
        world = build()
        if world is not None:
            found = _explored(found, world, world.game, explore)
    return found


def _explored(
    verdicts: tuple[PromiseVerdict, ...], world: World | None, game: Game, explore: Explore
) -> tuple[PromiseVerdict, ...]:
    """What exploring a game adds. A promise that a world drops, or says to be broken there, is not asked of it."""
    there = {promise.name for promise in game.rules.promises} - set(game.rules.breaks)
    found = explore(game, "the game" if world is None else f"the world {world.name}")
    return tuple(explored_in(world, v, found, None) if v.name in there else v for v in verdicts)
