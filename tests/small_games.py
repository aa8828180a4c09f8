"""Small games for tests of what runs: texts, and the way from a text to a game."""

from __future__ import annotations

from seaspec.compile import compile_chapters, parse_text
from seaspec.diagnostics.model import Report
from seaspec.game import Game
from seaspec.play import Play


def game_of(text: str, *stack: str, **options: str) -> Game:
    """The game that a text tells of; `stack`: the chapters to merge (all of them without)."""
    report = Report()
    file = parse_text("small.sea", text, report)
    chapters = [c for c in file.chapters if not stack or c.name in stack]
    game = None if report.failed else compile_chapters(chapters, options, report)
    assert game is not None, [f"{d.span}: {d.message}" for d in report]
    return Game(game)


def flow_game(body: str, things: str = "", players: int = 2) -> Game:
    """A game of pieces A, B (three identical), C whose `to play` is the body; pieces lie in `stock`."""
    lines = "\n".join(f"  {line}" for line in body.strip("\n").split("\n"))
    return game_of(FRAME.format(players=players) + things + "\nto play\n" + lines + "\n")


FRAME = """\
game Small "Small"
option players: 1..4 = {players}
type Light = ring of red, amber, green
component Piece
  A kept in stock
  B times 3 kept in stock
  C(worth: 1..2) one each kept in stock
place stock set of Piece open
place hand[p: Player] set of Piece seen by p
place heap pile of Piece hidden
place line row of up to 3 Piece open
place slot at most 1 Piece open
state count_up: 0..9 = 0
state light: Light = red
state mark[p: Player]: 0..9 = 0
to setup: nothing
action bump(p: Player) "{{p}} bumps"
  count_up += 1
action take(p: Player, x: Piece in stock) "{{p}} takes {{x}}"
  needs cheap: x is not A "A is too dear"
    cites rule.1
  move x to hand[p]
"""


def texts(play: Play) -> list[str]:
    """The options as text."""
    return [play.text(choice) for choice in play.choices]


def seen(play: Play, place: str, player: str = "Ann") -> tuple[str, ...] | None:
    """What a player sees in a place."""
    return play.view(player).places[place].contents


def state(play: Play, name: str, player: str = "Ann") -> str:
    """A state as a player sees it."""
    return play.view(player).states[name]


TINY = """\
game Tiny "Tiny"
option players: 2..3 = 2
board Sea: grid 3 by 2 from the bottom left
component Card
  Island(number: 1..9) one each
  Finish times 2
place deck[p: Player] pile of Card hidden
place hand[p: Player] set of Card seen by p
place field[c: Sea] at most 1 Island open
place lost[p: Player] bag of Card hidden
define number(c: Sea): 0..9
  if field[c] is some card then card.number else 0
define step(c: Sea) = Sea.columns * (c.row - 1) + c.column
define rises(v: 1..9, c: Sea)
  every n in Sea where field[n] is filled:
    step(n) < step(c) implies number(n) < v
    step(c) < step(n) implies number(n) > v
action lay(p: Player, card: Island in hand[p], cell: Sea) "{p} lays {card} in {cell}"
  needs free: field[cell] is empty "the cell is taken"
    cites lay.1
  needs rising: rises(card.number, cell) "numbers must rise"
  move card to field[cell]
action drop_one(p: Player) "{p} discards one"
  needs held: hand[p] is filled "nothing held"
  p chooses 1 of hand[p] as dropped
  move dropped to lost[p]
menu deed(p: Player) "what {p} may do" = lay or drop_one
to turn(p: Player)
  p chooses deed(p)
  otherwise: lose for everyone "{p} can not go on"
    cites end.1
  draw up to 1 from deck[p] to hand[p]
whenever done: every c in Sea: field[c] is filled
  "the sea is full"
  win for everyone
to setup
  repeat until box is empty
    for each p in Player in order from seat(1)
      draw up to 1 from box to deck[p]
  for each p in Player
    shuffle deck[p]
    draw 2 from deck[p] to hand[p]
to play
  repeat
    for each p in Player in order from seat(1): turn(p)
"""
