"""What each player sees: places, logs, offers; and what nobody may learn."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from small_games import TINY, flow_game, game_of, seen, texts

from seaspec.backends.interpreter.chance import Rolled
from seaspec.backends.interpreter.choices import Values
from seaspec.backends.interpreter.state import State
from seaspec.backends.interpreter.views import view
from seaspec.bots.guesses import has_secrets
from seaspec.cli.playing.session import has_secrets_between
from seaspec.play import Play
from seaspec.strategies import plays


def run(body: str, things: str = "", players: int = 2) -> Play:
    return flow_game(body, things, players).start(seed=1)


def log(play: Play, player: str) -> tuple[str, ...]:
    return play.view(player).log


def test_places_show_what_is_seen_and_sizes() -> None:
    play = run("move all B from stock to hand[seat(1)]\nseat(1) may bump")
    assert seen(play, "hand[Ann]", "Ann") == ("B", "B", "B")
    assert seen(play, "hand[Ann]", "Ben") is None
    assert play.view("Ben").places["hand[Ann]"].size == 3


def test_uncounted_places_show_no_size_and_moves_between_them_nothing() -> None:
    things = "place pouch[p: Player] set of Piece seen by p uncounted\n"
    play = run("move A to pouch[seat(1)]\nmove A to pouch[seat(2)]\nseat(1) may bump", things, 3)
    assert play.view("Cid").places["pouch[Ben]"].size is None
    assert log(play, "Cid") == ("A: stock -> ?",)
    assert log(play, "Ann") == ("A: stock -> pouch[Ann]", "A: pouch[Ann] -> ?")
    assert log(play, "Ben") == ("A: stock -> ?", "A: ? -> pouch[Ben]")


def test_a_move_shows_a_piece_to_who_sees_either_end() -> None:
    play = run("move A to hand[seat(1)]\nmove A to heap\nmove heap to stock\nseat(1) may bump")
    assert log(play, "Ben") == ("A: stock -> hand[Ann]", "?: hand[Ann] -> heap", "A: heap -> stock")


def test_draws_from_the_box_are_blind_and_so_is_its_contents() -> None:
    things = "component Coin\n  Coin(value: 1..4) one each\nplace purse[p: Player] set of Coin seen by p\n"
    play = run("draw 1 from box to purse[seat(1)]\nseat(1) may bump", things)
    coin = seen(play, "purse[Ann]", "Ann")
    assert coin is not None
    assert log(play, "Ann") == (f"{coin[0]}: box -> purse[Ann]",)
    assert log(play, "Ben") == ("?: box -> purse[Ann]",)
    assert seen(play, "box", "Ben") is None and seen(play, "box", "Ann") is not None


def test_draws_from_an_open_place_are_no_secret() -> None:
    play = run("draw 1 from stock to heap\nseat(1) may bump")
    assert "?" not in log(play, "Ben")[0]


def test_answers_show_pieces_to_who_saw_them_or_sees_them_move() -> None:
    things = (
        "action drop(p: Player, x: Piece in hand[p])\n  move x to heap\naction lay(p: Player, x: Piece in hand[p])\n"
    )
    things += "  move x to line\n"
    body = "move all B from stock to hand[seat(1)]\nmove A to hand[seat(1)]\nseat(1) chooses drop or lay\n"
    play = run(body + "seat(1) chooses drop or lay\nseat(1) may bump", things)
    play.do("drop(A)").do("lay(B)")
    assert log(play, "Ann")[2:] == ("Ann: drop(A)", "A: hand[Ann] -> heap", "Ann: lay(B)", "B: hand[Ann] -> line")
    assert log(play, "Ben")[2:] == ("Ann: drop(?)", "?: hand[Ann] -> heap", "Ann: lay(B)", "B: hand[Ann] -> line")


def test_private_answers_are_noticed_but_not_seen() -> None:
    play = run("seat(1) privately chooses n in 1..3\nseat(2) may bump").do("2")
    assert log(play, "Ann") == ("Ann: 2",)
    assert log(play, "Ben") == ("Ann chooses",)


def test_what_chance_brings_may_be_seen_by_one_player_alone() -> None:
    play = flow_game("roll 2 d6 as n seen by seat(1)\nchance chooses k in 3..9 seen by seat(2)\nseat(1) may bump")
    play = play.start(automatic=False)
    play.happen(Rolled(7))
    play.happen(Values((5,)))
    assert log(play, "Ann") == ("chance: 7", "chance chooses, and Ben alone sees it")
    assert log(play, "Ben") == ("Ann rolls in secret", "chance: 5")
    assert has_secrets(play.game.flow) and has_secrets_between(play.game)


def test_secret_offers_can_not_be_noticed() -> None:
    things = 'state fuse: 0..3 = 0\naction light_it(p: Player) "{p} lights it"\n  fuse += 1\n'
    body = "seat(1) may secretly light_it\nseat(2) may bump"
    asked = run(body, things)
    assert asked.asked == "Ann" and asked.view("Ben").asked is None and asked.view("Ann").asked == "Ann"
    passed, taken = run(body, things).do("pass"), run(body, things).do("light_it")
    assert log(passed, "Ben") == () == log(taken, "Ben")
    assert log(taken, "Ann") == ("Ann: light_it",)
    assert passed.view("Ben").states["fuse"] == "0" and taken.view("Ben").states["fuse"] == "1"


def test_joint_choices_are_hidden_until_all_have_chosen() -> None:
    body = "all at once each p in Player\n  p chooses n in 1..3\n  mark[p] := n\nseat(1) may bump"
    play = run(body)
    play.do("3")
    assert play.asked == "Ben"
    assert play.view("Ben").log == () and play.view("Ben").states["mark[Ann]"] == "0"
    assert play.view("Ann").log == ("Ann: 3",) and play.view("Ann").asked is None
    other = run(body).do("1")
    assert other.view("Ben") == play.view("Ben")
    play.do("2")
    assert play.view("Ben").log == ("Ben: 2", "Ann: 3") or play.view("Ben").log == ("Ann: 3", "Ben: 2")
    assert play.view("Ben").states["mark[Ann]"] == "3"


def test_say_and_show() -> None:
    play = run(
        'move A to hand[seat(1)]\nsay "hello {seat(1)}" to seat(2)\nshow hand[seat(1)] to seat(2)\nseat(1) may bump'
    )
    assert log(play, "Ben")[1:] == ("hello Ann", "hand[Ann] is shown: A")
    assert log(play, "Ann")[1:] == ()


def test_options_are_for_who_is_asked() -> None:
    play = run("seat(1) chooses take")
    assert play.view("Ann").number_of_options == 3 and play.view("Ben").number_of_options == 0
    assert play.view("Ben").options is None and play.view("Ben").asked == "Ann"


def test_undo_leaves_no_trace() -> None:
    play = run("seat(1) chooses take\nseat(1) chooses take\nseat(2) may bump").do("take(B)")
    before = [play.view(player) for player in play.game.players]
    play.do("take(C 2)").undo()
    assert [play.view(player) for player in play.game.players] == before


TINY_GAME = game_of(TINY, players="3")


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(plays(TINY_GAME, 12))
def test_swapping_what_a_player_can_not_see_changes_no_view(play: Play) -> None:
    """Two positions that differ by two hidden pieces look alike, and go on looking alike."""
    machine = TINY_GAME.machine
    state = play.position
    look = machine.look(state)
    hidden = [p for p in range(len(machine.game.pieces)) if not machine.effects.sees(look, state.where[p], 0)]
    for piece in hidden[1:3]:
        other = swapped(state, hidden[0], piece)
        assert view(machine, other, play.steps, 0) == view(machine, state, play.steps, 0)


def swapped(state: State, a: int, b: int) -> State:
    def swap(value: object) -> object:
        if isinstance(value, tuple):
            changed = [swap(part) for part in value]
            ints = all(isinstance(part, int) for part in changed)
            return tuple(sorted(changed)) if ints else tuple(changed)  # type: ignore[type-var]
        return {a: b, b: a}.get(value, value) if isinstance(value, int) else value  # type: ignore[call-overload]

    places = TINY_GAME.machine.layout.place_slots
    slots = tuple(swap(v) if n in places else v for n, v in enumerate(state.slots))
    where = list(state.where)
    where[a], where[b] = where[b], where[a]
    return State(slots, tuple(where))


def test_text_of_options_never_shows_numbers_of_identical_pieces() -> None:
    play = run("seat(1) chooses take")
    assert texts(play) == ["take(B)", "take(C 1)", "take(C 2)"]
