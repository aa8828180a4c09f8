"""What `seaspec check` finds out about one game with fixed options: examples, plays, promises, what is never used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seaspec.backends.interpreter.errors import RuleError
from seaspec.core import ir
from seaspec.trials.examples import ExampleResult, Rebuild, run_examples
from seaspec.trials.examples import Verdict as Shown
from seaspec.trials.explore import Explored
from seaspec.trials.plays import PlayFindings, all_endings, place_of, watched_plays
from seaspec.trials.proofs import Solver, is_provable, prove
from seaspec.trials.secrets import Leaks, secret_trial
from seaspec.trials.symmetry import symmetry_trial
from seaspec.trials.verdicts import PromiseVerdict, Verdict, World, explored_in, settled_in, verdicts, with_proof
from seaspec.trials.watching import Found

if TYPE_CHECKING:
    from seaspec.game import Game


@dataclass(frozen=True, slots=True)
class Unused:
    """Something that neither plays nor examples ever used: an action, a guard, an ending."""

    what: str
    name: str
    source: ir.Source


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found out."""

    game: Game
    examples: tuple[ExampleResult, ...]
    inapplicable: int
    """Examples that do not apply: they name what this game does not have."""
    plays: PlayFindings
    promises: tuple[PromiseVerdict, ...]
    unused: tuple[Unused, ...]

    @property
    def rule_errors(self) -> tuple[tuple[RuleError, Found], ...]:
        """Where the rules themselves fail."""
        found = tuple(self.plays.failed.values())
        promised = any(isinstance(v.promise, ir.NeverStuck) for v in self.promises)
        return found if promised or self.plays.stuck is None else (*found, self.plays.stuck)

    @property
    def broken(self) -> tuple[PromiseVerdict, ...]:
        return tuple(v for v in self.promises if v.kept is False)

    @property
    def undecided(self) -> tuple[PromiseVerdict, ...]:
        return tuple(v for v in self.promises if v.kept is None)

    def where(self, verdict: PromiseVerdict) -> Game:
        """The game in which the play of a verdict was found: this one, or a small world of it."""
        return self.game if verdict.world is None else verdict.world.game

    @property
    def failed_examples(self) -> tuple[ExampleResult, ...]:
        return tuple(e for e in self.examples if not is_as_said(self.game.rules, e))

    @property
    def kept(self) -> bool:
        """Nothing is broken (something may be undecided)."""
        return not (self.broken or self.failed_examples or self.rule_errors)


def check_game(
    game: Game,
    plays: int,
    seed: int,
    begin: Callable[[str, int], Callable[[int], None]],
    build: Rebuild,
) -> Checked:
    """Run examples and plays. `begin(label, total)` gives a function that is told how many are done.

    `build` makes the same game with other options, for examples that want them.
    """
    results = run_examples(game, build)
    examples = tuple(r for r in results if r.verdict is not Shown.OTHER_OPTIONS)
    findings = watched_plays(game.machine, plays, seed, begin("plays", plays))
    leaks: Leaks | None = None
    if any(isinstance(p, ir.Secret) for p in game.rules.promises):
        some = max(2, plays // 8)
        leaks = secret_trial(game.machine, some, seed, begin("secrets", some))
    few = min(2, plays)
    mirrored = {
        p.name: symmetry_trial(game.machine, p, few, seed) for p in game.rules.promises if isinstance(p, ir.Symmetry)
    }
    promised = tuple(verdicts(game.rules, findings, leaks, mirrored))
    gone = len(game.rules.inapplicable) + len(results) - len(examples)
    return Checked(game, examples, gone, findings, promised, tuple(_unused(game.rules, findings, examples)))


def is_as_said(game: ir.Game, result: ExampleResult) -> bool:
    """Whether an example shows what its author says; a variant may say that it breaks one of its base."""
    return result.is_as_told is not (result.example.name in game.breaks)


def _use(example: ir.Example, taken: set[str], bites: set[tuple[str, str]]) -> None:
    """The actions that an example takes, and the guards that refuse something in it."""
    last = ""
    for line in example.lines:
        if isinstance(line, ir.Step):
            for answer in (line.answer, *line.choosing):
                if isinstance(answer, ir.ActionAnswer):
                    last = answer.action
                    taken.add(last)
        elif line.refused and line.guard is not None:
            bites.add((last, line.guard))


Build = Callable[[], "Game | None"]
"""Makes the game in a small world; None where the world does not go with the stack."""


def run_in_worlds(checked: Checked, worlds: Iterable[Build]) -> Checked:
    """Run the examples that belong to small worlds."""
    games = [game for game in (build() for build in worlds) if game is not None]
    return replace(checked, examples=(*checked.examples, *(r for game in games for r in run_examples(game))))


Explore = Callable[["Game", str], Explored]
"""Explores a game, as far as it should; also told: in which world, as people say it."""


def look_into_worlds(
    checked: Checked, worlds: Iterable[tuple[str, Build]], plays: int, seed: int, explore: Explore, all_worlds: bool
) -> Checked:
    """Look for what is still undecided in small worlds, one after the other, as long as there is something.

    The game itself and each world are explored. `all_worlds`: even where nothing is undecided, for a better verdict
    than that plays do not break it.
    """
    promises = explored(checked.promises, None, checked.game, explore)
    for name, build in worlds:
        if not all_worlds and all(v.kept is not None for v in promises):
            break
        game = build()
        if game is None:
            continue
        world = World(name, game)
        if any(v.kept is None for v in promises):
            findings = watched_plays(game.machine, plays, seed)
            promises = tuple(settled_in(world, v, findings) if v.kept is None else v for v in promises)
        promises = explored(promises, world, game, explore)
    return replace(checked, promises=promises)


def proved(checked: Checked, solve: Solver, go_on: Callable[[], bool]) -> Checked:
    """Try to prove what is not decided for all positions yet."""
    open_ = [v.promise for v in checked.promises if _is_open(v) and is_provable(checked.game.rules, v.promise)]
    if not open_:
        return checked
    found = prove(checked.game.flow, open_, solve, go_on)
    return replace(checked, promises=tuple(with_proof(v, found.get(v.name)) for v in checked.promises))


def _is_open(verdict: PromiseVerdict) -> bool:
    """Whether a proof would say more: not of what is broken, or decided for the whole game."""
    if verdict.kept is False or verdict.verdict is Verdict.PROVED:
        return False
    return verdict.verdict is not Verdict.EXHAUSTIVE or verdict.world is not None


def explored(
    promises: tuple[PromiseVerdict, ...], world: World | None, game: Game, explore: Explore
) -> tuple[PromiseVerdict, ...]:
    """What is known of promises after exploring a game. A promise that a world drops is not asked of it."""
    there = {promise.name for promise in game.rules.promises}
    found = explore(game, "the game" if world is None else f"the world {world.name}")
    return tuple(explored_in(world, v, found, v.name in game.rules.breaks) if v.name in there else v for v in promises)


def _unused(game: ir.Game, findings: PlayFindings, examples: tuple[ExampleResult, ...]) -> Iterator[Unused]:
    """Actions that nobody can be seen to take, guards that never forbid anything, endings that are never met."""
    if not findings.plays:
        return
    taken, bites = set(findings.taken), set(findings.bites)
    for result in examples:
        if result.verdict is Shown.HOLDS:
            _use(result.example, taken, bites)
    met = set(findings.endings) | {(span.file.name, span.start) for result in examples for span in result.ends}
    for name, action in game.actions.items():
        if name not in taken:
            yield Unused("action", name, action.source)
            continue
        for guard in action.guards:
            if (name, guard.name) not in bites:
                yield Unused("guard", f"{guard.name} of {name}", guard.source)
    seen: set[tuple[str, int]] = set()
    for ending in all_endings(game):
        place = place_of(ending.source)
        if place not in met and place not in seen:
            seen.add(place)
            yield Unused("ending", "", ending.source)
