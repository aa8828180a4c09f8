"""Chapters beside the game that are drawn: a module that it uses, and a variant on top that changes it."""

from __future__ import annotations

from dataclasses import replace

from attack.kinds import Deed, Flag, Function, Name, Num, Scope, State
from attack.promises import Promises
from attack.steps import indented


class Changes:
    """Draws the chapters. What the module leaves open the game says."""

    def __init__(self, draws: Promises) -> None:
        self.draws = draws
        self.dice = draws.dice
        self.world = draws.world

    # -------------------------------------------------------------------------------------------------------- module

    def module(self) -> tuple[list[str], list[str]]:
        """The lines of a module, and those by which the game uses it."""
        dice, world = self.dice, self.world
        ticks, limit, moment = dice.new("state_of"), dice.new("word_of"), dice.new("go")
        most = dice.number(1, 2)
        module = [
            'module extra "Extra"',
            f"state {ticks}: 0..{most} = 0",
            f"define {limit} left open",
            f"to {moment} left open",
        ]
        world.states.append(State(ticks, (), Num(0, most), True))
        world.functions.append(Function(limit, (), Num(0, most), True))
        self.moment = [f"to {moment}", f"  if {ticks} < {limit}: {ticks} += 1"]
        world.procedures.append(Deed(moment, (), False, True))
        return module, ["uses extra", f"define {limit} = {dice.number(0, most)}", *self.moment]

    # ------------------------------------------------------------------------------------------------------- variant

    def variant(self, text: list[str]) -> list[str]:
        """A variant with a few changes, each of another thing."""
        dice = self.dice
        if dice.often(0.15) and self.world.constants:
            name, value = dice.pick(self.world.constants)
            return ["world small of Attacked", f"set {name} = {max(1, value - 1)}"]
        kinds = [
            self._forbid,
            self._allow,
            self._hook,
            self._hook,
            self._replaced_action,
            self._replaced_define,
            self._added_action,
            self._added_kind,
            self._set,
            self._replaced_state,
        ]
        dice.random.shuffle(kinds)
        rare = [self._added_action] * bool(self.world.menus) + [self._set] * bool(self.world.boards)
        kinds = [*(kind for kind in rare if dice.often(0.4)), *kinds]
        lines = []
        for change in dict.fromkeys(kinds[: dice.number(1, 3)]):
            lines += change(text)
        promises = [line for line in text if line.startswith("invariant ")]
        if len(promises) > 4 and dice.often(0.3):
            name = dice.pick(promises).split()[1].rstrip(":")
            words = ["drops", "breaks", "remove"]
            word = dice.pick(words)
            lines.append(f"remove {name}" if word == "remove" else f'{word} {name} because "it is so"')
        return ['variant Other of Attacked "Another way"', *lines] if lines else []

    def _forbid(self, text: list[str]) -> list[str]:
        deed, params, scope = self._action()
        return [f'forbid {deed.name}({", ".join(params)}) when {self.draws.test(scope.public(), 2)} "no"']

    def _allow(self, text: list[str]) -> list[str]:
        guarded = [a for a in self.world.actions if self.world.guards.get(a.name)]
        if not guarded:
            return []
        deed, params, scope = self._action(self.dice.pick(guarded))
        guard = self.dice.pick(self.world.guards[deed.name])
        when = f" when {self.draws.test(scope.public(), 1)}" if self.dice.often(0.7) else ""
        return [f"allow {deed.name}({', '.join(params)}) despite {guard}{when}"]

    def _hook(self, text: list[str]) -> list[str]:
        dice, world = self.dice, self.world
        word = dice.pick(["before", "after", "after"])
        tracks = [s for s in world.states if s.track and not s.index]
        if dice.often(0.4):
            p = dice.new("p")
            head, scope = f"{word} turn({p})", Scope((Name(p, world.players),), clocks=("turn",))
        else:
            deed, params, scope = self._action()
            head = f"{word} {deed.name}({', '.join(params)})"
        scope = replace(scope, mine=None, stops=False, ends=False)
        lines = self.draws.block(scope, 1, 2)
        if tracks and word == "after":
            track = dice.pick(tracks)
            lines.append(f"{track.name} := {self.draws.value(track.type, scope, 1, 1.0)}")
        return [head, *indented(lines)]

    def _replaced_action(self, text: list[str]) -> list[str]:
        deed, params, scope = self._action()
        lines = self.draws.block(replace(scope, mine=None, stops=False, ends=False), 1, 1)
        return [
            f"replace {deed.name}({', '.join(params)})",
            *indented(self.dice.pick([[f"base({', '.join(params)})", *lines], lines])),
        ]

    def _replaced_define(self, text: list[str]) -> list[str]:
        able = [f for f in self.world.functions if isinstance(f.type, Num | Flag) and f.open]
        if not able:
            return []
        function = self.dice.pick(able)
        params = tuple(Name(self.dice.new("k"), ty) for ty in function.params)
        head = f"{function.name}({', '.join(p.name for p in params)})" if params else function.name
        self.draws.world.functions.remove(function)
        value = self.draws.value(function.type, Scope(params, open=True), 1, 1.0)
        self.draws.world.functions.append(function)
        return [f"replace {head} = {value}"] if "word_of" not in value else []

    def _added_action(self, text: list[str]) -> list[str]:
        if not self.world.menus:
            return []
        lines = self.draws.plain_action()
        return [*lines, f"add {self.world.actions[-1].name} to {self.world.menus[0].name}(p)"]

    def _added_kind(self, text: list[str]) -> list[str]:
        component = self.dice.pick(list(self.world.components.values()))
        given = f"({', '.join(self.draws.literal(ty) for _, ty in component.facts)})" if component.facts else ""
        if component.size > 4:
            return []
        return [f"add {self.dice.new('Sort')}{given} to {component.name}"]

    def _set(self, text: list[str]) -> list[str]:
        boards = [b for b in self.world.boards.values() if any(f"board {b.name}: grid" in line for line in text)]
        if boards and self.dice.often(0.6):
            board = self.dice.pick(boards)
            line = next(line for line in text if line.startswith(f"board {board.name}: grid"))
            return [f"set {board.name} = {line.split(': ', 1)[1]}"]
        return [f"set {name} = {value}" for name, value in self.world.constants[:1]]

    def _replaced_state(self, text: list[str]) -> list[str]:
        able = [line for line in text if line.startswith("state ") and " hidden" not in line and "seen by" not in line]
        if not able:
            return []
        return [f"replace {self.dice.pick(able)}"]

    def _action(self, deed: Deed | None = None) -> tuple[Deed, list[str], Scope]:
        """An action, names for its parameters, and what may be said of them."""
        deed = deed or self.dice.pick(self.world.actions)
        params = [self.dice.new("b") for _ in range(len(deed.params) + 1)]
        types = (self.world.players, *deed.params)
        names = tuple(Name(name, ty) for name, ty in zip(params, types, strict=True))
        return deed, params, Scope(names, mine=params[0], clocks=("turn",))
