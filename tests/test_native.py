"""Native code plays as the interpreter does: positions, options, odds, obligations, ply by ply; and what is its own.

Every game of the tree takes part (native_cases.py), in some of its modes; `make conformance` plays all of them, and a
million plies of each. SEASPEC_PLIES sets the plies of a game here.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random
from subprocess import run
from typing import Any

import pytest
from native_agreement import Comparison, Disagreement
from native_cases import games, some_cases
from small_games import TINY, flow_game, game_of
from test_expressions import LET_IN, NUMBERS, SETUP, TESTS, THINGS
from test_flow import EVERYTHING
from test_flow import THINGS as EVERY_THING

from seaspec.backends.native.errors import LimitReached, NotCompiled, RuleError
from seaspec.backends.native.flow import playing
from seaspec.backends.native.machine import Machine, PlayFailed, Totals
from seaspec.core import flow
from seaspec.game import Game
from seaspec.translating import Translator, state_of

PLIES = int(os.environ.get("SEASPEC_PLIES", "4000"))
"""Of each game, divided among its cases."""
MOST_CASES = 4
WRITTEN = 150
"""Steps of each case along which states are read and written again."""
VIEWS_EVERY = 6
"""Views are slow: those of every sixth node are compared here, in the small games below of all."""


def machine_of(game: Game) -> Machine:
    return Machine(game.flow)


# ----------------------------------------------------------------------------------------------------------- agreement


@pytest.mark.parametrize(("name", "path"), list(games()), ids=[name for name, _ in games()])
def test_games_agree(name: str, path: Path) -> None:
    chosen = some_cases(path, MOST_CASES)
    played = 0
    for number, case in enumerate(chosen):
        game = case.game()
        if game is not None:
            native = Machine(game.flow, traces=number % 2 == 0)
            comparison = Comparison(game, native, VIEWS_EVERY)
            played += comparison.plies(PLIES // len(chosen), seed=1).plies
            assert_states_are_written_as_they_were(game, native, Random(case.name))
    assert played >= PLIES // 2


def assert_states_are_written_as_they_were(game: Game, native: Machine, random: Random) -> None:
    """A state that is read and written again is the same, byte by byte."""
    translator, used = Translator(game.machine, native.layout), native.layout.end
    state = native.begin()
    for _ in range(WRITTEN):
        if native.is_over(state):
            state = native.begin()
        assert translator.native(state_of(game.machine, native.position(state)))[:used] == state[:used]
        count = native.count(state)
        if not count:
            break  # somebody is stuck, and the rules do not say what then
        state = native.step(state, random.randrange(count))


CHOICES = {
    "everything": (EVERYTHING.replace("stop outer", "nothing"), EVERY_THING),
    "subsets": (
        """
repeat 4 times
  seat(1) chooses 1..3 of stock as them
    move them to hand[seat(1)]
  seat(1) chooses up to (size of hand[seat(1)]) of hand[seat(1)] as back
    move back to stock
""",
        "",
    ),
    "one of two places": (
        """
move 1 B from stock to hand[seat(1)]
seat(1) chooses x in held(seat(1))
move x to line
seat(1) chooses y in stock + hand[seat(1)]
move y to line
""",
        "define held(p: Player) = stock + hand[p]\n",
    ),
    "a row": (
        """
repeat 5 times
  if size of line < 3
    seat(1) chooses x in stock, k in 1..size of line + 1
      move x to line at k
  else
    seat(2) chooses any of {x in line} as them
      move them to stock
    if line is filled: move (first x in line) to stock
""",
        "",
    ),
    "a pile": (
        """
move all C from stock to heap
move A under heap
repeat 6 times
  seat(1) chooses any of stock as them
    move them to heap
  draw up to 2 from heap to stock as x
  if heap is empty
    move stock to heap
    draw 1 from heap to line
  seat(2) chooses n in 0..1
    if n = 1: shuffle heap
  move up to 1 B from heap to stock
  move line to stock
""",
        "",
    ),
    "shares": (
        """
repeat 3 times
  seat(1) shares 1..3 among p in Player at most 2 as gift
  for each p in Player: mark[p] := gift[p]
  seat(2) shares 2 among x in stock as given
  count_up := sum given[x] for x in stock where x is not A
  seat(1) may take
""",
        "",
    ),
    "kept states": (
        """
move stock to worn
repeat 6 times
  seat(1) chooses x in worn
    if x.age = 2: move x to stock
    else: x.age += 1
  if size of worn >= 2
    seat(1) chooses 2 of worn as them
      pair := them
  if pair is filled
    seat(2) chooses y in pair
      best := y
  seat(2) may take
""",
        """
place worn set of Piece open
state age[x: Piece]: 0..3 = 0 while in worn
state pair: set of Piece = {}
state best: Piece or none = none
""",
    ),
    "chance": (
        """
repeat 4 times
  chance chooses x in stock, n in 1..2 weights n
    move x to hand[seat(n)]
  if size of hand[seat(1)] >= 2
    chance chooses 2 of hand[seat(1)] as them
      move them to stock
  roll 2 d6 as total
  if beats(total mod 2 + 1, 1): light := next(light)
  chance chooses l in Light weights (if l is light then 3 else 1)
    light := l
  draw up to 1 from stock to line
  move line to stock
""",
        """
chance beats(m: 1..2, n: 1..2)
  roll m d4 as mine
  roll n d4 as theirs
  again if mine = theirs
  gives mine > theirs
""",
    ),
    "an action twice on a menu": (
        """
repeat 4 times
  seat(1) chooses deed(A)
""",
        """
action weigh(x: Piece)
  seat(2) chooses n in 0..2
    mark[seat(2)] := n
  if x is not A: light := next(light)
menu deed(x: Piece) = weigh(x) or weigh(y) for y in {y in stock where y is not x}
""",
    ),
    "turns": (
        """
repeat until count_up >= 8
  for each p in Player in order from next(seat(1)): turn(p)
  if (count q in Player where not out(q)) < 2: nobody wins
""",
        """
state once: 0..9 = 0 until end of turn
to turn(p: Player)
  once += 1
  p chooses bump or take
  p may repeatedly take until count_up mod 3 = 2
  once += 1
  if count_up > 5 and not out(p): p drops out
  if (count q in Player where not out(q)) < 2: stop turn
  mark[p] := once
whenever full: count_up = 9 and light is red
  light := green
  count_up := 0
""",
    ),
    "scores": (
        """
repeat 3 times
  for each p in Player
    p privately chooses n in 0..2
      mark[p] += n
score p: mark[p] tie by size of hand[p] - mark[next(p)]
""",
        "",
    ),
    "in secret": (
        """
all at once each p in Player
  p may secretly take
for each p in Player
  p in any order
    count_up += 1
    if count_up < 5: light := next(light)
    for each x in hand[p] in order of (if x is B then 2 else 1)
      if size of line < 3: move x to line
""",
        "",
    ),
}
"""Small games: the body of `to play`, and more declarations."""


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("players", [2, 3])
def test_small_games_agree(name: str, players: int) -> None:
    game = flow_game(*CHOICES[name], players=players)
    tally = Comparison(game, Machine(game.flow, traces=players == 2)).plies(300, seed=1)
    nodes = {n for n, block in enumerate(game.flow.blocks) if isinstance(block.exit, flow.Decision | flow.ChanceNode)}
    assert nodes <= set(tally.visits), "some choice never came up"


def test_expressions_have_their_values() -> None:
    """All expressions of the tests of the interpreter, in one game."""
    states = "".join(f"state n{i}: 0..99 = 0\n" for i in range(len(NUMBERS)))
    states += "".join(f"state t{i}: yes or no = no\n" for i in range(len(TESTS)))
    body = "".join(f"n{i} := {text}\n" for i, (text, _) in enumerate(NUMBERS))
    body += "".join(f"t{i} := {text}\n" for i, (text, _) in enumerate(TESTS))
    game = flow_game(SETUP + body + "seat(1) may bump", THINGS + LET_IN + states)
    native = machine_of(game)
    found = native.position(native.begin()).states
    assert [found[f"n{i}"][()] for i in range(len(NUMBERS))] == [value for _, value in NUMBERS]
    assert [found[f"t{i}"][()] for i in range(len(TESTS))] == [value for _, value in TESTS]
    Comparison(game, native).plies(10, seed=1)


@pytest.mark.parametrize(
    "body",
    [
        "roll 1 d2 as n\ncount_up := 10 - 2 * n\ncount_up += 2",
        "roll 1 d2 as n\ncount_up := 1 / (n - 1)",
        "roll 1 d2 as n\nmark[seat(1)] := n mod (n - 1)",
        "roll 1 d2 as n\nlet x = the x in stock where x is B or n = 2\nmove x to line",
        "roll 1 d2 as n\nmove n B from stock to hand[seat(1)]\nmove 2 B from stock to hand[seat(1)]",
        "roll 1 d2 as n\ndraw (5 + n) from stock to heap",
        "roll 1 d3 as n\nmove n B from stock to line\nmove all C from stock to line",
        "roll 1 d2 as n\ntake(seat(1), (first x in stock where (n = 1 implies x is not A)))",
        "roll 1 d2 as n\nif n = 1: move stock to hand[seat(2)]\nseat(1) chooses take",
        "roll 1 d2 as n\nif n = 1: move stock to heap\ndraw 1 from stock to line\nmove line to slot",
        "roll 1 d2 as n\nmove (first x in stock) to line at 2 * n - 1",
        "roll 1 d2 as n\nlight := (first l in Light where l is red and n = 1)",
        "roll 1 d3 as n\nmark[seat(1)] := most m for m in 2..n",
        "roll 1 d2 as n\nmark[seat(1)] := spot(first x in stock where n = 1 or x in line)",
        "roll 1 d2 as n\nif n = 1: move A to slot\nmove (first x in stock) to slot",
        "roll 1 d2 as n\nchance chooses k in 1..2 weights k - n",
        "roll 1 d2 as n\n(the p in Player where n = 1 or p is seat(1)) chooses take",
    ],
)
def test_obligations_are_the_same(body: str) -> None:
    """Whatever is not allowed ends the play in the same statement, and what is allowed goes on."""
    game = flow_game(body)
    tally = Comparison(game, machine_of(game)).plies(40, seed=1)
    assert tally.failures, "nothing failed"


def test_a_disagreement_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself: another rule in one of the two is noticed."""
    game = game_of(TINY)
    other = game_of(TINY.replace("draw 2 from deck[p] to hand[p]", "draw 3 from deck[p] to hand[p]"))
    with pytest.raises(Disagreement):
        Comparison(game, machine_of(other)).plies(100, seed=1)
    native = machine_of(game)
    step = native.step
    monkeypatch.setattr(native, "step", lambda state, number: step(state, number ^ 1 if native.count(state) > 1 else 0))
    with pytest.raises(Disagreement):
        Comparison(game, native).plies(100, seed=1)


@pytest.mark.parametrize("change", [lambda told: told[1:], lambda told: told[::-1], lambda told: told + told[-1:]])
def test_other_happenings_are_found(change: Callable[[list[Any]], list[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Something does not happen, or at another time, or twice."""
    game = flow_game('move A to slot\nsay "on its way"\nmove slot to stock\nsay "back"\nseat(1) may bump')
    native = Machine(game.flow, traces=True)
    Comparison(game, native).plies(10, seed=1)
    traced = native.traced
    monkeypatch.setattr(native, "traced", lambda: change(traced()))
    with pytest.raises(Disagreement, match="what happened"):
        Comparison(game, native).plies(10, seed=1)


# ------------------------------------------------------------------------------------------------- what is not compiled


def test_what_is_not_compiled_is_told_before_anything_runs() -> None:
    game = flow_game("groups := {{A}}", "state groups: set of set of Piece = {}\n")
    with pytest.raises(NotCompiled, match="groups") as caught:
        machine_of(game)
    assert "small.sea" in str(caught.value)


def test_more_options_than_can_be_counted() -> None:
    things = "component Coin(number: 1..90)\n  Coin one each\nplace bank bag of Coin open\n"
    game = flow_game("move all Coin from box to bank\nseat(1) chooses any of bank as them\n  move them to box", things)
    native = machine_of(game)
    with pytest.raises(LimitReached, match="count"):
        native.begin()
    assert game.machine.options(game.machine.begin()).size == 2**90


def test_more_endings_than_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = flow_game(
        "chance chooses n in 1..3\nmark[seat(1)] := n\nif n = 1: win for seat(1)\nif n = 2: win for seat(2)"
    )
    assert len(Machine(game.flow, tmp_path / "all").simulate(1, 0, 50).endings) == 3
    monkeypatch.setattr(playing, "ENDINGS", 2)
    with pytest.raises(LimitReached, match="more than 2 different endings"):
        Machine(game.flow, tmp_path / "few").simulate(1, 0, 50)


def test_nothing_else_loads_llvm() -> None:
    code = "import sys, seaspec; seaspec.load('calm').machine; sys.exit('llvmlite' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0


# -------------------------------------------------------------------------------------------------------- random plays


def test_plays_depend_on_seed_and_number_alone() -> None:
    native = machine_of(game_of(TINY))
    whole = native.simulate(7, 0, 600)
    parts = Totals()
    with ThreadPoolExecutor(4) as pool:
        for part in pool.map(lambda first: native.simulate(7, first, 50), range(0, 600, 50)):
            parts.add(part)
    assert parts == whole
    assert whole.plays == 600 and sum(whole.endings.values()) == 600 and sum(whole.lengths.values()) == 600
    assert whole.asked.total() == sum(length * count for length, count in whole.lengths.items())
    assert native.simulate(8, 0, 600) != whole
    assert native.simulate(7, 0, 1, playing.MOST_DECISIONS).plays == 1
    with pytest.raises(LimitReached, match="decisions"):
        native.simulate(7, 0, 1, playing.MOST_DECISIONS + 1)


@pytest.mark.parametrize("name", ["chance", "shares", "subsets", "a pile", "in secret", "scores"])
def test_recorded_plays_are_those_of_the_simulation(name: str) -> None:
    """Told answer by answer, they are plays of the interpreter, of the same length and with the same end."""
    game = flow_game(*CHOICES[name])
    native = machine_of(game)
    comparison = Comparison(game, native)
    totals = Totals()
    for play in range(25):
        totals.add(comparison.recorded(seed=3, play=play))
        passed = [after for _, _, after in native.moves(3, play)]
        assert [*native.states(3, play)] == [native.begin(), *passed]
    found = native.simulate(3, 0, 25)
    assert totals == found


ORDERS = """\
for each p in Player: p chooses take
chance chooses starter in Player
for each p in Player in order from starter
  if count_up < 2: p chooses bump
if players > 1: seat(1) drops out
score p: count_up - mark[p] tie by size of hand[p]
"""


@pytest.mark.parametrize("players", [1, 2, 4])
def test_who_was_asked_when_and_has_which_score(players: int) -> None:
    """Machine code notes it as the interpreter does: where not all are asked, and where somebody is out."""
    game = flow_game(ORDERS, players=players)
    native = machine_of(game)
    comparison, totals = Comparison(game, native), Totals()
    for play in range(12):
        totals.add(comparison.recorded(seed=3, play=play))
    assert totals == native.simulate(3, 0, 12)
    assert totals.scores and totals.turns.total() == 12 * players
    assert native.simulate(3, 0, 12, with_scores=False) == replace(totals, scores=Counter())


def test_a_play_that_fails_is_told_and_recorded() -> None:
    native = machine_of(flow_game("repeat 5 times\n  roll 1 d6 as n\n  count_up += n / 2"))
    with pytest.raises(PlayFailed) as caught:
        native.simulate(1, 0, 1000)
    with pytest.raises(RuleError) as again:
        list(native.record(1, caught.value.play))
    assert str(again.value) == str(caught.value.error)


ODDS: dict[str, tuple[str, str, list[float]]] = {
    "dice": ("roll 2 d6 as n\nresult := n / 4", "", [3 / 36, 18 / 36, 14 / 36, 1 / 36]),
    "draws": ("draw 2 from stock to heap\nresult := count B in heap", "", [3 / 15, 9 / 15, 3 / 15]),
    "subsets": (
        "chance chooses 2 of stock as them\nresult := count x in them where x is B",
        "",
        [3 / 15, 9 / 15, 3 / 15],
    ),
    "subsets of all sizes": (
        "chance chooses any of {x in stock where x is not B} as them\nresult := size of them",
        "",
        [1 / 8, 3 / 8, 3 / 8, 1 / 8],
    ),
    "weights": ("chance chooses n in 0..3 weights n\nresult := n", "", [0, 1 / 6, 2 / 6, 3 / 6]),
    "identical": ("chance chooses x in stock\nresult := if x is B then 1 else 0", "", [1 / 2, 1 / 2]),
    "throws": (
        "if beats(3, 1): result := 1",
        "chance beats(m: 1..3, n: 1..3)\n  roll m d6 as mine\n  roll n d6 as theirs\n  again if mine = theirs\n"
        "  gives mine > theirs\n",
        [15 / 1276, 1261 / 1276],
    ),
    "choices": ("seat(1) chooses n in 0..4 where n != 3\n  result := n", "", [1 / 4, 1 / 4, 1 / 4, 0, 1 / 4]),
    "identical options": ("seat(1) chooses x in stock\n  result := if x is B then 1 else 2", "", [0, 1 / 4, 3 / 4]),
    "passes": (
        "seat(1) may repeatedly bump until count_up = 2\nresult := count_up",
        "",
        [1 / 2, 1 / 4, 1 / 4],
    ),
}
"""What ends in a result, 0 to 4, and the probability of each."""


@pytest.mark.parametrize("name", ODDS)
def test_chance_and_choices_are_fair(name: str) -> None:
    """In many plays from a fixed seed each result comes up as often as it should: within five standard deviations."""
    body, things, odds = ODDS[name]
    told = "\nif result = 0: nobody wins\nwin for seat(result)"
    game = flow_game(body + told, things + "state result: 0..4 = 0\n", players=4)
    plays = 20_000
    endings = machine_of(game).simulate(11, 0, plays).endings
    counts = [0] * 5
    for (_, winners, _), count in endings.items():
        counts[winners[0] + 1 if winners else 0] += count
    assert are_fair(counts, odds), (counts, odds)


def are_fair(counts: list[int], odds: list[float]) -> bool:
    """Whether each result came up as often as it should."""
    plays = sum(counts)
    wanted = zip(counts, [*odds, 0, 0, 0, 0, 0], strict=False)
    return all(abs(count - plays * p) <= 5 * sqrt(plays * p * (1 - p)) for count, p in wanted)


@pytest.mark.parametrize("name", ODDS)
def test_the_interpreter_is_fair(name: str) -> None:
    body, things, odds = ODDS[name]
    machine = flow_game(body, things + "state result: 0..4 = 0\n", players=4).machine
    counts = [0] * 5
    for play in range(1_000):
        random, state = Random(play), machine.begin()
        while state.result is None:
            is_chance = machine.is_chance(state)
            answer = machine.outcomes(state).sample(random) if is_chance else machine.options(state).random(random)
            state = machine.step(state, answer)
        counts[state.slots[machine.layout.states["result"].base]] += 1
    assert are_fair(counts, odds), (counts, odds)
