"""A game behind a lock: a dial of many digits, and noise, so that neither plays nor exploration get behind it.

The small twin has one digit and two bits of noise; what is so of it is so of the large one, for behind the lock is the
same game.
"""

from __future__ import annotations

import re

LARGE, SMALL = (12, 24), (1, 2)
LOCK = """\
state lock: 0..{most} = 0
state lock_noise[bit: 1..{bits}]: yes or no = no
define digit(kk: 0..{most}): 1..9 = 1 + (kk * kk * 5 + kk * 3 + 2) mod 9
action stir(opener: Player, bit: 1..{bits}) "stir {{bit}}": lock_noise[bit] := not lock_noise[bit]
action dial(opener: Player, dialled: 1..9) "dial {{dialled}}"
  if lock < {most} and dialled = digit(lock): lock += 1
  else: lock := 0
to unlock
  repeat until lock = {most}
    seat(1) chooses stir or dial
"""


def locked(text: str, size: tuple[int, int] = LARGE) -> str:
    """The game, which begins when the lock is open."""
    most, bits = size
    found = re.search(r"^to play(:.*| .*)?\n", text, re.MULTILINE)
    assert found is not None, "a game that is not played"
    body = text[found.end() :]
    if found[1] and found[1].strip(": "):
        body = f"  {found[1].strip(': ')}\n{body}"
    return text[: found.start()] + LOCK.format(most=most, bits=bits) + "to play\n  unlock\n" + body


def twins(text: str) -> tuple[str, str]:
    """The game behind the lock, and its small twin."""
    return locked(text, LARGE), locked(text, SMALL)
