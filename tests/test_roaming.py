"""Plays by machine code that watches every promise: what breaks is told as a play of the interpreter, at once."""

from __future__ import annotations

import json
import multiprocessing
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from cli_runner import seaspec
from small_games import game_of

from seaspec import load
from seaspec.backends.interpreter.chance import Thrown
from seaspec.backends.interpreter.errors import RuleError
from seaspec.cli.checking import aside
from seaspec.cli.checking.aside import _Told
from seaspec.cli.forking import Line
from seaspec.examples.nearest import words_of
from seaspec.examples.run import Rebuild, run_examples
from seaspec.game import Game
from seaspec.sampling.plays import PlayFindings, replay
from seaspec.sampling.roaming import Roaming
from seaspec.verdict.check import Checked, attacked, check_game
from seaspec.verdict.verdicts import Verdict

COUNTING = """
game Counting "Counting"
const players = 2
state level: 0..200 = 0
state deep: 0..3 = 0
action climb(p: Player, n: 1..3) "{p} counts {n}": level += n
action sink(p: Player) "{p} goes down"
  needs left_over: level > 0 "nothing to take"
  level -= 1
to dive(p: Player)
  deep := 3
  p may sink
  deep := 0
to turn(p: Player)
  p chooses climb or sink
  if level = 9: dive(p)
to play
  repeat 12 times
    for each p in Player: turn(p)
  nobody wins
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def roamed(text: str, much: int = 20_000) -> Roaming:
    roaming = Roaming(game_of(text), 1)
    while not roaming.has_played(much):
        list(roaming.go_on())
    roaming.shorten()
    return roaming


def test_what_breaks_is_told_by_a_short_play_of_the_interpreter() -> None:
    promises = """
invariant low: level < 6
invariant shallow at dive: level < 9
always calm after dive(p): level = old level
reachable nine: level = 9
reachable far: level = 150
ends within 12 calls of turn
always by_three: level - old level <= 2
"""
    roaming = roamed(COUNTING + promises)
    found = roaming.found.watched
    assert set(found.broken) == {"low", "shallow", "calm", "ends within 12 calls of turn", "by_three"}
    assert set(found.witnessed) == {"nine"} and roaming.notes == []
    assert len(found.broken["low"].answers) == 2 and len(found.broken["by_three"].answers) == 1
    machine = roaming.machine
    assert machine.look(replay(machine, found.broken["low"])).s[machine.layout.states["level"].slots[()]] >= 6
    assert found.most_calls["ends within 12 calls of turn"] == 24
    assert roaming.found.compiled > 100 and roaming.found.compiled_steps >= 20_000


def test_what_is_kept_is_not_broken() -> None:
    promises = """
invariant small: level < 100
always calm after turn(p): level >= 0
ends within 24 calls of turn
invariant never: level > 150 implies level > 160
invariant sometimes: level > 5 implies level < 200
"""
    found = roamed(COUNTING + promises).found
    assert not found.watched.broken and not found.failed and found.stuck is None
    assert found.watched.unsupposed == {"never"} and all(found.watched.looked.values())
    assert set(found.taken) == {"climb", "sink"} and found.endings.total() == found.compiled


def test_where_the_rules_fail_or_somebody_is_stuck_is_told() -> None:
    failing = roamed(COUNTING.replace("0..200", "0..7").replace("level = 9", "level = 7"))
    ((error, play),) = failing.found.failed.values()
    assert "is not in 0..7" in error.message and len(play.answers) == 3 and failing.notes == []
    stuck = roamed(COUNTING.replace("p chooses climb or sink", "p chooses sink"))
    assert stuck.found.stuck is not None and stuck.found.stuck[1].answers == () and not stuck.found.failed


def test_plays_without_a_step_come_to_an_end() -> None:
    game = COUNTING[: COUNTING.index("to play")] + "to play\n  nobody wins\n"
    assert roamed(game + "invariant low: level < 6\n", 3_000).has_played(3_000)


NUMBERED = """
game Numbered "Rules that go by the numbers of identical pieces"
const players = 2
component Card
  Two times 3
  One
place first_hand[p: Player] at most 2 Card open
place heap pile of Card open
place rest set of Card open
state level: 0..9 = 0
to setup
  draw 1 from box to heap
  {more}
  move up to 1 Two from box to first_hand[Ann]
to play
  for each p in Player
    level := (if (first x in Card) in first_hand[Ann] then 1 else 2)
    p may bump
action bump(p: Player) "{{p}} bumps": level := 0
invariant even: level != 1
invariant odd: level != 2
"""


TAKEN = "chance chooses 2 of Two as taken\n  move taken to rest"


@pytest.mark.parametrize("more", ["level := 0", TAKEN])
def test_of_identical_pieces_machine_code_takes_the_first(more: str) -> None:
    assert roamed(NUMBERED.format(more=more)).notes == []


def _checked(game: Game) -> Checked:
    build: Rebuild = lambda options: game  # noqa: E731
    return check_game(game, 2, 1, lambda label, total: lambda done: None, build)


def test_a_proof_that_a_play_breaks_is_an_alarm() -> None:
    game = game_of(COUNTING + "invariant low: level < 30\ninvariant small: level < 100\n")
    checked = _checked(game)
    called = tuple(replace(v, verdict=Verdict.PROVED, kept=True, found=None) for v in checked.promises)
    roaming = roamed(COUNTING + "invariant low: level < 30\ninvariant small: level < 100\n")
    after, wrong = attacked(replace(checked, promises=called), roaming.found)
    assert wrong == ("low was called proved",)
    assert [v.verdict for v in after.promises] == [Verdict.BROKEN, Verdict.PROVED] and not after.kept
    assert attacked(checked, PlayFindings())[1] == ()


def _check(*words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: several processes write its news."""
    command = [sys.executable, "-m", "seaspec", "check", "counting.sea", "--no-cache", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_news_are_told_at_once_with_the_play() -> None:
    Path("counting.sea").write_text(COUNTING + 'invariant low "never high": level < 6\n')
    ran = _check()
    assert ran.returncode == 1
    what, where, rest = ran.stderr.splitlines()
    assert re.fullmatch(r'[0-9.]+ s: broken: low "never high", after [0-9]+ steps', what)
    assert where == "  see it: seaspec replay .seaspec/low.play" and "the rest is still looked at" in rest
    assert seaspec("replay", ".seaspec/low.play").code == 0
    ran = _check("--json-lines")
    news, last = map(json.loads, ran.stdout.splitlines())
    assert news["news"] == "broken" and news["what"] == "low" and news["steps"]
    assert last["subjects"][0]["plays"]["compiled"] > 0 and ran.stderr == ""
    assert _check("--json").stderr == ""


def test_what_only_a_small_world_shows_is_news() -> None:
    """It is told once, though several processes see it."""
    large = COUNTING.replace("to play", "const top = 8\nto play")
    world = "world few of Counting\nset top = 7\n"
    Path("counting.sea").write_text(large + "invariant low: top > 7 or level < 6\n" + world)
    ran = _check("--json-lines", "--limit", "0")
    news, last = map(json.loads, ran.stdout.splitlines())
    assert (news["what"], news["world"]) == ("low", "few") and news["steps"]
    assert last["subjects"][0]["promises"][0]["world"] == "few"
    what, *_ = _check("--limit", "0").stderr.splitlines()
    assert re.fullmatch(r"[0-9.]+ s: broken: low, after [0-9]+ steps, in the world few", what)


def test_that_somebody_is_stuck_is_news_without_a_promise() -> None:
    text = COUNTING.replace("state level: 0..200 = 0", "state level: 0..200 = 5")
    Path("counting.sea").write_text(text.replace("p chooses climb or sink", "p chooses sink"))
    ran = _check()
    assert ran.returncode == 1 and "s: broken: somebody is stuck: Ben must choose" in ran.stderr


def test_examples_that_fail_are_news() -> None:
    examples = "".join(
        f"example {name}\n  when Ann does climb(2)\n  then level = 3\n" for name in ("one", "other", "third")
    )
    Path("counting.sea").write_text(COUNTING + examples)
    told = [line.partition(" s: ")[2] for line in seaspec("check", "counting.sea", "--no-cache").err.splitlines()]
    assert told[:2] == ["1 example ends otherwise: one", "2 more examples end otherwise: other, third"]


def test_what_an_example_of_the_base_does_happens_without_the_house_rule() -> None:
    """Also where there was no time for plays without it: what is never done any more is told."""
    Path("counting.sea").write_text(COUNTING + "example up\n  when Ann does climb(3)\n  then level = 3\n")
    Path("never.sea").write_text('variant Never of Counting "Never"\nforbid climb(p, n) when level < 90 "too low"\n')
    ran = seaspec("check", "never.sea", "--no-cache", "--limit", "0", "--plays", "3")
    assert "the action climb never happens any more" in ran.out


def test_the_example_that_a_house_rule_speaks_of_is_run_first() -> None:
    """Of many that are run one after the other it is the news."""
    examples = "".join(f"example {name}\n  when Ann does sink\n  then refused\n" for name in ("down", "again"))
    examples += "example up\n  when Ann does climb(3)\n  then level = 3\n"
    Path("counting.sea").write_text(COUNTING + examples)
    Path("slow.sea").write_text('variant Slow of Counting "Slow"\nforbid climb(p, n) when n > 1 "too much"\n')
    game = load("slow.sea")
    ran: list[str] = []
    results = run_examples(game, None, lambda result: ran.append(result.example.name), words_of("forbid climb(p, n)"))
    assert ran == ["up", "down", "again"]
    assert [result.example.name for result in results] == ["down", "again", "up"]
    assert "1 example ends otherwise: up" in seaspec("check", "slow.sea", "--no-cache").err


HOUSE = """
variant {name} of Counting "{name}"
forbid climb(p, n) when {when} "too much"
example small
  when Ann does climb(3)
  then level = 3
"""


def test_what_a_house_rule_changes_is_told_in_numbers() -> None:
    Path("counting.sea").write_text(COUNTING)
    Path("slow.sea").write_text(HOUSE.format(name="Slow", when="n = 3 and level > 5"))
    told = json.loads(seaspec("check", "slow.sea", "--no-cache", "--json").out)["subjects"][0]["changes"]
    assert not told["is_same"] and told["plays"] >= 1000
    rows = {row["what"]: (row["before"]["value"], row["after"]["value"]) for row in told["rows"]}
    assert rows["choices a play"] == (24.0, 24.0) or rows["choices a play"][0] > 24
    assert rows["options a choice"][0] > rows["options a choice"][1]
    assert "* differs for certain" in seaspec("check", "slow.sea", "--no-cache").out
    assert told == json.loads(seaspec("check", "slow.sea", "--json").out)["subjects"][0]["changes"]


def test_a_house_rule_that_never_comes_into_play_is_told() -> None:
    Path("counting.sea").write_text(COUNTING)
    Path("idle.sea").write_text(HOUSE.format(name="Idle", when="level > 150"))
    out = seaspec("check", "idle.sea", "--no-cache").out
    assert "What it does: nothing that random plays show" in out and "it never happened: nothing differs in " in out


def test_where_no_plays_were_compared_that_is_told() -> None:
    Path("counting.sea").write_text(COUNTING)
    Path("idle.sea").write_text(HOUSE.format(name="Idle", when="level > 150"))
    out = seaspec("check", "idle.sea", "--no-cache", "--plays", "0").out
    assert "What it does\n  note: no plays were compared without it and with it" in out


def test_a_guard_that_refuses_in_an_example_is_used() -> None:
    Path("counting.sea").write_text(COUNTING)
    Path("none.sea").write_text(HOUSE.format(name="Never", when="n = 3 and level = 0"))
    out = seaspec("check", "none.sea", "--no-cache").out
    assert "refused: forbidden: too much" in out and "forbidden of climb never forbids" not in out


def test_plays_that_fail_lose_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of the tool")

    Path("counting.sea").write_text(COUNTING + "invariant low: level < 200\n")
    monkeypatch.setattr("seaspec.sampling.roaming.Roaming.go_on", fail)
    ran = seaspec("check", "counting.sea", "--no-cache")
    assert ran.code == 0 and "12 at random" in ran.out
    assert "plays by machine code have failed: ZeroDivisionError: of the tool" in ran.err


def test_an_alarm_has_an_exit_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("counting.sea").write_text(COUNTING + "invariant low: level < 200\n")
    broken = roamed(COUNTING + "invariant low: level < 6\n").found
    monkeypatch.setattr(aside.RoamingAside, "latest", lambda self: broken)
    ran = seaspec("check", "counting.sea", "--no-cache")
    assert ran.code == 2
    assert "ALARM: low was called" in ran.out and "a play breaks it: this is a mistake of SeaSpec" in ran.out


def test_examples_of_the_base_that_end_otherwise_are_no_fault() -> None:
    same = "example opening\n  when Ann does climb(3)\n  then level = 3\n"
    Path("counting.sea").write_text(COUNTING + same)
    house = HOUSE.format(name="Short", when="n = 3").replace("climb(3)", "climb(2)").replace("level = 3", "level = 2")
    Path("short.sea").write_text(house)
    ran = seaspec("check", "short.sea", "--no-cache")
    assert ran.code == 0 and ran.lines[-1].startswith("kept, 1 worked example changed")
    assert "examples   changed    1 of 2; 1 ends otherwise with the house rule" in ran.out
    assert "changed: 1 worked example\n  because of forbid climb(p, n)" in ran.out
    assert seaspec("check", "short.sea", "--no-cache", "--strict").code == 2
    Path("short.sea").write_text(house.replace("level = 2", "level = 3"))
    assert seaspec("check", "short.sea", "--no-cache").code == 1
    Path("short.sea").write_text(house + 'breaks opening because "three is too much"\n')
    ran = seaspec("check", "short.sea", "--no-cache", "--strict")
    assert ran.code == 0 and "changed" not in ran.out


def test_who_plays_does_not_wait_until_somebody_listens() -> None:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    line = Line(theirs)
    for number in range(5):
        line.tell(_Told(PlayFindings(), notes=("much to tell" * 20_000, str(number))))
    threading.Thread(target=line.close).start()
    heard = [ours.recv()]
    while heard[-1].notes[1] != "4":
        heard.append(ours.recv())
    assert len(heard) <= 2, "what is old by then is not told"


def test_a_guard_that_fails_at_the_first_choice_is_gone_again() -> None:
    """The play rests there, as one option is found; the rules fail when all are listed, before any step is made."""
    text = """\
game Failing "A guard divides by 0"
const players = 2
state level: 0..2 = 0
action climb(p: Player): level := 2
action slip(p: Player)
  needs steep: 2 / level > 0
  nothing
to play
  for each p in Player: p may climb or slip
"""
    roaming = Roaming(game_of(text), 1)
    while not roaming.has_played(100):
        list(roaming.go_on())
    assert not roaming.notes
    assert [error.message for error, _ in roaming.found.failed.values()] == ["2 is divided by 0"]


def test_what_is_not_of_a_type_is_told_by_its_name() -> None:
    """Not by the number that it has inside; machine code, which tells no values, means the same."""
    text = """\
game Pick "The best ship is noted, and what is drawn may be none"
const players = 2
component Card
  Ship(number: 1..3) one each
  Storm times 2
place deck bag of Card open
place hand[p: Player] set of Card open
state best: Ship or none = none
to setup
  move all Card from box to deck
to play
  draw 1 from deck to hand[seat(1)]
  best := the t in Card where t in hand[seat(1)]
  nobody wins
"""
    roaming = Roaming(game_of(text), 1)
    while not roaming.has_played(100):
        list(roaming.go_on())
    assert not roaming.notes
    (told,) = {error.message for error, _ in roaming.found.failed.values()}
    assert told == "Storm is not in Ship or none"


SELDOM = """
game Seldom "What counts comes seldom, or never"
const players = 1
state got: 0..48 = 0
chance high(dice: 0..8)
  roll dice d6 as total
  again if total < {least}
  gives total
action throw_them(p: Player, dice: 1..{most})
  let found = high(dice)
  got := found
to play: seat(1) chooses throw_them
"""


def test_a_throw_that_counts_seldom_does_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    for where in ("interpreter", "native.flow"):
        monkeypatch.setattr(f"seaspec.backends.{where}.chance.MOST_THROWS", 1)
    roaming = roamed(SELDOM.format(least=24, most=4).replace("1..4)", "4..4)"), much=2)
    assert not roaming.found.failed and not roaming.notes
    machine = roaming.machine
    here = machine.step(machine.begin(), next(iter(machine.options(machine.begin()))))
    assert machine.outcomes(here).sample(Random(1)) == Thrown((24,), 24)


def test_a_throw_that_never_counts_fails_alike_for_machine_code_and_interpreter() -> None:
    roaming = roamed(SELDOM.format(least=7, most=2), much=2)
    assert not roaming.notes
    assert [error.message for error, _ in roaming.found.failed.values()] == ["high is thrown again for ever"]
    machine = roaming.machine
    here = machine.step(machine.begin(), next(iter(machine.options(machine.begin()))))
    with pytest.raises(RuleError, match="for ever"):
        machine.outcomes(here).sample(Random(1))
