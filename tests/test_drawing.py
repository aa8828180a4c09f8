"""Boards in text and SVG: cells, gaps, letters, labels, arrows, views."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_runner import DICE_RACE, ISLETS, TIC_TAC_TOE, TRICKS
from small_games import game_of

from seaspec.drawing import draw_svg, draw_text, first_value, initials, labels, picture
from seaspec.drawing.text_cells import line_of
from seaspec.game import Game
from seaspec.loading import load
from seaspec.play import random_play
from seaspec.sampling.telling import open_table

EXCERPTS = "tests/cases/excerpts"
GAMES = [
    TIC_TAC_TOE, ISLETS, DICE_RACE, TRICKS, "calm", "calm + storms", "calm + monsters", "calm + great_arch",
    f"{EXCERPTS}/admiral.sea", f"{EXCERPTS}/sea_lords.sea", f"{EXCERPTS}/pirate_bay.sea",
    f"{EXCERPTS}/bombat_admiral.sea", "sea_lords",
]  # fmt: skip


def drawn(game: Game, *moves: str, player: str | int = 0, seed: int = 1) -> str:
    play = game.start(seed=seed)
    for move in moves:
        play.do(move)
    return draw_text(game.rules, play.view(player))


def test_islets_as_both_sides_see_them() -> None:
    game = load(ISLETS)
    text = drawn(game, "land(Sloop Light 2, A1)", "steer(Sloop Light 1, east)", "claim(D3)", player="Light")
    assert text.splitlines() == [
        "1   L×L    R    S    S",
        "2     S    S         S",
        "3     S    S    S D1←f",
        "      A    B    C    D",
        "",
        "  A1 L1→ and L2↑",
        "  D1 Sloop Dark 1, L1-2 Sloop Light 1-2, R rock, S sand, f flagged",
        "",
        "the chest of Light: 3 Gold",
        "the chest of Dark: 3 unseen",
        "rounds so far: 1",
    ]


def test_a_long_name_of_a_place_has_a_line_of_its_own() -> None:
    assert line_of("the boards from the left", ["Large one", "Strip"], 60) == [
        "the boards from the left: Large one, Strip"
    ]
    assert line_of("the boards from the left", ["Large one", "Strip"], 30) == [
        "the boards from the left:",
        "    Large one, Strip",
    ]


def test_tic_tac_toe_from_the_bottom() -> None:
    text = drawn(load(TIC_TAC_TOE), "draw_sign(A1)", "draw_sign(C3)")
    assert text == "3  . . N\n2  . . .\n1  C . .\n   A B C\n\n  C Cross, N Nought"


def test_a_game_without_a_board_has_lines_only() -> None:
    text = drawn(load(DICE_RACE))
    assert text == ""
    tricks = drawn(load(TRICKS), player="Ben")
    assert tricks.startswith("deck: ")
    assert "the hand of Ben: " in tricks


def test_what_lies_beside_a_board_is_drawn_as_cards() -> None:
    game = load(TRICKS)
    play = game.start(seed=1)
    view = play.view("Ben")
    svg = draw_svg(game.rules, view)
    hand = view.places["hand[Ben]"].contents
    assert hand is not None and all(f"<title>{title}</title>" in svg for title in hand)
    # what all are called there is left out; a pile that nobody sees has three backs at most, and its number
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "the hand of Ben" in texts and {title.removeprefix("Card ") for title in hand} <= set(texts)
    assert str(view.places["deck"].size) in texts
    unseen = [there.size or 0 for name, there in view.places.items() if there.contents is None and name != "box"]
    assert svg.count('fill="url(#back)"') == sum(min(3, number) for number in unseen) > 3


def test_labels_are_short_and_tell_pieces_apart() -> None:
    assert set(labels(load("calm").rules).values()) == {str(number) for number in range(1, 81)}
    for name in (f"{EXCERPTS}/admiral.sea", f"{EXCERPTS}/sea_lords.sea", f"{EXCERPTS}/bombat_admiral.sea"):
        found = labels(load(name).rules)
        assert len(set(found.values())) == len(found)
        assert max(map(len, found.values())) <= 5


def test_initials() -> None:
    assert initials(("north", "northeast", "south")) == {"north": "no", "northeast": "nor", "south": "s"}
    assert initials(("A", "A1")) == {"A": "A", "A1": "A1"}
    assert initials(("same", "sam")) == {"same": "sa", "sam": "sam"}


def test_first_values_are_quiet() -> None:
    game = load(ISLETS).rules
    assert first_value(game, game.states["course"], (0,)) == "north"
    calm = load("calm").rules
    assert "cards of the dues" not in drawn(load("calm"))
    assert first_value(calm, calm.states["missing"], ()) == "0"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_drawn_at_every_moment(name: str) -> None:
    game = load(name)
    play = random_play(game, Random(1), 40)
    positions = [(play.view(player), player) for player in game.players]
    for seen in (*(view for view, _ in positions), open_table(game.machine, play.position)):
        text = draw_text(game.rules, seen)
        for board in picture(game.rules, seen).boards:
            rows = [line for line in text.splitlines() if line.strip().split(" ")[0] in {row for row, _ in board.rows}]
            assert len(rows) >= len(board.rows)
        assert all(line == line.rstrip() for line in text.splitlines())
        root = ElementTree.fromstring(draw_svg(game.rules, seen, "a & <b>"))
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert title is not None and title.text == "a & <b>"


COPIES = """
game Copies "Copies"
board Field: grid 3 by 1 from the top left
component Man
  Man times 4
place field[c: Field] at most 1 Man open
state lame[m: Man]: yes or no = no while in field
to setup
  for each c in Field
    move 1 Man from box to field[c]
    lame[the m in field[c]] := c is B1
to play
  seat(1) chooses n in 1..2
"""


def test_what_a_flag_says_is_said_of_the_copy_that_lies_there() -> None:
    text = drawn(game_of(COPIES))
    assert text.splitlines()[0] == "1   M Mx  M" and "x lame" in text


def test_a_view_draws_nothing_that_is_hidden() -> None:
    game = load("calm", players=2)
    play = game.start(seed=3)
    text = draw_text(game.rules, play.view("Ben"))
    held = play.view("Ann").places["hand[Ann]"].contents or ()
    assert held and not any(title + "," in text for title in held)


def test_cells_of_an_svg_picture() -> None:
    game = load(ISLETS)
    svg = draw_svg(game.rules, game.start(seed=1).view("Light"))
    cells = re.findall(r"M\d+,\d+h48v48h-48z", svg)
    assert len(cells) == 11
    assert svg.count('href="#hull"') == 2 + 2  # pieces, and one for each player in the key
    assert all(int(size) >= 9 for size in re.findall(r"font-size: ?(\d+)px", svg))


def test_states_of_cells_of_all_types() -> None:
    game = game_of(
        'game Cells "Cells"\n'
        "type Colour = one of red, green drawn G\n"
        "board Field: grid 2 by 1 from the top left\n"
        "state number: 0..9 = 0\n"
        "state colour[c: Field]: Colour = red\n"
        "state height[c: Field]: 0..9 = 0\n"
        "state wet[c: Field]: yes or no = yes\n"
        "action change(p: Player)\n"
        "  colour[A1] := green\n"
        "  height[B1] := 7\n"
        "  wet[A1] := no\n"
        "to play\n"
        "  for each p in Player: p chooses change\n",
    )
    assert drawn(game) == "1     .    .\n      A    B"
    assert drawn(game, "change") == "1  G,-w    7\n      A    B\n\n  -w not wet, G green"


def test_what_has_changed_with_a_piece_is_a_badge() -> None:
    game = game_of(
        'game Fleet "Fleet"\n'
        "board Sea: grid 2 by 1 from the top left\n"
        "component Boat(crew: 1..3)\n"
        "  Boat one each\n"
        "place water[c: Sea] at most 1 Boat open\n"
        "state hands[b: Boat]: 0..3 = b.crew\n"
        "state afire[b: Boat]: yes or no = no\n"
        "state tired[b: Boat]: yes or no = no until end of play\n"
        "to setup: move Boat(2) to water[A1]\n"
        "action fight(p: Player)\n"
        "  hands[Boat(2)] := 1\n"
        "  afire[Boat(2)] := yes\n"
        "  tired[Boat(2)] := yes\n"
        "to play\n"
        "  for each p in Player: p chooses fight\n"
        "  for each p in Player: p chooses fight\n",
    )
    assert drawn(game) == "1   2:2    .\n      A    B\n\n  :n hands"
    assert drawn(game, "fight").startswith("1  2:1x    .\n      A    B\n\n  :n hands, x afire\n")


# --------------------------------------------------------------------------------------- pictures that authors give


def test_the_picture_in_the_docs() -> None:
    page = Path("docs/language.md").read_text(encoding="utf-8").split("<!-- name: bay -->")[1]
    text, shown = page.split("```sea\n")[1].split("```")[0], page.split("```text\n")[1].split("```")[0]
    game = game_of(text)
    assert drawn(game, "sail(nantes)").splitlines() == shown.splitlines()
    play = game.start(seed=1)
    before = play.view("Ann")
    play.do("sail(nantes)")
    svg = draw_svg(game.rules, play.view("Ann"), "Bay", "", before)
    root = ElementTree.fromstring(svg)
    told = {title.text for title in root.iter("{http://www.w3.org/2000/svg}title")}
    assert {"Bay", "nantes: Cask, Cask, Ann", "bordeaux: Cask, Cask, Cask"} <= told
    assert svg.count('stroke-width="1.5"') == 2  # framed is what has changed: brest and nantes
    signs = [sign.text for sign in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"The bay", "nantes", "t", "h", "e", "Ann", "Ben", "hold"} & set(signs) == {
        "The bay",
        "nantes",
        "t",
        "h",
        "e",
        "Ann",
        "Ben",
    }


PITS = """game Pits "Pits"
const players = 2
state pit[p: Player, n: 1..3]: 0..18 = 3
state store[p: Player]: 0..18 = 0
component Cat
  Cat times 12
place lap at most 1 Cat open
place yard set of Cat open
picture table_top of pit, store, lap, yard
        Ben.3  Ben.2  Ben.1
  Ben |       │ lap   ──────| Ann |
        Ann.1  Ann.2  Ann.3
        yard
to setup
  move 1 Cat from box to lap
  move 11 Cat from box to yard
action sow(p: Player, n: 1..3)
  pit[p, n] := 0
  store[p] += 3
to play
  repeat 2 times
    for each p in Player: p chooses sow
"""


def test_places_and_states_with_several_indices_or_none() -> None:
    assert drawn(game_of(PITS), "sow(2)").splitlines() == [
        "      (3)    (3)    (3)",
        "(0) |       │ (C)   ──────| (3) |",
        "      (3)    (0)    (3)",
        "      (11×C)",
        "",
        "  C Cat",
    ]
    game = game_of(PITS)
    assert draw_text(game.rules, game.start(seed=1).view(0), plain=True).splitlines()[1] == (
        "(0) |       | (C)   ------| (0) |"
    )


def test_where_there_is_little_room_what_is_there_is_told_below() -> None:
    game = game_of(
        'game Ring "Ring"\n'
        "const players = 3\n"
        "type Field = 1..4\n"
        "state at[p: Player]: Field or none = 1 seen by p\n"
        "state fox: Field = 2\n"
        "place on[f: Field] at most 1 Stone open\n"
        "component Stone(number: 1..2)\n"
        "  Stone one each\n"
        "state far[s: Stone]: Field = 4\n"
        "picture ring of Field\n"
        "  _1  __2  _\n"
        " /         |\n"
        "  _4  |3   |\n"
        "to setup: move Stone(1) to on[1]\n"
        "action go(p: Player, f: Field): at[p] := f\n"
        "to play\n"
        "  for each p in Player: p chooses go\n"
    )
    seen = open_table(game.machine, game.start(seed=1).position)
    assert draw_text(game.rules, seen).splitlines() == [
        " _4× __f  _",
        "/         |",
        " _1,2|3   |",
        "",
        "  1 1 and A and B and C",
        "  A Ann, B Ben, C Cid, f fox",
    ]
    of_ben = draw_text(game.rules, game.start(seed=1).view("Ben"))  # he sees no man but his own
    assert of_ben.startswith(" _2× __f  _\n") and "\n  1 1 and B\n" in of_ben


def test_pictures_of_boards_for_the_size_that_they_are_of() -> None:
    game = load("spec/anchors/hex.sea")
    assert drawn(game, "lay(B1)", "lay(A2)").splitlines()[:2] == [
        "A1  (B) C1  D1  E1  F1  G1  H1  I1  J1  K1",
        "  (W) B2  C2  D2  E2  F2  G2  H2  I2  J2  K2",
    ]
    assert drawn(load("spec/anchors/hex.sea", rows=2, columns=2)).splitlines() == ["1  . .", "2  . .", "   A B"]
    lines = drawn(load("spec/anchors/backgammon.sea"), seed=2).splitlines()
    assert lines[1] == "(5×X) X.14  X.15  X.16  X.17  X.18  |        |  X.19  X.20  X.21  X.22  X.23  (2×X) |"


# ------------------------------------------------------------------------------------------------ a sea with everything

EVERYTHING = """game Bay "Bay"
const players = 2
type Way = ring of north, northeast, east, southeast, south, southwest, west, northwest
board Water: drawn towards Way
  i . . .
  . . . i
  key i = Island
component Boat(flag: Player, number: 1..2)
  Boat one each
component Tower(lord: Player)
  Tower one each
component Gust(arrow: Way)
  Gust(southwest)
place sea[c: Water] at most 2 Boat open
place wall[c: Water] at most 1 Tower open
place wind at most 1 Gust open "the wind"
state captain[b: Boat]: Player = b.flag
state bow[b: Boat]: Way = north
state sails[b: Boat]: 0..3 = b.number + 1
state stands[t: Tower]: yes or no = yes
state home[p: Player]: Island = (if p is seat(1) then A1 else D2) fixed after setup
to setup
  for each b in Boat: move b to sea[if b.flag is seat(1) then B2 else C1]
  for each t in Tower: move t to wall[if t.lord is seat(1) then B1 else C2]
  move all Gust from box to wind
action meet(p: Player) "{p} boards"
  let mine = Boat(seat(1), 1)
  let other = Boat(seat(2), 2)
  move other to sea[A2]
  move mine to sea[A2]
  captain[other] := p
  bow[other] := southeast
  sails[other] := 1
  stands[the t in Tower where t.lord is p] := no
to play
  seat(1) chooses meet
  seat(1) chooses meet
"""


def bay(*moves: str, **how: Any) -> list[str]:
    game = game_of(EVERYTHING)
    play = game.start(seed=1)
    for move in moves:
        play.do(move)
    return draw_text(game.rules, play.view("Ann"), **how).splitlines()


def test_whose_a_piece_is_where_it_heads_what_it_has() -> None:
    assert bay() == [
        "1     iA    #A B1×B2     .",
        "2      . A1×A2    #B    iB",
        "       A     B     C     D",
        "",
        "  C1 B1↑2 and B2↑3, B2 A1↑2 and A2↑3",
        "  #A Tower Ann, #B Tower Ben, A1-2 Boat Ann 1-2, B1-2 Boat Ben 1-2, i Island, ↗2 bow and sails",
        "",
        "the wind: Gust southwest",
        "home: Ann A1, Ben D2",
    ]
    assert bay("meet")[:6] == [
        "1     iA    xA  B1↑2     .",
        "2  A↑×A↘  A2↑3    #B    iB",
        "       A     B     C     D",
        "",
        "  A2 A1↑2 and Ab2↘1",
        "  #A Tower Ann, #B Tower Ben, A1-2 Boat Ann 1-2, Ab2 Boat Ben 2, B1 Boat Ben 1, i Island,",
    ]


def test_where_there_is_less_room_pieces_are_drawn_in_fewer_characters() -> None:
    assert bay("meet", width=19)[:2] == ["1    iA  xAB1↑2   .", "2   A×AA2↑3  #B  iB"]
    assert bay("meet", width=15)[:2] == ["1   iA xAB↑2  .", "2  A×AA↑3 #B iB"]
    assert bay("meet", width=9)[:6] == ["1   iA xA", "2  A×AA↑3", "     A  B", "", "1  B↑2  .", "2   #B iB"]


def test_without_arrows_and_with_colours() -> None:
    assert bay("meet", plain=True)[1] == "2  A1+Ab2   A2n3     #B     iB"
    painted = bay("meet", paint=lambda text, seat: f"<{seat}{text}>")
    assert painted[1] == "2  <0A↑>×<0A↘>  <0A2↑3>    <1#B>    i<1B>"
    assert [re.sub(r"<\d|>", "", line) for line in painted] == bay("meet")


def test_an_svg_picture_of_it() -> None:
    game = game_of(EVERYTHING)
    play = game.start(seed=1)
    before = play.view("Ann")
    play.do("meet")
    svg = draw_svg(game.rules, play.view("Ann"), "Bay", "Ann is asked", before)
    hulls = re.findall(r'<g(?: transform="rotate\((\d+)\)")?><use href="#hull" fill="(#\w+)"', svg)
    ann, ben = "#0072b2", "#d55e00"
    assert hulls[:4] == [("", ben), ("", ann), ("135", ann), ("", ann)]
    assert "rotate(225)" in svg and "Gust southwest" in svg  # the wind
    assert "A2: Boat Ann 1, Boat Ben 2" in svg and "B1: Tower Ann not stands" in svg
    assert svg.count("stroke-dasharray") == 2  # both have moved
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {"Bay", "Ann is asked", "Ann", "Ben", "Island", "two sails", "not stands", "Ab2"} <= set(texts)


@pytest.mark.parametrize("width", [40, 80, 130])
def test_boards_fit_and_keep_their_width(width: int) -> None:
    game = load(f"{EXCERPTS}/admiral.sea")
    play, random, rows = game.start(seed=1), Random(1), set()
    for _ in range(20):
        text = draw_text(game.rules, open_table(game.machine, play.position), width)
        assert max(map(len, text.splitlines())) <= width
        rows.add(next(line for line in text.splitlines() if line.endswith(" B") or " B " in line))
        play.do(random.choice(play.choices))
    assert len(rows) == 1


# ---------------------------------------------------------------------------------------------------------------- looks


FLEET = """game Fleet "Fleet"
type Player = ring of Red, Blue
type Compass = ring of north, east, south, west
type Suit = one of hearts, black
board Sea: grid 3 by 1 towards Compass
component Boat(owner: Player, number: 1..4, masts: 1..3)
  Boat(Red, 3, 2)
  Boat(Blue, 4, 1)
component Card(suit: Suit, rank: 1..2)
  Card one each
component Die
  Die(side: 1..6) one each
place afloat[c: Sea] set of Boat or Die open
place hand[p: Player] set of Card or Die open "the hand of {p}"
state lord[b: Boat]: Player = Red
state heading[b: Boat]: Compass = south
state lame[b: Boat]: yes or no = no
state secret_number[b: Boat]: 0..9 = 7 hidden
action strike(p: Player, b: Boat in afloat) "{p} strikes"
  b.lame := yes
  b.lord := p
  b.heading := west
to setup
  move Boat(Red, 3, 2) to afloat[A1]
  move Boat(Blue, 4, 1) to afloat[B1]
  move Die(5) to afloat[C1]
  move Card(hearts, 1) to hand[Red]
  move Die(6) to hand[Red]
to play
  for each p in Player: p chooses strike
  nobody wins
"""
LOOKS = """look boats of Boat: ship coloured lord showing masts, lame numbered number
look cards of Card: card coloured suit numbered rank
look dice of Die: die showing side
"""


def test_pieces_look_as_their_author_says() -> None:
    game = game_of(FLEET + LOOKS)
    view = game.start(automatic=False).do("strike(Boat Blue 4 1)").view("Red")
    assert draw_text(game.rules, view).splitlines()[:2] == ["1    R3↓2 Rb4←1x   D5:5", "        A      B      C"]
    found = draw_svg(game.rules, view)
    assert 'transform="rotate(270)"><use href="#hull" fill="#c1272d" fill-opacity="0.3"' in found
    assert found.count('r="3.2"') == 5 + 6, "the pips of both dice, on the board and beside it"
    assert 'stroke="#0072b2" stroke-width="2"/><text' in found, "the first suit has the first colour"
    plain = game_of(FLEET)
    assert 'r="3.2"' not in draw_svg(plain.rules, plain.start(seed=1).view("Red"))


def test_what_a_look_does_not_say_stays_as_it_was() -> None:
    shapes = {shape: drawn(game_of(f"{FLEET}look a of Boat: {shape}")) for shape in ("ship", "disc", "flag")}
    assert set(shapes.values()) == {drawn(game_of(FLEET))}


def test_the_look_of_the_most_particular_kind_holds_and_a_variant_gives_another() -> None:
    base = FLEET.replace("component Die\n  Die(", "component Cube\n  Die(").replace("Boat or Die", "Boat or Cube")
    text = f"{base}look cubes of Cube: token\nlook dice of Die: die showing side\n"
    variant = (
        "variant Flat of Fleet\nreplace look dice of Die: disc coloured green\nvariant Plain of Fleet\nremove dice\n"
    )
    chapters = game_of(text + variant, "Fleet", "Flat"), game_of(text + variant, "Fleet", "Plain"), game_of(text)
    flat, plain, usual = (draw_svg(game.rules, game.start(seed=1).view("Red")) for game in chapters)
    assert '<circle r="17" fill="#00795a"' in flat and "M-10,-17h20" not in flat
    assert "M-10,-17h20" in plain and 'r="3.2"' not in plain
    assert 'r="3.2"' in usual and "M-10,-17h20" not in usual


def test_a_look_tells_nobody_what_they_may_not_see() -> None:
    game = game_of(f"{FLEET}look boats of Boat: disc showing secret_number, masts")
    play = game.start(seed=1)
    for text in (draw_text(game.rules, play.view("Red")), draw_svg(game.rules, play.view("Red"))):
        assert "7" not in re.sub(r'="[^"]*"|\{[^}]*\}', "", text)
    assert "R3.2↓7:2" in draw_text(game.rules, open_table(game.machine, play.position))


def test_each_copy_in_a_cell_is_drawn_as_it_is() -> None:
    text = """game Men "Men"
board Field: grid 1 by 1
type Mood = one of calm, angry
component Man
  Man times 3
place field[c: Field] set of Man open
state lame[m: Man]: yes or no = no while in field
state mood[m: Man]: Mood = calm while in field
look men of Man: pawn coloured mood showing lame
action hurt(p: Player, m: Man in field): m.lame := yes
action annoy(p: Player, m: Man in field): m.mood := angry
to setup: move all Man from box to field[A1]
to play
  repeat 2 times: seat(1) chooses hurt or annoy
"""
    game = game_of(text)

    def marks(*moves: str) -> list[tuple[bool, str]]:
        view = game.start(seed=1)
        for move in moves:
            view.do(move)
        board = picture(game.rules, view.view(0)).boards[0]
        return sorted((mark.flags != (), mark.word) for mark in board.marks)

    assert marks() == [(False, "calm")] * 3
    assert marks("hurt(Man)") == [(False, "calm"), (False, "calm"), (True, "calm")]
    both = marks("hurt(Man)", "annoy(Man in field[A1] #1)")
    assert both == [(False, ""), (False, ""), (False, "")], "which of them is both, or whether one is, is not told"
