"""Which lines of a variant make the difference: each one that is needed for the play, no other."""

from __future__ import annotations

from seaspec.compile import parse_text
from seaspec.diagnostics.model import Report
from seaspec.explore.reference import explore
from seaspec.library import Subject
from seaspec.loading import load_subject
from seaspec.sampling.watch import Found
from seaspec.verdict.blame import blamed, shown_by_play

GAME = """\
game Bank "A bank"
option players: 1..2 = 1
const limit = 2
state gold: 0..9 = 0
state thrift: 0..9 = 0
to setup: nothing
action save(p: Player) "{p} saves"
  needs room: gold < limit "the purse is full"
  gold += 1
action rest(p: Player) "{p} rests"
  needs calm: thrift < 2 "no more rest"
  thrift += 1
menu deed(p: Player) = save or rest
to play
  repeat 6 times
    seat(1) chooses deed(seat(1))
    otherwise: lose for everyone "stuck"
  lose for everyone "time is up"
invariant poor "nobody gets rich": gold <= 2
variant House of Bank "a house rule"
note "it changes something"
"""


def subject(changes: str, text: str = GAME) -> Subject:
    report = Report()
    file = parse_text("bank.sea", text + changes, report)
    assert not report.failed, [str(d.message) for d in report]
    game, *variants = file.chapters
    return Subject("bank + house", game, (game, *variants), tuple(variants), (), tuple(variants))


def blame(changes: str, promise: str | None = "poor", go_on: bool = True, text: str = GAME) -> list[str]:
    """What is blamed for the first play that breaks the promise, or (None) in which the rules fail."""
    bank = subject(changes, text)
    game = load_subject(bank, {})
    explored = explore(game.machine, 2_000)
    if promise is None:
        ((_, found),) = explored.failed.values()
    else:
        found = {**explored.watched.broken, **explored.too_long}[promise]
    lines = blamed(bank, {}, shown_by_play(game.machine, found, promise), lambda: go_on)
    return [line.span.text.splitlines()[0] for line in lines]


def test_one_line_of_several() -> None:
    assert blame('set limit = 3\nforbid rest(p) when thrift = 1 "once is enough"\n') == ["set limit = 3"]


def test_all_lines_that_are_needed() -> None:
    assert blame(
        "set limit = 1\nafter save(p): thrift := 5\nafter rest(p): gold := 0\nbefore save(p): gold += 2\n"
    ) == ["before save(p): gold += 2"]
    both = "state lucky: yes or no = no\nbefore save(p): lucky := yes\nafter save(p)\n  if lucky: gold := 9\n"
    assert blame(both) == ["before save(p): lucky := yes", "after save(p)"]  # without `lucky` it is no text


WALK = """\
game Bank "There and not back"
const players = 1
const limit = 2
state at: 0..4 = 0
to setup: nothing
action go(p: Player) "{p} goes on": at += 1
to turn(p: Player)
  p chooses go
to play
  repeat until at > limit: turn(seat(1))
ends within 5 calls of turn
variant House of Bank "a house rule"
note "it changes something"
"""


def test_what_need_not_end() -> None:
    changes = "set limit = 3\nafter go(p)\n  if at = 2: at := 0\n"
    assert blame(changes, "ends within 5 calls of turn", text=WALK) == ["after go(p)"]


def test_pictures_are_not_to_blame() -> None:
    """Without the line that makes another cell, its picture would not fit; nor the other way round."""
    house = "type Vault = one of low, new\nplace kept[v: Vault] set of Coin open\ncomponent Coin\n  Coin times 3\n"
    drawn = house + "picture vaults of Vault\n  low    new\n"
    assert blame(drawn + "set limit = 3\n") == ["set limit = 3"]
    game = GAME.replace("const limit = 2\n", "const limit = 2\n" + house + "picture vaults of Vault\n  low    new\n")
    third = "set Vault = one of low, new, third\nafter save(p): gold := size of Vault\n"
    for of_it in ("replace picture vaults of Vault\n  low    new    third\n", "remove vaults\n"):
        assert blame(third + of_it, text=game) == [
            "set Vault = one of low, new, third", "after save(p): gold := size of Vault"
        ]  # fmt: skip


def test_two_lines_that_would_do_alone() -> None:
    either = "before rest(p): gold := 9\nafter rest(p): gold := 9\n"
    assert blame(either) == ["before rest(p): gold := 9", "after rest(p): gold := 9"]


def test_where_the_rules_fail() -> None:
    assert blame("set limit = 1\nafter save(p): thrift := gold + 9\n", None) == ["after save(p): thrift := gold + 9"]


def test_where_the_rules_fail_before_anybody_chooses() -> None:
    bank = subject("before play\n  gold := 9\n  thrift := gold + 3\n")
    game = load_subject(bank, {})
    lines = blamed(bank, {}, shown_by_play(game.machine, Found(()), None), lambda: True)
    assert [line.span.text.splitlines()[0] for line in lines] == ["before play"]


def test_no_time_no_word() -> None:
    assert blame("set limit = 3\n", go_on=False) == []


def test_a_promise_of_the_variant_is_no_change() -> None:
    assert blame("invariant none_at_all: gold = 0\n", "none_at_all") == []


def test_without_the_line_the_play_is_over_sooner() -> None:
    turns = "  repeat 8 times\n    seat(1) chooses deed(seat(1))\n    otherwise: lose for everyone\n"
    longer = f"replace play\n{turns}  lose for everyone\n"
    changes = f'set limit = 5\n{longer}invariant few: gold + thrift <= 6\ndrops poor because "they save more"\n'
    assert blame(changes, "few") == ["set limit = 5", "replace play"]
