"""Worked examples: the position is laid, the steps are taken, what must follow is tested.

Whatever an example leaves open must not matter: all completions are run, up to bounds; a result says if it was cut.
After each step the flow is followed to the next place that somebody may mean: up to the decision that the next step
answers, or that a test names (`is asked at`); at the end up to the next choice of an action that has to be made, the
end of the game, or the return of the procedure that was run. On the way chance takes every course (dice in the order
they are given), unnamed answers every option; but what one may do and no step names is not done. The odds of a test
are those of chance alone: answers left open may not change them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

from seaspec.backends.interpreter.chance import Rolled, Weight
from seaspec.backends.interpreter.choices import PASS, Choice, Values
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.why import evaluate, parts
from seaspec.core import flow, ir
from seaspec.core.owing import FOR_EVER
from seaspec.core.show import show_test, show_value
from seaspec.examples.answers import asked_for, fits, meant, refusals
from seaspec.examples.nearest import nearest_first
from seaspec.examples.place import awaits_action, find_call, find_choice, resume, set_up, unknown_names
from seaspec.examples.positions import Env, GivenError, build, shown, tuples
from seaspec.game import Game
from seaspec.source import Span

MOST_RUNS = 200
"""Tuples of a `for any` that are run; of more, so many are drawn at random."""
MOST_BRANCHES = 40
"""Courses that are followed at a time; of more, so many are drawn at random."""
MOST_DEALT = 6
"""The same where pieces are drawn one after the other: a whole deal has courses without end."""
MOST_NODES = 400
"""Nodes on the way from one step to the next."""
MOST_ODDS = 20_000
"""Positions that are looked at to find exact odds."""
FILLINGS = 2
"""Ways in which places of a given size are filled."""
MOST_NAMED = 5
"""Options that are named where an answer is none of them."""
SETUPS = 3
"""Setups that are run where an example says nothing about the position."""


class Verdict(Enum):
    HOLDS = "holds"
    FAILS = "fails"
    OTHER_OPTIONS = "needs a game with other options"
    FAULTY = "with its options the text is faulty"


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, where in the example, for which names, after which moves."""

    span: Span
    message: str
    names: str
    moves: tuple[str, ...]
    state: State | None


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """`runs`: how often it was run; `cut`: not all completions were; `ends`: where it ended the game; `bites`: guards
    (action, name) that refused something, also where that was not expected.

    A myth must fail.
    """

    example: ir.Example
    verdict: Verdict
    runs: int
    cut: bool
    failure: Failure | None
    ends: frozenset[Span] = frozenset()
    bites: frozenset[tuple[str, str]] = frozenset()

    @property
    def is_as_told(self) -> bool:
        """Whether the example shows what its author says."""
        return self.verdict is (Verdict.FAILS if self.example.myth else Verdict.HOLDS)


class Faulty(Exception):
    """With these options the text is faulty; the message says where and how."""


Rebuild = Callable[[Mapping[str, str]], Game | None]
"""Makes the game with other options, given as text; None where they do not go together. May raise `Faulty`."""


def run_examples(
    game: Game,
    rebuild: Rebuild | None = None,
    tell: Callable[[ExampleResult], None] = lambda result: None,
    near: Collection[str] = (),
) -> list[ExampleResult]:
    """The results of all examples of a game, in the order of the text. `rebuild`: makes the game with other options,
    given as text, if it can; `tell` is told each result at once. Those come first that share words with `near`."""
    built: dict[tuple[tuple[str, str], ...], Game | Faulty | None] = {}
    found: dict[int, ExampleResult] = {}
    for example in nearest_first(game.rules.examples, near) if near else game.rules.examples:
        found[id(example)] = _result(game, example, rebuild, built)
        tell(found[id(example)])
    return [found[id(example)] for example in game.rules.examples]


def _result(
    game: Game,
    example: ir.Example,
    rebuild: Rebuild | None,
    built: dict[tuple[tuple[str, str], ...], Game | Faulty | None],
) -> ExampleResult:
    """The result of an example, with its own options. `built`: the games with other options that there are by now."""
    options = other_options(game, example)
    if not options:
        return run_example(game, example)
    if rebuild is None:
        return ExampleResult(example, Verdict.OTHER_OPTIONS, 0, False, None)
    key = tuple(sorted(options.items()))
    if key not in built:
        try:
            built[key] = rebuild({**game.options, **options})
        except Faulty as faulty:
            built[key] = faulty
    other = built[key]
    if isinstance(other, Faulty):
        said = ", ".join(f"{name} {value}" for name, value in options.items())
        wrong = Failure(example.source.span, f"with {said} the text is faulty: {other}", "", (), None)
        return ExampleResult(example, Verdict.FAULTY, 0, False, wrong)
    again = None if other is None else _named(other, example.name)
    if other is None or again is None:
        return ExampleResult(example, Verdict.OTHER_OPTIONS, 0, False, None)
    return run_example(other, again)


def _named(game: Game, name: str) -> ir.Example | None:
    return next((example for example in game.rules.examples if example.name == name), None)


def other_options(game: Game, example: ir.Example) -> dict[str, str]:
    """The options that an example fixes otherwise than the game, as text."""
    options = {option.name: option for option in game.rules.options}
    return {
        name: show_value(value, options[name].type, game.rules)
        for name, value in example.options
        if name in options and options[name].value != value
    }


def run_example(game: Game, example: ir.Example) -> ExampleResult:
    """The result of one example. Its options are those of the game."""
    machine = game.machine
    random = Random(example.name)
    try:
        envs = list(tuples(machine, example.any))
    except RuleError as error:
        wrong = Failure(example.source.span, f"the rules fail: {error}", "", (), None)
        return ExampleResult(example, Verdict.FAILS, 0, False, wrong)
    cut = len(envs) > MOST_RUNS
    if cut:
        envs = random.sample(envs, MOST_RUNS)
    fillings = FILLINGS if any(isinstance(fact, ir.GivenSize) for fact in example.given) else 1
    runs = 0
    ends: set[Span] = set()
    bites: set[tuple[str, str]] = set()
    for env in envs:
        for filling in range(fillings):
            run = Run(machine, example, env, random if filling else None)
            runs += 1
            failure = run.result()
            cut = cut or run.cut
            ends |= run.ends
            bites |= run.bites
            if failure is not None:
                return ExampleResult(example, Verdict.FAILS, runs, cut, failure, bites=frozenset(bites))
    if not envs:
        nothing = Failure(example.source.span, "the `for any` binds nothing, so nothing is tested", "", (), None)
        return ExampleResult(example, Verdict.FAILS, 0, False, nothing)
    return ExampleResult(example, Verdict.HOLDS, runs, cut, None, frozenset(ends), frozenset(bites))


class Failed(Exception):
    """An example does not hold; raised within a run alone."""

    def __init__(self, span: Span, message: str, branch: Branch | None = None) -> None:
        super().__init__(message)
        self.span = span
        self.message = message
        self.branch = branch


@dataclass(frozen=True, slots=True)
class Branch:
    """One course of the example: its state, the dice and answers of this step that are left, what was done."""

    state: State
    dice: tuple[int, ...] = ()
    answers: tuple[ir.AnyAnswer, ...] = ()
    moves: tuple[str | tuple[State, Answer], ...] = ()
    """Procedures that were run, by name, and what was answered at which position."""


class Run:
    """One run of an example: one tuple of names, one filling."""

    def __init__(self, machine: Machine, example: ir.Example, env: Env, random: Random | None) -> None:
        self.machine = machine
        self.example = example
        self.env = env
        self.random = Random(0)
        self.filling = random
        self.cut = False
        self.ends: set[Span] = set()
        self.branches: list[Branch] = []
        self.span = example.source.span
        self.refused: list[str] | None = None
        self.bites: set[tuple[str, str]] = set()
        self.awaited: tuple[ir.Asked, ...] = ()

    def result(self) -> Failure | None:
        """None if all is as the example says."""
        try:
            self._follow()
        except Failed as failed:
            branch = failed.branch
            state = None if branch is None else branch.state
            moves = () if branch is None else tuple(self._told(move) for move in branch.moves)
            return Failure(failed.span, failed.message, shown(self.env, self.machine), moves, state)
        except GivenError as error:
            return Failure(self.span, f"this can not be given: {error}", shown(self.env, self.machine), (), None)
        except RuleError as error:
            return Failure(self.span, f"the rules fail: {error}", shown(self.env, self.machine), (), None)
        return None

    def _follow(self) -> None:
        lines = self.example.lines
        self._begin(lines)
        for number, line in enumerate(lines):
            self.span = line.span
            following = lines[number + 1] if number + 1 < len(lines) else None
            if isinstance(line, ir.Expect):
                self._expect(line, _next_step(lines, number))
            elif line.call is not None:
                self._call(line, line.call)
            else:
                self._answer(line, isinstance(following, ir.Expect) and following.refused)

    def _begin(self, lines: Sequence[ir.Step | ir.Expect]) -> None:
        """The position; where nothing is given and nothing done, the one after setting up."""
        example = self.example
        steps = [line for line in lines if isinstance(line, ir.Step)]
        if not steps and not example.given and not example.lets and example.at is None:
            self.cut = True
            self.branches = [Branch(set_up(self.machine, seed)) for seed in range(SETUPS)]
            return
        look, self.env = build(self.machine, example, self.env, self.filling)
        self.branches = [Branch(State(tuple(look.s), tuple(look.w)))]

    def _rests(self, branch: Branch) -> bool:
        """Whether the flow of a branch stands nowhere: nothing has run yet, or what was run has come back."""
        block = branch.state.slots[0]
        return block is None or isinstance(self.machine.flow.blocks[block].exit, flow.Outside)

    # ------------------------------------------------------------------------------------------------------ steps

    def _placed(self, branch: Branch, step: ir.Step, seat: int, answer: ir.AnyAnswer) -> Branch:
        """The flow of a branch stands nowhere: put it at the choice that a step answers."""
        position = self.machine.look(branch.state)
        at, within = self.example.at, None
        if at is not None:
            within = at.call.procedure, tuple(self.value(each, branch.state) for each in at.call.arguments)

        def wanted(state: State) -> bool:
            return self.machine.decider(state) == seat and fits(self.machine, state, answer)

        number = 1 if at is None else at.number
        state = find_choice(self.machine, position, wanted, within, number)
        if state is None:
            where = "" if at is None else f" in {f'call {at.number} of ' * (at.number > 1)}{at.call.procedure}"
            said = f"{self.machine.game.players[seat]} is never asked for that{where}"
            other = find_choice(self.machine, position, lambda s: self.machine.decider(s) == seat, within, number)
            if other is not None and not isinstance(answer, ir.ActionAnswer):
                said += f": {asked_for(self.machine, other)}"
            raise Failed(step.span, said, branch)
        unknown = unknown_names(self.machine, state)
        if unknown:
            names = " and ".join(f"'{name}'" for name in unknown)
            said = f"{names} would come from steps before this choice, which are not done: run them with `when ..`"
            raise Failed(step.span, said, branch)
        return replace(branch, state=state)

    def _seat(self, step: ir.Step) -> int:
        assert step.player is not None
        return int(self.value(step.player, self.branches[0].state))

    def value(self, expr: ir.Expr, state: State) -> Any:
        return evaluate(self.machine, self.machine.look(state), expr, self.env)

    def _call(self, step: ir.Step, call: ir.Do) -> None:
        self.branches = self._finished(None)
        dice = self._dice(step)
        branches = [replace(branch, dice=dice, answers=step.choosing) for branch in self.branches]
        self.branches = [self._called(branch, call) for branch in branches]

    def _answer(self, step: ir.Step, expected_refusal: bool) -> None:
        answer = step.answer
        assert answer is not None
        seat = self._seat(step)
        dice = self._dice(step)
        arrived = self._finished((seat, answer))
        self.branches = [self._placed(b, step, seat, answer) if self._rests(b) else b for b in arrived]
        after: list[Branch] = []
        self.refused = None
        for branch in self.branches:
            options = self._meant(branch, seat, answer)
            if not options:
                reasons = self._refusals(branch, seat, answer)
                if isinstance(answer, ir.ActionAnswer):
                    guards = {guard.name for guard in self.machine.game.actions[answer.action].guards}
                    said = {reason.partition(":")[0] for reason in reasons}
                    self.bites |= {(answer.action, name) for name in guards & said}
                if not expected_refusal:
                    told = "; ".join(reasons) or self._no_option(branch, seat, answer)
                    raise Failed(step.span, f"refused: {told}", branch)
                self.refused = reasons
            elif expected_refusal:
                raise Failed(step.span, "this is allowed, and should be refused", branch)
            fresh = replace(branch, dice=dice, answers=step.choosing)
            after.extend(self._taken(fresh, option) for option in options)
        if not expected_refusal:
            self.branches = self._distinct(after)

    def _dice(self, step: ir.Step) -> tuple[int, ...]:
        return tuple(int(self.value(value, self.branches[0].state)) for value in step.rolling)

    def _finished(self, target: tuple[int, ir.AnyAnswer] | None) -> list[Branch]:
        """The branches where the step before has come to its end: all its dice were rolled, all its answers given."""
        branches = self._advance(self.branches, target)
        for branch in branches:
            if branch.dice:
                raise Failed(self.span, f"not rolled: {', '.join(map(str, branch.dice))}", branch)
            if branch.answers:
                asked = "" if self._rests(branch) else asked_for(self.machine, branch.state)
                number = (
                    "1 of the answers was" if len(branch.answers) == 1 else f"{len(branch.answers)} of the answers were"
                )
                said = f"{number} not asked for{asked and ': '}{asked}"
                raise Failed(self.span, said, branch)
        return branches

    def _called(self, branch: Branch, call: ir.Do) -> Branch:
        """Run a procedure for itself."""
        position = self.machine.look(branch.state)
        arguments = tuple(self.value(argument, branch.state) for argument in call.arguments)
        spot = find_call(self.machine, position, call.procedure, arguments)
        state = self.machine.run(resume(self.machine, position, spot), spot[0])
        return replace(branch, state=state, moves=(*branch.moves, call.procedure))

    def _meant(self, branch: Branch, seat: int, answer: ir.AnyAnswer) -> list[Choice]:
        state = branch.state
        if self.machine.decider(state) != seat or not fits(self.machine, state, answer):
            return []
        return meant(self.machine, state, answer, self.env)

    def _refusals(self, branch: Branch, seat: int, answer: ir.AnyAnswer) -> list[str]:
        if not isinstance(answer, ir.ActionAnswer):
            return []
        found = refusals(self.machine, branch.state, seat, answer, self.env)
        return [reason.guard + ": " + reason.text if reason.guard else reason.text for reason in found]

    def _no_option(self, branch: Branch, seat: int, answer: ir.AnyAnswer) -> str:
        """What there is instead of an answer that is no option."""
        state, players = branch.state, self.machine.game.players
        asked = self.machine.decider(state)
        if asked != seat:
            return f"{'nobody' if asked is None else players[asked]} is asked here, not {players[seat]}"
        if not fits(self.machine, state, answer):
            return asked_for(self.machine, state)
        notation, options = Notation(self.machine, state), self.machine.options(state)
        first = [notation.text(option) for option in islice(options, MOST_NAMED)]
        more = f" and {len(options) - len(first)} more" if len(options) > len(first) else ""
        return f"that is no option; there {'is' if len(options) == 1 else 'are'} {', '.join(first)}{more}"

    # --------------------------------------------------------------------------------------------------- the way

    def _advance(self, branches: list[Branch], target: tuple[int, ir.AnyAnswer] | None) -> list[Branch]:
        """Follow the flow to the decision that is meant, or (None) to where the step has come to rest."""
        arrived: dict[Any, Branch] = {}
        waiting = branches
        for _ in range(MOST_NODES):
            onward: list[tuple[Branch, Answer]] = []
            for branch in waiting:
                if self._stops(branch, target):
                    arrived.setdefault(self._key(branch), branch)
                else:
                    onward.extend((after, answer) for after, answer, _ in self._onward(branch))
            if not onward:
                return list(arrived.values())
            dealt = any(isinstance(self.machine.node(branch.state), flow.DrawNode) for branch in waiting)
            if len(onward) > MOST_BRANCHES:
                self.cut = True
                onward = self.random.sample(onward, MOST_DEALT if dealt else MOST_BRANCHES)
            waiting = self._distinct([self._taken(branch, answer) for branch, answer in onward])
        raise Failed(self.span, "this leads on and on", branches[0])

    def _stops(self, branch: Branch, target: tuple[int, ir.AnyAnswer] | None) -> bool:
        state = branch.state
        node = None if state.slots[0] is None else self.machine.node(state)
        if isinstance(node, flow.Over) and node.how is not None:
            self.ends.add(node.how.source.span)
        if node is None or isinstance(node, flow.Over | flow.Outside):
            return True
        if not isinstance(node, flow.Decision):
            return False
        if branch.answers and self._answered(branch):
            return False
        if target is not None:
            seat, answer = target
            if self.machine.decider(state) == seat and fits(self.machine, state, answer):
                return True
        if self.awaited and all(self.value(test, state) for test in self.awaited):
            return True
        return awaits_action(self.machine, state)

    def _answered(self, branch: Branch) -> list[Choice]:
        """The options that the next of the answers given with the step means here."""
        if not fits(self.machine, branch.state, branch.answers[0]):
            return []
        return meant(self.machine, branch.state, branch.answers[0], self.env)

    def _onward(self, branch: Branch) -> list[tuple[Branch, Answer, Weight]]:
        """What may come next, in every way that is left open: with the dice and answers that are left then."""
        if self.machine.is_chance(branch.state):
            return self._by_chance(branch)
        if branch.answers:
            named = self._answered(branch)
            if named:
                rest = replace(branch, answers=branch.answers[1:])
                return [(rest, option, 1) for option in named]
        options = self.machine.options(branch.state)
        if options.passing:
            return [(branch, PASS, 1)]
        if options.size > MOST_BRANCHES:
            self.cut = True
            return [(branch, options.random(self.random), 1) for _ in range(MOST_BRANCHES)]
        return [(branch, option, 1) for option in options]

    def _by_chance(self, branch: Branch) -> list[tuple[Branch, Answer, Weight]]:
        """What may happen, with its weight: by the dice that are given, else in every way."""
        node = self.machine.node(branch.state)
        look = self.machine.look(branch.state)
        outcomes = self.machine.outcomes(branch.state)  # cautious: else all that may come is gone through
        if branch.dice and isinstance(node, flow.RollNode):
            number = int(self.machine.effects.value(look, node.number))
            rolled, rest = self._rolled(branch, number, node.sides)
            return [(rest, Rolled(sum(rolled)), 1)]
        if branch.dice and isinstance(node, flow.ThrowNode):
            return [self._thrown(branch, node)]
        if branch.dice and isinstance(node, flow.ChanceNode):
            for outcome, _ in outcomes.weighted():
                if outcome == Values((branch.dice[0],)):
                    return [(replace(branch, dice=branch.dice[1:]), outcome, 1)]
        if self._is_wide(branch.state):
            self.cut = True
            return [(branch, outcomes.sample(self.random), 1) for _ in range(MOST_BRANCHES)]
        return [(branch, outcome, weight) for outcome, weight in outcomes.weighted()]

    def _is_wide(self, state: State) -> bool:
        """Whether chance has too many outcomes here to look at each."""
        return self.machine.is_chance(state) and self.machine.outcomes(state).count() > MOST_ODDS

    def _rolled(self, branch: Branch, number: int, sides: int) -> tuple[tuple[int, ...], Branch]:
        if len(branch.dice) < number:
            raise Failed(self.span, f"{number} dice are rolled, and {len(branch.dice)} are left", branch)
        rolled = branch.dice[:number]
        if any(not 1 <= die <= sides for die in rolled):
            raise Failed(self.span, f"a die with {sides} sides never shows {max(rolled)}", branch)
        return rolled, replace(branch, dice=branch.dice[number:])

    def _thrown(self, branch: Branch, node: flow.ThrowNode) -> tuple[Branch, Answer, Weight]:
        rest = branch

        def roll(number: int, sides: int) -> int:
            nonlocal rest
            rolled, rest = self._rolled(rest, number, sides)
            return sum(rolled)

        look = self.machine.look(branch.state)
        arguments = tuple(self.machine.effects.value(look, argument) for argument in node.arguments)
        outcome = self.machine.chances.rules[node.chance].throw(look, arguments, roll)
        if outcome is None:  # no dice are rolled, and none are used up
            raise Failed(self.span, f"{node.chance} {FOR_EVER}", branch)
        return rest, outcome, 1

    def _taken(self, branch: Branch, answer: Answer) -> Branch:
        move = branch.state, answer
        try:
            state = self.machine.step(branch.state, answer)
        except (RuleError, ChoiceError) as error:
            raise Failed(self.span, f"the rules fail after {self._told(move)}: {error}", branch) from error
        return replace(branch, state=state, moves=(*branch.moves, move))

    def _told(self, move: str | tuple[State, Answer]) -> str:
        """A move as people read it."""
        if isinstance(move, str):
            return move
        state, answer = move
        seat = self.machine.decider(state)
        who = "chance" if seat is None else self.machine.game.players[seat]
        return f"{who}: {Notation(self.machine, state).text(answer)}"

    def _distinct(self, branches: list[Branch]) -> list[Branch]:
        """Each position once."""
        return list({self._key(branch): branch for branch in branches}.values())

    def _key(self, branch: Branch) -> Any:
        return self.machine.canonical(branch.state), branch.dice, branch.answers

    # --------------------------------------------------------------------------------------------------- the tests

    def _expect(self, expect: ir.Expect, following: ir.Step | None) -> None:
        if expect.refused:
            self._expect_refusal(expect)
            return
        target = None
        if following is not None and following.answer is not None:
            target = self._seat(following), following.answer
        self.awaited = tuple(test for test in expect.tests if isinstance(test, ir.Asked) and test.menu is not None)
        if expect.odds is not None:
            self._expect_odds(expect, target)
            self.awaited = ()
            return
        self.branches = self._finished(target)
        self.awaited = ()
        for branch in self.branches:
            for test in expect.tests:
                if not self.value(test, branch.state):
                    raise Failed(expect.span, f"this does not hold: {self._said(test, branch)}", branch)

    def _said(self, test: ir.Expr, branch: Branch) -> str:
        """A test that fails, with the values of its sides."""
        known = parts(self.machine, self.machine.look(branch.state), test, self.env)
        values = ", ".join(f"{side} is {value}" for side, value in known if side != value)
        said = show_test(test, self.machine.game)
        return f"{said}; {values}" if values else said

    def _expect_refusal(self, expect: ir.Expect) -> None:
        if self.refused is None:
            raise Failed(expect.span, "nothing was refused", self.branches[0] if self.branches else None)
        if expect.guard is not None and not any(reason.startswith(f"{expect.guard}:") for reason in self.refused):
            told = "; ".join(self.refused) or "it is no option at all"
            raise Failed(expect.span, f"refused, but not by {expect.guard}: {told}")

    def _expect_odds(self, expect: ir.Expect, target: tuple[int, ir.AnyAnswer] | None) -> None:
        wanted = self.value(expect.odds, self.branches[0].state) if expect.odds is not None else None
        known: dict[Any, Fraction] = {}

        def odds(branch: Branch, depth: int) -> Fraction:
            if self._stops(branch, target):
                return Fraction(all(self.value(test, branch.state) for test in expect.tests))
            key = self._key(branch)
            if key in known:
                return known[key]
            if depth > MOST_NODES or len(known) > MOST_ODDS or self._is_wide(branch.state):
                raise Failed(expect.span, "there are too many courses to find the odds", branch)
            found = self._onward(branch)
            each = [(odds(self._taken(after, answer), depth + 1), Fraction(w)) for after, answer, w in found]
            if self.machine.is_chance(branch.state):
                total = sum(weight for _, weight in each)
                known[key] = sum((chance * weight for chance, weight in each), Fraction(0)) / total
                return known[key]
            if len({chance for chance, _ in each}) > 1:
                raise Failed(expect.span, "the odds depend on an answer that is left open", branch)
            known[key] = each[0][0]
            return known[key]

        for branch in self.branches:
            found = odds(branch, 0)
            if found != wanted:
                raise Failed(expect.span, f"the odds are {found}, not {wanted}", branch)
        self.branches = self._advance(self.branches, target)


def _next_step(lines: Sequence[ir.Step | ir.Expect], number: int) -> ir.Step | None:
    return next((line for line in lines[number + 1 :] if isinstance(line, ir.Step)), None)
