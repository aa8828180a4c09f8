"""What a player is told of what has happened: in plain words, in order, and no more than is seen."""

from __future__ import annotations

from pathlib import Path

from seaspec.cli.playing.news import condensed, news
from seaspec.drawing import draw_text
from seaspec.loading import load

NEWS = """\
game News "News"
const players = 2
type Course = one of north, south
component Boat(number: 1..2)
  Boat one each
component Coin
  Coin times 3
board Bay: grid 3 by 3
place water[c: Bay] set of Boat open
place purse[p: Player] set of Coin seen by p "the purse of {p}"
place bank set of Coin open
state masts[b: Boat]: 0..3 = 3
state course[b: Boat]: Course = north
state gone[p: Player]: yes or no = no "{p} has sailed"
state lit: yes or no = yes "the lamp is lit"
state hidden_score[p: Player]: 0..9 = 0 seen by p "the score of {p}"
state used[b: Boat]: yes or no = no until end of turn
chance duel(b: 0..1) "the greater of two dice wins, {b} is added to the first"
  roll d6 as mine
  roll d6 as theirs
  again if mine = theirs
  gives mine + b > theirs
action sail(p: Player, b: Boat) "{b} sails"
  used[b] := yes
  gone[p] := yes
  lit := not lit
  for each c in {B1, B2}: move b to water[c]
  hidden_score[p] += 1
  if duel(1): masts[b] -= 1
  move 1 Coin from bank to purse[p]
action steer(b: Boat) "{b} turns south": course[b] := south
to setup
  for each b in Boat: move b to water[A1]
  move all Coin from box to bank
to turn(p: Player)
  p chooses sail or steer
to round
  for each p in Player in order from seat(1): turn(p)
to play
  repeat 2 times: round
"""


def test_news_in_plain_words_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "news.sea"
    path.write_text(NEWS)
    play = load(str(path)).start(seed=1)
    begun = ["Boat 1, Boat 2: box -> water[A1]", "3 Coin: box -> bank", "-- Ann's turn --"]
    assert news(play, "Ben", 0) == begun
    play.do("sail(Boat 1)")
    mine, theirs = play.history[-1].text.split(", ")
    lost = ["Boat 1: masts 3 -> 2"] if int(mine) + 1 > int(theirs) else []
    told = [
        "Ann: Boat 1 sails",
        "Boat 1: A1 -> B1",
        "Boat 1: B1 -> B2",
        "Ann has sailed",
        "no longer: the lamp is lit",
        f"the greater of two dice wins, 1 is added to the first: mine {mine}, theirs {theirs}",
        "Coin: bank -> the purse of Ann",
        *lost,
        "-- Ben's turn --",
    ]
    assert news(play, "Ben", len(begun) - 2) == told
    assert "the score of Ann: 0 -> 1" in news(play, "Ann", 1)
    before = len(play.steps)
    play.do("steer(Boat 2)")
    assert news(play, "Ann", before) == ["Ben: Boat 2 turns south", "-- Ann's turn --"]


def test_a_sentence_does_not_tell_what_not_all_see(tmp_path: Path) -> None:
    path = tmp_path / "secret.sea"
    path.write_text(NEWS.replace('"{b} sails"', '"{b} sails for {hidden_score[p]}"'))
    play = load(str(path)).start(seed=1).do("sail(Boat 1)")
    assert "Ann: sail(Boat 1)" in news(play, "Ben", 1)


def test_logs_are_condensed_without_loss_of_order() -> None:
    log = [
        "Ann: draw",
        "?: deck[Ann] -> hand[Ann]",
        "Ace: deck[Ann] -> hand[Ann]",
        "King: hand[Ann] -> field[A1]",
        "Ben: pass",
    ]
    assert condensed(log) == [
        "Ann: draw",
        "Ace, unseen: deck[Ann] -> hand[Ann]",
        "King: hand[Ann] -> field[A1]",
        "Ben: pass",
    ]
    assert condensed(["Gold, Gold, Gold: box -> chest", "?, ?: box -> chest"]) == ["3 Gold, 2 unseen: box -> chest"]
    assert condensed([]) == []


def test_of_a_set_of_maps_the_number_is_told(tmp_path: Path) -> None:
    """What has been before grows with each turn: it is neither drawn nor told map by map."""
    path = tmp_path / "hop.sea"
    path.write_text(
        "game Hop\nconst players = 1\ntype Lay = map 1..2 to 0..9\nstate at: 0..9 = 0\nstate been: set of Lay = {}\n"
        "action hop(p: Player)\n  been += {[at, at]}\n  at += 1\nto play\n  repeat 3 times: seat(1) chooses hop\n"
    )
    play = load(str(path)).start(seed=1)
    play.do("hop")
    play.do("hop")
    told = news(play, "Ann", 0)
    assert "been: no maps -> 1 map" in told and "been: 1 map -> 2 maps" in told
    drawn = draw_text(play.game.rules, play.view("Ann"))
    assert "at: 2" in drawn and "been" not in drawn
