"""Bots: what they choose, that they know no more than their players, and how they are asked for."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_runner import seaspec
from small_games import game_of

from seaspec import load
from seaspec.backends.interpreter.log import Event
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.views import Step
from seaspec.bots import BotError, MctsBot, Situation
from seaspec.bots.evidence import Eyes, gather
from seaspec.bots.playouts import by_interpreter, playout_for
from seaspec.bots.supposing import Supposing
from seaspec.game import Game
from seaspec.play import Play, PlayError

ANCHORS = Path(__file__).parent.parent / "spec" / "anchors"


@cache
def anchor(name: str, **options: str) -> Game:
    return load(str(ANCHORS / f"{name}.sea"), **options)


def match(game: Game, kinds: tuple[str, ...], seed: int) -> Play:
    """A play of bots."""
    play = game.start(seed=seed)
    bots = dict(zip(game.players, map(game.bot, kinds), strict=True))
    while play.asked is not None:
        play.leave_to(bots[play.asked])
    return play


def won(game: Game, kinds: tuple[str, ...], plays: int) -> dict[str, int]:
    """How often each has won; a draw is nobody's."""
    found = dict.fromkeys(game.players, 0)
    for seed in range(plays):
        result = match(game, kinds, seed).result
        assert result is not None
        for name in result.winners:
            found[name] += 1
    return found


# ------------------------------------------------------------------------------------------------------------- playouts


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "hanabi"])
def test_plays_by_machine_code_end_as_those_of_the_interpreter(name: str) -> None:
    """From a position in the middle: each ending as often, within statistical error."""
    machine = anchor(name).machine
    native, interpreter = playout_for(machine), by_interpreter(machine)
    assert native is not interpreter and native is playout_for(machine)
    random = Random(5)
    *_, state = machine.play_out(machine.begin(), random, 4)
    plays = 300
    ends = [Counter(str(playout(state, random)) for _ in range(plays)) for playout in (native, interpreter)]
    for end in set(ends[0]) | set(ends[1]):
        ours, theirs = (found[end] / plays for found in ends)
        likely = (ours + theirs) / 2
        assert abs(ours - theirs) <= 4.5 * (2 * likely * (1 - likely) / plays) ** 0.5 + 1 / plays, end


def test_a_play_that_fails_or_is_too_long_has_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(FAILS)
    for playout in (playout_for(game.machine), by_interpreter(game.machine)):
        assert {playout(game.machine.begin(), Random(seed)) for seed in range(20)} == {None, ((), (0,), None)}
    monkeypatch.setattr("seaspec.bots.playouts.LONG", 2)
    assert playout_for(game.machine)(game.machine.begin(), Random(1)) is None


FAILS = """\
game Fails "Bold ones fall off the edge"
const players = 1
state edge: 0..3 = 0
action step(p: Player): edge += 2
action wait(p: Player): nothing
to play
  repeat 3 times: seat(1) chooses step or wait
  lose for everyone "late"
"""

# ------------------------------------------------------------------------------------------------------------- strength


def test_mcts_beats_chance_at_noughts_and_crosses() -> None:
    game = anchor("tic_tac_toe")
    assert won(game, ("mcts:100", "random"), 12)["Cross"] >= 10
    second = won(game, ("random", "mcts:300"), 12)
    assert second["Cross"] == 0 and second["Nought"] >= 7


def test_mcts_beats_chance_at_four_in_a_row() -> None:
    game = anchor("connect_four", columns="5", rows="4")
    assert won(game, ("random", "mcts:60"), 8)["Yellow"] >= 7


def test_mcts_beats_chance_at_breakthrough() -> None:
    game = anchor("breakthrough")
    first, second = game.players
    assert won(game, ("random", "mcts:200"), 2)[second] == 2
    assert won(game, ("mcts:200", "random"), 2)[first] == 2


def test_more_thought_is_better() -> None:
    game = anchor("connect_four", columns="5", rows="4")
    found = won(game, ("mcts:5", "mcts:60"), 8)
    assert found["Yellow"] > found["Red"]


@pytest.mark.parametrize("kind", ["mcts:100", "greedy:marks"])
def test_a_win_is_taken(kind: str) -> None:
    game = anchor("tic_tac_toe")
    for seed in range(5):
        play = game.start(seed=seed).do("put(A1)").do("put(A2)").do("put(B1)").do("put(B2)")
        play.leave_to(game.bot(kind))
        assert play.result is not None and play.result.winners == ("Cross",)


def test_a_loss_is_warded_off() -> None:
    game = anchor("tic_tac_toe")
    for seed in range(5):
        play = game.start(seed=seed).do("put(A1)").do("put(C3)").do("put(B1)")
        play.leave_to(game.bot("mcts:200"))
        assert play.history[-1].text == "put(C1)"


RISK = """\
game Risk "A sure point, or a die: more than three brings nine, all else nothing"
const players = 1
state points[p: Player]: 0..9 = 0
action safe(p: Player) "{p} takes a point": points[p] := sure
action bold(p: Player) "{p} rolls"
  roll 1 d6 as n
  if n > 3: points[p] := 9
const sure = 1
to play
  repeat 3 times: seat(1) chooses nothing_yet
  seat(1) chooses safe or bold
  score p: points[p]
action nothing_yet(p: Player): nothing
"""


@pytest.mark.parametrize(("sure", "best"), [(1, "bold"), (8, "safe")])
def test_chance_is_averaged(sure: int, best: str) -> None:
    """4.5 points are to be expected of the die."""
    game = game_of(RISK.replace("const sure = 1", f"const sure = {sure}"))
    play = game.start(seed=1)
    bot = game.bot("mcts:300")
    while not play.is_over:
        play.leave_to(bot)
    assert best in [move.text for move in play.history]


def test_greedy_takes_the_best_score() -> None:
    text = RISK.replace("action bold", "action great(p: Player): points[p] := 3\naction bold")
    game = game_of(text.replace("safe or bold", "safe or great"))
    for kind in ("greedy", "greedy:points"):
        play = game.start(seed=1)
        while not play.is_over:
            play.leave_to(game.bot(kind))
        assert play.history[-1].text == "great"


# -------------------------------------------------------------------------------------------------------------- secrets


PEEK = """\
game Peek "Ann guesses which of the cards Ben holds; only the true one wins"
const players = 2
component Card(rank: 1..4)
  Card one each
place deck bag of Card hidden
place hand[p: Player] set of Card seen by p
action guess(p: Player, n: 1..4) "{p} guesses {n}"
  if openly some c in hand[rival(p)]: c.rank = n
    win for p
  else
    lose for p
to setup
  move all Card from box to deck
  draw 1 from deck to hand[seat(2)]
  draw 1 from deck to hand[seat(1)]
to play
  seat(1) chooses guess
"""


@pytest.mark.parametrize("kind", ["mcts:120", "greedy:luck"])
def test_a_bot_guesses_as_badly_as_anybody(kind: str) -> None:
    """It knows its own card, and no more: one of three is right. Who looked would win every time."""
    game = game_of(PEEK + "define luck(p: Player) = size of hand[p]\n")
    plays = [match(game, (kind, "random"), seed) for seed in range(60)]
    wins = sum("Ann" in play.result.winners for play in plays if play.result)
    assert 8 <= wins <= 34
    own = [play.view("Ann").places["hand[Ann]"].contents for play in plays]
    guesses = [play.history[-1].text for play in plays]
    assert all(f"guess({cards[0][-1]})" != guess for cards, guess in zip(own, guesses, strict=True) if cards)


@pytest.mark.parametrize("kind", ["mcts:20", "greedy"])
@pytest.mark.parametrize("name", ["hanabi", "battleship"])
def test_a_bot_chooses_the_same_where_it_sees_the_same(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seaspec.bots.mcts.GUESSES", 2)
    monkeypatch.setattr("seaspec.bots.greedy.GUESSES", 2)
    game = anchor(name, columns="5", rows="5") if name == "battleship" else anchor(name)
    machine = game.machine
    for seed in (1, 2):
        play, random = game.start(seed=seed), Random(seed)
        for _ in range(12 if name == "battleship" else 2):
            play.do(play.options.random(random))  # type: ignore[union-attr]
        assert play.asked == game.players[0]
        eyes = Eyes(machine, 0)
        supposed = Supposing(eyes, gather(eyes, play.steps, play.position), Random(5)).grow(None)
        assert supposed is not None and supposed.stand.state != play.position
        events: list[Event] = []
        state = machine.begin(events)
        steps: list[Step] = [(state, events)]
        for taken in supposed.steps:
            events = []
            before, state = state, machine.step(state, taken.answer, events)
            steps.append((before, events))
        chosen = [
            game.bot(kind).choose(situation, Random(9))
            for situation in (Situation(machine, play.steps, play.position), Situation(machine, steps, state))
        ]
        numbers = [
            machine.options(where).position(choice)
            for where, choice in zip((play.position, state), chosen, strict=True)
        ]
        assert numbers[0] == numbers[1]


def test_a_seed_gives_one_play() -> None:
    game = anchor("hanabi")
    kinds = ("mcts:30", "greedy")
    plays = [[move.text for move in match(game, kinds, 4).history] for _ in range(2)]
    assert plays[0] == plays[1]
    assert plays[0] != [move.text for move in match(game, kinds, 5).history]


@pytest.mark.parametrize("name", ["hanabi", "tic_tac_toe", "pig"])
def test_what_is_kept_of_a_tree_changes_no_choice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each position of the tree is worked out once, or each time anew: chance and choices are the same."""
    game = anchor(name)
    play, random = game.start(seed=3), Random(3)
    for _ in range(3):
        play.do(play.options.random(random))  # type: ignore[union-attr]
    chosen, steps = [], []
    for kept in (10_000, 5, 0):
        monkeypatch.setattr("seaspec.bots.mcts.KEPT", kept)
        luck, made = Random(9), Counter[str]()
        machine = Counted(game.machine, made)
        situation = Situation(machine, play.steps, play.position)  # type: ignore[arg-type]
        bot = MctsBot(60, playout=by_interpreter(game.machine))
        chosen.append((bot.choose(situation, luck), luck.random()))
        steps.append(made["step"])
    assert chosen[0] == chosen[1] == chosen[2]
    assert steps[0] < steps[1] < steps[2], "what is kept is not worked out again"


class Counted:
    """A machine whose steps are counted."""

    def __init__(self, machine: Machine, made: Counter[str]) -> None:
        self._machine, self._made = machine, made

    def step(self, *given: Any) -> Any:
        self._made["step"] += 1
        return self._machine.step(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


def test_somebody_else_can_play_on() -> None:
    """The plays that follow the tree are somebody else's business."""
    game = anchor("tic_tac_toe")
    calls = []

    def playout(state: object, random: Random) -> None:
        calls.append(state)

    bot = MctsBot(40, playout=playout)
    game.start(seed=1).leave_to(bot)
    assert len(calls) == 40


def test_a_clock_sets_the_time() -> None:
    ticks = iter(range(100))
    game = anchor("tic_tac_toe")
    bot = MctsBot(seconds=5, clock=lambda: next(ticks))
    game.start(seed=1).leave_to(bot)
    assert next(ticks) == 6
    game.start(seed=1).leave_to(MctsBot(seconds=0, clock=lambda: 0))  # thinks once


# -------------------------------------------------------------------------------------------------------------- by name


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("clever", "there is no bot 'clever'"),
        ("mcts:0", "there is no bot"),
        ("mcts:many", "there is no bot"),
        ("mcts:2s", "clock"),
        ("random:3", "there is no bot"),
        ("greedy:", "there is no bot"),
        ("greedy:beauty", "there is no score 'beauty'"),
        ("greedy", "has no `score`"),
    ],
)
def test_there_is_no_such_bot(kind: str, message: str) -> None:
    with pytest.raises(BotError) as caught:
        anchor("tic_tac_toe").bot(kind)
    assert message in caught.value.message and caught.value.hint


def test_nobody_is_asked() -> None:
    game = anchor("tic_tac_toe")
    play = match(game, ("random", "random"), 1)
    with pytest.raises(PlayError):
        play.leave_to(game.bot())


def test_simulate_with_bots() -> None:
    file = str(ANCHORS / "tic_tac_toe.sea")
    words = ["simulate", file, "--plays", "6", "--seed", "1", "--json"]
    one = json.loads(seaspec(*words, "--bots", "2=mcts:60", "--jobs", "1").out)
    two = json.loads(seaspec(*words, "--bots", "nought=mcts:60,random", "--jobs", "2").out)
    assert one["bots"] == {"Cross": "random", "Nought": "mcts:60"}
    assert one["wins"] == two["wins"] and one["length"] == two["length"]
    assert one["wins"]["Nought"]["plays"] >= 4
    assert json.loads(seaspec(*words).out)["bots"] == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["simulate", "--bots", "Zoe=mcts"], "there is no player Zoe"),
        (["simulate", "--bots", "Cross=clever"], "there is no bot 'clever'"),
        (["simulate", "--bots", "mcts:2s"], "clock"),
        (["simulate", "--bots", "mcts,random"], "two bots for all others"),
        (["simulate", "--bots", "Cross,1=mcts"], "Cross twice"),
        (["play", "--bots", "mcts"], "somebody has to play"),
        (["play", "--as", "Cross", "--bots", "Cross=mcts"], "Cross can not be played by a bot and by somebody"),
    ],
)
def test_bad_bots(words: list[str], message: str) -> None:
    ran = seaspec(words[0], str(ANCHORS / "tic_tac_toe.sea"), *words[1:])
    assert ran.code != 0 and message in ran.err and "Traceback" not in ran.err


def test_play_against_a_bot_that_thinks() -> None:
    file = str(ANCHORS / "tic_tac_toe.sea")
    ran = seaspec("play", file, "--as", "Cross", "--bots", "mcts:100", "--seed", "1", typed="put(A1)\nput(B1)\nquit\n")
    assert "Nought marks C1" in ran.out
