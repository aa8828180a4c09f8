"""Twin plays: a game without a house rule and with it go the same way, until what both know differs, or what is new has
changed."""

from __future__ import annotations

from small_games import game_of

from seaspec.sampling.twins import TwinPlays, Twins

BEFORE = """\
game Steps "One or two at a time, up to nine"
const players = 1
state at: 0..9 = 0
action step(p: Player) "a step"
  needs room: at < 9 "that is the top"
  at += 1
action leap(p: Player) "two steps"
  needs room: at < 8 "too high"
  at += 2
to turn(p: Player)
  p chooses step or leap
to play
  repeat until at = 9
    turn(seat(1))
  win for Player "there"
"""
STEP, LEAP, LAST = "action step", "  at += 2\n", '  win for Player "there"\n'
AFTER = {
    "the same": (BEFORE, 0),
    "a state that stays as it is": (BEFORE.replace(STEP, f"state spare: 0..3 = 1\n{STEP}"), 0),
    "a state that changes": (
        BEFORE.replace(STEP, f"state leaps: 0..9 = 0\n{STEP}").replace(LEAP, f"{LEAP}  leaps += 1\n"),
        20,
    ),
    "a step that leads elsewhere": (BEFORE.replace("  at += 1\n", "  at := min(9, at + 3)\n"), 16),
    "longer plays": (
        BEFORE.replace(LAST, f"  turn(seat(1))\n{LAST}").replace("  needs room: at < 9", "  needs room: at < 10"),
        20,
    ),
}


def test_plays_part_where_the_house_rule_makes_a_difference() -> None:
    def compared(after: str) -> Twins:
        left = iter(range(20))
        return TwinPlays(game_of(BEFORE), game_of(after), seed=3).compared(lambda: next(left, None) is not None)

    found = {name: compared(after) for name, (after, _) in AFTER.items()}
    assert {twins.plays for twins in found.values()} == {20}
    assert {name: twins.parted for name, twins in found.items()} == {
        name: parted for name, (_, parted) in AFTER.items()
    }
    assert found["the same"].taken == {"step", "leap"} and len(found["the same"].endings) == 1
