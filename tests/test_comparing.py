"""The card of a house rule: what the same random plays show without it and with it."""

from __future__ import annotations

from itertools import count

import pytest
from small_games import game_of

from seaspec.sampling import comparing
from seaspec.sampling.card import Card, Row, number_text
from seaspec.sampling.comparing import compared

RACE = """\
game Race "Race"
const players = 2
state points[p: Player]: 0..30 = 0
state begins: Player = seat(1)
action gain(p: Player, n: 1..3) "{p} takes {n}"
  points[p] += n
action wait(p: Player) "{p} waits": nothing
menu deed(p: Player) = gain or wait
to setup
  chance chooses q in Player
    begins := q
to play
  repeat 3 times
    for each p in Player in order from begins: p chooses deed
  score p: points[p] tie by (if p is begins then 1 else 0)
variant Ahead of Race "who begins has more"
after setup
  points[begins] += 10
variant Busy of Race "nobody waits"
forbid wait(p) when yes "on!"
variant Endless of Race "it never ends"
replace play
  repeat
    for each p in Player in order from begins: p chooses wait
"""


def card(variant: str, *base: str) -> Card:
    found = compared(game_of(RACE, "Race", *base), game_of(RACE, "Race", variant), 1, lambda: True)
    assert found is not None
    return found


def rows(found: Card) -> dict[str, Row]:
    return {row.what: row for row in found.rows}


def test_an_advantage_of_who_begins_is_told() -> None:
    found = rows(card("Ahead"))
    first, second = found["1st in turn wins"], found["2nd in turn wins"]
    assert first.differs and second.differs and first.before.value < 0.7
    assert first.after.value == 1 and second.after.value == 0
    assert "Ann wins" not in found, "by seat there is no difference"
    assert found["score"].differs and found["score, 1st in turn"].differs and "score, 2nd in turn" not in found
    assert found["score, 1st in turn"].after.value == pytest.approx(found["score, 1st in turn"].before.value + 10, 0.1)


def test_an_action_that_is_not_used_any_more_is_told() -> None:
    found = rows(card("Busy"))
    unused = found["wait, a play"]
    assert 1 < unused.before.value < 2 and unused.after.value == 0 and unused.is_news and not unused.differs
    assert number_text(unused, unused.after) == "never"
    assert rows(card("Race", "Busy"))["wait, a play"].before.value == 0


def test_what_never_ends_has_no_winners() -> None:
    found = rows(card("Endless"))
    assert found[f"not over after {comparing.LIMIT} choices"].after.value == 1
    assert not found.keys() & {"1st in turn wins", "nobody wins", "score"}
    assert not rows(card("Endless", "Endless")).keys() & {
        "choices a play",
        "Ann wins",
        "score",
    }


def test_long_plays_are_not_counted_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 64 <= card("Endless").plays < comparing.PLAYS
    monkeypatch.setattr(comparing, "PLIES", 1)
    assert card("Endless").plays == comparing.FIRST
    calls = count()
    once = compared(game_of(RACE, "Race"), game_of(RACE, "Race", "Busy"), 1, lambda: next(calls) < 1)
    assert once is not None and once.plays == comparing.FIRST
    assert compared(game_of(RACE, "Race"), game_of(RACE, "Race", "Busy"), 1, lambda: False) is None


def test_the_foremost_rows_are_those_that_differ() -> None:
    found = card("Ahead")
    told = found.foremost(3)
    assert len(told) == 3 < len(found.rows) and all(row.is_news for row in told)
    assert list(told) == [row for row in found.rows if row in told]
