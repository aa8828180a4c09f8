"""Games at random, in which procedures call and stop one another: what is proved of them procedure by procedure is so,
for all positions that a complete exploration comes to. So is what is proved where only that is looked at for itself
which many ways lead to."""

from __future__ import annotations

from random import Random

import pytest
from small_games import game_of
from test_symbolic import solve

from seaspec.explore.reference import explore
from seaspec.game import Game
from seaspec.prove.induction import Induction

SIZE, SEVERAL = 3, 9
HEAD = """
game Calls "Calls"
option players: 2..3 = {players}
state at: 0..2 = {first}
state mark[p: Player]: 0..2 = 0
state kept: 0..2 = 0 until end of mid
"""
CLAIMS = """
invariant never_{n}: at != {n}
invariant at_top_{n} at top: at != {n}
invariant at_end_{n} at end of low: at != {n}
invariant at_end_of_top_{n} at end of top: at != {n}
invariant outside_{n} outside mid: at != {n}
invariant unmarked_{n}: every p in Player: mark[p] != {n}
invariant unkept_{n} outside top: kept != {n}
invariant unmarked_at_end_{n} at end of top: every p in Player: mark[p] != {n}
"""
ALWAYS = """
always same_low after low(p): at = old at
always same_mid after mid(q): at = old at
always others_low after low(p): every r in Player where r is not p: mark[r] = old mark[r]
always others_mid after mid(q): every r in Player where r is not q: mark[r] = old mark[r]
always own_mid after mid(q): mark[q] = old mark[q]
always more_mid after mid(q): mark[q] >= old mark[q]
"""

ASKING = """
to ask(r: Player)
  {change}
  repeat at most 2 times until {test}
    r may act_0
    {after}
"""


class Writer:
    """Writes one game."""

    def __init__(self, random: Random, asks: bool = False) -> None:
        self.random = random
        self.asks = asks
        """Whether somebody is asked again and again, in a procedure that all others call."""

    def value(self, name: str) -> str:
        n = self.random.randrange(SIZE)
        return self.random.choice([str(n), f"({name} + {n}) mod {SIZE}", f"max({name}, {n})", name])

    def change(self, player: str) -> str:
        mark = self.random.choice([f"mark[{player}]", f"mark[next({player})]"])
        changes = [f"at := {self.value('at')}", f"{mark} := {self.value(mark)}", f"{mark} := {self.value('at')}"]
        return self.random.choice(changes + [f"kept := {self.value('at')}"] * (player == "q"))

    def test(self, player: str) -> str:
        return f"{self.random.choice(['at', 'kept', f'mark[{player}]'])} = {self.random.randrange(SIZE)}"

    def statement(self, player: str, calls: list[str]) -> str:
        kind = self.random.randrange(9)
        if self.asks and kind in (3, 7):
            return f"  {self.random.choice(['ask(q)', 'ask(next(q))']).replace('q', player)}\n"
        if kind < 3:
            return f"  {self.change(player)}\n"
        if kind == 3:
            return f"  if {self.test(player)}: {self.change(player)}\n"
        if kind == 4:
            return f"  {player} chooses act_0 or act_1\n"
        if kind == 5:
            return f"  {player} may act_1\n"
        if kind == 6 and not self.asks:
            return f"  if {self.test(player)}: stop top\n"
        if kind == 7:
            return f"  for each x in Player: mark[x] := {self.value('mark[x]')}\n"
        return f"  {self.random.choice(calls)}\n" if calls else f"  {self.change(player)}\n"

    def body(self, player: str, calls: list[str]) -> str:
        return "".join(self.statement(player, calls) for _ in range(self.random.randint(2, 5)))

    def game(self) -> Game:
        random = self.random
        text = HEAD.format(players=random.choice([2, 3]), first=random.randrange(SIZE))
        for n in range(2):
            text += f"action act_{n}(p: Player)\n  {self.change('p')}\n" + random.choice(
                ["", f"  {self.change('p')}\n"]
            )
        if self.asks:
            text += ASKING.format(change=self.change("r"), test=self.test("r"), after=self.change("r"))
        text += "to low(p: Player)\n" + self.body("p", [])
        text += "to mid(q: Player)\n" + self.body("q", ["low(q)", "low(next(q))"])
        text += "to top(p: Player)\n  p chooses act_0 or act_1\n" + self.body("p", ["mid(p)", "mid(next(p))", "low(p)"])
        text += "  p chooses act_0\n  mid(p)\n  low(next(p))\n" + random.choice(["", f"  {self.change('p')}\n"])
        text += "".join(f"  {call}\n" for call in ("ask(p)", "ask(next(p))") * 2) if self.asks else ""
        text += "to play\n  repeat\n    for each p in Player: top(p)\n"
        claims = [claim for n in range(SIZE) for claim in CLAIMS.format(n=n).strip().splitlines()]
        return game_of(text + "\n".join(random.sample([*claims, *ALWAYS.strip().splitlines()], SEVERAL)) + "\n")


@pytest.mark.parametrize("seed", range(6))
def test_what_is_proved_of_calls_at_random_is_so(seed: int) -> None:
    game = Writer(Random(seed)).game()
    explored = explore(game.machine, 100_000)
    assert explored.complete
    found = Induction(game.flow, game.rules.promises, solve, lambda: True, False, apart=True).run()
    proved = {name for name, proof in found.items() if proof.proved}
    assert not proved & set(explored.watched.broken)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_proved_is_so_where_many_ways_lead_to_one_procedure(seed: int) -> None:
    game = Writer(Random(f"asks {seed}"), asks=True).game()
    explored = explore(game.machine, 100_000)
    assert explored.complete
    induction = Induction(game.flow, game.rules.promises, solve, lambda: True, False)
    proved = {name for name, proof in induction.run().items() if proof.proved}
    assert any(place.within is not None for place in induction.paths.locations)
    assert not proved & set(explored.watched.broken)
