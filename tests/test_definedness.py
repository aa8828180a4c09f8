"""What expressions owe, beside the interpreter: thousands of expressions at random, at random positions.

If all obligations hold, the interpreter finds a value; if it finds one, all obligations that are certain hold. Where
all are certain, the expression fails exactly if one does not hold, and what the interpreter says is what that one says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest

from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.machine import Machine
from seaspec.compile import compile_chapters, parse_text
from seaspec.core import definedness, ir, types
from seaspec.core.definedness import Definedness, Obligations
from seaspec.diagnostics.model import Report
from seaspec.game import Game

GAME = """
game Random "Random"
option players: 2..2 = 2
type Wind = ring of n, e, s, w
board Sea: grid 3 by 2 from the bottom left towards Wind
component Card(rank: 0..3)
  Ace(0) kept in stock
  Deuce(2) times 2 kept in stock
  Trey(3) kept in stock
component Ship(owner: Player, mast: 0..2)
  Brig(Ann, 1) kept in dock
  Raft(Ben, 0) kept in dock
place stock set of Card open
place hand[p: Player] set of Card open
place line row of Card open
place slot at most 1 Card open
place water[cell: Sea] at most 1 Ship open
place dock set of Ship open
state k: 0..4 = 2
state mark[p: Player]: 0..4 = 1
state at: Sea or none = none
state wind: Wind = n
state tide[cell: Sea]: 0..3 = 1
state lit[cell: Sea]: yes or no = no
state owner[cell: Sea]: Player or none = none
state low[i: 1..3]: 0..3 = 1
state gift: map Player to 0..3 = [1, 0]
table price(i: 0..3): 0..3
  0  1
  1  0
  2  3
  3  2
table leads(c: Sea): Sea or none
  A1  B1
  A2  none
  B1  C2
  B2  A1
  C1  none
  C2  C2
define over(i: 0..4): 0..9 = 6 / i
define part(c: Card): 0..9 = if c.rank > 1 then 6 / (c.rank - 2) else k
define down(i: 0..4): 0..99 shrinking i = if i = 0 then 6 / k else down(i - 1) + 6 / mark[seat(1)]
define few: 0..9 = size of stock / k
define twice(i: 0..4): 0..99
  let j = i + k
  if j > 2 then j + 6 / (j - 3) else 6 / j
define level(i: 0..3): 0..9
  match i
    0: k
    1, 2: 6 / (i - 1)
    3: low[i]
define some_low(m: 0..4) = some c in stock: 6 / c.rank > m
action give(p: Player, c: Card in hand[p], i: 1..3 where 6 / low[i] > 1)
  needs low_card: 6 / c.rank > 1
  needs free: 6 / k > mark[p]
  needs not_both: i > 1 or 6 / (i - 1) > 2 or c.rank = 2
    unless 6 / mark[p] = 2
  nothing
action sail(p: Player, b: Ship in water)
  needs mine: b.owner is p
  needs near: (the x in Sea where water[x] is filled).row = 1
  nothing
action lift(p: Player, c: Card in stock, i: 1..3) "guards that read less may be judged before those that read more"
  needs fits: 6 / c.rank > i or i = 2
  needs deep: i < 3 or 6 / (i - k) > 1
  nothing
to play
  seat(1) may give or lift
  {promises}
"""


class Writer:
    """Writes expressions."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.numbers: list[str] = []
        self.cards: list[str] = []
        self.ships: list[str] = []
        self.players = ["Ann", "Ben"]

    def pick(self, *ways: str) -> str:
        return self.random.choice(ways)

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def number(self, deep: int) -> str:
        leaves = ["k", "mark[Ann]", "mark[Ben]", "0", "1", "2", "3", *self.numbers, *(f"{c}.rank" for c in self.cards)]
        leaves += [f"{b}.mast" for b in self.ships]
        if deep <= 0:
            return self.random.choice(leaves)
        n, inner = self.random.randrange(29), deep - 1
        match n:
            case 20:
                return f"{self.pick('turns', 'steps')}({self.wind(inner)}, {self.wind(inner)})"
            case 21:
                a, b = self.name(), self.name()
                near = f"{b} in beside({a}) and {self.test(inner)}"
                return f"size of (reach from {{{self.cell(inner)}}} by {a} to {b} where {near})"
            case 22:
                return f"size of {self.cells(inner)}"
            case 23:
                return f"distance({self.cell(inner)}, {self.cell(inner)})"
            case 24:
                m, q, p = self.name(), self.name(), self.name()
                ways = f"(ways to give each {p} in Player one of {{{self.number(0)}, mark[{p}], {self.number(0)}}})"
                return f"({self.pick('most', 'least')} (sum {m}[{q}] for {q} in Player) for {m} in {ways})"
            case 25:
                name = self.name()
                self.numbers.append(name)
                held = self.number(inner)
                self.numbers.pop()
                return f"[{held} for {name} in 1..3][{self.number(inner)}]"
            case 26:
                name = self.name()
                self.numbers.append(name)
                found = self.number(inner)
                self.numbers.pop()
                one = f"next({self.cell(inner)}, {self.wind(inner)}) is some {name}_c then {name}_c.row"
                return self.pick(f"(if {one} else {self.number(inner)})", found.replace(name, "k"))
            case 27:
                return f"twice({self.number(inner)})"
            case 28:
                return f"level({self.number(inner)})"
            case 0 | 1:
                return f"({self.number(inner)} / {self.number(inner)})"
            case 2:
                return f"({self.number(inner)} mod {self.number(inner)})"
            case 3:
                return f"({self.number(inner)} {self.pick('+', '-', '*')} {self.number(inner)})"
            case 4:
                return f"low[{self.number(inner)}]"
            case 5:
                return f"price({self.number(inner)})"
            case 6:
                return f"over({self.number(inner)})"
            case 7:
                return f"(if {self.test(inner)} then {self.number(inner)} else {self.number(inner)})"
            case 8:
                return f"size of {self.cards_set(inner)}"
            case 9:
                with_c = self.binder("cards", inner)
                return f"({self.pick('most', 'least', 'sum')} {with_c.replace('@', self.last)})"
            case 10:
                return f"part({self.card(inner)})"
            case 11:
                return f"down({self.number(inner)})"
            case 12:
                name = self.name()
                where = f"{name} in {self.cards_set(0)} where 6 / {name}.rank > {self.number(0)}"
                return self.pick(f"{self.card(inner)}.rank", f"(first {where}).rank")
            case 13:
                return f"min({self.number(inner)}, {self.number(inner)})"
            case 14:
                return "few"
            case 15:
                return f"spot({self.card(inner)})"
            case 16:
                return f"gift[{self.player(inner)}]"
            case 17:
                otherwise = self.pick("", f" otherwise {self.number(0)}")
                return f"({self.pick('first', 'the')} {self.over_numbers(inner)}{otherwise})"
            case 18:
                return f"(count {self.over_cards(inner)})"
            case 19:
                return f"{self.ship(inner)}.cell.{self.pick('row', 'column')}"
            case _:
                return f"(most {self.best(inner)} otherwise {self.number(inner)})"

    last = ""

    def binder(self, _: str, deep: int) -> str:
        """`e for c in S where P`, with `@` for e."""
        over = self.over_cards(deep, keep=True)
        self.last = self.number(deep)
        self.cards.pop()
        return f"@ for {over}"

    def best(self, deep: int) -> str:
        over = self.over_cards(deep, keep=True)
        term = self.number(deep)
        self.cards.pop()
        return f"{term} for {over}"

    def over_cards(self, deep: int, keep: bool = False) -> str:
        domain = self.cards_set(deep)
        name = self.name()
        self.cards.append(name)
        test = self.pick(
            "", f" {self.pick('where', 'where', 'while') if 'line' in domain else 'where'} ({self.test(deep - 1)})"
        )
        if not keep:
            self.cards.pop()
        return f"{name} in {domain}{test}"

    def over_numbers(self, deep: int) -> str:
        domain = f"{self.number(0)}..{self.number(deep)}"
        name = self.name()
        self.numbers.append(name)
        test = self.pick("", f" {self.pick('where', 'while')} ({self.test(deep - 1)})")
        self.numbers.pop()
        return f"{name} in {domain}{test}"

    def test(self, deep: int) -> str:
        if deep <= 0:
            return f"{self.number(0)} {self.pick('<', '>', '=', '<=')} {self.number(0)}"
        n, inner = self.random.randrange(20), deep - 1
        match n:
            case 17:
                a, b = self.name(), self.name()
                return f"(some {a} in at: some {b} in {self.cells(inner)}: {a}.row = {b}.row)"
            case 18:
                return f"({self.cell(inner)} in {self.cells(inner)})"
            case 19:
                a, b = self.name(), self.name()
                near = f"(some {b} in {self.pick('at', 'water', 'beside(A2)')}: {b}.row {self.pick('=', '<')} {a}.row)"
                return f"(size of {{{a} in Sea where {near}}} = {self.number(inner)})"
            case 0 | 1 | 2:
                return f"({self.number(inner)} {self.pick('<', '>', '=', '!=')} {self.number(inner)})"
            case 3 | 4:
                return f"({self.test(inner)} {self.pick('and', 'or', 'implies')} {self.test(inner)})"
            case 5:
                return f"not ({self.test(inner)})"
            case 6 | 7 | 8:
                over = self.over_cards(inner, keep=True)
                body = self.test(inner)
                self.cards.pop()
                return f"({self.pick('every', 'some', 'no')} {over}: {body})"
            case 9:
                return f"({self.number(inner)} in {self.number(inner)}..{self.number(inner)})"
            case 10:
                return f"({self.card(inner)} in {self.cards_set(inner)})"
            case 11:
                return f"some_low({self.number(inner)})"
            case 12:
                card, number = self.card(inner), self.number(inner)
                return (
                    f"{self.player(inner)} can {self.pick('give', f'give({card})', f'give({card}, {number})', 'sail')}"
                )
            case 13:
                return f"({self.cards_set(inner)} = {self.cards_set(inner)})"
            case 14:
                return f"(at is some and {self.number(inner)} > {self.number(inner)})"
            case 15:
                name = self.name()
                return f"(some {name} in water: {name}.cell.row = {self.number(inner)})"
            case _:
                return f"({self.cards_set(inner)} is {self.pick('empty', 'filled')})"

    def player(self, deep: int) -> str:
        return self.pick(
            "Ann", "Ben", "next(Ann)", f"seat({self.number(deep - 1)})", "(first q in Player where mark[q] > 1)"
        )

    def wind(self, deep: int) -> str:
        return self.pick("wind", "e", "s", f"next({self.wind(deep - 1)})" if deep > 0 else "w")

    def cell(self, deep: int) -> str:
        if deep <= 0:
            return self.pick("A1", "B2", "C1")
        name = self.name()
        return self.pick(
            "A2",
            f"(the {name} in Sea where {name}.row = {self.number(0)})",
            f"(first {name} in {self.cells(deep - 1)})",
            f"{self.ship(deep - 1)}.cell",
        )

    def of_cell(self, cell: str, deep: int) -> str:
        """A test of a cell; machine code judges such of many cells at once."""
        if deep > 0 and self.random.random() < 0.7:
            one, other = self.of_cell(cell, deep - 1), self.of_cell(cell, deep - 1)
            return self.pick(
                f"({one} and {other})",
                f"({one} or {other})",
                f"({one} or {other})",
                f"not {one}",
                f"({one} implies {other})",
                f"(if {one} then {other} else {self.of_cell(cell, deep - 1)})",
            )
        number, name = self.number(max(0, deep)), self.name()
        compared = self.pick("=", "<", ">", "!=", ">=")
        beyond = self.pick("0", "1", "2", "3", "(k - 3)", "(k - 1)", "300")
        return self.pick(
            f"({cell}.{self.pick('row', 'column')} {compared} {number})",
            f"({cell}.{self.pick('row', 'column')} {compared} {beyond})",
            f"(distance({cell}, {self.cell(0)}) {compared} {number})",
            f"(steps({cell}, {self.cell(0)}, wind) is some {name} and {name} {compared} {number})",
            f"({cell} in {self.pick('beside(A2)', 'ray(A1, wind)', 'Sea')})",
            f"({cell} is {self.pick('at', 'B1')})",
            f"(some {name} in leads({cell}): {name}.row {compared} {number})",
            f"(leads({cell}) is {self.pick('none', 'at', 'B1')})",
            f"(tide[{cell}] {compared} {number})",
            f"(tide[{cell}] {compared} {beyond})",
            f"(owner[{cell}] is {self.pick('Ann', 'none', 'owner[A1]')})",
            self.pick(f"lit[{cell}]", f"(lit[{cell}] = lit[{self.cell(0)}])"),
            f"(water[{cell}] is some {name} and {name}.mast {compared} {number})",
            f"(some {name} in water: {name}.cell = {cell} and tide[{cell}] {compared} {name}.mast)",
            f"(tide[{cell}] {compared} (most tide[{name}] for {name} in beside({cell})))",
            f"(water[{cell}] is {self.pick('empty', 'filled')})",
            f"(some {name} in {self.pick('beside(' + cell + ')', 'Sea', 'at')}: {name}.row {compared} {cell}.row)",
            f"(every {name} in water: {name}.cell.row {compared} {number})",
            f"({number} {compared} {self.random.randrange(3)})",
            f"(next({cell}, {self.wind(0)}) is some {name} and {name}.column {compared} {number})",
        )

    def cells(self, deep: int) -> str:
        name = self.name()
        return self.pick(
            f"beside({self.cell(deep - 1)})",
            f"ray({self.cell(deep - 1)}, {self.wind(deep - 1)})",
            f"{{{name} in Sea where {name}.column > {self.number(deep - 1)}}}",
            f"(Sea - beside({self.cell(deep - 1)}))",
            f"{{{name} in Sea where {self.of_cell(name, deep)}}}",
            f"(ray({self.cell(deep - 1)}, {self.wind(0)}) - {{{self.cell(0)}}})",
            f"(ray({self.cell(deep - 1)}, w) + beside({self.cell(0)}))",
        )

    def card(self, deep: int) -> str:
        ways = ["slot", "line", "Ace", "Trey", *self.cards]
        found = self.random.choice(ways)
        if found == "line":
            return f"({self.pick('first', 'the')} {self.over_cards(deep)})"
        return found

    def ship(self, deep: int) -> str:
        return self.pick("Brig", "Raft", "(the z in water)", "(first z in dock)", *self.ships)

    def cards_set(self, deep: int) -> str:
        plain = self.pick("stock", "hand[Ann]", "hand[Ben]", "line", "Card", "slot")
        if deep <= 0:
            return plain
        match self.random.randrange(7):
            case 0:
                return f"({self.cards_set(deep - 1)} {self.pick('+', '-')} {self.cards_set(deep - 1)})"
            case 1:
                over = self.over_cards(deep - 1)
                return f"{{{over}}}"
            case 2:
                over = self.over_cards(deep - 1, keep=True)
                name = self.cards[-1]
                key = self.number(deep - 1)
                self.cards.pop()
                return (
                    f"{{{name} in {plain} with {self.pick('most', 'least')} {key}}}" if "where" not in over else plain
                )
            case 3:
                return f"hand[{self.player(deep - 1)}]"
            case _:
                return plain


def texts(seed: int, wanted: int) -> Iterator[str]:
    random = Random(seed)
    for _ in range(wanted):
        yield Writer(random).test(random.randint(2, 4))


def game(seed: int, wanted: int) -> Game:
    """A game with promises; those that the checker refuses are left out."""
    lines = [f"invariant e{number}: {text}" for number, text in enumerate(texts(seed, wanted))]
    return compiled(GAME.replace("  {promises}\n", ""), lines)


def compiled(rules: str, lines: list[str]) -> Game:
    """The game of these rules with those of the lines that the checker does not refuse."""
    while True:
        report = Report()
        file = parse_text("random.sea", rules + "\n".join(lines) + "\n", report)
        made = None if report.failed else compile_chapters(file.chapters, {}, report)
        if made is not None:
            return Game(made)
        first = rules.count("\n") + 1
        refused = {d.span.file.position(d.span.start)[0] - first for d in report if d.span.file is not None}
        assert refused and min(refused) >= 0, list(report)
        lines = [line for number, line in enumerate(lines) if number not in refused]


def with_companions(found: Game) -> tuple[Machine, Definedness]:
    owed = Definedness(found.rules)
    for promise in found.rules.promises:
        assert isinstance(promise, ir.Invariant)
        owed.of(promise.test)
    return Machine(replace(found.flow, game=owed.complete())), owed


def position(machine: Machine, random: Random) -> Look:
    """Pieces and states anywhere."""
    look = machine.first_look()
    rules, layout = machine.game, machine.layout
    for slot in layout.place_slots:
        look.s[slot] = ()
    order = list(rules.pieces)
    random.shuffle(order)
    for piece in order:
        slots = [
            slot
            for slot, (place, _) in layout.place_of.items()
            if piece.id in place.holds.members
            and (place.order is not ir.PlaceOrder.SLOT or not look.s[slot])
            and place.name != ir.BOX
        ]
        slot = random.choice(slots)
        match layout.place_of[slot][0].order:
            case ir.PlaceOrder.PILE:
                look.s[slot] = (*look.s[slot], (piece.id,))
            case ir.PlaceOrder.ROW:
                look.s[slot] = (*look.s[slot], piece.id)
            case _:
                look.s[slot] = tuple(sorted((*look.s[slot], piece.id)))
        look.w[piece.id] = slot
    for name, family in layout.states.items():
        values = list(types.values(rules.states[name].type))
        for slot in family.all_slots:
            look.s[slot] = random.choice(values)
    return look


SAID = {
    definedness.DIVIDED: r"is divided by 0",
    definedness.OUT_OF_TYPE: r"is not in ",
    definedness.NO_INDEX: r"there is no |has no entry",
    definedness.NO_KEY: r"a map has no key",
    definedness.ELSEWHERE: r"a piece in .* was expected",
    definedness.NO_ROW: r"does not lie in a row",
    definedness.NONE_OF_ONE: r"exactly one was expected",
    definedness.SEVERAL: r"(at most|exactly) one was expected",
    definedness.NOTHING: r"there is no first",
    definedness.NO_EXTREME: r"of nothing has no value",
}


CUT = "what comes after has no value"


def says_the_same(message: str, said: str, words: Mapping[str, str] = SAID) -> bool:
    return message.endswith("has no value") or message == CUT or re.search(words[message], said) is not None


def failing(machine: Machine, look: Look, found: Obligations) -> list[str]:
    """The obligations that do not hold, by what they say, up to the first that has no value itself."""
    broken = []
    for number, obligation in enumerate(found):
        try:
            holds = machine.effects.value(look, obligation.test)
        except RuleError as error:
            assert broken, f"obligation {number} has no value: {error}"
            return [*broken, CUT]
        if not holds:
            broken.append(obligation.message)
    return broken


@pytest.mark.parametrize("seed", range(6))
def test_what_is_owed_is_what_the_interpreter_asks_for(seed: int) -> None:
    found = game(seed, 200)
    machine, owed = with_companions(found)
    random = Random(seed)
    tally: Counter[str] = Counter()
    for promise in found.rules.promises:
        assert isinstance(promise, ir.Invariant)
        obligations = owed.of(promise.test)
        exact = all(obligation.certain for obligation in obligations)
        text = promise.source.span.text if hasattr(promise.source.span, "text") else promise.name
        for _ in range(12):
            look = position(machine, random)
            try:
                machine.effects.value(look, promise.test)
            except RuleError as error:
                broken = failing(machine, look, obligations)
                assert broken, f"{text}: {error}, and nothing is owed"
                assert any(says_the_same(message, error.message) for message in broken), (text, error.message, broken)
                tally["failed"] += 1
                tally["failed exactly"] += exact
                continue
            certain = tuple(obligation for obligation in obligations if obligation.certain)
            for obligation in certain:
                assert machine.effects.value(look, obligation.test), f"{text}: {obligation.message} is no fault"
            if obligations:
                tally["held"] += 1
                tally["held exactly"] += exact
    assert tally["failed exactly"] > 20 and tally["held exactly"] > 20, tally
