"""Is a mutant found by the checks? They are run one after the other until one of them breaks: the language, examples,
plays with promises watched (first by machine code), exploration of the game and its small worlds, proofs. A promise
that is proved of the game, and fails to be of the mutant from a position that is known, is not broken, but whoever
changed the rule is told.

What none of them breaks is a hole in the checks, or a mutant that is no other game. `difference` looks for a play on
which the two games differ: both get the same answers, as long as they offer the same and look the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.backends.native.errors import NotCompiled
from seaspec.core import ir
from seaspec.diagnostics.model import Report, Stop
from seaspec.examples.run import ExampleResult, other_options, run_example
from seaspec.examples.run import Verdict as Shown
from seaspec.explore.reference import Explored
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject
from seaspec.prove.proof import Proof
from seaspec.sampling.plays import PlayFindings, watched_plays
from seaspec.sampling.secrets import secret_trial
from seaspec.sampling.symmetry import symmetry_trial
from seaspec.verdict.check import is_as_said
from seaspec.verdict.verdicts import PromiseVerdict, World, explored_in, settled_in, verdicts

if TYPE_CHECKING:
    from pathlib import Path

Explore = Callable[[Game, str], Explored]
GoOn = Callable[[], bool]
Prove = Callable[[Game, Collection[str]], Mapping[str, Proof]]
"""Tries to prove the promises of a game that have these names."""
LISTED = 2_000
"""Of more options only the number is compared."""
NAMED = 3
"""Options that are named where the two games do not offer the same."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard it is looked for. `worlds`: whether the game and its small worlds are explored."""

    plays: int
    world_plays: int
    worlds: bool
    seed: int
    begin: Callable[[], GoOn]
    """Begins a time for plays of a kind: what it gives says whether there is time for another one."""
    proved: frozenset[str] = frozenset()
    """The promises that are proved of the game: it is looked whether they are of the mutant."""
    prove: Prove | None = None
    steps: int = 0
    """So many at random by machine code, before the plays of the interpreter."""
    cache: Path | None = None
    """Where machine code of mutants is kept, for nobody needs it again."""


@dataclass(frozen=True, slots=True)
class Killed:
    """What has found a mutant. `by`: language, example, play, world or proof; `what`: its code or name, with what was
    seen."""

    by: str
    what: str


def hunt(
    subject: Subject, options: Mapping[str, str], effort: Effort, explore: Explore, about: str = ""
) -> Killed | None:
    """The first check that breaks, if one does. Examples that speak of `about` are run first."""
    try:
        found = next(_broken(subject, options, effort, explore, about), None)
    except RuleError as error:  # it has no first position, or a check can not even begin: `seaspec check` says so, too
        return Killed("play", f"the rules fail: {error.message}")
    return None if found is None else Killed(*found)


def _broken(
    subject: Subject, options: Mapping[str, str], effort: Effort, explore: Explore, about: str
) -> Iterator[tuple[str, str]]:
    try:
        game = load_subject(subject, options)
    except (LoadError, Stop) as error:
        yield "language", _first_error(error.report)
        return
    for result in _failing(game, subject, options, about):
        yield (
            "example",
            f"{result.example.name}: {'' if result.failure is None else result.failure.message}".rstrip(": "),
        )
    yield from _plays(game, effort)
    if effort.worlds:
        yield from _in_worlds(game, subject, effort, explore)
    if effort.proved and effort.prove is not None:
        for name, proof in effort.prove(game, effort.proved).items():
            if not proof.proved and proof.has_position:
                yield "proof", f"{name} is not proved any more: {proof.why}"


def _first_error(report: Report) -> str:
    for diagnostic in report:
        return f"{diagnostic.code.value[0]} {diagnostic.message}"
    return "it can not be read"


# ------------------------------------------------------------------------------------------------------------ examples


def _failing(game: Game, subject: Subject, options: Mapping[str, str], about: str) -> Iterator[ExampleResult]:
    """Examples that do not show what they should: those of these options first, and of them what is told of first."""
    later: dict[tuple[tuple[str, str], ...], list[ir.Example]] = {}
    for example in sorted(game.rules.examples, key=lambda example: not _speaks_of(example, about)):
        others = tuple(sorted(other_options(game, example).items()))
        if others:
            later.setdefault(others, []).append(example)
            continue
        result = run_example(game, example)
        if not is_as_said(game.rules, result):
            yield result
    for others, examples in sorted(later.items(), key=lambda item: not any(_speaks_of(e, about) for e in item[1])):
        try:
            other = load_subject(subject, {**options, **dict(others)})
        except (LoadError, Stop):
            continue  # such options do not go together
        names = {example.name for example in examples}
        for example in other.rules.examples:
            if example.name in names:
                result = run_example(other, example)
                if result.verdict is not Shown.OTHER_OPTIONS and not is_as_said(other.rules, result):
                    yield result


def _speaks_of(example: ir.Example, name: str) -> bool:
    return bool(name) and name in example.source.span.text


# --------------------------------------------------------------------------------------------------------------- plays


def _plays(game: Game, effort: Effort) -> Iterator[tuple[str, str]]:
    machine, promises = game.machine, game.rules.promises
    yield from _by_machine_code(game, effort)
    findings = watched_plays(machine, effort.plays, effort.seed, go_on=effort.begin())
    yield from _failed("play", findings, promises)
    leaks = None
    if any(isinstance(promise, ir.Secret) for promise in promises):
        leaks = secret_trial(machine, max(2, effort.plays // 8), effort.seed, go_on=effort.begin())
    go_on = effort.begin()
    symmetries = [promise for promise in promises if isinstance(promise, ir.Symmetry)]
    mirrored = {promise.name: symmetry_trial(machine, promise, 2, effort.seed, go_on) for promise in symmetries}
    for verdict in verdicts(game.rules, findings, leaks, mirrored):
        if verdict.kept is False:
            yield "play", _told(verdict)


def _by_machine_code(game: Game, effort: Effort) -> Iterator[tuple[str, str]]:
    """What breaks in many plays at random, gone again by the interpreter."""
    if not effort.steps:
        return
    try:
        from seaspec.sampling.roaming import Roaming

        roaming, go_on = Roaming(game, effort.seed, hasty=True, cache=effort.cache), effort.begin()
        while not roaming.has_played(effort.steps) and go_on():
            for _ in roaming.go_on():
                yield from _failed("play", roaming.found, game.rules.promises)
                for verdict in verdicts(game.rules, roaming.found, None, _Unmirrored()):
                    if verdict.kept is False:
                        yield "play", _told(verdict)
                yield from (("play", note) for note in roaming.notes)
    except (ImportError, NotCompiled):
        return


def _failed(by: str, found: PlayFindings | Explored, promises: Sequence[ir.Promise]) -> Iterator[tuple[str, str]]:
    """Where the rules themselves fail. That somebody is stuck is a promise's affair, where there is one."""
    for error, _ in found.failed.values():
        yield by, f"the rules fail: {error.message}"
    if found.stuck is not None and not any(isinstance(promise, ir.NeverStuck) for promise in promises):
        yield by, found.stuck[0].message


def _told(verdict: PromiseVerdict) -> str:
    return f"{verdict.kind} {verdict.name}" + (f": {verdict.detail}" if verdict.detail else "")


# -------------------------------------------------------------------------------------------------------------- worlds


def _in_worlds(game: Game, subject: Subject, effort: Effort, explore: Explore) -> Iterator[tuple[str, str]]:
    """What breaks where the game, then each small world, is explored; in worlds after some plays."""
    yield from _explored(None, game, game, explore)
    for chapter in subject.worlds:
        if any(chapter is other for other in subject.chapters):
            continue
        try:
            small = load_subject(replace(subject, chapters=subject.in_world(chapter)), {})
        except (LoadError, Stop):
            continue  # the world does not go with the stack
        for example in small.rules.examples:
            result = run_example(small, example)
            if not is_as_said(small.rules, result):
                yield "world", f"{chapter.name}, {example.name}"
        world = World(chapter.name, small)
        findings = watched_plays(small.machine, effort.world_plays, effort.seed, go_on=effort.begin())
        for verdict in _open(game):
            settled = settled_in(world, verdict, findings)
            if settled.kept is False:
                yield "world", f"{chapter.name}, {_told(settled)}"
        yield from _explored(world, small, game, explore)


def _explored(world: World | None, small: Game, game: Game, explore: Explore) -> Iterator[tuple[str, str]]:
    where = "the game" if world is None else f"the world {world.name}"
    found = explore(small, where)
    for by, what in _failed("world", found, small.rules.promises):
        yield by, f"{where}, {what}"
    there = {promise.name for promise in small.rules.promises}
    for verdict in _open(game):
        if verdict.name in there:
            settled = explored_in(world, verdict, found, small.rules.breaks.get(verdict.name))
            if settled.kept is False:
                yield "world", f"{where}, {_told(settled)}"


def _open(game: Game) -> tuple[PromiseVerdict, ...]:
    """The promises of a game, of which nothing is known."""
    return tuple(verdicts(game.rules, PlayFindings(), None, _Unmirrored()))


class _Unmirrored(dict[str, Any]):
    """Symmetries that nobody has looked at."""

    def __missing__(self, name: str) -> Any:
        from seaspec.sampling.symmetry import Mirrored

        return Mirrored()


# ---------------------------------------------------------------------------------------------------------- difference


@dataclass(frozen=True, slots=True)
class Difference:
    """A play that both games know, and what differs after it."""

    answers: tuple[Answer, ...]
    moves: tuple[str, ...]
    what: str


def difference(base: Game, other: Game, plays: int, seed: int, go_on: GoOn) -> tuple[Difference | None, int]:
    """A play after which two games differ, if one is found; and how many plays were looked at."""
    best: Difference | None = None
    for number in range(plays):
        if number and (best is not None or not go_on()):
            return best, number
        best = _compared(_Side(base.machine), _Side(other.machine), Random(f"{seed}:{number}"), go_on)
    return best, plays


@dataclass(frozen=True)
class _Side:
    """One of two games that are compared."""

    machine: Machine

    @cached_property
    def slots(self) -> dict[str, int]:
        """What lies where, and the states, by name."""
        layout = self.machine.layout
        slots = [*layout.place_slots, *(slot for family in layout.states.values() for slot in family.all_slots)]
        return {self.machine.effects.slot_name(slot): slot for slot in slots}

    def is_like(self, other: _Side) -> bool:
        """Whether the same values mean the same in both."""
        mine, theirs = self.machine.game, other.machine.game
        return (mine.pieces, mine.boards, mine.players) == (theirs.pieces, theirs.boards, theirs.players)


def _compared(us: _Side, them: _Side, random: Random, go_on: GoOn) -> Difference | None:
    ours, theirs, is_like = us.machine, them.machine, us.is_like(them)
    answers: list[Answer] = []
    moves: list[str] = []

    def differs(what: str) -> Difference:
        return Difference(tuple(answers), tuple(moves), what)

    states = _stepped(ours, None, None), _stepped(theirs, None, None)
    while go_on():
        mine, other = states
        if isinstance(mine, str) or isinstance(other, str):
            return None if mine == other else differs(f"{_said(mine)}; in the mutant {_said(other)}")
        what = _differing(us, mine, them, other, is_like)
        if what is not None:
            return differs(what)
        if mine.result is not None:
            return None
        answer = _drawn(ours, mine, random)
        if answer is None:
            return None
        answers.append(answer)
        moves.append(_move(ours, mine, answer))
        states = _stepped(ours, mine, answer), _stepped(theirs, other, answer)
    return None


def _drawn(machine: Machine, state: State, random: Random) -> Answer | None:
    """Any choice or outcome; None where the rules fail to say which there are."""
    try:
        if not machine.is_chance(state):
            return machine.options(state).random(random)
        outcomes = machine.outcomes(state)
        return outcomes.canonical(outcomes.sample(random))
    except RuleError:
        return None


def _stepped(machine: Machine, state: State | None, answer: Answer | None) -> State | str:
    """The position after an answer, or the first one; what is wrong, if the rules fail."""
    try:
        return machine.begin() if state is None or answer is None else machine.step(state, answer)
    except RuleError as error:
        return error.message


def _said(state: State | str) -> str:
    return f"the rules fail: {state}" if isinstance(state, str) else "the play goes on"


def _move(machine: Machine, state: State, answer: Answer) -> str:
    seat = machine.decider(state)
    who = "chance" if seat is None else machine.game.players[seat]
    return f"{who}: {Notation(machine, state).text(answer)}"


def _differing(us: _Side, mine: State, them: _Side, other: State, is_like: bool) -> str | None:
    """What two positions differ in, as far as it can be seen: result, table, who is asked, what is offered."""
    ours, theirs = us.machine, them.machine
    if mine.result != other.result:
        return f"{_result(ours, mine)}; in the mutant {_result(theirs, other)}"
    for name in sorted({*us.slots, *them.slots}) if us.slots.keys() != them.slots.keys() else us.slots:
        if (
            name not in us.slots
            or name not in them.slots
            or mine.slots[us.slots[name]] != other.slots[them.slots[name]]
        ):
            return f"{name} is not the same"
    if mine.result is not None:
        return None
    seats = ours.decider(mine), theirs.decider(other)
    if seats[0] != seats[1] or ours.is_chance(mine) is not theirs.is_chance(other):
        return f"{_asked(ours, mine)}; in the mutant {_asked(theirs, other)}"
    if is_like and _options(ours, mine) == _options(theirs, other) is not None:
        return None
    offered, also = _offered(ours, mine), _offered(theirs, other)
    if offered == also:
        return None
    only, new = sorted(offered - also), sorted(also - offered)
    parts = [f"the mutant does not offer {_some(only)}"] if only else []
    return "; ".join([*parts, *([f"the mutant also offers {_some(new)}"] if new else [])])


def _asked(machine: Machine, state: State) -> str:
    seat = machine.decider(state)
    return "chance comes next" if seat is None else f"{machine.game.players[seat]} is asked"


def _result(machine: Machine, state: State) -> str:
    if state.result is None:
        return "the play goes on"
    winners = ", ".join(machine.game.players[seat] for seat in state.result[0])
    return f"it is over, won by {winners}" if winners else "it is over, nobody has won"


def _options(machine: Machine, state: State) -> list[Answer] | None:
    """What is offered, as values; None if these are too many, or the rules fail."""
    try:
        if machine.is_chance(state):
            return list(islice(machine.outcomes(state).each(), LISTED))
        options = machine.options(state)
        return list(options) if options.size <= LISTED else None
    except RuleError:
        return None


def _offered(machine: Machine, state: State) -> frozenset[str]:
    notation = Notation(machine, state)
    try:
        if machine.is_chance(state):
            return frozenset(notation.text(outcome) for outcome in machine.outcomes(state).each())
        options = machine.options(state)
        if len(options) > LISTED:
            return frozenset({f"{len(options)} options"})
        return frozenset(notation.text(option) for option in options)
    except RuleError as error:
        return frozenset({f"nothing, for the rules fail: {error.message}"})


def _some(texts: Sequence[str]) -> str:
    more = f", and {len(texts) - NAMED} more" if len(texts) > NAMED else ""
    return ", ".join(texts[:NAMED]) + more
