"""Chance: the outcomes of a chance node with their exact weights, and sampling without listing them.

Outcomes that differ by identical pieces only are one, with the sum of the weights. Weights are whole numbers (or
fractions, for throws); a probability is a weight over the sum of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, prod
from random import Random
from typing import Any, assert_never

from seaspec.backends.interpreter.choices import Choice, Identity, Subset, Subsets, Values
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.expressions import Program
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.offers import Offers
from seaspec.core import flow, ir
from seaspec.core.ir import PlaceOrder
from seaspec.core.owing import FOR_EVER
from seaspec.core.types import Value

MOST_THROWS = 1_000
"""So often a throw is thrown again before it is worked out what may come of it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece was drawn."""

    piece: int


@dataclass(frozen=True, slots=True)
class Rolled:
    """The sum of the dice."""

    total: int


@dataclass(frozen=True, slots=True)
class Thrown:
    """The sums rolled in a named throw, in order, and the value it gives."""

    totals: tuple[int, ...]
    value: Value


Outcome = Drawn | Rolled | Thrown | Choice
Weight = int | Fraction


class Outcomes:
    """What may happen at a chance node: `weighted()` lists outcomes and weights, `sample` draws one."""

    def weighted(self) -> list[tuple[Outcome, Weight]]:
        """All outcomes, identical ones merged. May be long: see `sample`."""
        raise NotImplementedError

    def each(self) -> Iterator[Outcome]:
        """The outcomes one after the other, as they are listed."""
        return (outcome for outcome, _ in self.weighted())

    def count(self) -> int:
        """How many outcomes are listed."""
        return len(self.weighted())

    def sample(self, random: Random) -> Outcome:
        found = self.weighted()
        return random.choices([o for o, _ in found], [float(w) for _, w in found])[0]

    def canonical(self, outcome: Outcome) -> Outcome:
        """The outcome as it is listed; `ChoiceError` if it can not happen."""
        for listed, _ in self.weighted():
            if listed == outcome:
                return listed
        raise ChoiceError("that can not happen here")

    def allows(self, outcome: Outcome) -> bool:
        """Whether it can happen."""
        try:
            self.canonical(outcome)
        except ChoiceError:
            return False
        return True

    def probability(self, outcome: Outcome) -> Fraction:
        """The exact probability of an outcome.

        >>> Rolls(2, 6).probability(Rolled(12))
        Fraction(1, 36)
        """
        wanted = self.canonical(outcome)
        found = self.weighted()
        total = sum(weight for _, weight in found)
        return Fraction(next(weight for listed, weight in found if listed == wanted)) / Fraction(total)


class Draws(Outcomes):
    """One of these pieces, each equally likely."""

    def __init__(self, look: Look, identity: Identity, pieces: Sequence[int]) -> None:
        self.look = look
        self.identity = identity
        self.pieces = pieces

    def weighted(self) -> list[tuple[Outcome, Weight]]:
        found: dict[Any, tuple[int, int]] = {}
        for piece in self.pieces:
            key = self.identity.key(self.look, piece)
            first, weight = found.get(key, (piece, 0))
            found[key] = first, weight + 1
        return [(Drawn(piece), weight) for piece, weight in found.values()]

    def sample(self, random: Random) -> Outcome:
        return Drawn(self.pieces[int(random.random() * len(self.pieces))])

    def allows(self, outcome: Outcome) -> bool:
        return isinstance(outcome, Drawn) and outcome.piece in self.pieces

    def canonical(self, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Drawn) or not self.allows(outcome):
            raise ChoiceError("that piece can not be drawn here")
        key = self.identity.key(self.look, outcome.piece)
        return next(Drawn(p) for p in self.pieces if self.identity.key(self.look, p) == key)


class Rolls(Outcomes):
    """The sum of some dice."""

    def __init__(self, number: int, sides: int) -> None:
        self.number = number
        self.sides = sides

    def weighted(self) -> list[tuple[Outcome, Weight]]:
        return [(Rolled(total), ways) for total, ways in dice(self.number, self.sides)]

    def sample(self, random: Random) -> Outcome:
        return Rolled(sum(random.randint(1, self.sides) for _ in range(self.number)))


class Throws(Outcomes):
    """A named throw with these arguments."""

    def __init__(self, rule: Rule, look: Look, arguments: Sequence[Value]) -> None:
        self.rule = rule
        self.look = look
        self.arguments = tuple(arguments)

    def weighted(self) -> list[tuple[Outcome, Weight]]:
        return list(self.rule.distribution(self.look, self.arguments).items())

    def sample(self, random: Random) -> Outcome:
        def roll(number: int, sides: int) -> int:
            return sum(random.randint(1, sides) for _ in range(number))

        return self.rule.throw(self.look, self.arguments, roll) or super().sample(random)


class Chosen(Outcomes):
    """`chance chooses`: the options, each with its weight times the number of identical ones."""

    def __init__(self, found: list[tuple[Outcome, Weight]]) -> None:
        self.found = found

    def weighted(self) -> list[tuple[Outcome, Weight]]:
        return self.found


class ChosenSubset(Outcomes):
    """A random subset, each of low..high members equally likely."""

    def __init__(self, options: Subsets) -> None:
        self.options = options

    def _sizes(self) -> tuple[list[int], list[int]]:
        members = sum(len(group) for group in self.options.groups)
        sizes = list(range(self.options.low, self.options.high + 1))
        return sizes, [comb(members, size) for size in sizes]

    def weighted(self) -> list[tuple[Outcome, Weight]]:
        return [(subset, self._weight(subset)) for subset in self.each()]

    def each(self) -> Iterator[Subset]:
        for index in range(self.count()):
            subset = self.options.at(index)
            assert isinstance(subset, Subset)
            yield subset

    def count(self) -> int:
        return self.options.count()

    def _weight(self, subset: Subset) -> int:
        """In how many ways it comes about, identical pieces told apart."""
        groups = self.options.groups
        return prod(comb(len(group), sum(member in group for member in subset.members)) for group in groups)

    def probability(self, outcome: Outcome) -> Fraction:
        subset = self.canonical(outcome)
        assert isinstance(subset, Subset)
        return Fraction(self._weight(subset), sum(self._sizes()[1]))

    def sample(self, random: Random) -> Outcome:
        sizes, weights = self._sizes()
        size = random.choices(sizes, weights)[0]
        members = [member for group in self.options.groups for member in group]
        return self.options.at(self.options.find(Subset(tuple(sorted(random.sample(members, size))))))

    def canonical(self, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Subset):
            raise ChoiceError("a set is chosen by chance here")
        return self.options.at(self.options.find(outcome))


class Rule:
    """A compiled named throw."""

    def __init__(self, program: Program, rule: ir.ChanceRule) -> None:
        self.rule = rule
        names = list(rule.params)
        self.steps: list[tuple[Callable[..., Any], int]] = []
        for stmt in rule.body:
            match stmt:
                case ir.Roll(number, sides, variable):
                    self.steps.append((program.compile(number, names, rule.name), sides))
                case ir.Let(variable, value):
                    self.steps.append((program.compile(value, names, rule.name), 0))
                case _:
                    assert_never(stmt)
            names.append(variable)
        self.again = [program.compile(test, names, rule.name) for test in rule.again]
        self.gives = program.compile(rule.gives, names, rule.name)
        self.is_fixed = not any(program.reads_position(part) for part in (*rule.body, *rule.again, rule.gives))
        self.known: dict[tuple[Value, ...], dict[Outcome, Weight]] = {}
        self.known_odds: dict[tuple[Value, ...], Fraction] = {}

    def throw(self, look: Look, arguments: tuple[Value, ...], roll: Callable[[int, int], int]) -> Thrown | None:
        """Throw with these dice, again until it counts; None if that takes too long, or for ever."""
        for _ in range(MOST_THROWS):
            values = list(arguments)
            totals = []
            for function, sides in self.steps:
                value = function(look, *values)
                if sides:
                    value = roll(value, sides)
                    totals.append(value)
                values.append(value)
            if not any(test(look, *values) for test in self.again):
                return Thrown(tuple(totals), self.gives(look, *values))
        return None

    def distribution(self, look: Look, arguments: tuple[Value, ...]) -> dict[Outcome, Weight]:
        """The exact probability of each throw that counts; worked out once if the position can not change it."""
        if arguments in self.known:
            return self.known[arguments]
        found: dict[Outcome, Weight] = {}
        for probability, totals, values in self._thrown(look, list(arguments), (), 0, Fraction(1)):
            if not any(test(look, *values) for test in self.again):
                outcome = Thrown(totals, self.gives(look, *values))
                found[outcome] = found.get(outcome, 0) + probability
        total = sum(found.values())
        if not total:
            raise RuleError(f"{self.rule.name} {FOR_EVER}", self.rule.source.span)
        weighed: dict[Outcome, Weight] = {outcome: weight / Fraction(total) for outcome, weight in found.items()}
        if self.is_fixed:
            self.known[arguments] = weighed
        return weighed

    def odds(self, look: Look, arguments: tuple[Value, ...]) -> Fraction:
        """The probability that a throw gives yes, or the mean of its numbers."""
        if arguments in self.known_odds:
            return self.known_odds[arguments]
        found = self.distribution(look, arguments).items()
        thrown = ((outcome.value, weight) for outcome, weight in found if isinstance(outcome, Thrown))
        odds = Fraction(sum(value * weight for value, weight in thrown if isinstance(value, int)))
        if self.is_fixed:
            self.known_odds[arguments] = odds
        return odds

    def _thrown(
        self, look: Look, values: list[Value], totals: tuple[int, ...], step: int, probability: Fraction
    ) -> Iterator[tuple[Fraction, tuple[int, ...], list[Value]]]:
        if step == len(self.steps):
            yield probability, totals, values
            return
        function, sides = self.steps[step]
        value = function(look, *values)
        if not sides:
            yield from self._thrown(look, [*values, value], totals, step + 1, probability)
            return
        every = Fraction(sides) ** value
        for total, ways in dice(value, sides):
            more = probability * ways / every
            yield from self._thrown(look, [*values, total], (*totals, total), step + 1, more)


class Chances:
    """The compiled chance nodes of a game."""

    def __init__(self, program: Program, offers: Offers) -> None:
        self.program = program
        self.offers = offers
        self.identity = offers.identity
        self.rules = {name: Rule(program, rule) for name, rule in program.game.chances.items()}
        program.odds = self.odds

    def odds(self, look: Look, chance: str, arguments: tuple[Value, ...]) -> Fraction:
        return self.rules[chance].odds(look, arguments)

    def chosen(self, node: flow.ChanceNode) -> Callable[[Look], Outcomes | None]:
        """What chance may choose; None if there is nothing to choose."""
        options = self.offers.options(node.offer)
        if isinstance(node.offer, ir.OfferValues):
            return self._weighted_values(node.offer)

        def outcomes(look: Look) -> Outcomes | None:
            found = options(look)
            if not found.any():
                return None
            if isinstance(found, Subsets):
                return ChosenSubset(found)
            return Chosen([(found.at(index), 1) for index in range(found.count())])

        return outcomes

    def _weighted_values(self, offer: ir.OfferValues) -> Callable[[Look], Outcomes | None]:
        variables = [binder.variable for binder in offer.binders]
        every = self.offers.every(offer.binders)
        weight = None if offer.weights is None else self.program.compile(offer.weights, variables, "weights")
        kinds = {"": tuple(variable.type for variable in variables)}

        def outcomes(look: Look) -> Outcomes | None:
            found: dict[Any, tuple[Outcome, Weight]] = {}
            for values in every(look):
                heavy = 1 if weight is None else weight(look, *values)
                if heavy < 0:
                    raise RuleError(f"a weight is {heavy}")
                key = self.identity.signature(look, values, kinds[""])
                first, before = found.get(key, (Values(values), 0))
                if heavy:
                    found[key] = first, before + heavy
            return Chosen(list(found.values())) if found else None

        return outcomes

    def drawn(self, look: Look, slot: int, order: PlaceOrder, fits: frozenset[int] | None) -> Outcomes | None:
        """What may be drawn: of a pile from the top layer; of `box` only what the target can hold."""
        pieces = look.s[slot]
        if order is PlaceOrder.PILE:
            pieces = pieces[-1] if pieces else ()
        if fits is not None:
            pieces = tuple(piece for piece in pieces if piece in fits)
        return Draws(look, self.identity, pieces) if pieces else None


@cache
def dice(number: int, sides: int) -> tuple[tuple[int, int], ...]:
    """The sums of some dice, and in how many ways each comes up.

    >>> dice(2, 3)
    ((2, 1), (3, 2), (4, 3), (5, 2), (6, 1))
    """
    return tuple(enumerate(flow.ways_to_roll(number, sides), number))
