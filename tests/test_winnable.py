"""Can a goal still be reached? The search, what a game says to be needed for it, and `seaspec winnable`.

What the search says is compared with the whole graph of small games, and with numbers worked out by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from cli_runner import seaspec
from small_games import game_of

import seaspec as library
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.state import State
from seaspec.core import ir
from seaspec.explore.distance import distance
from seaspec.explore.native import explore_natively
from seaspec.explore.reach import Ended, Reached, reach
from seaspec.explore.reference import Explored, explore
from seaspec.game import Game
from seaspec.sampling.plays import answers_at, replay, watched_plays
from seaspec.verdict.needs import Need, judge, needs_of, usual_goal

LINE = """
game Line "Spots in a line"
const players = 1
state at: 0..6 = 0
action step(p: Player): at += 1
action leap(p: Player)
  needs room: at < 5
  at += 2
to turn(p: Player)
  p chooses step or leap
to play
  repeat until at = 6: turn(seat(1))
  win for seat(1)
"""
NEEDS = """
winnable third only if at <= 3: at = 3
winnable too_strict only if at <= 1: at = 3
winnable asked only if (every p in Player: p is asked): at = 3
myth winnable low only if (every p in Player: p is asked at turn implies at < 2): at = 3
winnable never_there only if at > 9: at = 9
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def go_on(found: Reached, memory: int) -> bool:
    return True


def goal_of(game: Game, name: str) -> ir.Expr:
    return next(p.test for p in game.rules.promises if isinstance(p, ir.Winnable | ir.Reachable) and p.name == name)


# ----------------------------------------------------------------------------------------------------- what is needed


def natively(game: Game) -> Explored:
    return explore_natively(game.machine, 1000, 1, lambda positions, waiting, steps, memory: True)


@pytest.mark.parametrize("engine", [lambda game: explore(game.machine, 1000), natively])
def test_what_is_needed_is_judged_on_the_whole_graph(engine: object) -> None:
    game = game_of(LINE + NEEDS)
    found = engine(game)  # type: ignore[operator]
    assert set(found.doomed) == {"too_strict", "low"}
    for name, play in found.doomed.items():  # it passes a decision that lacks the condition, and ends at the goal
        machine = game.machine
        promise = next(p for p in game.rules.promises if p.name == name)
        assert isinstance(promise, ir.Winnable) and promise.needed is not None
        needed, goal = (machine.program.compile(test, (), "promise") for test in (promise.needed, promise.test))
        states = [machine.begin()]
        for answer in play.answers:
            states.append(machine.step(states[-1], answer))
        assert goal(machine.look(states[-1]))
        assert not all(needed(machine.look(state)) for state in states if machine.decider(state) is not None)


def test_plays_break_a_condition_that_is_not_needed() -> None:
    found = watched_plays(game_of(LINE + NEEDS).machine, 30, 1).watched
    assert {"too_strict", "low"} == set(found.broken)
    assert found.looked["never_there"] == 30  # once in each play


def test_a_condition_is_written_as_it_was_read() -> None:
    text = 'winnable third only if at <= 3 "sentence": at = 3\n'
    ran = seaspec("emit", written("line.sea", LINE + text), "--stage", "merged")
    assert text.strip() in ran.out


def written(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_what_fails_is_told_down_to_the_numbers() -> None:
    text = LINE + 'define near "it is not gone by" = at <= limit and in_time\nconst limit = 3\n'
    text += 'define in_time "there is time" = at < 5\n'
    text += "winnable third only if (at > 0 implies near): at = 3\n"
    game = game_of(text)
    machine, goal = game.machine, goal_of(game, "third")
    state = machine.begin()
    lacks = []
    for _ in range(5):
        (need,) = judge(machine, state, needs_of(game.rules, goal))
        lacks.append([(lack.text, dict(lack.values)) for lack in need.lacks])
        assert need.holds is not bool(need.lacks)
        state = machine.step(state, next(iter(answers_at(machine, state))))
    assert lacks[:4] == [[], [], [], []]
    assert lacks[4] == [("it is not gone by", {"at": "4"})]
    (need,) = judge(machine, state, needs_of(game.rules, goal))
    assert [lack.text for lack in need.lacks] == ["it is not gone by", "there is time"]


def test_what_fails_is_told_with_what_was_asked() -> None:
    text = LINE + 'define below(i: 0..9) "it is not below {i}" = less(i)\ndefine less(j: 0..9) = at < j\n'
    text += "winnable third only if below(1): at = 3\n"
    game = game_of(text)
    state = game.machine.begin()
    state = game.machine.step(state, next(iter(answers_at(game.machine, state))))
    (need,) = judge(game.machine, state, needs_of(game.rules, goal_of(game, "third")))
    assert [(lack.text, dict(lack.values)) for lack in need.lacks] == [
        ("it is not below 1", {"i": "1", "at": "1", "j": "1"})
    ]


def test_conditions_of_other_goals_and_broken_ones_do_not_count() -> None:
    game = game_of(LINE + NEEDS + "winnable other only if at < 9: at = 2\n")
    assert [p.name for p in needs_of(game.rules, goal_of(game, "third"))] == ["third", "too_strict", "asked"]
    text = LINE + NEEDS + 'variant Short of Line "Short"\nbreaks too_strict because "it is not needed"\n'
    game = game_of(text)
    assert [p.name for p in needs_of(game.rules, goal_of(game, "third"))] == ["third", "asked"]


def test_the_usual_goal() -> None:
    game = game_of(LINE + "winnable third only if at <= 3: at = 3\nwinnable too: at = 3\n")
    assert usual_goal(game.rules) == goal_of(game, "third")
    game = game_of(LINE)
    won = game.machine.program.compile(usual_goal(game.rules), (), "promise")
    ends = [won(game.machine.look(state)) for state in states_of(game)]
    assert ends.count(True) == 1 and len(ends) == 7


def states_of(game: Game) -> list[State]:
    """All positions of a small game."""
    machine = game.machine
    found = {machine.canonical(machine.begin()): machine.begin()}
    todo = list(found.values())
    while todo:
        state = todo.pop()
        for answer in answers_at(machine, state):
            after = machine.step(state, answer)
            if found.setdefault(machine.canonical(after), after) is after:
                todo.append(after)
    return list(found.values())


# ------------------------------------------------------------------------------------------------------------- search


def test_the_search_agrees_with_the_whole_graph() -> None:
    game = game_of(LINE + "".join(f"reachable spot_{spot}: at = {spot}\n" for spot in range(7)))
    machine = game.machine
    answers = {}
    for state in states_of(game):
        at = state.slots[machine.layout.states["at"].base]
        for spot in range(7):
            found = reach(machine, state, goal_of(game, f"spot_{spot}"), (), go_on)
            answers[at, spot, state.result is None] = found.ended
            if found.ended is Ended.FOUND:
                assert after(game, state, found).slots[machine.layout.states["at"].base] == spot
    assert len(answers) == 49  # the last spot is where the game ends
    for (at, spot, _), ended in answers.items():
        assert ended is (Ended.FOUND if at <= spot else Ended.ALL), (at, spot)


def after(game: Game, state: State, found: Reached) -> State:
    """Where the way of a search leads."""
    for answer in found.way:
        state = game.machine.step(state, answer)
    return state


CARDS = """
game Draw "Some cards are drawn"
const players = 2
component Card(worth: 1..4)
  Card times 2 each
place pack pile of Card hidden
place hand[p: Player] set of Card seen by p
place out_of_it set of Card open
to setup
  move all Card from box to pack
  shuffle pack
to turn(p: Player)
  draw up to 1 from pack to hand[p]
  p chooses up to 1 of hand[p] as gone
    move gone to out_of_it
to play
  repeat 2 times
    for each p in Player in order from seat(1): turn(p)
reachable much: (sum c.worth for c in hand[Ann]) = 7
reachable all_gone: size of out_of_it = 4 and (every c in out_of_it: c.worth = 4 or c.worth = 3)
reachable too_much: (sum c.worth for c in hand[Ann]) = 9
reachable too_few: size of out_of_it = 5
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_chance_and_choices_are_in_the_favour_of_the_goal(seed: int) -> None:
    game = game_of(CARDS)
    known = explore(game.machine, 100_000)
    assert known.complete and set(known.watched.witnessed) == {"much", "all_gone"}
    for name in ("much", "all_gone", "too_much", "too_few"):
        found = reach(game.machine, game.machine.begin(), goal_of(game, name), (), go_on, seed)
        assert (found.ended is Ended.FOUND) == (name in known.watched.witnessed)
        if found.ended is Ended.FOUND:
            play = known.watched.witnessed[name]
            assert len(found.way) >= len(play.answers)
            goal = game.machine.program.compile(goal_of(game, name), (), "promise")
            assert goal(game.machine.look(after(game, game.machine.begin(), found)))
        else:
            assert found.positions == known.positions


def test_what_is_lost_is_not_gone_on_from() -> None:
    game = game_of(LINE + "winnable third only if at <= 2: at = 5\n")
    machine, goal = game.machine, goal_of(game, "third")
    plain = reach(machine, machine.begin(), goal, (), go_on)
    assert plain.ended is Ended.FOUND
    needed = [(p.name, p.needed) for p in needs_of(game.rules, goal) if p.needed is not None]
    found = reach(machine, machine.begin(), goal, needed, go_on)
    assert found.ended is Ended.ALL and found.left == {"third": 2} and found.positions == 5  # 3 and 4 are not left


def test_where_the_rules_fail_no_play_goes_on() -> None:
    text = LINE.replace("  p chooses step or leap\n", "  p chooses n in 1..6 / (3 - at)\n    at += n\n")
    game = game_of(text + "reachable second: at = 2\nreachable sixth: at = 6\n")
    found = reach(game.machine, game.machine.begin(), goal_of(game, "sixth"), (), go_on)
    assert found.ended is Ended.FOUND  # 2, then 4 more
    text = text.replace("1..6 / (3 - at)", "1..1 / (3 - at) + 1").replace("at = 6: turn", "at = 5: turn")
    game = game_of(text + "reachable fifth: at = 5\n")
    found = reach(game.machine, game.machine.begin(), goal_of(game, "fifth"), (), go_on)
    # From 2 there are steps to 3, where nobody can know what there is to choose, and to 4, where there is nothing.
    assert found.ended is Ended.ALL and found.failed == 2 and found.positions == 3


def test_what_has_no_value_is_no_guess() -> None:
    game = game_of(
        """
game Far "Far"
state seen: 0..3 or none = none
action look(p: Player, n: 0..3) "look {n}": seen := n
to play
  repeat
    seat(1) chooses look
reachable high: seen is some n and n + 1 > 3
"""
    )
    found = reach(game.machine, game.machine.begin(), goal_of(game, "high"), (), go_on)
    assert found.ended is Ended.FOUND and len(found.way) == 1


def test_the_limits_end_it() -> None:
    game = library.load("tic_tac_toe")
    machine = game.machine
    never = ir.Const(usual_goal(game.rules).type, False)
    told = []

    def stop(found: Reached, memory: int) -> bool:
        told.append((found.positions, memory))
        return len(told) < 3

    found = reach(machine, machine.begin(), never, (), stop)
    assert found.ended is Ended.LIMIT and len(told) == 3
    assert told[0] < told[1] < told[2] and found.positions < 5_478  # of the whole game

    def interrupt(found: Reached, memory: int) -> bool:
        raise KeyboardInterrupt

    assert reach(machine, machine.begin(), never, (), interrupt).ended is Ended.INTERRUPTED
    assert reach(machine, machine.begin(), never, (), go_on).positions == 5_478


@pytest.mark.parametrize("name", ["calm + tiny", "pirate_bay", "admiral", "hanabi", "pig"])
def test_the_guess_is_zero_where_the_goal_is_and_nowhere_else(name: str) -> None:
    """For what promises and examples of the games test, in positions of random plays."""
    game = library.load(name)
    machine = game.machine
    tests = [p.test for p in game.rules.promises if isinstance(p, ir.Reachable | ir.Winnable)]
    tests += [p.needed for p in game.rules.promises if isinstance(p, ir.Winnable) and p.needed is not None]
    tests += [
        f.body for f in game.rules.functions.values() if not f.params and f.shrinking is None and is_truth(f.body)
    ]
    compiled = [
        (machine.program.compile(test, (), "promise"), machine.program.compile(distance(game.rules, test), (), "far"))
        for test in tests
    ]
    random = Random(3)
    seen = set()
    for number, state in enumerate(machine.play_out(machine.begin(), random, 400)):
        if number % 8 and state.result is None:
            continue
        look = machine.look(state)
        for place, (holds, far) in enumerate(compiled):
            try:
                held = bool(holds(look))
            except RuleError:
                continue
            assert (far(look) == 0) is held, tests[place]
            seen.add(held)
    assert seen == {False, True}


def is_truth(expr: ir.Expr) -> bool:
    return type(expr.type).__name__ == "Bool"


# ------------------------------------------------------------------------------------------------------- command line


def test_a_won_game_is_found_and_can_be_replayed() -> None:
    ran = seaspec("winnable", "calm + small", "--seed", "1")
    assert ran.code == 0 and "yes: after" in ran.out
    again = seaspec("replay", ".seaspec/winnable.play", "--json")
    assert again.code == 0 and json.loads(again.out)["result"]["winners"] == ["Ann", "Ben"]


def test_from_the_very_beginning_chance_deals_what_is_wanted() -> None:
    ran = seaspec("winnable", "calm + puddle", "--json")
    found = json.loads(ran.out)
    assert ran.code == 0 and found["answer"] == "yes" and found["choices"] >= 10
    game = library.load("calm + puddle")
    assert library.Play.load(".seaspec/winnable.play", game).is_over


def test_a_saved_play_that_is_lost_says_what_is_missing() -> None:
    game = library.load("calm + drop")
    play = game.start(seed=1)
    random = Random(0)
    while not play.is_over and not any(not n.holds for n in judged(game, play.position)):
        play.do(play.options.random(random))  # type: ignore[union-attr]
    assert not play.is_over
    play.save("lost.play")
    ran = seaspec("winnable", "calm + drop", "--play", "lost.play", "--json")
    found = json.loads(ran.out)
    assert (
        ran.code == 1
        and found["answer"] == "no"
        and set(found["rests_on"]) == {need["name"] for need in found["conditions"] if not need["holds"]}
    )
    assert any(need["lacks"] for need in found["conditions"])
    ran = seaspec("winnable", "calm + drop", "--play", "lost.play", "--unpruned", "--limit", "20")
    assert ran.code == 1 and "positions were searched" in ran.out  # it was lost indeed


def judged(game: Game, state: State) -> tuple[Need, ...]:
    if game.machine.decider(state) is None:
        return ()
    return judge(game.machine, state, needs_of(game.rules, usual_goal(game.rules)))


def test_the_position_of_an_example_and_one_in_words() -> None:
    ran = seaspec("winnable", "calm", "--example", "too_few_cards", "--json")
    names = {lack["text"][:2] for need in json.loads(ran.out)["conditions"] for lack in need["lacks"]}
    assert ran.code == 1 and "C4" in names
    given = "players = 2, corner = Start, field[A1] = Island(9), hand[Ann] = {Finish}"
    ran = seaspec("winnable", "calm", "--given", given, "--that", "size of discard[Ann] = 1")
    assert ran.code == 1 and "all " in ran.out and "positions were searched" in ran.out
    given = given.replace("{Finish}", "{2 Finish}")
    ran = seaspec("winnable", "calm", "--given", given, "--that", "size of discard[Ann] = 2", "--player", "Ann")
    assert ran.code == 0 and "replay:" not in ran.out  # such a play does not begin at the beginning


def test_an_ending_of_the_full_size_is_won() -> None:
    """Each number has one place, and a neighbour costs two cards: who pays with the wrong ones loses."""
    given = """players = 2, corner = Start, every c in Sea where reading(c) <= 30: field[c] = Island(2 * reading(c)),
        hand[Ann] = {Island(62), Island(66), Island(70), 2 Finish},
        hand[Ben] = {Island(64), Island(68), Island(72), 2 Finish},
        deck[Ann] = {Island(1), Island(3), Island(5), Island(7), Island(9), Island(11)},
        deck[Ben] = {Island(13), Island(15), Island(17), Island(19)}"""
    ran = seaspec("winnable", "calm", "--given", given, "--json")
    found = json.loads(ran.out)
    assert ran.code == 0 and found["answer"] == "yes" and found["choices"] >= 10
    assert all(condition["holds"] for condition in found["conditions"])
    assert found["goal"] == "(every q in Player: q has won)" and found["positions"] < 20_000


def test_a_search_that_is_cut_off_is_undecided() -> None:
    ran = seaspec("winnable", "tic_tac_toe", "--that", "not (1 = 1 or everyone is empty)", "--memory", "1", "--json")
    found = json.loads(ran.out)
    assert ran.code == 2 and found["answer"] == "undecided" and found["positions"] > 1000


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--that", "foo = 3"], 1, "SEA301"),
        (["--that", " "], 1, "--that is empty"),
        (["--given", "heap"], 1, "error"),
        (["--example", "nothing_like_it"], 1, "there is no example"),
        (["--example", "a", "--seed"], 3, "expected one argument"),
        (["--example", "a", "--given", "b"], 3, "not allowed"),
        (["--limit", "0"], 3, "from 1 on"),
        (["--play", "nowhere.play"], 1, "nowhere.play"),
    ],
)
def test_bad_questions_are_told(words: list[str], code: int, said: str) -> None:
    ran = seaspec("winnable", "pig", *words)
    assert ran.code == code and said in ran.err + ran.out


def test_witnesses_of_the_reference_and_of_the_search_are_plays() -> None:
    game = game_of(LINE + "reachable third: at = 3\n")
    found = reach(game.machine, game.machine.begin(), goal_of(game, "third"), (), go_on)
    known = explore(game.machine, 100).watched.witnessed["third"]
    assert replay(game.machine, known).slots[game.machine.layout.states["at"].base] == 3
    assert len(found.way) in (2, 3)


def test_what_is_broken_is_not_relied_on() -> None:
    """That at <= 1 is needed is not so: one gets on from 2, too."""
    Path("line.sea").write_text(LINE + "winnable too_strict only if at <= 1: at = 3\n")
    ran = seaspec("winnable", "line.sea", "--given", "at = 2")
    assert ran.code == 0 and "yes: after 1 step" in ran.out
    assert "not relied on: winnable too_strict, broken" in ran.out
    ran = seaspec("winnable", "line.sea")
    assert ran.code == 0
    Path("line.sea").write_text(LINE + "winnable far only if at <= 1: at = 6\n")
    ran = seaspec("winnable", "line.sea", "--that", "at = 6", "--json")
    told = json.loads(ran.out)
    assert told["answer"] == "yes" and set(told["not_relied_on"]) == {"far"}
