"""Pieces that stand for one another (passes/mark_alike.py): merging them changes no verdict, and no view is lost."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from small_games import game_of

import seaspec
from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.explore.native import explore_natively
from seaspec.explore.reference import Explored, explore
from seaspec.game import Game
from seaspec.sampling.plays import answers_at

SEEDS = 24
FRAME = """\
game Coins "Coins"
const players = 2
component Coin
  Coin times 3
component Gem
  Gem times 2
place bank set of Coin or Gem open
place vault set of Coin or Gem open
place safe[p: Player] set of Coin or Gem seen by p
place heap pile of Coin hidden
place line row of up to 2 Coin open
{states}
to setup
  move all Coin from box to bank
  move all Gem from box to vault
{actions}
to play
  repeat 3 times
    seat(1) chooses {menu}
{promises}
"""
STATES = (
    "state marked: Coin or none = none",
    "state some_marked: set of Coin = {}",
    "state lit[c: Coin]: yes or no = no while in bank",
    "state seen_most: 0..3 = 0",
)
ACTIONS = {
    "put": ("(p: Player, c: Coin in bank)", "move c to vault"),
    "back": ("(p: Player, c: Coin in vault)", "move c to bank"),
    "hide": ("(p: Player, x: Gem in vault)", "move x to safe[p]"),
    "heap_up": ("(p: Player, c: Coin in bank)", "move c to heap"),
    "draw_one": ("(p: Player)", "draw up to 1 from heap to bank"),
    "lay": ("(p: Player, c: Coin in bank)", "if size of line < 2: move c to line"),
    "take_first": ("(p: Player)", "if bank is filled: move (first c in bank) to vault"),
    "take_any_first": ("(p: Player)", "let c = first x in Coin\n  if c in vault: move c to bank"),
    "from_heap": ("(p: Player)", "if heap is filled: move (first c in heap) to vault"),
    "some_coins": ("(p: Player)", "move up to 2 Coin from bank to vault"),
    "one_coin": ("(p: Player)", "move up to 1 Coin from vault to safe[p]"),
    "each_coin": ("(p: Player)", "for each c in bank where c in Coin and size of line < 2: move c to vault"),
    "every_coin": ("(p: Player)", "for each c in Coin where c in vault: move c to bank"),
    "line_up": ("(p: Player)", "if size of bank <= 2 - size of line and (no g in Gem: g in bank): move bank to line"),
    "two_steps": (
        "(p: Player)",
        "p chooses c in bank\n  move up to 1 Coin from bank to vault\n  if c in bank: move c to safe[p]",
    ),
    "mark": ("(p: Player, c: Coin in bank)", "marked := c"),
    "add_mark": ("(p: Player, c: Coin in bank)", "some_marked += {c}"),
    "light": ("(p: Player, c: Coin in bank)", "c.lit := yes"),
    "rest": ("(p: Player)", "nothing"),
}
NEEDS = {"mark": "state marked", "add_mark": "state some_marked", "light": "state lit"}
BY_NUMBER = ("take_any_first", "from_heap", "every_coin", "each_coin", "two_steps")
PROMISES = (
    "invariant together: size of bank + size of vault + size of heap + size of line >= 3",
    "invariant first_in_bank: bank is empty or (first c in Coin) in bank",
    "invariant few: size of vault <= 4",
    "always slow: size of vault <= old size of vault + 1",
    "always stays: every c in Coin: old (c in vault) implies c not in line",
    "reachable all_hidden: size of safe[seat(1)] = 2",
    "winnable laid: size of line = 2",
)
OF_STATES = {
    "state marked": "invariant marked_here: marked is some c implies c in bank or c in vault",
    "state some_marked": "invariant not_all: size of some_marked <= 2",
    "state lit": "invariant dark: (count c in bank where c in Coin and c.lit) < 2",
}


def game_at_random(seed: int) -> Game:
    """Every other one without rules that plainly go by numbers."""
    random = Random(f"alike {seed}")
    by_number = (*BY_NUMBER, "first_in_bank") if seed % 2 else ()
    names = random.sample([name for name in ACTIONS if name not in by_number], 4)
    heads = {NEEDS[name] for name in names if name in NEEDS}
    states = [state for state in STATES if any(state.startswith(head) for head in heads)]
    claims = [promise for promise in PROMISES if not any(name in promise for name in by_number)]
    promises = [*random.sample(claims, 3), *(OF_STATES[head] for head in heads)]
    actions = [f'action {name}{ACTIONS[name][0]} "{{p}} does {name}"\n  {ACTIONS[name][1]}' for name in names]
    menu = " or ".join(names) + ("" if "rest" in names else " or rest")
    if "rest" not in names:
        actions.append('action rest(p: Player) "{p} rests": nothing')
    parts = {"states": states, "actions": actions, "promises": promises}
    text = {key: "\n".join(part) for key, part in parts.items()}
    return game_of(FRAME.format(**text, menu=menu))


def told_apart(game: Game) -> Machine:
    """The same game, where no pieces stand for one another."""
    return Machine(replace(game.flow, alike=()))


def verdicts(found: Explored) -> dict[str, Any]:
    assert found.complete
    return {
        "broken": set(found.watched.broken),
        "witnessed": set(found.watched.witnessed),
        "failed": set(found.failed),
        "stuck": found.stuck is not None,
        "doomed": set(found.doomed),
        "longest": found.longest,
    }


def seen_by_all(machine: Machine) -> set[Any]:
    """What the players see at all positions."""
    first = machine.begin()
    known = {machine.canonical(first)}
    waiting, found = [first], set()
    while waiting:
        state = waiting.pop()
        for seat in machine.effects.seats:
            view = views.view(machine, state, [], seat)
            options = () if view.options is None else tuple(map(Notation(machine, state).text, view.options))
            places = tuple((name, place.contents, place.size) for name, place in view.places.items())
            found.add((seat, places, tuple(view.states.items()), view.asked, tuple(sorted(options))))
        for answer in answers_at(machine, state):
            try:
                after = machine.step(state, answer)
            except RuleError:
                continue
            key = machine.canonical(after)
            if key not in known:
                known.add(key)
                waiting.append(after)
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_merging_changes_no_verdict(seed: int) -> None:
    game = game_at_random(seed)
    merged, apart = explore(game.machine, 60_000), explore(told_apart(game), 60_000)
    assert verdicts(merged) == verdicts(apart)
    assert merged.positions <= apart.positions
    assert seen_by_all(game.machine) == seen_by_all(told_apart(game))


@pytest.mark.parametrize("seed", range(0, SEEDS, 4))
def test_machine_code_merges_the_same(seed: int) -> None:
    game = game_at_random(seed)
    ours = explore(game.machine, 60_000)
    theirs = explore_natively(game.machine, 60_000, 1, lambda *_: True)
    assert verdicts(theirs) == verdicts(ours) and theirs.positions == ours.positions


def test_some_are_merged_and_some_are_not() -> None:
    """Else the tests above say nothing."""
    games = [game_at_random(seed) for seed in range(SEEDS)]
    sorts = {frozenset(game.rules.pieces[piece].kinds[0] for piece in game.flow.alike) for game in games}
    assert sorts == {frozenset({"Coin", "Gem"}), frozenset({"Gem"})}
    assert any(explore(g.machine, 60_000).positions < explore(told_apart(g), 60_000).positions for g in games[:10])


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("calm", "Start"),
        ("pirate_bay", "Cannon"),
        ("anchors/backgammon", "Checker X"),
        ("anchors/hanabi", "Card red 1"),
        ("admiral", "Fog"),
    ],
)
def test_pieces_of_games_that_stand_for_one_another(name: str, title: str) -> None:
    game = seaspec.load(f"spec/{name}.sea")
    found = [piece.id for piece in game.rules.pieces if piece.title == title]
    assert len(found) > 1 and set(found) <= set(game.flow.alike)
