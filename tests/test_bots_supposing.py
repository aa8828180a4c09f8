"""The resampler of what is hidden: what it gives looks the same to the player, tells nothing of the truth, and is as
likely as it should be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest
from small_games import game_of

from seaspec import load
from seaspec.backends.interpreter import views
from seaspec.backends.interpreter.log import Answered, Event, Moved
from seaspec.backends.interpreter.machine import Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import Step
from seaspec.bots.evidence import Eyes, gather
from seaspec.bots.supposing import Beliefs, Supposed, Supposing, resample
from seaspec.game import Game
from seaspec.play import Play

DEAL = """\
game Deal "Eight cards, two in each hand"
const players = 2
component Card(rank: 1..8)
  Card one each
place deck bag of Card hidden
place hand[p: Player] set of Card seen by p
place table set of Card open
action lay(p: Player, c: Card in hand[p]) "{p} lays {c}": move c to table
to setup
  move all Card from box to deck
  for each p in Player: draw 2 from deck to hand[p]
to play
  repeat 3 times
    for each p in Player
      p chooses lay
      draw up to 1 from deck to hand[p]
"""
DISCARD = """\
game Discard "Cards are taken openly, and laid aside face down"
const players = 2
component Card(rank: 1..7)
  Card one each
place deck bag of Card hidden
place hand[p: Player] set of Card seen by p
place offer set of Card open
place aside set of Card hidden
to setup
  move all Card from box to deck
  for each p in Player: draw 1 from deck to hand[p]
  draw 4 from deck to offer
to play
  repeat
    for each p in Player
      p chooses c in offer
        move c to hand[p]
      otherwise: nothing
      p privately chooses d in hand[p]
        move d to aside
      otherwise: nobody wins
"""
BIDS = """\
game Bids "All bid at once, then it is told who has bid more"
const players = 3
state bid[p: Player]: 0..3 = 0 seen by p
state told: 0..9 = 0
to bidding
  all at once each p in Player
    p privately chooses n in 0..3
      bid[p] := n
  told := sum bid[p] for p in Player
to play
  repeat
    bidding
    for each p in Player
      p chooses n in 1..2
        say "{p} says {n}"
"""
TELLING = """\
game Telling "A card of one's own that only the others see, and what they say of it"
const players = 2
component Card(rank: 1..4)
  Card times 2 each
place deck pile of Card hidden
place hand[p: Player] row of Card seen by rival(p)
action tell(p: Player, n: 1..4) "{p} says how many {n} there are"
  say "there are {size of {c in hand[rival(p)] where c.rank = n}}" to rival(p)
to setup
  move all Card from box to deck
  for each p in Player: draw 2 from deck to hand[p]
to play
  repeat
    for each p in Player: p chooses tell
"""
SECRETLY = """\
game Secretly "Whoever has a high card may lay it aside, and nobody notices"
const players = 2
component Card(rank: 1..5)
  Card one each
place deck bag of Card hidden uncounted
place hand[p: Player] set of Card seen by p uncounted
place aside set of Card hidden uncounted
action hide(p: Player, c: Card in hand[p]) "{p} hides {c}"
  needs high: c.rank > 3 "only high cards are hidden"
  move c to aside
to setup
  move all Card from box to deck
  for each p in Player: draw 2 from deck to hand[p]
to play
  repeat
    for each p in Player
      p chooses n in 1..2
        say "{p} says {n}"
      p may secretly hide
"""
DICE = """\
game Dice "Each has a die that nobody else sees, and it is told whether it is high"
const players = 2
type Role = one of spy, guard
state die[p: Player]: 0..8 = 0 seen by p
state role[p: Player]: Role = spy seen by p
to play
  for each p in Player
    roll 2 d3 as n seen by p
    die[p] := n
    chance chooses r in Role weights (if r is spy then 2 else 1) seen by p
      role[p] := r
    say "{p} has {if n > 3 then 1 else 0}"
  repeat
    for each p in Player
      p chooses m in 1..2
      say "{p} has {if (openly die[p] = 6 and role[p] is spy) then 1 else 0}"
"""
SMALL = {text.split()[1]: text for text in (DEAL, DISCARD, BIDS, TELLING, SECRETLY, DICE)}


@dataclass(frozen=True, slots=True)
class History:
    """A play in full, with its probability: hidden answers are equally likely, those that are seen count nothing."""

    steps: tuple[Step, ...]
    state: State
    odds: Fraction


def histories(machine: Machine, seat: int, sights: list[object], history: History) -> Iterator[History]:
    """All plays in which a player sees the same, decision by decision of this player: by brute force."""
    state = history.state
    if state.result is not None:
        return
    if machine.decider(state) == seat:
        if sight(machine, seat, history) != sights[0]:
            return
        if len(sights) == 1:
            yield history
            return
        sights = sights[1:]
    answers = []
    if machine.is_chance(state):
        weighted = machine.outcomes(state).weighted()
        total = sum(Fraction(weight) for _, weight in weighted)
        answers = [(outcome, Fraction(weight) / total) for outcome, weight in weighted]
    else:
        options = machine.options(state)
        answers = [(option, Fraction(1, len(options))) for option in options]
    for answer, odds in answers:
        events: list[Event] = []
        after = machine.step(state, answer, events)
        first = events[0] if events else None
        if isinstance(first, Answered) and (first.player == seat or not first.hidden):
            odds = Fraction(1)
        found = History((*history.steps, (state, events)), after, history.odds * odds)
        yield from histories(machine, seat, sights, found)


def sight(machine: Machine, seat: int, history: History) -> object:
    """All that a player sees, with the options."""
    view = views.view(machine, history.state, history.steps, seat)
    notation = Notation(machine, history.state)
    return view, None if view.options is None else sorted(notation.text(option) for option in view.options)


def played(game: Game, seed: int, decisions: int) -> Play:
    """A random play up to the decision of this number of the first player."""
    play, random = game.start(seed=seed), Random(seed)
    for _ in range(10_000):
        decisions -= play.asked == game.players[0]
        if decisions < 0 or play.options is None:
            break
        play.do(play.options.random(random))
    assert play.asked == game.players[0]
    return play


def sights_of(play: Play, seat: int) -> list[object]:
    """What a player saw at each own decision."""
    machine, steps = play.game.machine, play.steps
    states = [*(before for before, _ in steps[1:]), play.position]
    return [
        sight(machine, seat, History(tuple(steps[: number + 1]), state, Fraction(1)))
        for number, state in enumerate(states)
        if machine.decider(state) == seat
    ]


def consistent(play: Play, seat: int = 0) -> dict[object, float]:
    """All positions that agree with what a player has seen, and how likely they are."""
    machine = play.game.machine
    events: list[Event] = []
    state = machine.begin(events)
    found: dict[object, Fraction] = {}
    for history in histories(machine, seat, sights_of(play, seat), History(((state, events),), state, Fraction(1))):
        key = machine.canonical(history.state)
        found[key] = found.get(key, Fraction(0)) + history.odds
    total = sum(found.values())
    return {key: float(odds / total) for key, odds in found.items()}


def chi_square(counts: Counter[object], expected: dict[object, float]) -> tuple[float, int]:
    """The statistic and its degrees of freedom."""
    number = counts.total()
    return sum((counts[key] - number * p) ** 2 / (number * p) for key, p in expected.items()), len(expected) - 1


@pytest.mark.parametrize(
    ("name", "decisions"),
    [
        ("Deal", 0),
        ("Deal", 1),
        ("Discard", 2),
        ("Discard", 3),
        ("Bids", 1),
        ("Telling", 1),
        ("Telling", 2),
        ("Secretly", 1),
        ("Secretly", 2),
        ("Dice", 0),
    ],
)
def test_every_position_that_agrees_is_as_likely_as_it_should_be(name: str, decisions: int) -> None:
    play = played(game_of(SMALL[name]), 5, decisions)
    machine = play.game.machine
    expected = consistent(play)
    assert len(expected) > 1
    eyes, random = Eyes(machine, 0), Random(1)
    evidence = gather(eyes, play.steps, play.position)
    counts: Counter[object] = Counter()
    for _ in range(600):
        supposed = Supposing(eyes, evidence, random).grow(None)
        assert supposed is not None
        counts[machine.canonical(supposed.stand.state)] += 1
    assert set(counts) <= set(expected), "only what agrees"
    statistic, freedom = chi_square(counts, expected)
    assert statistic < freedom + 4 * (2 * freedom) ** 0.5 + 4


def test_where_all_comes_from_draws_all_positions_are_equally_likely() -> None:
    expected = consistent(played(game_of(DEAL), 5, 0))
    assert len(expected) == 15, "two of six unseen cards are in the other hand"
    assert len(set(expected.values())) == 1


def test_what_was_said_counts() -> None:
    """The measure itself: without the log, more would be possible."""
    play = played(game_of(TELLING), 5, 2)
    eyes = Eyes(play.game.machine, 0)
    told = {line for line in gather(eyes, play.steps, play.position).lines if line.startswith("there are")}
    assert told
    silent = played(game_of(TELLING.replace("to rival(p)\nto setup", "to p\nto setup")), 5, 2)
    assert len(consistent(play)) < len(consistent(silent))


def test_the_statistic_finds_what_is_not_as_likely_as_it_should_be() -> None:
    statistic, freedom = chi_square(Counter({"a": 330, "b": 270}), {"a": 1 / 3, "b": 2 / 3})
    assert statistic > freedom + 4 * (2 * freedom) ** 0.5 + 4


# ------------------------------------------------------------------------------------------------ looks, independence


GAMES: dict[str, tuple[str, dict[str, str]]] = {
    "hanabi": ("spec/anchors/hanabi.sea", {}),
    "battleship": ("spec/anchors/battleship.sea", {"columns": "5", "rows": "5"}),
    "calm": ("calm", {"players": "2"}),
    "competitive": ("calm + competitive", {}),
}
LATE = {"hanabi": (0, 1), "battleship": (6, 8), "calm": (2,), "competitive": (1, 3)}
"""Which decisions of the first player are looked at."""
KINDS = [*SMALL, *GAMES]


@cache
def the_game(name: str) -> Game:
    if name in SMALL:
        return game_of(SMALL[name])
    path, options = GAMES[name]
    file = Path(__file__).parent.parent / path
    return load(str(file) if path.endswith(".sea") else path, **options)


def as_history(machine: Machine, supposed: Supposed) -> History:
    """A supposed play, played in full."""
    events: list[Event] = []
    state = machine.begin(events)
    steps: list[Step] = [(state, events)]
    for taken in supposed.steps:
        events = []
        if machine.is_chance(state):
            machine.outcomes(state).canonical(taken.answer)
        else:
            assert taken.answer in machine.options(state)
        before, state = state, machine.step(state, taken.answer, events)
        steps.append((before, events))
    return History(tuple(steps), state, Fraction(1))


def some_plays(name: str) -> list[Play]:
    if name in SMALL:
        return [played(the_game(name), seed, decisions) for seed in (3, 4) for decisions in (0, 1, 2)]
    return [played(the_game(name), 4, decisions) for decisions in LATE[name]]


@pytest.mark.parametrize("name", KINDS)
def test_a_supposed_play_is_by_the_rules_and_looks_the_same(name: str) -> None:
    others = 0
    for number, play in enumerate(some_plays(name) * 2):
        machine = play.game.machine
        eyes = Eyes(machine, 0)
        supposed = Supposing(eyes, gather(eyes, play.steps, play.position), Random(number)).grow(None)
        assert supposed is not None
        history = as_history(machine, supposed)
        truth = History(tuple(play.steps), play.position, Fraction(1))
        assert history.state == supposed.stand.state
        assert sight(machine, 0, history) == sight(machine, 0, truth)
        others += machine.canonical(history.state) != machine.canonical(truth.state)
    assert others > 0, "not always the truth itself"


@pytest.mark.parametrize("name", KINDS)
def test_it_does_not_depend_on_what_is_hidden(name: str) -> None:
    """A supposed play is another truth that looks the same: what is drawn from it is the same, position by position."""
    other_truths = 0
    for play in some_plays(name):
        machine = play.game.machine
        eyes = Eyes(machine, 0)
        supposed = Supposing(eyes, gather(eyes, play.steps, play.position), Random(8)).grow(None)
        assert supposed is not None
        other = as_history(machine, supposed)
        other_truths += machine.canonical(other.state) != machine.canonical(play.position)
        one = Beliefs(eyes, 2, "seed").positions(play.steps, play.position)
        two = Beliefs(eyes, 2, "seed").positions(other.steps, other.state)
        assert [state.slots for state in one] == [state.slots for state in two]
    assert other_truths > 0


def test_beliefs_that_are_kept_are_what_they_would_be_if_made_anew() -> None:
    game = the_game("competitive")
    kept = Beliefs(Eyes(game.machine, 0), 2, "seed")
    for decisions in range(4):
        play = played(game, 3, decisions)
        found = kept.positions(play.steps, play.position)
        anew = Beliefs(Eyes(game.machine, 0), 2, "seed").positions(play.steps, play.position)
        assert [state.slots for state in found] == [state.slots for state in anew]
    earlier = played(game, 3, 2)
    assert kept.positions(earlier.steps, earlier.position), "and back again, after an undo"


def test_a_card_that_was_seen_stays_where_it_is_known_to_be() -> None:
    """Whoever has taken a card openly holds it, or has laid it aside."""
    play = played(game_of(DISCARD), 5, 3)
    machine = play.game.machine
    taken = [
        event.pieces[0]
        for _, events in play.steps
        for event in events
        if isinstance(event, Moved) and machine.effects.slot_name(event.origin) == "offer" and event.target
        if machine.effects.slot_name(event.target) == "hand[Ben]"
    ]
    assert taken
    random = Random(1)
    found: set[str] = set()
    for _ in range(60):
        state = resample(Eyes(machine, 0), play.steps, play.position, random)
        assert state is not None
        found.update(machine.effects.slot_name(state.where[piece]) for piece in taken)
    assert found == {"hand[Ben]", "aside"}


def test_during_a_joint_choice_the_bids_of_others_are_open() -> None:
    """Ben is asked after Ann, and knows nothing of her bid."""
    play = game_of(BIDS).start(seed=1).do("3")
    machine = play.game.machine
    assert play.asked == "Ben"
    random = Random(1)
    bids = set()
    for _ in range(60):
        state = resample(Eyes(machine, 1), play.steps, play.position, random)
        assert state is not None and machine.decider(state) == 1
        bids.add(views.view(machine, state, (), 0).states["bid[Ann]"])
    assert bids == {"0", "1", "2", "3"}


def test_where_nothing_agrees_nothing_is_found() -> None:
    play = played(game_of(DEAL), 5, 0)
    eyes = Eyes(play.game.machine, 0)
    evidence = gather(eyes, play.steps, play.position)
    wrong = replace(evidence, lines=(*evidence.lines[:-1], "Ann draws an elephant"))
    assert Supposing(eyes, wrong, Random(1)).grow(None) is None


ALIKE = """\
game Alike "Each draws from an own pile; five of the cards are the same"
const players = 2
component Card
  Plain(rank: 1..12) one each
  Same times 5
place pile[p: Player] pile of Card hidden
place hand[p: Player] set of Card seen by p
action go_on(p: Player) "{p} goes on": nothing
to setup
  repeat until box is empty
    for each p in Player: draw up to 1 from box to pile[p]
  repeat 4 times
    for each p in Player: draw 1 from pile[p] to hand[p]
to play
  repeat 2 times: seat(1) chooses go_on
  nobody wins
"""


def test_of_cards_that_are_the_same_any_is_brought(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that one holds is brought to the top of the pile by one exchange, and nothing is left to luck."""
    monkeypatch.setattr("seaspec.bots.supposing.REPAIRS", 0)
    monkeypatch.setattr("seaspec.bots.supposing.RESTARTS", 1)
    game = game_of(ALIKE)
    eyes = Eyes(game.machine, 0)
    held = 0
    for seed in range(12):
        play = game.start(seed=seed)
        evidence = gather(eyes, play.steps, play.position)
        held += "Same" in str(play.view("Ann").places["hand[Ann]"].contents)
        assert Supposing(eyes, evidence, Random(seed), 0).grow(None) is not None
    assert held >= 4
