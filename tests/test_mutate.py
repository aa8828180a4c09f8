"""Mutants of rules, whether the checks find them, and `seaspec mutate`.

The small game has rules that its example and promise pin down, and one that nothing looks at: what survives is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from cli_runner import seaspec

from seaspec.cli.mutating.hunters import hunted
from seaspec.cli.output import Fault
from seaspec.diagnostics.model import Report
from seaspec.explore.reference import Explored, explore
from seaspec.game import Game
from seaspec.library import Subject, load_subject_of
from seaspec.loading import LoadError, load_subject
from seaspec.mutate.hunt import Effort, difference, hunt
from seaspec.mutate.mutants import SORTS, Mutant, mutants
from seaspec.prove.proof import FROM_A_POSITION, Proof
from seaspec.syntax.walk import walk

STICKS = """game Sticks "Sticks"

const players = 2
component Stick
  Stick times 12
place heap set of Stick open
place taken[p: Player] set of Stick open
state turns_so_far: 0..99 = 0

rules modest(p: Player, n: 1..3)
  needs few: size of taken[p] < 5 or n = 1 "{p} has enough"
action take(p: Player, n: 1..3) "{p} takes {n}"
  needs modest(p, n)
  needs enough: n <= size of heap "only {size of heap} are left"
  move n Stick from heap to taken[p]

to setup
  move all Stick from box to heap
to turn(p: Player)
  p chooses take
  turns_so_far += 1
  if heap is empty: win for p
to play
  repeat
    for each p in Player in order from seat(1): turn(p)

example last_two "two are left"
  given heap = {2 Stick}
  when Ann does take(3) then refused by enough
  when Ann does take(2)
  then Ann has won
invariant all_there: size of heap + (sum size of taken[p] for p in Player) = 12
variant Quick of Sticks "At most two"
forbid take(p, n) when n > 2 "two at most"
after turn(p): say "done"
"""
EXPECTED = {
    "guards": ["guard dropped", "guard negated", "guards dropped", "guard dropped", "guard negated"],
    "comparisons": ["size of taken[p] < 5: <= for <", "n = 1: != for =", "n <= size of heap: < for <="],
    "effects": ["move n Stick", "move all Stick", "turns_so_far += 1", "win for p", "turn(p)"],
}


@pytest.fixture
def sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("sticks.sea").write_text(STICKS, encoding="utf-8")
    return "sticks.sea"


def subject(spec: str) -> Subject:
    found = load_subject_of(spec, Report())
    assert found is not None
    return found


def explore_nothing(game: object, where: str) -> Explored:
    return Explored()


def enough_time() -> bool:
    return True


QUICK = Effort(12, 0, False, 1, lambda: enough_time)


def test_each_mutant_differs_in_one_place_of_the_tree(sticks: str) -> None:
    base = subject(sticks)
    made = list(mutants(base))
    assert {mutant.sort for mutant in made} == set(SORTS) - {"changes"}
    for sort, words in EXPECTED.items():
        found = [mutant.changed for mutant in made if mutant.sort == sort]
        assert len(found) == len(words), found
        assert all(word in changed for word, changed in zip(words, found, strict=True)), found
    numbers = [node for chapter in base.chapters for node in walk(chapter) if type(node).__name__ == "Number"]
    bounds = [mutant for mutant in made if mutant.sort == "bounds"]
    assert len(bounds) < 2 * len(numbers)  # those of examples and promises are left, and 0 has no smaller one
    texts = [[tuple(map(repr, chapter.declarations)) for chapter in mutant.subject.chapters] for mutant in made]
    ours = [tuple(map(repr, chapter.declarations)) for chapter in base.chapters]
    for mutant, theirs in zip(made, texts, strict=True):
        changed = [
            (mine, other)
            for chapter, others in zip(ours, theirs, strict=True)
            for mine, other in zip(chapter, others, strict=True)
            if mine != other
        ]
        assert len(changed) == 1 and f"{mutant.within!r}" in changed[0][0], mutant.changed
        assert mutant.place.startswith("sticks.sea:")


def test_of_a_stack_the_variants_are_changed(sticks: str) -> None:
    found = list(mutants(subject(f"{sticks} + quick")))
    assert {mutant.sort for mutant in found} == {"guards", "changes", "comparisons", "bounds"}
    dropped = [mutant for mutant in found if mutant.sort == "changes"]
    assert [mutant.changed for mutant in dropped] == [
        'dropped: forbid take(p, n) when n > 2 "two at most"',
        'dropped: after turn(p): say "done"',
    ]
    for mutant in dropped:
        assert sum(len(chapter.declarations) for chapter in mutant.subject.chapters) == 13


def one(spec: str, words: str) -> tuple[Subject, Mutant]:
    base = subject(spec)
    return base, next(mutant for mutant in mutants(base) if words in mutant.changed)


@pytest.mark.parametrize(
    ("words", "by", "what"),
    [
        ("guard dropped: enough", "example", "last_two"),
        ("guard negated: few", "example", "last_two"),
        ("not done: move all Stick", "play", "stuck: Ann"),
        ("not done: win for p", "example", "last_two"),
        ("1 for 0", "language", "SEA409"),
    ],
)
def test_what_finds_a_mutant(sticks: str, words: str, by: str, what: str) -> None:
    _, mutant = one(sticks, words)
    found = hunt(mutant.subject, {}, QUICK, explore_nothing, mutant.within)
    assert found is not None and found.by == by and what in found.what


def test_the_game_itself_is_no_mutant(sticks: str) -> None:
    base = subject(sticks)
    assert hunt(base, {}, QUICK, explore_nothing) is None
    assert difference(load_subject(base, {}), load_subject(base, {}), 20, 1, enough_time) == (None, 20)


def test_a_hole_comes_with_a_play_on_which_the_games_differ(sticks: str) -> None:
    base, mutant = one(sticks, "guard dropped: few")
    assert hunt(mutant.subject, {}, QUICK, explore_nothing) is None
    ours, theirs = load_subject(base, {}), load_subject(mutant.subject, {})
    found, plays = difference(ours, theirs, 50, 1, enough_time)
    assert found is not None and plays <= 50 and "also offers take" in found.what
    states = [game.machine.begin() for game in (ours, theirs)]
    for answer in found.answers:
        states = [g.machine.step(s, answer) for g, s in zip((ours, theirs), states, strict=True)]
    mine, other = (len(g.machine.options(s)) for g, s in zip((ours, theirs), states, strict=True))
    assert mine < other  # who has five may take more


def test_worlds_find_what_plays_do_not(sticks: str) -> None:
    """Where it takes luck to see it: exploration looks at each position."""
    text = STICKS.replace("turns_so_far: 0..99", "turns_so_far: 0..40").replace(
        "  turns_so_far += 1\n", "  chance chooses lot in 1..6\n  turns_so_far += (if lot = 6 then 1 else 0)\n"
    )
    lucky = text.replace("invariant all_there", "invariant slow: turns_so_far < 7\ninvariant all_there")
    Path("lucky.sea").write_text(lucky, encoding="utf-8")
    _, mutant = one("lucky.sea", "2 for 1")
    seen = []

    def explore_all(game: object, where: str) -> Explored:
        seen.append(where)
        return explore(game.machine, 100_000)  # type: ignore[attr-defined]

    steps = [m for m in mutants(subject("lucky.sea")) if m.within == "turn" and m.changed == "2 for 1"]
    found = [hunt(m.subject, {}, Effort(1, 1, True, 1, lambda: enough_time), explore_all) for m in steps]
    assert mutant.changed == "2 for 1" and seen
    assert any(killed is not None and killed.by == "world" and "slow" in killed.what for killed in found), found


HIGH = """game High
const players = 2
const top = 40
const low_water = 2
state height: 0..100000 = 0
state trust: 0..100000 = 0
define is_high = height > low_water
define is_low = height < top
action climb(p: Player)
  needs low: is_low
  height += 1
action rest(p: Player)
  needs calm: trust < 70
  trust += 1
  height := 0
menu deed(p: Player) = climb or rest
to play
  repeat 30 times
    for each p in Player in order from seat(1)
      p chooses deed(p)
      otherwise: nothing
invariant never_high: is_high implies height <= top + 5
invariant trusted: trust <= 90
"""


def test_what_only_promises_use_is_left(sticks: str) -> None:
    Path("high.sea").write_text(HIGH, encoding="utf-8")
    found = list(mutants(subject("high.sea")))
    assert {mutant.within for mutant in found} >= {"is_low", "top", "height", "climb", "rest"}
    assert not {mutant.within for mutant in found} & {"is_high", "low_water"}


def test_with_full_what_is_not_proved_any_more_is_found(sticks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No play gets so high that it shows."""
    Path("high.sea").write_text(HIGH, encoding="utf-8")
    monkeypatch.setenv("SEASPEC_CACHE", "cache")
    words = ["mutate", "high.sea", "--only", "guards", "--plays", "1", "--memory", "1", "--jobs", "1", "--json"]
    monkeypatch.setattr("seaspec.cli.mutating.mutate._exploring", lambda args: explore_nothing)
    ran = json.loads(seaspec(*words, "--full").out)
    by = {killed["changed"]: killed for killed in ran["killed"]}
    dropped = by["guard dropped: low: is_low"]
    assert dropped["by"] == "proof"
    assert dropped["what"].startswith("never_high is not proved any more: climb may break it, from a position")
    assert by["guard dropped: calm: trust < 70"]["what"].startswith("trusted is not proved any more: rest may break it")


def test_a_proof_that_has_no_time_finds_nothing(sticks: str) -> None:
    Path("high.sea").write_text(HIGH, encoding="utf-8")
    effort = Effort(1, 0, False, 1, lambda: lambda: False, frozenset({"never_high"}))
    dropped = next(m for m in mutants(subject("high.sea")) if m.changed.startswith("guard dropped: low"))

    def hunted(why: str) -> str | None:
        late = replace(effort, prove=lambda game, names: {"never_high": Proof("never_high", False, why)})
        found = hunt(dropped.subject, {}, late, explore_nothing)
        return None if found is None else found.by

    assert hunted("no time left") is None and hunted("climb may break it") is None
    assert hunted(f"climb may break it, {FROM_A_POSITION}: height = 41") == "proof"


# ------------------------------------------------------------------------------------------------------- command line


def test_holes_are_listed_and_their_plays_replay(sticks: str) -> None:
    ran = seaspec("mutate", sticks, "--only", "guards", "--quick", "--jobs", "1")
    assert ran.code == 1
    assert "a hole  sticks.sea:11  modest  guard dropped: few: size of taken[p] < 5 or n = 1" in ran.out
    assert "the mutant also offers take" in ran.out
    saved = next(line.split()[-1] for line in ran.lines if "seaspec replay" in line)
    assert seaspec("replay", saved).code == 0


def test_an_example_closes_a_hole(sticks: str) -> None:
    more = """example enough_taken
  given heap = {2 Stick}, taken[Ann] = {5 Stick}
  when Ann does take(2) then refused by few
  when Ann does take(1)
"""
    Path(sticks).write_text(STICKS.replace("variant Quick", more + "variant Quick"), encoding="utf-8")
    ran = seaspec("mutate", sticks, "--only", "guards", "--quick", "--jobs", "1", "--json")
    found = json.loads(ran.out)
    assert ran.code == 0 and found["survivors"] == [] and found["mutants"] == len(found["killed"]) == 5
    assert "example" in {killed["by"] for killed in found["killed"]} and found["median"] > 0


def test_what_may_be_no_other_game_is_told_so(sticks: str) -> None:
    text = STICKS.replace("n <= size of heap", "n <= size of heap and n < 9")
    Path(sticks).write_text(text, encoding="utf-8")
    words = ["mutate", sticks, "--only", "comparisons", "--quick", "--jobs", "2"]
    ran = seaspec(*words, "--json")
    survivors = {s["changed"]: s for s in json.loads(ran.out)["survivors"]}
    alike = survivors["n < 9: <= for <"]
    assert alike["difference"] is None and alike["compared"] == 50 and alike["saved"] is None
    assert "it may be the same game" in seaspec(*words).out


def test_machine_code_finds_what_few_plays_do_not(sticks: str, tmp_path: Path) -> None:
    text = """game Streak "Streak"
state streak: 0..20 = 0
action go(p: Player)
  needs calm: streak < 8
  streak += 1
action stay(p: Player): streak := 0
menu deed(p: Player) = go or stay
to play
  repeat 12 times: seat(1) chooses deed
invariant short: streak <= 8
"""
    Path("streak.sea").write_text(text, encoding="utf-8")
    _, mutant = one("streak.sea", "guard dropped: calm")
    assert hunt(mutant.subject, {}, replace(QUICK, plays=2), explore_nothing) is None
    killed = hunt(mutant.subject, {}, replace(QUICK, plays=2, steps=50_000, cache=tmp_path / "cache"), explore_nothing)
    assert killed is not None and killed.by == "play" and "short" in killed.what
    assert list((tmp_path / "cache").iterdir()), "nothing of a mutant is kept where it pushes out what is needed again"


def test_lines_of_json_come_one_by_one(sticks: str) -> None:
    ran = seaspec("mutate", sticks, "--only", "guards", "--quick", "--jobs", "2", "--json-lines")
    *lines, last = map(json.loads, ran.lines)
    assert ran.code == 1 and len(lines) == last["mutants"] == 5
    told = sorted((line for line in lines if line.pop("news") == "survives"), key=lambda line: line["saved"])
    assert told == last["survivors"] and told[0]["saved"] and Path(told[0]["saved"]).exists()


def test_ctrl_c_keeps_what_was_found(sticks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupting(numbers: Iterable[int], hunt: Callable[[int], object], jobs: int) -> Iterator[object]:
        yield from map(hunt, [-1, 1, 0])
        raise KeyboardInterrupt

    monkeypatch.setattr("seaspec.cli.mutating.mutate.hunted", interrupting)
    ran = seaspec("mutate", sticks, "--only", "guards", "--quick", "--verbose")
    assert (
        ran.code == 130 and "5 mutants, " in ran.out and "s, interrupted" in ran.out and "3 were not looked" in ran.out
    )
    assert ran.out.count("found  sticks.sea:") + ran.out.count("a hole  sticks.sea:") == 2
    assert json.loads(seaspec("mutate", sticks, "--only", "guards", "--quick", "--json").out)["left"] == 3


def test_without_time_nothing_is_looked_at(sticks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(0, 100)
    monkeypatch.setattr("seaspec.cli.mutating.mutate.time.monotonic", lambda: float(next(clock)))
    ran = seaspec("mutate", sticks, "--only", "guards", "--quick", "--jobs", "1", "--for", "50", "--strict")
    assert ran.code == 2 and "5 were not looked at" in ran.out


def test_games_are_not_compared_when_the_time_is_over(sticks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now, went_on = [0.0], []

    def nothing(*_: object) -> None:
        now[0] = 45.0

    def comparing(base: Game, other: Game, plays: int, seed: int, go_on: Callable[[], bool]) -> tuple[None, int]:
        now[0] = 52.0  # later than --for says, sooner than a comparison may last
        went_on.append(go_on())
        now[0] = 45.0
        return None, 1

    monkeypatch.setattr("seaspec.cli.mutating.mutate.time.monotonic", lambda: now[0])
    monkeypatch.setattr("seaspec.cli.mutating.mutate.hunt", nothing)
    monkeypatch.setattr("seaspec.cli.mutating.mutate.difference", comparing)
    ran = seaspec("mutate", sticks, "--only", "guards", "--quick", "--jobs", "1", "--for", "50")
    assert ran.code == 0 and went_on == [False] * 5 and "no difference found in 1 play: it may be" in ran.out


def test_ctrl_c_while_processes_work(sticks: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, "mutate", sticks, "--jobs", "2", "--quick", "--json-lines"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = process.communicate(timeout=120)
    *lines, last = map(json.loads, out.splitlines())
    assert process.returncode == 130 and err == ""
    assert len(lines) == 2 == len(last["killed"]) + len(last["survivors"]) and last["left"] == last["mutants"] - 2


INTERRUPTED = """
import os, signal, sys
from seaspec.cli import main
from seaspec.cli.mutating import told

class Telling(told.Telling):
    def tell(self, one):
        super().tell(one)
        if len(self.hunted) == 2:
            os.kill(os.getpid(), signal.SIGINT)

import seaspec.cli.mutating.mutate
seaspec.cli.mutating.mutate.Telling = Telling
sys.exit(main.main(sys.argv[1:]))
"""
"""The tool, interrupted when two mutants have been told."""


def test_processes_tell_what_they_find_and_how_they_end() -> None:
    assert sorted(hunted(range(7), lambda number: number * number, 3)) == [0, 1, 4, 9, 16, 25, 36]
    assert list(hunted([], lambda number: number, 2)) == []
    with pytest.raises(ZeroDivisionError):
        list(hunted([1, 0], lambda number: 1 // number, 2))
    with pytest.raises(Fault, match="has died"):
        list(hunted([1, 2], lambda number: os._exit(3), 2))


def test_samples_and_limits(sticks: str) -> None:
    words = ["mutate", sticks, "--quick", "--jobs", "1", "--json"]
    ran = [json.loads(seaspec(*words, "--sample", "3", "--seed", seed).out) for seed in ("1", "1", "2")]
    told = [[m["where"] + m["changed"] for m in [*r["killed"], *r["survivors"]]] for r in ran]
    assert ran[0]["mutants"] == 3 and told[0] == told[1] != told[2]


def test_a_game_that_is_broken_is_not_mutated(sticks: str) -> None:
    Path(sticks).write_text(STICKS.replace("= 12\nvariant", "= 8\nvariant"), encoding="utf-8")
    ran = seaspec("mutate", sticks, "--quick")
    assert ran.code == 1 and "all_there" in ran.err and "game itself" in ran.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--only", "jokes"], 3, "there is no 'jokes'"),
        (["--only", "changes"], 1, "nothing to get wrong"),
        (["--quick", "--full"], 3, "not allowed"),
        (["--sample", "0"], 3, "from 1 on"),
        (["--set", "foo=1"], 1, "foo"),
    ],
)
def test_bad_questions_are_told(sticks: str, words: list[str], code: int, said: str) -> None:
    ran = seaspec("mutate", sticks, *(["--quick"] if "--full" not in words else []), *words)
    assert ran.code == code and said in ran.err + ran.out


def test_mutants_have_no_place_in_a_faulty_text(sticks: str) -> None:
    _, mutant = one(sticks, "1 for 0")
    with pytest.raises(LoadError):
        load_subject(mutant.subject, {})
