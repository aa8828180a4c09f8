"""Sea Lords written by hand in plain Python: a referee of the rules that shares no line with SeaSpec.

It was written from the rule book, and where that is silent from the readings of the catalogue (gap.1 to gap.59); the
pictures that are missing are its default data, in sea_lords_box.py. The interpreter, playing `spec/sea_lords.sea`,
must offer the same choices at each step, and come to the same ends and scores (tests/test_sea_lords_agreement.py).

A game is a generator: it yields a `Question` with all legal options, and is sent the option that was taken. Chance is
asked of a `Fate`, so that a play of somebody else's can be followed. Nothing is fast here, and nothing is clever: which
combinations score is found by trying all of them.

Cells are 0 to 41, seven to a row, row by row from Light Blue's home row; columns count from Light Blue's left. Seat 0
is Light Blue, seat 1 is Dark Blue. sea_lords_plays.py plays at random, and counts.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple, Protocol, TypeVar

from sea_lords_box import (
    ANY_NUMBER,
    BOARDS,
    CELLS,
    DIAGONAL,
    HALF,
    HIRED,
    HOME,
    LINES,
    MERCENARIES,
    PRINTED,
    STRAIGHT,
    Arrangement,
    Effect,
    Laid,
    Mercenary,
    arrangements,
    changes,
    neighbours,
    ray,
    sea_of,
    turns_of,
)

TURNS = 16
SHIELDS, MINES = 7, 14
HAND, SPARE, COPIES = 3, 9, 3
Item = TypeVar("Item")


# ------------------------------------------------------------------------------------------------------ a position


@dataclass(slots=True)
class Ship:
    """A ship on the field: of a fleet if it has a number, else a mercenary."""

    owner: int
    number: int = 0
    mercenary: Mercenary | None = None
    burning: bool = False
    shields: int = 0

    def numbers(self) -> tuple[int, ...]:
        """The numbers it can stand for when scores are counted."""
        return self.mercenary.numbers if self.mercenary else (self.number,)


@dataclass(slots=True)
class Player:
    """What lies before a player. Nobody knows the order of the piles."""

    hand: list[int] = field(default_factory=list)
    main: list[int] = field(default_factory=list)
    spare: list[int] = field(default_factory=list)
    coins: int = 0
    points: int = 0
    bonus: int = 0
    mines: int = 0
    owes_shield: bool = False
    turns: int = 0


class Ask(Enum):
    """The kinds of question."""

    ARRANGE = "arrange"
    CHANGE = "change"
    PICK = "pick"
    HIRE = "hire"
    LAY = "lay"
    ORDER = "order"
    AIM = "aim"
    REPAIR = "repair"
    MINE = "mine"
    SWEEP = "sweep"
    SHIELD = "shield"
    RECRUIT = "recruit"
    TRAP = "trap"
    TOKEN = "token"


class Lay(NamedTuple):
    """The main action: a ship of this number goes on this cell."""

    number: int
    cell: int


class Hire(NamedTuple):
    """The additional action: this mercenary goes on this cell."""

    name: str
    cell: int


PASS = "pass"
CELL_FIRST, SHIP_FIRST = "cell first", "ship first"


class Question(NamedTuple):
    """Who is asked what, and all that may be answered."""

    kind: Ask
    seat: int
    options: Sequence[Hashable]


class Fate(Protocol):
    """Whatever chance decides."""

    def first_player(self) -> int: ...
    def arrangement(self, seat: int) -> Arrangement: ...
    def mercenary(self, choice: Sequence[Mercenary]) -> Mercenary: ...
    def ship(self, seat: int, pile: Sequence[int]) -> int: ...


class RandomFate:
    """Fair chance."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def first_player(self) -> int:
        return self.rng.randrange(2)

    def arrangement(self, seat: int) -> Arrangement:
        return self.rng.choice(arrangements())

    def mercenary(self, choice: Sequence[Mercenary]) -> Mercenary:
        return self.rng.choice(choice)

    def ship(self, seat: int, pile: Sequence[int]) -> int:
        return self.rng.choice(pile)


class Layout(Enum):
    """How the sea comes about (gap.4)."""

    PRINTED = "printed"
    DRAWN = "drawn"
    ARRANGED = "arranged"


@dataclass(frozen=True, slots=True)
class Config:
    """What is agreed before a game."""

    layout: Layout = Layout.DRAWN
    experienced: bool = False
    picked: bool = False  # the mercenaries are picked by turns, the second player first (gap.9)
    four_of_a_kind: int = 5


class Result(NamedTuple):
    """How a game ended: the winner (None: a draw), who was stuck if somebody was, else what both scored."""

    winner: int | None
    stuck: int | None
    scores: tuple[int, int] | None


Asking = Generator[Question, Hashable, Item]


@dataclass
class Game:
    """A game in progress, and the rules by which it goes on."""

    config: Config
    fate: Fate
    boards: list[Arrangement] = field(default_factory=lambda: [PRINTED, PRINTED])
    sea: str = ""
    ships: list[Ship | None] = field(default_factory=lambda: [None] * len(CELLS))
    mines: list[str] = field(default_factory=lambda: [""] * len(CELLS))
    offered: list[Mercenary] = field(default_factory=list)
    players: tuple[Player, Player] = field(default_factory=lambda: (Player(), Player()))
    first: int = 0
    result: Result | None = None

    # -------------------------------------------------------------------------------------------------- setting up

    def play(self) -> Asking[Result]:
        """The whole game."""
        yield from self.set_up()
        for turn in range(2 * TURNS):
            yield from self.turn((self.first + turn) % 2)
            if self.result is not None:
                return self.result
        self.result = self.judged()
        return self.result

    def set_up(self) -> Asking[None]:
        """Setup: the first player, the sea, the mercenaries, the piles and the hands."""
        self.first = self.fate.first_player()
        # The first player is the last to arrange (gap.4); experienced players choose unseen, so there no order matters.
        for seat in (0, 1) if self.config.experienced else (1 - self.first, self.first):
            if self.config.experienced or self.config.layout is Layout.ARRANGED:
                self.boards[seat] = yield from self.arrange(seat)
            elif self.config.layout is Layout.DRAWN:
                self.boards[seat] = self.fate.arrangement(seat)
        changed: Arrangement | str = PASS
        if self.config.experienced:
            changed = yield from self.ask(Ask.CHANGE, self.first, (*changes(self.boards[self.first]), PASS))
            if not isinstance(changed, str):
                self.boards[self.first] = changed
        self.sea = sea_of(*self.boards)
        for seat, player in enumerate(self.players):
            player.main = [number for number in ANY_NUMBER for _ in range(COPIES)]
            player.spare = [self.drawn(seat, player.main) for _ in range(SPARE)]
        for cost, wanted in HIRED.items():
            for _ in range(wanted):
                choice = [ship for ship in MERCENARIES if ship.cost == cost and ship not in self.offered]
                if self.config.picked:
                    seat = 1 - self.first if len(self.offered) % 2 == 0 else self.first
                    name: str = yield from self.ask(Ask.PICK, seat, [ship.name for ship in choice])
                    self.offered += [ship for ship in choice if ship.name == name]
                else:
                    self.offered.append(self.fate.mercenary(choice))
        for seat, player in enumerate(self.players):
            player.hand = [self.drawn(seat, player.main) for _ in range(HAND)]
        self.players[self.first].owes_shield = changed == PASS

    def arrange(self, seat: int) -> Asking[Arrangement]:
        """Lay the three boards from the left (setup.5 to setup.8)."""
        laid: list[Laid] = []
        for _ in BOARDS:
            left = [name for name in BOARDS if name not in [board.board for board in laid]]
            ways = [Laid(name, side, quarters) for name in left for side in (0, 1) for quarters in turns_of(name)]
            laid.append((yield from self.ask(Ask.ARRANGE, seat, ways)))
        return laid[0], laid[1], laid[2]

    def drawn(self, seat: int, pile: list[int]) -> int:
        """A ship from a pile face down; its order is not known, so any of its ships may come."""
        number = self.fate.ship(seat, pile)
        pile.remove(number)
        return number

    @staticmethod
    def ask(kind: Ask, seat: int, options: Sequence[Hashable]) -> Asking[Any]:
        """Put a question. What is answered is one of the options."""
        answer = yield Question(kind, seat, tuple(options))
        assert answer in options, (kind, answer)
        return answer

    # ------------------------------------------------------------------------------------------------------- a turn

    def turn(self, seat: int) -> Asking[None]:
        """One ship of the hand must be laid; one mercenary may be hired before or after it; then one ship is drawn."""
        hired: bool = yield from self.may_hire(seat)
        lays = [Lay(number, cell) for number in sorted(set(self.players[seat].hand)) for cell in self.available(seat)]
        if not lays:
            self.lose(seat)
            return
        action: Lay = yield from self.ask(Ask.LAY, seat, lays)
        yield from self.lay(seat, action)
        if not hired:
            yield from self.may_hire(seat)
        player = self.players[seat]
        if player.main:
            player.hand.append(self.drawn(seat, player.main))
        player.turns += 1

    def may_hire(self, seat: int) -> Asking[bool]:
        """The additional action, for whoever likes and can: whether it was taken."""
        hires = self.hires(seat)
        action: Hire | str = PASS
        if hires:
            action = yield from self.ask(Ask.HIRE, seat, [*hires, PASS])
        if isinstance(action, str):
            return False
        yield from self.hire(seat, action)
        return True

    def lose(self, seat: int) -> None:
        """Whoever cannot lay a ship of the hand loses at once, and nothing is scored (end.4, end.5)."""
        self.result = Result(winner=1 - seat, stuck=seat, scores=None)

    def available(self, seat: int) -> list[int]:
        """The cells on which a player may lay a ship: none with a combat ship (place.1 to place.14, gap.23)."""
        return [cell for cell in CELLS if self.combat_at(cell) is None and self.within_reach(seat, cell)]

    def within_reach(self, seat: int, cell: int) -> bool:
        """Whether it is on the home row, or beside a combat ship of the player's."""
        return cell in HOME[seat] or any(self.combat_of(seat, beside) for beside in neighbours(cell))

    def combat_at(self, cell: int) -> Ship | None:
        """The combat ship on a cell, if there is one."""
        ship = self.ships[cell]
        return ship if ship is not None and not ship.burning else None

    def combat_of(self, seat: int, cell: int) -> bool:
        """Whether a combat ship of this player lies on the cell."""
        ship = self.combat_at(cell)
        return ship is not None and ship.owner == seat

    def burning_of(self, seat: int) -> list[int]:
        """Where a player's ships burn."""
        return [cell for cell, ship in enumerate(self.ships) if ship and ship.burning and ship.owner == seat]

    # ------------------------------------------------------------------------------------- laying a ship of the hand

    def lay(self, seat: int, action: Lay) -> Asking[None]:
        """Lay a ship; effects of cell and ship in the order that its player likes; then a mine goes off."""
        number, cell = action
        player = self.players[seat]
        player.hand.remove(number)
        fresh = self.ships[cell] is None  # over a burning ship the cell has no effect (place.9, gap.21)
        self.ships[cell] = Ship(seat, number, shields=int(player.owes_shield))
        player.owes_shield = False
        ship_first = False
        if fresh:
            ship_first = (yield from self.ask(Ask.ORDER, seat, (CELL_FIRST, SHIP_FIRST))) == SHIP_FIRST
        if ship_first:
            yield from self.ship_effect(seat, number, cell, fresh)
        if fresh:
            yield from self.cell_effect(seat, cell)
        if not ship_first:
            yield from self.ship_effect(seat, number, cell, fresh)
        self.go_off(seat, cell)

    def cell_effect(self, seat: int, cell: int) -> Asking[None]:
        """Effect A, of the cell."""
        player = self.players[seat]
        match self.sea[cell]:
            case "V":
                player.points += 1
            case "S":
                yield from self.aimed_shot(seat, cell, STRAIGHT)
            case "X":
                yield from self.aimed_shot(seat, cell, DIAGONAL)
            case "R":
                yield from self.repair(seat)
            case "M":
                if self.mines_left() and self.free_cells():
                    chosen: int = yield from self.ask(Ask.MINE, seat, self.free_cells())
                    self.mines[chosen] = "mine"
            case "H":
                if player.spare:  # no ship, no token (gap.35)
                    player.hand.append(self.drawn(seat, player.spare))
                    player.bonus += 1

    def ship_effect(self, seat: int, number: int, cell: int, fresh: bool) -> Asking[None]:
        """Effect B, of the ship."""
        match number:
            case 1:
                yield from self.put_shield(seat)
            case 3:
                yield from self.aimed_shot(seat, cell, STRAIGHT)
            case 5:
                yield from self.repair(seat)
            case 7:
                yield from self.sweep(seat)
            case 9:
                if fresh:
                    yield from self.cell_effect(seat, cell)
            case _:
                self.players[seat].coins += 1

    def go_off(self, seat: int, cell: int) -> None:
        """A mine that still lies under a ship just laid is taken by its player (mine.3 to mine.5, gap.25)."""
        if self.mines[cell] == "mine":
            self.players[seat].mines += 1
        self.mines[cell] = ""

    # ------------------------------------------------------------------------------------------------------ effects

    def aimed_shot(self, seat: int, cell: int, directions: Iterable[str]) -> Asking[None]:
        """A shot in one of the directions, up to the edge of the field."""
        chosen: str = yield from self.ask(Ask.AIM, seat, tuple(directions))
        self.shoot(seat, ray(cell, chosen))

    def shoot(self, seat: int, way: Iterable[int]) -> None:
        """Hit the first combat ship of the opponent on the way; it loses a shield, or burns (shot.1 to shot.8)."""
        for cell in way:
            target = self.combat_at(cell)
            if target is not None and target.owner != seat:
                if target.shields:
                    target.shields -= 1
                elif target.mercenary is None:
                    target.burning = True
                return

    def repair(self, seat: int) -> Asking[None]:
        """Turn a burning ship of one's own back."""
        burning = self.burning_of(seat)
        if burning:
            chosen: int = yield from self.ask(Ask.REPAIR, seat, burning)
            ship = self.ships[chosen]
            assert ship is not None
            ship.burning = False

    def put_shield(self, seat: int) -> Asking[None]:
        """Put a shield on a combat ship of one's own, if there is one left (gap.32)."""
        lying = sum(ship.shields for ship in self.ships if ship) + sum(player.owes_shield for player in self.players)
        if lying < SHIELDS:
            own = [cell for cell in CELLS if self.combat_of(seat, cell)]
            chosen: int = yield from self.ask(Ask.SHIELD, seat, own)
            ship = self.ships[chosen]
            assert ship is not None
            ship.shields += 1

    def sweep(self, seat: int) -> Asking[None]:
        """Remove a mine, if there is one: a true one to the reserve, the fake one for good (gap.30, gap.31)."""
        if self.mined():
            chosen: int = yield from self.ask(Ask.SWEEP, seat, self.mined())
            self.mines[chosen] = ""

    def mined(self) -> list[int]:
        """Where mines lie, true or not."""
        return [cell for cell in CELLS if self.mines[cell]]

    def free_cells(self) -> list[int]:
        """Where a mine may be put: no ship, no other mine (mine.1, gap.28)."""
        return [cell for cell in CELLS if self.ships[cell] is None and not self.mines[cell]]

    def mines_left(self) -> int:
        """The true mines in the reserve."""
        return MINES - self.mines.count("mine") - sum(player.mines for player in self.players)

    # -------------------------------------------------------------------------------------------------- mercenaries

    def hires(self, seat: int) -> list[Hire]:
        """The mercenaries that a player can pay for, with each cell on which they could be laid."""
        available = self.available(seat)
        found = []
        for mercenary in self.offered:
            if mercenary.cost <= self.players[seat].coins:
                cells = self.boardable(seat) if mercenary.effect is Effect.BOARD else []
                found += [Hire(mercenary.name, cell) for cell in sorted([*available, *cells])]
        return found

    def boardable(self, seat: int) -> list[int]:
        """Where the boarder may lie besides: on ships of the opponent without a shield (m_board.1 to m_board.3)."""
        found = []
        for cell in CELLS:
            ship = self.combat_at(cell)
            taken = ship is not None and ship.owner != seat and not ship.shields and ship.mercenary is None
            if taken and self.within_reach(seat, cell):
                found.append(cell)
        return found

    def hire(self, seat: int, action: Hire) -> Asking[None]:
        """Pay for a mercenary, lay it, apply its effect, but none of the cell's; then a mine goes off."""
        (mercenary,) = (offered for offered in self.offered if offered.name == action.name)
        cell = action.cell
        self.offered.remove(mercenary)
        self.players[seat].coins -= mercenary.cost
        self.ships[cell] = Ship(seat, mercenary=mercenary)
        match mercenary.effect:
            case Effect.SHIELD:
                yield from self.put_shield(seat)
            case Effect.RECRUIT:
                yield from self.recruit(seat)
            case Effect.SWEEP:
                for _ in range(3):
                    yield from self.sweep(seat)
            case Effect.MINES:
                yield from self.lay_mines(seat)
            case Effect.BROADSIDE:
                for beside in neighbours(cell):
                    self.shoot(seat, [beside])
            case Effect.ROWS:
                for _ in range(2):
                    yield from self.aimed_shot(seat, cell, ("east", "west"))
            case Effect.DIAGONALS:
                for _ in range(2):
                    yield from self.aimed_shot(seat, cell, DIAGONAL)
        self.go_off(seat, cell)

    def recruit(self, seat: int) -> Asking[None]:
        """Take a ship of one's choice from the spare pile, whose order is not known afterwards either."""
        player = self.players[seat]
        if player.spare:
            number: int = yield from self.ask(Ask.RECRUIT, seat, sorted(set(player.spare)))
            player.spare.remove(number)
            player.hand.append(number)
            player.bonus += 1

    def lay_mines(self, seat: int) -> Asking[None]:
        """Two mines and the fake one; where cells run short, which of them is for the player to say (gap.58)."""
        crate = ["mine"] * min(2, self.mines_left()) + ["fake"]
        while crate and self.free_cells():
            cell: int = yield from self.ask(Ask.TRAP, seat, self.free_cells())
            token: str = yield from self.ask(Ask.TOKEN, seat, sorted(set(crate)))
            crate.remove(token)
            self.mines[cell] = token

    # ------------------------------------------------------------------------------------------------------ scoring

    def judged(self) -> Result:
        """More points win, then more coins (score.16, score.17, gap.51)."""
        scores = (self.score(0), self.score(1))
        light, dark = ((score, player.coins) for score, player in zip(scores, self.players, strict=True))
        winner = None if light == dark else int(dark > light)
        return Result(winner, None, scores)

    def score(self, seat: int) -> int:
        """A player's victory points."""
        own = {cell: ship for cell, ship in enumerate(self.ships) if ship and self.combat_of(seat, cell)}
        hired = {ship.mercenary.effect: cell for cell, ship in own.items() if ship.mercenary}
        points = self.combinations_of(own, 1 if Effect.SETS in hired else 0)
        if Effect.FLAGSHIP in hired:
            points += sum(cell in own for cell in neighbours(hired[Effect.FLAGSHIP]))
        if Effect.BULWARK in hired:
            points += sum(ship.shields + (ship.mercenary is not None) for ship in own.values())
        points += len(HALF[1 - seat].intersection(own))
        return points + self.players[seat].points - 2 * self.players[seat].mines

    def combinations_of(self, own: dict[int, Ship], more: int) -> int:
        """The most that combinations bring, over all numbers of the mercenaries; `more` for each set of equal ships."""
        best = 0
        for numbers in product(*(ship.numbers() for ship in own.values())):
            shown = dict(zip(own, numbers, strict=True))
            lines = (tuple(shown.get(cell, 0) for cell in line) for line in LINES)
            best = max(best, sum(best_of_line(line, self.config.four_of_a_kind, more) for line in lines))
        return best


@cache
def best_of_line(line: tuple[int, ...], four: int, more: int) -> int:
    """The best choice of combinations that share no ship, among all choices; 0 stands for no ship.

    >>> best_of_line((2, 3, 4, 5, 5, 5, 0), 5, 0)  # a run of three, and a set of three
    5
    """
    stretches = [(i, j) for i in range(len(line)) for j in range(i + 3, len(line) + 1)]
    worth = {stretch: stretch_worth(line[slice(*stretch)], four, more) for stretch in stretches}
    scoring = [stretch for stretch in stretches if worth[stretch]]
    best = 0
    for count in range(1, len(line) // 3 + 1):
        for chosen in combinations(scoring, count):
            if all(a[1] <= b[0] or b[1] <= a[0] for a, b in combinations(chosen, 2)):
                best = max(best, sum(worth[stretch] for stretch in chosen))
    return best


def stretch_worth(numbers: tuple[int, ...], four: int, more: int) -> int:
    """What neighbours bring as one combination (score.2 to score.8); 0 if they are none."""
    if 0 in numbers:
        return 0
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    if steps == {0} and len(numbers) <= 4:
        return (3 if len(numbers) == 3 else four) + more
    return len(numbers) - 1 if steps in ({1}, {-1}) else 0
