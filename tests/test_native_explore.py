"""Exploration by machine code and by the interpreter finds the same: positions, steps, depth, endings, every promise.

Whole games are compared in all that `Explored` says; of games that are too large, the neighbourhood of positions of
random plays: how many positions one, two, .. steps lead to.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random
from typing import Any

import pytest
from small_games import game_of

import seaspec
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.state import State
from seaspec.backends.native.errors import LimitReached
from seaspec.backends.native.explore.explorer import Exploration, Explorer
from seaspec.backends.native.explore.memory import Room
from seaspec.backends.native.machine import Machine as Native
from seaspec.backends.native.values.decode import Decoder
from seaspec.explore.native import explore_natively, perft_natively
from seaspec.explore.reference import Explored, TooMany, explore, perft
from seaspec.game import Game
from seaspec.sampling.plays import answers_at, replay
from seaspec.translating import state_of

ROOT = Path(__file__).parent.parent
ANCHORS = ROOT / "spec" / "anchors"
EXCERPTS = ROOT / "tests" / "cases" / "excerpts"
GAMES = ROOT / "tests" / "cases" / "games"


def always(positions: int, waiting: int, steps: int, memory: int) -> bool:
    return True


def compared(game: Game, limit: int = 100_000, threads: int = 1) -> Explored:
    """What machine code finds, which is what the interpreter finds."""
    ours = explore(game.machine, limit)
    theirs = explore_natively(game.machine, limit, threads, always)
    assert ours.complete and theirs.complete and theirs.measured
    assert summary(theirs) == summary(ours)
    for found in (*theirs.watched.broken.values(), *theirs.watched.witnessed.values(), *theirs.doomed.values()):
        replay(game.machine, found)
    return theirs


def summary(found: Explored) -> dict[str, Any]:
    """All that must be the same; of plays that show something, how long they are."""
    return {
        "counts": (found.positions, found.steps, found.depth, found.won, found.longest),
        "endings": found.endings,
        "broken": {name: (len(f.answers), f.detail) for name, f in found.watched.broken.items()},
        "witnessed": {name: len(f.answers) for name, f in found.watched.witnessed.items()},
        "failed": places(found),
        "stuck": None if found.stuck is None else (str(found.stuck[0]), len(found.stuck[1].answers)),
        "calls": found.most_calls,
        "too long": {name: "for ever" if f.back is not None else f.detail for name, f in found.too_long.items()},
        "doomed": {name: len(f.answers) for name, f in found.doomed.items()},
        "spread": found.spread,
    }


def places(found: Explored) -> dict[str, int]:
    """Where the rules fail; machine code does not tell the values that are told in a message."""
    lengths: dict[str, int] = {}
    for error, play in found.failed.values():
        place = str(error.span)
        lengths[place] = min(lengths.get(place, len(play.answers)), len(play.answers))
    return lengths


# -------------------------------------------------------------------------------------------------------- whole games


def test_all_of_tic_tac_toe() -> None:
    found = compared(seaspec.load(str(GAMES / "tic_tac_toe.sea")))
    assert (found.positions, found.steps, found.depth) == (5478, 16167, 9)


def test_a_game_of_dice() -> None:
    found = compared(seaspec.load(str(GAMES / "dice_race.sea")))
    assert found.longest is None  # somebody may be sent back again and again


@pytest.mark.parametrize("cards", [4, 5])
def test_a_tiny_calm(cards: int) -> None:
    compared(seaspec.load(str(ROOT / "bench" / "tiny_calm.sea"), cards=cards))


def test_a_small_world_with_many_promises(tmp_path: Path) -> None:
    sizes = {
        "players": 2,
        "Sea": "grid 1 by 2 from the bottom left",
        "last": 4,
        "finishes": 1,
        "hand_size": 2,
        "dues": 1,
    }
    lines = [f"set {name} = {value}\n" for name, value in sizes.items()]
    (tmp_path / "mini.sea").write_text(f"world mini of Calm\n{''.join(lines)}")
    found = compared(seaspec.load(str(tmp_path / "mini.sea")))
    assert found.positions == 3816 and set(found.watched.broken) == {"hopeful_always"}


LINE = """
game Line "a line of spots"
state at: 0..6 = 0
action step(p: Player): at += 1
action leap(p: Player)
  needs room: at <= 4
  at += 2
action back(p: Player): at := 0
to turn(p: Player)
  p chooses step or leap{more}
to play
  repeat until at = 6: turn(seat(1))
"""
WAIT = "action wait(p: Player): nothing\n"
PROMISES = """
invariant low: at < 5
invariant low_at_turn at turn: at < 4
invariant low_at_end at end of turn: at < 3
invariant low_outside outside leap: at < 6
always on: at > old at
always on_by_one: at <= old at + 1
always one after step: at = old at + 1
always way after turn: at > old at
always far after leap: at - old at > 2
never stuck
ends within 5 calls of turn
ends within 6 calls of turn
reachable third: at = 3
reachable beyond: at > 6
winnable to_third: at = 3
winnable to_the_end: at = 6
"""


THROWN = """
game Thrown "a throw between the last decision and the end"
state at: 0..6 = 0
to play
  seat(1) chooses n in 1..2
  at += n
  roll 1 d2 as m
  at += 2
winnable near: at = 1
winnable far only if at = 0: at = 3
"""


def test_where_chance_decides_nobody_is_lost() -> None:
    assert not compared(game_of(THROWN)).doomed
    last = "  seat(1) chooses k in 1..2\nwinnable near"
    assert set(compared(game_of(THROWN.replace("winnable near", last))).doomed) == {"near", "far"}


def test_every_sort_of_promise() -> None:
    found = compared(game_of(LINE.format(more="") + PROMISES))
    assert set(found.watched.broken) == {"low", "low_at_turn", "low_at_end", "low_outside", "on_by_one", "far"}
    assert set(found.watched.witnessed) == {"third"} and set(found.doomed) == {"to_third"}
    assert found.spread == {"way"} and set(found.too_long) == {"ends within 5 calls of turn"}


CASES = ROOT / "tests" / "cases" / "proofs"


@pytest.mark.parametrize("number", range(3))
def test_positions_that_have_been_are_kept_apart(number: int) -> None:
    """Sets of maps in states; of the promises those that machine code can watch."""
    text = (CASES / "repetition.sea").read_text(encoding="utf-8").split("---\n")[number]
    lines = [line.partition("###")[0] for line in text.splitlines() if "every " not in line and "old seen" not in line]
    assert compared(game_of("\n".join(lines))).positions == (811, 55, 359)[number]


def test_more_maps_than_there_is_room_for() -> None:
    """Then the interpreter does it."""
    game = game_of(
        "game Many\ntype Lay = map 1..20 to 0..9\nstate been: set of Lay = {}\nstate n: 0..999 = 0\n"
        "action add(p: Player): n += 1\nto play\n  repeat 999 times\n"
        "    been += {[(n / k) mod 10 for k in 1..20]}\n    seat(1) chooses add\n"
        "invariant few: size of been < 120\n"
    )
    with pytest.raises(LimitReached, match="more maps in a set than native code can keep"):
        explore_natively(game.machine, 2_000, 1, always)
    with pytest.raises(LimitReached, match="more maps in a set than native code can keep"):
        Native(game.flow).simulate(1, 0, 1, 2_000)
    assert explore(game.machine, 2_000).watched.broken


@pytest.mark.parametrize("more", [" or back", " or wait"])
def test_rounds_that_never_end(more: str) -> None:
    """Of several steps, and of one that changes nothing."""
    found = compared(game_of(LINE.format(more=more) + WAIT + PROMISES))
    assert found.longest is None and len(found.too_long) == 2
    for found_play in found.too_long.values():
        assert found_play.back is not None and len(found_play.answers) > found_play.back


CARDS = """
game Kin "Identical pieces"
const players = 2
component Token
  Token times 5
  Coin times 3
  Gem
place bag_of bag of Token hidden
place heap pile of Token hidden
place line row of Token open
place hand[p: Player] set of Token open
state marked: Token or none = none
state shine[t: Token]: 0..2 = 0 while in line
to setup
  move all Token from box to bag_of
to turn(p: Player)
  draw 1 from bag_of to hand[p] as lot
  p chooses x in hand[p], way in 0..1
    if way = 0: move x to heap
    else
      move x to line
      x.shine := 1
      marked := x
  p chooses up to 1 of line as them
    move them to heap
    marked := none
  if size of line > 2: shuffle heap
to play
  repeat 3 times
    for each p in Player in order from seat(1): turn(p)
  win for seat(1)
invariant few: size of line < 4
always drawn after turn: size of bag_of = old size of bag_of - 1
winnable gem: Gem in line
"""


def test_identical_pieces_are_interchangeable() -> None:
    found = compared(game_of(CARDS))
    assert found.positions > 1000 and "gem" in found.doomed


def test_rules_that_fail_and_players_who_are_stuck() -> None:
    text = LINE.format(more=" or jump or halt") + "action jump(p: Player): at += 4\n"
    text += "action halt(p: Player)\n  p chooses n in {1} where at > 3\n    at := 0\n"
    found = compared(game_of(text + PROMISES))
    assert len(found.failed) == 1 and found.stuck is not None


def test_a_game_that_fails_before_it_begins() -> None:
    text = "game Full\ncomponent Token\n  Token times 2\nplace slot at most 1 Token open\n"
    game = game_of(text + "to play\n  move 2 Token from box to slot\n")
    theirs = explore_natively(game.machine, 100, 1, always)
    assert summary(theirs) == summary(explore(game.machine, 100)) and len(theirs.failed) == 1


def test_a_guard_that_fails_before_anything_is_chosen() -> None:
    """Machine code names the choice, the interpreter the action: the mistake is one."""
    text = "game Rest\nstate at: 0..1 = 0\naction go(p: Player, n: 0..2)\n  needs low: n > n mod at\n"
    game = game_of(text + "to play\n  seat(1) chooses go\n")
    theirs = explore_natively(game.machine, 100, 1, always)
    assert summary(theirs) == summary(explore(game.machine, 100)) and len(theirs.failed) == 1


def test_an_argument_that_fails_before_anything_is_chosen() -> None:
    text = "game Rest\ncomponent Card\n  Card times 3\naction rest(p: Player): nothing\n"
    text += "action take(p: Player, c: Card): nothing\n"
    game = game_of(text + "to play\n  seat(1) chooses rest or take(the c in Card)\n  nobody wins\n")
    for found in (explore_natively(game.machine, 100, 1, always), explore(game.machine, 100)):
        ((told, _),) = found.failed.values()
        assert told.message.startswith("exactly one was expected")


def test_small_worlds_of_the_anchors() -> None:
    compared(seaspec.load(f"{ANCHORS / 'pig.sea'} + piglet"))
    compared(seaspec.load(f"{ANCHORS / 'tic_tac_toe.sea'} + whole"))


# -------------------------------------------------------------------------------------------------------------- perft


@pytest.mark.parametrize(
    ("name", "depth"),
    [(str(GAMES / "tic_tac_toe.sea"), 6), (str(GAMES / "dice_race.sea"), 4), (str(ANCHORS / "connect_four.sea"), 4)],
)  # fmt: skip
def test_ways_to_play_are_counted(name: str, depth: int) -> None:
    machine = seaspec.load(name).machine
    assert list(perft_natively(machine, depth, 10**6)) == list(perft(machine, depth, 10**6))


THROWS = """
game Throws "a throw before each choice but the first two"
state at: 0..99 = 0
to play
  seat(1) chooses k in 1..2
  repeat 3 times
    seat(1) chooses n in 1..at mod 3 + k
    roll 2 d3 as m
    at += n * m
"""


def test_ways_to_choose_with_chance_between() -> None:
    machine = game_of(THROWS).machine
    assert list(perft_natively(machine, 4, 10_000)) == list(perft(machine, 4, 10_000))


def test_too_many_positions_to_count_ways() -> None:
    counts = perft_natively(seaspec.load(str(GAMES / "tic_tac_toe.sea")).machine, 9, 100)
    assert [next(counts), next(counts), next(counts)] == [1, 9, 72]
    with pytest.raises(TooMany):
        next(counts)


# -------------------------------------------------------------------------------------------------------- how it runs


def test_threads_do_not_matter() -> None:
    game = seaspec.load(str(ROOT / "bench" / "tiny_calm.sea"), cards=7)
    explorer = Explorer(game.flow)
    runs = [Exploration(explorer, graph=True) for _ in range(3)]
    worlds = [run.run(10**6, threads, lambda _: True) for run, threads in zip(runs, (1, 2, 3), strict=True)]
    assert len({(w.positions, w.steps, w.depth, w.won, tuple(w.layers)) for w in worlds}) == 1
    last = [run.way(8 * 500 + 3) for run in runs]
    assert last[0] == last[1] == last[2]


def test_a_limit_is_no_complete_exploration() -> None:
    game = seaspec.load(str(GAMES / "tic_tac_toe.sea"))
    found = explore_natively(game.machine, 100, 1, always)
    assert not found.complete and found.positions > 100 and 0 <= found.covered < 9
    stopped = explore_natively(game.machine, 10**6, 1, lambda positions, waiting, steps, memory: positions < 1000)
    assert not stopped.complete and stopped.positions >= 1000


def test_somebody_interrupts_it() -> None:
    game = seaspec.load(str(GAMES / "tic_tac_toe.sea"))

    def interrupt(positions: int, waiting: int, steps: int, memory: int) -> bool:
        if positions > 1000:
            raise KeyboardInterrupt
        return True

    found = explore_natively(game.machine, 10**6, 1, interrupt)
    assert found.interrupted and not found.complete and found.covered > 1


def test_a_long_way_takes_no_maps() -> None:
    """A system gives a process some ten thousands of maps: not one for each position in a row of as many."""
    text = "game Long\nstate left: 0..20000 = 20000\naction step(p: Player): left -= 1\n"
    game = game_of(text + "to play\n  repeat until left = 0\n    seat(1) chooses step\n  nobody wins\n")
    maps = Path("/proc/self/maps")
    before = len(maps.read_text().splitlines()) if maps.exists() else 0
    exploration = Exploration(Explorer(game.machine.flow), graph=True)
    world = exploration.run(100_000, 1, lambda progress: True)
    assert world.complete and world.positions == 20_001
    assert not maps.exists() or len(maps.read_text().splitlines()) < before + 5_000


def test_more_options_than_can_be_listed_are_told() -> None:
    text = "game Many\ncomponent Token\n  Token(number: 1..40) one each\nplace bank set of Token open\n"
    game = game_of(
        text + "to play\n  move all Token from box to bank\n  seat(1) chooses any of bank as them\n    nothing\n"
    )
    with pytest.raises(LimitReached):
        explore_natively(game.machine, 10**6, 1, always)


def test_a_visited_position_takes_few_bytes() -> None:
    game = seaspec.load(str(ROOT / "bench" / "tiny_calm.sea"), cards=8)
    world = Explorer(game.flow).explore(10**6)
    assert world.complete and world.memory <= 32 * world.positions


# ---------------------------------------------------------------------------------------------------- neighbourhoods

LARGE = [
    "calm", "calm+drop", "calm+reefs+shallows", "calm+monsters+lagoon", "calm+storms+gusts", "calm+competitive+duel",
    *(str(ANCHORS / f"{name}.sea") for name in ("hanabi", "backgammon", "battleship", "reversi", "breakthrough")),
    *(str(path) for path in sorted(EXCERPTS.glob("*.sea")) if path.name != "sailing.sea"),
    *(str(GAMES / name) for name in ("islets.sea", "tricks.sea")),
]  # fmt: skip
FEW = 150
"""Positions at which a neighbourhood is large enough."""


@pytest.fixture(scope="module", params=LARGE)
def large(request: pytest.FixtureRequest) -> tuple[Game, Explorer, Native]:
    game = seaspec.load(request.param)
    return game, Explorer(game.flow), Native(game.flow)


def test_neighbourhoods_of_random_positions(large: tuple[Game, Explorer, Native]) -> None:
    game, explorer, native = large
    decoder = Decoder(explorer.layout)
    for seed in range(2):
        state = at_random(native, Random(seed))
        ours = state_of(game.machine, decoder.position(state))
        layers = neighbourhood(game.machine, ours)
        enough = len(layers)
        world = Exploration(explorer, graph=False).run(10**6, 1, lambda p, n=enough: p.layers <= n, [state])  # type: ignore[misc]
        assert world.layers[:enough] == layers


def at_random(native: Native, random: Random) -> bytes:
    """A position somewhere in a random play."""
    state = native.begin()
    for _ in range(random.randrange(120)):
        if native.is_over(state):
            break
        state = native.step(state, random.randrange(native.count(state)))
    return state


def neighbourhood(machine: Machine, start: State) -> list[int]:
    """How many positions are so many steps away."""
    known = {machine.canonical(start)}
    layer, sizes = [start], [1]
    while layer and len(known) < FEW:
        onward = []
        for state in layer:
            for answer in answers_at(machine, state):
                try:
                    after = machine.step(state, answer)
                except RuleError:
                    continue
                key = machine.canonical(after)
                if key not in known:
                    known.add(key)
                    onward.append(after)
        layer = onward
        if layer:
            sizes.append(len(layer))
    return sizes


def test_packed_positions_are_unpacked(large: tuple[Game, Explorer, Native]) -> None:
    game, explorer, native = large
    decoder = Decoder(explorer.layout)
    lane = Exploration(explorer, graph=False).lanes[0]
    words, again = Room(8 * explorer.facts.words), Room(8 * explorer.facts.words)
    random = Random(1)
    state = native.begin()
    for _ in range(150):
        if native.is_over(state):
            state = native.begin()
        ctypes.memmove(lane.state.address, state, len(state))
        assert not explorer.functions["pack"](lane.state.address, lane.memory.address, words.address)
        explorer.functions["unpack"](words.address, lane.state.address, lane.memory.address)
        unpacked = ctypes.string_at(lane.state.address, explorer.layout.size)
        same = [game.machine.canonical(state_of(game.machine, decoder.position(s))) for s in (state, unpacked)]
        assert same[0] == same[1]
        if not explorer.has_kin:
            assert unpacked[: explorer.layout.end] == state[: explorer.layout.end]
        explorer.functions["pack"](lane.state.address, lane.memory.address, again.address)
        assert ctypes.string_at(words.address, words.size) == ctypes.string_at(again.address, again.size)
        state = native.step(state, random.randrange(native.count(state)))


# ---------------------------------------------------------------------------------------------------- rules that fail


FAILING = {
    "a draw into a full place": """
game Full
component Card
  Card times 2
state room: 0..1 = 0
place pot set of up to room Card open
to setup: draw up to 1 from box to pot
to play: nothing
""",
    "an option that is not the first": """
game Guarded
state s[i: 1..2]: yes or no = no
action act(p: Player, a: 1..3)
  needs free: not s[a]
  s[1] := s[1]
to play
  repeat 2 times
    seat(1) chooses act
""",
    "what is broken in a step in which the rules then fail": """
game Then
state n: 0..3 = 0
action act(p: Player)
  n := 3 / n
to play
  repeat 2 times
    seat(1) chooses act
invariant never at act: n > 0
""",
}


@pytest.mark.parametrize("text", FAILING.values(), ids=FAILING)
def test_both_say_where_the_rules_fail(text: str) -> None:
    game = game_of(text)
    ours, theirs = explore(game.machine, 1_000), explore_natively(game.machine, 1_000, 1, always)
    assert places(ours) == places(theirs) and len(places(ours)) == 1
    assert set(ours.watched.broken) == set(theirs.watched.broken)
