"""Random plays with every promise watched, and a count of what was ever used.

What comes out is data: which promises broke (with the shortest play found), which reachable things were reached, which
actions were taken, which guards forbade something, which endings were met, and where the rules themselves failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from seaspec.backends.interpreter.choices import Act, Pass
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir, types
from seaspec.core.walk import walk
from seaspec.sampling.watch import Findings, Found, Watcher, _listed
from seaspec.sampling.words import MOST_ANSWERS
from seaspec.source import NOWHERE, Span

GUARD_TRIES = 4
"""Arguments tried at a decision to see whether the guards of an action forbid anything."""
SAMPLED = 6
"""Lemmas are tried at one of so many decisions."""
ASKED = 200
"""After so many answers one looks whether there is time to go on with a play."""

Ending = tuple[str, int]
"""Where an ending stands: file and offset."""


@dataclass(slots=True)
class PlayFindings:
    """What random plays have shown."""

    plays: int = 0
    unfinished: int = 0
    positions: int = 0
    answers: int = 0
    longest: int = 0
    watched: Findings = field(default_factory=Findings)
    failed: dict[str, tuple[RuleError, Found]] = field(default_factory=dict)
    """Where the rules fail, by message and place."""
    stuck: tuple[RuleError, Found] | None = None
    endless: Found | None = None
    """A play that comes back to where it was, though none should and no promise speaks of it."""
    taken: Counter[str] = field(default_factory=Counter)
    """Actions that were chosen."""
    bites: set[tuple[str, str]] = field(default_factory=set)
    """Guards (action, name) that forbade something."""
    endings: Counter[Ending] = field(default_factory=Counter)
    winners: Counter[tuple[int, ...]] = field(default_factory=Counter)
    interrupted: bool = False
    """Somebody has pressed Ctrl-C meanwhile."""
    compiled: int = 0
    """So many more plays by machine code, which looks at all but lemmas, secrets, symmetries and `winnable`."""
    compiled_steps: int = 0

    def add(self, other: PlayFindings) -> None:
        """What machine code has found."""
        self.compiled += other.compiled
        self.compiled_steps += other.compiled_steps
        self.unfinished += other.unfinished
        self.longest = max(self.longest, other.longest)
        self.watched.add(other.watched)
        for error, found in (*other.failed.values(), *([] if other.stuck is None else [other.stuck])):
            note_failure(self, error, found)
        self.endless = self.endless or other.endless
        self.taken += other.taken
        self.endings += other.endings


@dataclass(slots=True)
class Trial:
    """A machine and what is watched in its plays."""

    machine: Machine
    watcher: Watcher
    guards: dict[str, tuple[ir.Action, list[tuple[str, Callable[..., bool]]]]]
    findings: PlayFindings


def trial(machine: Machine) -> Trial:
    """Get a machine ready for watched plays."""
    watcher = Watcher(machine)
    guards = {}
    for name, action in machine.game.actions.items():
        params = tuple(p.variable for p in action.params)
        tests = [(guard.name, machine.program.compile(guard.test, params, "guard")) for guard in action.guards]
        guards[name] = (action, tests)
    return Trial(machine, watcher, guards, PlayFindings(watched=watcher.findings))


def watched_plays(
    machine: Machine,
    plays: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
    go_on: Callable[[], bool] = lambda: True,
    most: int = MOST_ANSWERS,
) -> PlayFindings:
    """Play at random; the same seed gives the same plays. `tell` is told how many are done. `most`: answers in a play.

    `go_on` is asked whether there is time for more: after each play, and in a long one, which then is cut off. Ctrl-C
    ends them, too.
    """
    ready = trial(machine)
    try:
        for number in range(plays):
            if number and not go_on():
                break
            play_once(ready, Random(f"{seed}:{number}"), go_on, most)
            tell(number + 1)
    except KeyboardInterrupt:
        ready.findings.interrupted = True
        ready.findings.unfinished += 1
    return ready.findings


def at_the_beginning(machine: Machine) -> PlayFindings:
    """What is wrong before anybody has done anything: then it is so in every play."""
    watcher = Watcher(machine)
    findings = PlayFindings(watched=watcher.findings)
    watcher.follow()
    try:
        watcher.position(None, machine.begin(watch=watcher))
    except RuleError as error:
        note_failure(findings, error, Found((), error.message))
    return findings


def play_once(ready: Trial, random: Random, go_on: Callable[[], bool] = lambda: True, most: int = MOST_ANSWERS) -> None:
    """One random play, watched; as long as one should go on."""
    machine, watcher, findings = ready.machine, ready.watcher, ready.findings
    watcher.follow()
    answers: list[Answer] = []
    findings.plays += 1
    try:
        state = machine.begin(watch=watcher)
        watcher.position(None, state)
        while state.result is None and len(answers) < most:
            answer = _answer(ready, state, random)
            answers.append(answer)
            watcher.answered(answer)
            before, state = state, machine.step(state, answer, watch=watcher)
            if _claimed(machine, before, state):
                watcher.position(before, state)
                findings.positions += 1
            if len(answers) % ASKED == 0 and not go_on():
                break
    except RuleError as error:
        note_failure(findings, error, Found(tuple(answers), error.message))
        return
    finally:
        watcher.over()
        findings.longest = max(findings.longest, len(answers))
    if state.result is None:
        findings.unfinished += 1
        return
    findings.endings[_ending(machine, state)] += 1
    findings.winners[tuple(state.result[0])] += 1


def _claimed(machine: Machine, before: State, state: State) -> bool:
    """Promises are looked at where players decide, at the end, and at the first node of chance after a choice."""
    return not machine.is_chance(state) or not machine.is_chance(before)


def _answer(ready: Trial, state: State, random: Random) -> Answer:
    machine, findings = ready.machine, ready.findings
    if machine.is_chance(state):
        outcomes = machine.outcomes(state)
        return outcomes.canonical(outcomes.sample(random))
    findings.answers += 1
    if random.randrange(SAMPLED) == 0:
        ready.watcher.lemmas(state, random)
    try_guards(ready, state, random)
    answer = machine.options(state).random(random)
    if isinstance(answer, Act):
        findings.taken[answer.action] += 1
    elif isinstance(answer, Pass):
        findings.taken["pass"] += 1
    return answer


def try_guards(ready: Trial, state: State, random: Random) -> None:
    """Look whether guards of the actions on offer forbid anything."""
    node = ready.machine.node(state)
    if not isinstance(node, flow.Decision):
        return
    look = ready.machine.look(state)
    for launch in node.launches:
        action, tests = ready.guards[launch.action]
        if all((action.name, name) in ready.findings.bites for name, _ in tests):
            continue
        for _ in range(GUARD_TRIES):
            values = _arguments(ready.machine, state, look, action, random)
            if values is None:
                break
            for name, test in tests:
                if (action.name, name) not in ready.findings.bites and not _passes(test, look, values):
                    ready.findings.bites.add((action.name, name))


def _passes(test: Callable[..., bool], look: Look, values: list[types.Value]) -> bool:
    try:
        return bool(test(look, *values))
    except (RuleError, TypeError):  # it may speak of a thing that is there only where the guards before it hold
        return True


def _arguments(
    machine: Machine, state: State, look: Look, action: ir.Action, random: Random
) -> list[types.Value] | None:
    """Some arguments from the domains of an action, its guards aside."""
    values: list[types.Value] = []
    variables: list[ir.Variable] = []
    for position, param in enumerate(action.params):
        if position == 0 and action.asks:
            among: tuple[types.Value, ...] = (machine.decider(state),)
        elif param.domain is not None:
            domain = machine.evaluated.get((id(param), tuple(variables)))
            if domain is None:
                domain = param.domain, machine.program.compile(param.domain, tuple(variables), "domain")
                machine.evaluated[id(param), tuple(variables)] = domain
            try:
                found = domain[1](look, *values)
            except RuleError:
                return None
            among = () if found is None else tuple(found) if isinstance(found, tuple | frozenset | list) else (found,)
        else:
            among = _listed(param.variable.type)
        if not among:
            return None
        values.append(random.choice(among))
        variables.append(param.variable)
    return values


def _ending(machine: Machine, state: State) -> Ending:
    node = machine.node(state)
    if isinstance(node, flow.Over) and node.how is not None:
        return place_of(node.how.source)
    return ("", 0)


def place_of(source: ir.Source) -> Ending:
    return source.span.file.name, source.span.start


def note_failure(findings: PlayFindings, error: RuleError, found: Found) -> None:
    """The rules fail in a play, or somebody is stuck in it."""
    if error.message.startswith("stuck:"):
        if findings.stuck is None or len(found.answers) < len(findings.stuck[1].answers):
            findings.stuck = error, found
        return
    key = f"{error.span}: {error.message}"
    old = findings.failed.get(key)
    findings.failed[key] = error, found.shorter(old[1] if old is not None else None)


# ----------------------------------------------------------------------------------------------------------- vacuity


def all_endings(game: ir.Game) -> Iterator[ir.End | ir.Score]:
    """Every place in the rules where the game may end."""
    for procedure in (*game.procedures.values(), *game.whenevers):
        for node in walk(procedure):
            if isinstance(node, ir.End | ir.Score):
                yield node


def replay(machine: Machine, found: Found) -> State:
    """The position to which a play leads: answers are given again, one by one."""
    state = machine.begin()
    for answer in found.answers:
        state = machine.step(state, answer)
    return state


def asked_at(machine: Machine, found: Found) -> Span:
    """Where in the text that is asked at which a play stops."""
    source = getattr(machine.node(replay(machine, found)), "source", None)
    return source.span if isinstance(source, ir.Source) else NOWHERE


def last_position(machine: Machine, found: Found) -> State:
    """Where a play leads; where the rules fail at its last answer, the position before that."""
    before = replay(machine, Found(found.answers[:-1]))
    try:
        return machine.step(before, found.answers[-1])
    except RuleError:
        return before


def fails_at_last(machine: Machine, found: Found) -> bool:
    """Whether the rules fail, or somebody is stuck, at the last answer of a play."""
    try:
        replay(machine, found)
    except RuleError:
        return True
    return False


def answers_at(machine: Machine, state: State) -> Iterator[Answer]:
    """Every choice or outcome at a position; none at an end."""
    if state.result is not None:
        return
    if machine.is_chance(state):
        yield from machine.outcomes(state).each()
    else:
        yield from machine.options(state)
