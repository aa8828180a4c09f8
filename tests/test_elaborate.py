"""What elaboration makes of texts that are right: types, ranges, obligations, what tests tell, recursion, options.

What it refuses, and how it says so, is in cases/errors.
"""

from __future__ import annotations

import pytest
from small_games import game_of

from seaspec.compile import compile_chapters, parse_text
from seaspec.core import ir
from seaspec.core.ops import Op
from seaspec.core.show_game import show_type
from seaspec.core.verify import problems
from seaspec.core.walk import walk
from seaspec.diagnostics.model import Report
from seaspec.diagnostics.render import render
from seaspec.examples.run import Verdict, run_examples
from seaspec.game import Game

FRAME = """\
game Frame "Frame"
option players: 1..4 = 2
option large: yes or no = no
const width = if large then 5 else 3
type Wind = ring of north, east, south, west
type Suit = one of clubs, hearts
board Water: grid width by 4 from the bottom left towards Wind
component Card
  Plain(suit: Suit, rank: 1..5) one each
  Joker times 2
component Coin
  Coin times 6
place hand[p: Player] set of Card open
place bank set of Coin open
place slot at most 1 Plain open
place line row of Plain open
place afloat[c: Water] at most 1 Coin open
state points[p: Player]: 0..20 = 0
state wind: Wind = north
state mate: Player or none = none
table worth(rank: 1..5): 0..9
  1  4
  2  0
  3  7
  4  1
  5  1
"""


def core(things: str, play: str = "nothing", **options: str) -> ir.Game:
    """The core of a game with these things in it, whose `to play` has these lines."""
    lines = "\n".join(f"  {line}" for line in play.strip("\n").split("\n"))
    report = Report()
    chapters = parse_text("frame.sea", f"{FRAME}{things}\nto play\n{lines}\n", report).chapters
    game = None if report.failed else compile_chapters(chapters, options, report)
    assert game is not None, render(report, colour=False)
    assert problems(game) == []
    return game


def checks(node: ir.Action | ir.Procedure | ir.Function) -> list[str]:
    """The obligations in it, as the types that must be kept."""
    return [show_type(n.type) for n in walk(node) if isinstance(n, ir.Apply) and n.op is Op.CHECK]


# --------------------------------------------------------------------------------------------------------------- types

TYPES = [
    # ranges are worked out from their parts
    ("3", "3..3"),
    ("n + 1", "2..4"),
    ("n - points[p]", "-19..3"),
    ("n * n", "1..9"),
    ("-n", "-3..-1"),
    ("n / 2", "0..1"),
    ("(n - 5) / 2", "-2..-1"),
    ("points[p] mod 4", "0..3"),
    ("abs(n - 3)", "0..2"),
    ("min(n, 2)", "1..2"),
    ("max(n, 2, points[p])", "2..20"),
    ("worth(n)", "0..7"),
    ("size of hand[p]", "0..12"),
    ("size of slot", "0..1"),
    ("count c in bank where wind is north", "0..6"),
    ("sum c.rank for c in Plain where c in hand[p]", "0..50"),
    ("most c.rank for c in line otherwise 0", "0..5"),
    ("width", "3..3"),
    ("2 * width + Water.rows - 3", "7..7"),
    ("Water.rows", "4..4"),
    ("A1.row + n", "2..7"),
    # the join of two sides
    ("if n = 1 then 2 else 7", "2..7"),
    ("if n = 1 then clubs else hearts", "Suit"),
    ("if n = 1 then mate else p", "Player or none"),
    ("if n = 1 then none else A1", "Water or none"),
    ("{1, n, 9}", "set of 1..9"),
    ("hand[p] + bank", "set of Card or Coin"),
    # sets, and what is known of their members
    ("{c in hand[p] where c is Joker}", "set of Joker"),
    ("{c.suit for c in line}", "set of Suit"),
    ("n..5", "ordered set of 1..5"),
    ("first c in line where c.rank = n", "Plain"),
    ("[2 * k for k in 1..3]", "map 1..3 to 2..6"),
    # cells and rings
    ("next(A1, wind)", "Water or none"),
    ("next(p)", "Player"),
    ("wind + 2", "Wind"),
    ("ray(A1, wind)", "ordered set of Water"),
    # tests
    ("p has won or n > 2 implies mate is p", "yes or no"),
]


@pytest.mark.parametrize(("written", "wanted"), TYPES)
def test_the_type_of_an_expression(written: str, wanted: str) -> None:
    game = core(f"define it(p: Player, n: 1..3) = {written}")
    assert show_type(game.functions["it"].type) == wanted


def test_a_type_that_is_said_is_the_type() -> None:
    assert show_type(core("define it(n: 1..3): 0..9 = n + 1").functions["it"].type) == "0..9"


def test_options_are_fixed_before_all_else() -> None:
    for options, columns in (({}, 3), ({"large": "yes"}, 5)):
        game = core("define it = Water.columns", **options)
        assert game.functions["it"].body == ir.Const(game.functions["it"].type, columns)
        assert len(game.boards["Water"].names) == 4 * columns
        assert not [node for node in walk(game) if isinstance(node, ir.Local) and node.variable.name == "large"]
    assert core("", players="4").players == ("Ann", "Ben", "Cid", "Dan")


# --------------------------------------------------------------------------------------------------------- obligations

OBLIGATIONS = [
    ("points[p] := n", []),
    ("points[p] := points[p] + n", ["0..20"]),
    ("points[p] += n", ["0..20"]),
    ("points[p] := min(20, points[p] + n)", []),
    ("points[p] := max(0, points[p] - n)", []),
    ("points[p] := worth(n + 2)", []),
    ("points[p] := worth(n + 3)", ["1..5"]),
    ("wind := wind + n", []),
    ("if points[p] < 17: points[p] := points[p] + n", ["0..20"]),
]


@pytest.mark.parametrize(("written", "wanted"), OBLIGATIONS)
def test_what_may_lie_outside_is_an_obligation(written: str, wanted: list[str]) -> None:
    game = core(f"to it(p: Player, n: 1..3)\n  {written}", "it(seat(1), 2)")
    assert checks(game.procedures["it"]) == wanted


def test_a_piece_that_is_described_by_what_is_computed_must_be_there() -> None:
    game = core("to it(n: 1..3)\n  move Plain(hearts, n + 2) to line\n  move Plain(clubs, 2) to line", "it(2)")
    computed, constant = (node for node in walk(game.procedures["it"]) if isinstance(node, ir.Move))
    assert isinstance(computed.cargo, ir.PickOne) and computed.cargo.otherwise is None
    assert isinstance(constant.cargo, ir.Const)


# ------------------------------------------------------------------------------------------------------ what tests tell

KNOWN = [
    "if mate is some then points[mate] else 0",
    "if mate is some q then points[q] else 0",
    "if mate is none then 0 else points[mate]",
    "if mate is some q and points[q] > 2 then points[q] else 0",
    "if mate is none or points[mate] > 2 then 1 else 2",
    "if slot is some c and c.rank > 2 then c.rank else 0",
    "sum points[q] for q in Player where mate is some m and m is q",
    "most c.rank for c in {d in hand[p] where d is Plain} otherwise 0",
]


@pytest.mark.parametrize("written", KNOWN)
def test_what_a_test_tells_is_known_where_it_holds(written: str) -> None:
    local = written.replace("mate", "who")
    game = core(f"define it(p: Player, who: Player or none): 0..99 = {local}")
    assert checks(game.functions["it"]) == []


def test_what_a_line_tells_is_known_in_the_lines_below() -> None:
    core(
        "define it(c: Water, p: Player)\n  next(c, north) is some d\n  afloat[d] is filled\n  next(d, east) is some\n"
        "action go(p: Player, c: Water)\n"
        "  needs free: next(c, wind) is some d and afloat[d] is empty\n"
        "  move (first x in bank) to afloat[d]\n"
        "to setup: move all Coin from box to bank",
        "seat(1) chooses go",
    )


def test_names_of_values_mean_what_is_expected() -> None:
    game = core(
        "type Mood = one of hearts, broken\n"
        "define of_suit(s: Suit) = s is hearts\n"
        "define of_mood(m: Mood) = m is hearts\n"
        "define it = of_suit(hearts) and of_mood(hearts)"
    )
    calls = [node for node in walk(game.functions["it"]) if isinstance(node, ir.Call)]
    assert [show_type(call.arguments[0].type) for call in calls] == ["Suit", "Mood"]


# ------------------------------------------------------------------------------------------------ families, recursion


def test_the_most_particular_clause_of_a_family_counts() -> None:
    game = core(
        "type Thing = Card or Coin\n"
        "define price(t: Thing): 0..9 = 1\n"
        "define price(c: Plain): 0..9 = c.rank\n"
        "define price(c: Joker): 0..9 = 7\n"
        "define it = (sum price(c) for c in Card) + (sum price(c) for c in Coin)\n"
        "example sums: it = 2 * 15 + 2 * 7 + 6\n"
    )
    results = run_examples(Game(game), lambda options: Game(game))
    assert [result.verdict for result in results] == [Verdict.HOLDS]


def test_a_clause_that_does_nothing_counts_for_its_kind() -> None:
    game = core(
        "type Thing = Card or Coin\n"
        "to use(t: Thing, p: Player): nothing\n"
        "to use(c: Joker, p: Player): points[p] += 5\n"
        "to try_all\n  for each c in Card: use(c, seat(1))\n  for each c in Coin: use(c, seat(1))\n"
        "example two_jokers\n  when try_all\n  then points[seat(1)] = 10\n"
    )
    results = run_examples(Game(game), lambda options: Game(game))
    assert [result.verdict for result in results] == [Verdict.HOLDS]


@pytest.mark.parametrize(
    "text",
    [
        "define it(n: 0..9): 0..45 shrinking n = if n = 0 then 0 else n + it(n - 1)",
        "define it(n: 0..9): 0..9 shrinking n\n  match n\n    0: 0\n    1, 2, 3, 4, 5, 6, 7, 8, 9: it(n - 1)",
        "define it(k: 0..3, n: 0..9): 0..99 shrinking n = if n < 2 then k else most it(k, m) for m in 0..n - 2",
    ],
)
def test_recursion_on_a_number_that_shrinks(text: str) -> None:
    assert core(text).functions["it"].shrinking is not None


def test_procedures_may_meet_again_but_never_in_a_circle() -> None:
    core(
        "action rest(p: Player): nothing\n"
        "to deep: points[seat(1)] += 1\nto left: deep\nto right: deep\n"
        "to turn(p: Player): p chooses rest\n"
        "whenever full: points[seat(1)] = 20\n  deep_again\nto deep_again: points[seat(1)] := 0",
        "left\nright\nrepeat until points[seat(1)] > 5\n  turn(seat(1))\n  deep",
    )


@pytest.mark.parametrize(("guns", "owned"), [(0, 0), (2, 2)])
def test_a_kind_without_pieces_keeps_its_facts(guns: int, owned: int) -> None:
    things = f"""
const guns = {guns}
component Fort(lord: Player, size_of_fort: 1..3)
  Gun(seat(1), k) for k in 1..guns
  Wall(seat(1), 3) for k in 1..guns
    Brick(thickness: 1..2) one each
component Boat(captain: Player) requires large
  Boat(seat(1))
place island[site: 1..3] bag of Fort open
define owned = count f in Gun where f.lord is seat(1)
define sailed = some b in Boat: b.captain is seat(1)
define thick = count b in Brick where b.thickness = 2
define near = some f in Gun: f in island and f.site = 1
action take(p: Player, f: Gun in island) "takes {{f}}"
  needs large: f.size_of_fort > f.site "too small"
  points[p] := f.size_of_fort
example all_of_seat_1
  then owned = {owned}, thick = {owned}, not near, not sailed
"""
    rules = core(things, "seat(1) may take")
    assert [result.verdict for result in run_examples(Game(rules))] == [Verdict.HOLDS]


def test_a_variant_drops_or_breaks_what_its_base_promises_and_not_what_it_promises_itself() -> None:
    text = (
        'game Base "Base"\nto play: nothing\nends within 2 calls of play\n'
        'variant Long of Base "Long"\ndrops ends because "longer"\nends within 3 calls of play\n'
        'variant Odd of Base "Odd"\nbreaks ends because "longer"\nends within 4 calls of play\n'
    )
    long, odd = (game_of(text, "Base", name).rules for name in ("Long", "Odd"))
    assert [promise.name for promise in long.promises] == ["ends within 3 calls of play"]
    assert [promise.name for promise in odd.promises] == ["ends within 2 calls of play", "ends within 4 calls of play"]
    assert odd.breaks == {"ends within 2 calls of play": "longer"}
