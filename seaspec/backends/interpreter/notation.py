"""Choices and outcomes as text, and back: `lay(Card 45, B3)`, `{Joker, Card 7}`, `2 to Boat 1`, `pass`, `7`.

Text names no indices, so it outlives changes in how things are numbered; saved plays are made of it. Where two pieces
with one title are different options, their places are told, too: `Card red in front[Ann]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from seaspec.backends.interpreter.chance import Drawn, Draws, Outcomes, Rolled, Thrown
from seaspec.backends.interpreter.choices import Act, Line, Options, Pass, Share, Shares, Subset, Subsets, Values
from seaspec.backends.interpreter.errors import ChoiceError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.state import State
from seaspec.core import flow, ir, types
from seaspec.core.show import show_value
from seaspec.core.types import Type, Value

_KIND = re.compile(r"\b[A-Z]\w*")
_DESCRIBED = re.compile(rf"{_KIND.pattern}\([^(){{}}\[\]]*\)")
"""A piece by its kind and facts: `Card(hearts, 2)`."""
NameOf = Callable[[int], str]
"""The name of a piece."""


class Notation:
    """Reads and writes the answers at one state."""

    def __init__(self, machine: Machine, state: State) -> None:
        self.machine = machine
        self.game = machine.game
        self.state = state
        self.look = machine.look(state)
        self.node = machine.node(state)
        self._names: dict[int, str] | None = None

    # ---------------------------------------------------------------------------------------------------- writing

    def text(self, answer: Answer, name: NameOf | None = None) -> str:
        """The text of an option or outcome; `name` may hide pieces."""
        name = name or self.piece_name
        match answer:
            case Act(action, arguments):
                return self._act(action, arguments, name)
            case Values(values):
                kinds = [variable.type for variable in self._variables()]
                return ", ".join(self.value(v, ty, name) for v, ty in zip(values, kinds, strict=True))
            case Subset(members):
                ty = self._variables()[0].type
                assert isinstance(ty, types.SetOf)
                return "{" + ", ".join(sorted_names(self.value(m, ty.of, name) for m in members)) + "}"
            case Share(gift):
                ty = self._variables()[0].type
                assert isinstance(ty, types.Map)
                parts = zip(types.values(ty.keys), gift, strict=True)
                given = [f"{number} to {self.value(key, ty.keys, name)}" for key, number in parts if number]
                return ", ".join(given) or "nothing"
            case Line(number):
                return self._line(number)
            case Pass():
                return "pass"
            case Drawn(piece):
                return name(piece)
            case Rolled(total):
                return str(total)
            case Thrown(totals, _):
                return ", ".join(map(str, totals))

    def value(self, value: Value, ty: Type, name: NameOf) -> str:
        """A value as text."""
        inner = ty.of if isinstance(ty, types.Optional) else ty
        if isinstance(inner, types.Pieces) and isinstance(value, int):
            return name(value)
        return show_value(value, ty, self.game)

    def _act(self, action: str, arguments: Sequence[Value], name: NameOf) -> str:
        params = self.game.actions[action].params
        shown = [self.value(v, p.variable.type, name) for v, p in zip(arguments, params, strict=True)]
        if self.game.actions[action].asks and arguments[0] == self.machine.decider(self.state):
            shown = shown[1:]
        return f"{action}({', '.join(shown)})" if shown else action

    def _line(self, number: int) -> str:
        assert isinstance(self.node, flow.Decision) and isinstance(self.node.offer, flow.OfferLines)
        texts = [self.machine.effects.text(self.look, text) for text in self.node.offer.texts]
        return texts[number] if texts.count(texts[number]) == 1 else f"line {number + 1}"

    def piece_name(self, piece: int) -> str:
        """The title of a piece, with its place where another piece of that title is another option."""
        if self._names is None:
            self._names = self._tell_apart()
        return self._names.get(piece, self.game.pieces[piece].title)

    def _tell_apart(self) -> dict[int, str]:
        by_title: dict[str, dict[Any, list[int]]] = {}
        for piece in self._pieces_offered():
            key = self.machine.identity.key(self.look, piece)
            by_title.setdefault(self.game.pieces[piece].title, {}).setdefault(key, []).append(piece)
        names = {}
        for title, classes in by_title.items():
            if len(classes) < 2:
                continue
            placed = {key: f"{title} in {self._place(pieces[0])}" for key, pieces in classes.items()}
            for number, (key, pieces) in enumerate(classes.items(), 1):
                unique = list(placed.values()).count(placed[key]) == 1
                for piece in pieces:
                    names[piece] = placed[key] if unique else f"{placed[key]} #{number}"
        return names

    def _place(self, piece: int) -> str:
        slot = self.look.w[piece]
        lies = self.look.s[slot]
        row = self.machine.effects.order[slot] is ir.PlaceOrder.ROW
        return self.machine.effects.slot_name(slot) + (f" at {lies.index(piece) + 1}" if row else "")

    def _pieces_offered(self) -> Iterable[int]:
        if self.machine.is_chance(self.state):
            outcomes = self.machine.outcomes(self.state)
            if isinstance(outcomes, Draws):
                return outcomes.pieces
            return [p for outcome, _ in outcomes.weighted() for p in self.machine.pieces_in(self.state, outcome)]
        if not isinstance(self.node, flow.Decision):
            return []
        inner = self.machine.options(self.state).inner
        ty = self._variables()[0].type if self._variables() else None
        if isinstance(inner, Subsets) and isinstance(ty, types.SetOf) and isinstance(ty.of, types.Pieces):
            return list(inner.group_of)
        if isinstance(inner, Shares) and isinstance(ty, types.Map) and isinstance(ty.keys, types.Pieces):
            return inner.members
        if isinstance(inner, Subsets | Shares):
            return []
        found: dict[int, None] = {}
        for index in range(inner.count()):
            found.update(dict.fromkeys(self.machine.pieces_in(self.state, inner.at(index))))
        return found

    def _variables(self) -> tuple[ir.Variable, ...]:
        if isinstance(self.node, flow.Decision | flow.ChanceNode):
            return flow.offer_variables(self.node.offer)
        return ()

    # ---------------------------------------------------------------------------------------------------- reading

    def read(self, text: str) -> Answer:
        """The option or outcome that a text means; `ChoiceError` with the nearest ones if there is none."""
        if self.machine.is_chance(self.state):
            return self._read_outcome(self.machine.outcomes(self.state), text)
        options = self.machine.options(self.state)
        if plain(text) == "pass" and options.passing:
            return options[len(options) - 1]
        if isinstance(options.inner, Subsets):
            return options.canonical(Subset(tuple(sorted(self._read_members(options.inner, text)))))
        if isinstance(options.inner, Shares):
            return options.canonical(self._read_share(options.inner, text))
        return self._listed(options, text)

    def _listed(self, options: Options, text: str) -> Answer:
        texts = {plain(self.text(option)): option for option in options}
        found = texts.get(plain(text), texts.get(plain(titled(text))))
        if found is None:
            near = get_close_matches(plain(text), list(texts), 3, 0.5)
            hint = f"; did you mean {' or '.join(self.text(texts[n]) for n in near)}?" if near else ""
            raise ChoiceError(f"'{text}' is no option here{hint}")
        return found

    def _read_members(self, options: Subsets, text: str) -> list[Any]:
        ty = self._variables()[0].type
        assert isinstance(ty, types.SetOf)
        left = [(plain(self.value(m, ty.of, self.piece_name)), m) for group in options.groups for m in group]
        found = []
        for word in split(titled(text).strip().removeprefix("{").removesuffix("}")):
            number, word_name = _numbered(word)
            for _ in range(number):
                match = next((entry for entry in left if entry[0] == plain(word_name)), None)
                if match is None:
                    known = sorted({name for name, _ in left})
                    near = get_close_matches(plain(word_name), known, 1, 0.5)
                    hint = f"; did you mean {near[0]}?" if near else ""
                    raise ChoiceError(f"'{word_name}' can not be chosen here{hint}")
                left.remove(match)
                found.append(match[1])
        return found

    def _read_share(self, options: Shares, text: str) -> Share:
        ty = self._variables()[0].type
        assert isinstance(ty, types.Map)
        gift = [0] * len(options.keys)
        taken: set[Any] = set()
        for part in split(text) if plain(text) != "nothing" else []:
            number, to, who = part.strip().partition(" to ")
            if not to or not number.strip().isdigit():
                raise ChoiceError(f"'{part.strip()}' is no share: write `2 to x, 1 to y`")
            wanted = plain(titled(who))
            match = next(
                (
                    m
                    for m in options.members
                    if m not in taken and plain(self.value(m, ty.keys, self.piece_name)) == wanted
                ),
                None,
            )
            if match is None:
                raise ChoiceError(f"'{who.strip()}' gets nothing here")
            taken.add(match)
            gift[options.keys[match]] = int(number)
        return Share(tuple(gift))

    def _read_outcome(self, outcomes: Outcomes, text: str) -> Answer:
        meant = plain(text), plain(titled(text))
        for outcome, _ in outcomes.weighted():
            if plain(self.text(outcome)) in meant:
                return outcome
        raise ChoiceError(f"'{text}' can not happen here")


def read_value(text: str, ty: Type, game: ir.Game) -> list[Value]:
    """The values of a type that a text may mean: several for identical pieces, none if it means nothing."""
    found: list[Value] = []
    if isinstance(ty, types.SetOf | types.Fraction):
        return found
    meant = plain(text), plain(titled(text))
    for value in types.values(ty):
        if plain(show_value(value, ty, game)) in meant:
            found.append(value)
    return found


def split(text: str) -> list[str]:
    """The parts between commas that stand in no brackets.

    >>> split("a, b(c, d), {e, f}")
    ['a', 'b(c, d)', '{e, f}']
    """
    parts, depth, start = [], 0, 0
    for number, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[start:number].strip())
            start = number + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def plain(text: str) -> str:
    """Case, spaces and empty brackets do not matter.

    >>> plain("Lay( Card  45,B3 )")
    'lay(card 45, b3)'
    """
    text = re.sub(r"\s+", " ", text.strip().lower())
    text = re.sub(r"\s*([(){},\[\]])\s*", r"\1", text).replace(",", ", ")
    return text.removesuffix("()")


def titled(text: str) -> str:
    """Pieces that are written as in a text of rules, by their titles.

    >>> titled("{2 Gold_coin, Card(hearts, 2)}")
    '{2 Gold coin, Card hearts 2}'
    """
    text = _DESCRIBED.sub(lambda piece: re.sub(r"[(),\s]+", " ", piece[0]).strip(), text)
    return _KIND.sub(lambda kind: kind[0].replace("_", " "), text)


def sorted_names(names: Iterable[str]) -> list[str]:
    """By words and numbers: `Card 7` before `Card 12`.

    >>> sorted_names(["Card 12", "Joker", "Card 7"])
    ['Card 7', 'Card 12', 'Joker']
    """

    def words_and_numbers(name: str) -> list[tuple[int, int, str]]:
        parts = re.split(r"(\d+)", name)
        return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]

    return sorted(names, key=words_and_numbers)


def _numbered(word: str) -> tuple[int, str]:
    """`3 Coin` is three of them, unless that is a name."""
    found = re.fullmatch(r"(\d+)\s+([^\d].*)", word)
    return (int(found[1]), found[2]) if found else (1, word)
