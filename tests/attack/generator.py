"""Random games with random promises: a seed gives the same text wherever it is written.

A game has few positions, so that all of them can be looked at. What it is made of is drawn anew for each: most have
some of everything, and little of each.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from attack.changes import Changes
from attack.kinds import Deed, Dice, Name, Num, Piece, Scope, Word, World
from attack.steps import indented
from attack.themes import Themes

THEMED = 0.5
"""So many games turn on one question, and have little else."""
SEATS = ("Ann", "Ben", "Cid")


def game(seed: int | str, promises: int = 6, *, of_all: bool = False) -> str:
    """The text of a game; `of_all`: no small one that turns on one question."""
    dice = Dice(Random(f"attack {seed}"))
    generator = Generator(dice)
    return (
        "\n".join(generator.themed(promises) if dice.often(THEMED) and not of_all else generator.lines(promises)) + "\n"
    )


class Generator:
    """Writes one game."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        seats = dice.pick([1, 2, 2, 2, 3])
        self.draws = Themes(dice, World(Word("Player", SEATS[:seats], True)))

    def lines(self, promises: int) -> list[str]:
        dice, draws = self.dice, self.draws
        changes = Changes(draws)
        module: list[str] = []
        lines = ['game Attacked "Attacked"', self._seats(), *draws.options()]
        if dice.often(0.12):
            module, uses = changes.module()
            lines += uses
        for _ in range(dice.pick([0, 1, 1, 2])):
            lines += draws.word()
        if dice.often(0.4):
            lines += draws.new_board()
        for _ in range(dice.pick([1, 1, 1, 2])):
            lines += draws.component()
        for number in range(dice.pick([1, 2, 2, 3])):
            if number == 1:  # so that a place can be bounded by a state
                lines += draws.new_state()
            lines += draws.new_place(dice.pick(list(draws.world.components)))
        for _ in range(dice.pick([1, 2, 2, 3, 3, 4])):
            lines += draws.new_state()
        for share, thing in ((0.4, draws.table), (0.5, draws.define), (0.4, draws.define), (0.3, draws.throw)):
            if dice.often(share):
                lines += thing()
        lines += self._setup()
        for _ in range(dice.pick([0, 0, 1, 1, 2])):
            lines += draws.procedure()
        lines += draws.shared_guards()
        for _ in range(dice.pick([1, 1, 2, 2])):
            lines += draws.plain_action()
        for _ in range(dice.pick([0, 1, 1, 2])):
            lines += draws.action()
        lines += self._shared_words()
        lines += self._turn(lines)
        lines += self._play()
        lines += self._whenever()
        lines += draws.promises(promises)
        if dice.often(0.35):
            lines += changes.variant(lines)
        return module + lines

    def themed(self, promises: int) -> list[str]:
        """A small game that turns on one question, or on two."""
        dice, draws = self.dice, self.draws
        draws.begin()
        lines: list[str] = []
        for _ in range(dice.pick([1, 1, 1, 2])):
            lines += draws.theme()
        if not draws.world.components:
            lines = draws.act(["nothing"]) + lines if dice.often(0.3) else lines
        lines += draws.plain_action() if draws.world.places and dice.often(0.15) else []
        lines = self._once(lines)
        if not draws.world.states:
            draws.flag()
        if not draws.world.components:
            draws.pieces()
        turn = [*draws.before]
        items = list(dict.fromkeys([*draws.items, *(action.name for action in draws.world.actions)]))
        turn.append(f"p chooses {' or '.join(items)}")
        turn += ["otherwise: nothing"] if dice.often(0.3) else []
        turn += draws.after_turn
        called = self.uncalled("\n".join(lines))
        turn += [draws.call(deed.name, deed.params, Scope(open=True), 1) for deed in called if deed.name != draws.last]
        round_ = dice.pick(["for each p in Player in order from seat(1): turn(p)"] * 3 + ["turn(seat(1))"])
        head = dice.pick(["repeat"] * 4 + [f"repeat {dice.number(2, 4)} times"])
        play = [head, f"  {round_}"]
        if draws.last:
            play = [*([f"repeat {dice.number(1, 2)} times", f"  {round_}"] if dice.often(0.7) else []), draws.last]
        lines = ['game Attacked "Attacked"', self._seats(), *draws.extra, *lines, *draws.endless]
        lines += ["to turn(p: Player)", *indented(turn), "to play", *indented(play)]
        if draws.setup:
            lines += ["to setup", *indented(draws.setup)]
        lines += draws.own_promises
        lines += draws.promises(max(promises, 2 * promises))
        lines += [f"secret {', '.join(draws.secrets)}"] if draws.secrets else []
        for ring in draws.symmetric:
            v = dice.new("v")
            lines += [f"symmetry {dice.new('promise')}", f"  {v}: {ring.name} to next({v})"]
        if draws.last:
            lines += [f"invariant {dice.new('promise')} outside {draws.last}: {draws.claim()}" for _ in range(3)]
        return lines

    def _once(self, lines: list[str]) -> list[str]:
        """When it has come so far, nothing changes any more: so the only way there is by what the theme turns on."""
        dice, draws = self.dice, self.draws
        flags = [s.name for s in draws.world.states if s.name.startswith("flag") and s.clock is None]
        if not flags or not dice.often(0.7):
            return lines
        draws.focus = flags[-1] if dice.often(0.7) else dice.pick(flags)
        done = []
        for line in lines:
            done.append(line)
            if line.startswith("action ") and line.endswith('"'):
                done.append(f"  needs {dice.new('guard')}: not {draws.focus}")
        return done + draws.act(["nothing"])

    def _seats(self) -> str:
        players = self.draws.world.players
        if self.dice.often(0.15) and len(players.values) > 1:
            return f"option players: 1..3 = {len(players.values)}"
        return f"const players = {len(players.values)}"

    def _setup(self) -> list[str]:
        """Where pieces are at first."""
        dice, draws, world = self.dice, self.draws, self.draws.world
        lines = []
        for component in world.components.values():
            places = [p for p in world.places if p.holds == component.name]
            if not places:
                continue
            for _ in range(dice.number(1, 2)):
                place = dice.pick(places)
                instance = draws.place(place, Scope(setup=True), 0, True)
                kind = dice.pick([component.name, *(k.name for k in component.kinds)])
                if place.capacity is None and dice.often(0.8):
                    lines.append(f"move all {kind} from box to {instance}")
                elif dice.often(0.3):
                    lines.append(f"draw up to 1 from box to {instance}")
                elif kind != component.name or len(component.kinds) == 1:
                    lines.append(f"move up to 1 {kind} from box to {instance}")
        if dice.often(0.2):
            scope = Scope(setup=True, stops=False, ends=False)
            lines += draws.block(scope, 1, 1)
        if not lines:
            return []
        return ["to setup", *indented(lines)]

    def _shared_words(self) -> list[str]:
        """A menu."""
        dice, world = self.dice, self.draws.world
        if not dice.often(0.2) or not world.actions:
            return []
        name = dice.new("menu_of")
        items = " or ".join(action.name for action in world.actions)
        world.menus.append(Deed(name, (world.players,)))
        return [f'menu {name}(p: Player) "what {{p}} may do" = {items}']

    def _turn(self, written: list[str]) -> list[str]:
        dice, draws = self.dice, self.draws
        p = Name("p", draws.world.players)
        scope = Scope((p,), clocks=("turn",), asks=True)
        lines: list[str] = []
        if dice.often(0.35):
            before, scope = draws.step(scope, 1)
            lines += before
        lines += draws.offer("p", scope, 1, whole=True)
        lines += [draws.call(deed.name, deed.params, scope.public(), 1) for deed in self.uncalled("\n".join(written))]
        if dice.often(0.5):
            lines += draws.block(replace(scope, asks=dice.often(0.5)), 1, 2)
        if dice.often(0.1):
            lines += draws.offer("p", scope, 1)
        return ["to turn(p: Player)", *indented(lines)]

    def uncalled(self, text: str) -> list[Deed]:
        """Procedures that nobody calls yet."""
        return [d for d in self.draws.world.procedures if not re.search(rf"^ .*\b{d.name}\b", text, re.MULTILINE)]

    def _play(self) -> list[str]:
        dice, draws = self.dice, self.draws
        scope = Scope(open=True)
        head = dice.pick(["repeat", "repeat", f"repeat {dice.number(1, 3)} times"])
        if dice.often(0.2):
            until = draws.test(scope, 1)
            head = dice.pick([f"repeat until {until}", f"repeat at most {dice.number(1, 3)} times until {until}"])
        body = ["for each p in Player in order from seat(1): turn(p)"]
        if dice.often(0.25):
            body = [dice.pick(["turn(seat(1))", "for each p in Player: turn(p)"])]
        lines = [head, *indented(body)]
        if dice.often(0.2):
            players = draws.world.players
            order = f" in order from {draws.value(players, scope, 1)}"
            lines = [f"for each q in {draws.set_of(players, scope, 1)}{order}: turn(q)", *lines]
        if head != "repeat" and dice.often(0.5):
            lines += [draws.score(scope)] if dice.often(0.6) else draws.end(scope, 1)
        return ["to play", *indented(lines)]

    def _whenever(self) -> list[str]:
        """A rule that settles, and makes its own test false."""
        dice, draws, world = self.dice, self.draws, self.draws.world
        if not dice.often(0.3):
            return []
        name = dice.new("rule")
        open_ = [
            s
            for s in world.states
            if s.open and not s.index and isinstance(s.type, Num) and not s.clock and not s.track
        ]
        sets = [p for p in world.places if p.open and not p.index and p.order in ("set", "bag")]
        if open_ and dice.often(0.6):
            state = dice.pick(open_)
            assert isinstance(state.type, Num)
            most = state.type.high
            if most > state.type.low:
                body = [f"{state.name} := {draws.literal(Num(state.type.low, most - 1))}"]
                if dice.often(0.2):
                    body += draws.end(Scope(), 1)
                return [f"whenever {name}: {state.name} >= {most}", '  "it settles"', *indented(body)]
        if len(sets) > 1 and sets[0].holds == sets[1].holds:
            x = Name(dice.new("x"), Piece(sets[0].holds, sets[0].holds))
            test = draws.test(Scope((x,), open=True), 1)
            return [f"whenever {name}: some {x.name} in {sets[0].name}: {test}", f"  move {x.name} to {sets[1].name}"]
        if dice.often(0.6):
            return []
        test = draws.test(Scope(open=True), 2)
        return [f"whenever {name}: {test}", *indented(draws.end(Scope(), 1))]
