"""Small parts of themes: a flag, a number, pieces and two places for them, actions that change these."""

from __future__ import annotations

from attack.kinds import Component, Deed, Flag, Kind, Name, Num, Place, Scope, State, Word
from attack.promises import Promises
from attack.steps import indented

Lines = list[str]


class Parts(Promises):
    """Draws parts. What is declared beside them waits in `extra`, and so do steps of a turn."""

    # ------------------------------------------------------------------------------------------------ small parts

    def flag(self, value: str = "no", extra: str = "") -> str:
        """A new state of yes or no; its lines wait in `extra_lines`."""
        name = self.dice.new("flag")
        self.world.states.append(State(name, (), Flag(), True))
        self.extra.append(f"state {name}: yes or no = {value}{extra}")
        self.telling.append(name)
        return name

    def counter(self, low: int, high: int, first: int) -> str:
        name = self.dice.new("level")
        self.world.states.append(State(name, (), Num(low, high), True))
        self.extra.append(f"state {name}: {Num(low, high)} = {first}")
        self.telling.append(f"({name} = {self.dice.number(low, high)})")
        return name

    def pieces(self) -> tuple[Component, Place, Place]:
        """Some pieces with a number that may be 0, and two places for them."""
        dice = self.dice
        name, fact = dice.new("Chip"), dice.new("val")
        numbers = [dice.pick([0, 1, 2, 3]) for _ in range(dice.number(2, 3))]
        kinds = tuple(Kind(dice.new("Sort"), True) for _ in numbers)
        component = Component(name, ((fact, Num(0, 3)),), kinds, len(kinds))
        here, there = dice.new("shelf"), dice.new("bag")
        self.extra.append(f"component {name}({fact}: 0..3)")
        homes = [dice.pick([here, here, there]) for _ in kinds]
        pairs = zip(kinds, numbers, homes, strict=True)
        self.extra += [f"  {kind.name}({number}) kept in {home}" for kind, number, home in pairs]
        self.extra += [f"place {place} set of {name} open" for place in (here, there)]
        places = tuple(Place(place, (), "set", None, name, True) for place in (here, there))
        self.world.components[name] = component
        self.world.places += places
        self.away = [kind.name for kind, home in zip(kinds, homes, strict=True) if home == there]
        self.telling += [f"({kind} in {there})" for kind in (self.away or [kinds[0].name])[:1]]
        return component, places[0], places[1]

    away: Lines
    """Kinds of pieces that are not where they are looked for."""

    def sort(self, component: Component) -> str:
        """A kind, mostly one that is not there."""
        if self.away and self.dice.often(0.7):
            return self.dice.pick(self.away)
        return self.dice.pick(component.kinds).name

    def act(self, body: Lines, params: tuple[Name, ...] = (), needs: str = "", within: str = "") -> Lines:
        """An action."""
        name, p = self.dice.new("act"), self.dice.new("p")
        written = "".join(f", {a.name}: {a.type}{within}" for a in params)
        self.world.actions.append(Deed(name, tuple(a.type for a in params), False, self.is_quiet(body)))
        self.world.guards[name] = []
        guard = [f"  needs {self.dice.new('guard')}: {needs}"] if needs else []
        body = [line.replace("WHO", p) for line in body]
        return [f'action {name}({p}: Player{written}) "{{{p}}} acts"', *guard, *indented(body)]

    def set_by_hand(self, state: str, low: int, high: int) -> Lines:
        """An action that gives a state a value."""
        if self.dice.often(0.6):
            a = Name(self.dice.new("a"), Num(low, high))
            return self.act([f"{state} := {a.name}"], (a,))
        return self.act([f"{state} := {self.dice.pick([low, low, high])}"])

    def carry(self, here: Place, there: Place) -> Lines:
        a = Name(self.dice.new("a"), self.world.components[here.holds].type)
        return self.act([f"move {a.name} to {there.name}"], (a,), within=f" in {here.name}")

    def marks(self) -> Lines:
        """A step that tells that one came here."""
        flag = self.flag()
        return [self.dice.pick([f"{flag} := yes", f"{flag} := yes", f"{flag} := not {flag}"])]

    extra: Lines

    def begin(self) -> None:
        """Nothing is drawn yet."""
        self.extra, self.items, self.before, self.after_turn, self.setup = [], [], [], [], []
        self.secrets: Lines = []
        self.telling: Lines = []
        self.done: set[str] = set()
        self.symmetric: list[Word] = []
        self.own_promises: Lines = []
        self.endless: Lines = []
        self.last = ""

    items: Lines
    before: Lines
    after_turn: Lines
    setup: Lines

    def scope(self) -> Scope:
        return Scope(clocks=("turn",))
