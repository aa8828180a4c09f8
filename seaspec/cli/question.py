"""What a player is asked, as text: a headline, the options in groups, and what the words typed in answer mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seaspec.backends.interpreter.choices import Act, Choice, Shares, Subsets
from seaspec.backends.interpreter.notation import Notation, plain, sorted_names
from seaspec.cli.output import BOLD, CYAN, DIM, in_columns, paint, wrapped
from seaspec.core import flow, ir, types
from seaspec.core.show import show_value
from seaspec.core.types import PLAYER
from seaspec.play import Play

LISTED = 40
"""Up to so many options are all listed."""
MOST_TEXTS = 20_000
"""Of more options no texts are made: they are typed in full."""
NAMED = 60


@dataclass(frozen=True, slots=True)
class Option:
    """An option, its text, and the action it is (None: it is none)."""

    choice: Choice
    text: str
    action: str | None

    @property
    def told(self) -> str:
        return self.text


class Question:
    """The choice that a play rests at."""

    def __init__(self, play: Play, width: int) -> None:
        assert play.options is not None and play.asked is not None
        self.play = play
        self.width = width
        self.rules = play.game.rules
        self.who = play.asked
        self.notation = Notation(play.game.machine, play.position)
        self.found = play.options
        self.number = len(self.found)
        self.members: list[str] = []
        self.options: list[Option] = []
        if isinstance(self.found.inner, Subsets):
            self.members = self._members(self.found.inner)
        elif self.number <= MOST_TEXTS:
            self.options = [self._option(choice) for choice in self.found]
        self.shown: list[Option] = []
        names = self.members or [option.text for option in self.options]
        self.are_numbered = not all(re.fullmatch(r"-?\d+|pass", name) for name in names)

    def _option(self, choice: Choice) -> Option:
        return Option(choice, self.notation.text(choice), choice.action if isinstance(choice, Act) else None)

    def _members(self, inner: Subsets) -> list[str]:
        """One name for each sort of members of a set."""
        node = self.play.game.machine.node(self.play.position)
        assert isinstance(node, flow.Decision) and isinstance(node.offer, ir.OfferSubset)
        ty = node.offer.variable.type
        assert isinstance(ty, types.SetOf)
        return [self.notation.value(group[0], ty.of, self.notation.piece_name) for group in inner.groups]

    # --------------------------------------------------------------------------------------------------- telling

    def headline(self) -> str:
        """Who is asked what."""
        menu = self.play.menu or ""
        title = menu_title(self.rules, menu, self.who)
        return f"{paint(self.who, BOLD)} is asked: {title or menu}{self._how_many()}"

    def _how_many(self) -> str:
        node = self.play.game.machine.node(self.play.position)
        assert isinstance(node, flow.Decision)
        may_pass = ", or pass" if self.found.passing else ""
        match node.offer:
            case ir.OfferSubset(_, _, _, variable):
                inner = self.found.inner
                assert isinstance(inner, Subsets)
                number = str(inner.low) if inner.low == inner.high else f"{inner.low} to {inner.high}"
                return f": choose {number} ({variable.name.replace('_', ' ')}){may_pass}"
            case ir.OfferShare(_, _, _, _, _, gift):
                inner = self.found.inner
                assert isinstance(inner, Shares)
                number = str(inner.low) if inner.low == inner.high else f"{inner.low} to {inner.high}"
                return f": share out {number} ({gift.name.replace('_', ' ')}){may_pass}"
            case ir.OfferValues(binders, _):
                return (
                    f": choose {' and '.join(binder.variable.name.replace('_', ' ') for binder in binders)}{may_pass}"
                )
            case _:
                return may_pass

    def lines(self) -> list[str]:
        """The options: all of them if they are few, else what there is to choose from."""
        if isinstance(self.found.inner, Subsets):
            return self._set_lines(self.found.inner)
        if not self.options:
            return [f"  {self.number} options: type one in full"]
        if not self.are_numbered:
            return [wrapped(", ".join(option.text for option in self.options), "  ", self.width)]
        if self.number <= LISTED:
            return self.listed(self.options)
        lines: list[str] = []
        small = [option for option in self.options if self._size(option.action) <= LISTED // 4]
        for action in dict.fromkeys(option.action for option in self.options):
            if self._size(action) > LISTED // 4:
                lines += self._group_lines(action)
        lines += self.listed(small) if small else []
        words = self._example(next(option for option in self.options if option not in small))
        lines.append(paint(f"  type a part of what you mean to see it, such as: {words}", DIM))
        return lines

    def _size(self, action: str | None) -> int:
        return sum(option.action == action for option in self.options)

    def _example(self, option: Option) -> str:
        words = _tokens(option.text)
        return f"{words[0]} {words[-1]}" if len(words) > 1 else option.text

    def listed(self, options: Sequence[Option]) -> list[str]:
        """Options with numbers, by which they can be chosen from now on."""
        self.shown = list(options)
        lines = []
        number = 0
        for action in dict.fromkeys(option.action for option in options):
            group = [option for option in options if option.action == action]
            lines += [self._action_line(action)] if action is not None else []
            items = [f"{number + index:>3} {option.text}" for index, option in enumerate(group, 1)]
            lines += in_columns(items, self.width, "    " if action is not None else "  ")
            number += len(group)
        return lines

    def _action_line(self, action: str) -> str:
        sentence = self.rules.actions[action].source.sentence
        text = "" if sentence is None else _spoken(self.rules, sentence, self.who)
        return f"  {paint(action, CYAN)}" + (f"  {text}" if text else "")

    def _group_lines(self, action: str | None) -> Iterator[str]:
        """A large group: what can stand at each place of its options."""
        group = [option.choice for option in self.options if option.action == action]
        if action is None or not isinstance(group[0], Act):
            yield f"  {len(group)} options"
            return
        yield f"{self._action_line(action)}   {paint(f'{len(group)} options', DIM)}"
        rules = self.rules.actions[action]
        for position, param in enumerate(rules.params):
            values = {choice.arguments[position] for choice in group if isinstance(choice, Act)}
            if position == 0 and rules.asks and values == {self.play.game.players.index(self.who)}:
                continue
            names = {self.notation.value(value, param.variable.type, self.notation.piece_name) for value in values}
            told = sorted_names(names)
            if len(told) > 12 and len(told) == len(tuple(types.values(param.variable.type))):
                told = ["any"]
            more = f", and {len(told) - NAMED} more" if len(told) > NAMED else ""
            yield wrapped(f"{param.variable.name}: {', '.join(told[:NAMED])}{more}", "    ", self.width)

    def _set_lines(self, inner: Subsets) -> list[str]:
        names = [
            name if len(group) == 1 else f"{name} ({len(group)} of them)"
            for name, group in zip(self.members, inner.groups, strict=True)
        ]
        if not self.are_numbered:
            return [wrapped(", ".join(names), "  ", self.width)]
        items = [f"{number:>3} {name}" for number, name in enumerate(names, 1)]
        hint = "type their numbers, such as: 1 2" if inner.high > 1 else "type a number"
        return [
            *in_columns(items, self.width),
            paint(f"  {hint}; nothing at all is {{}}" if inner.low == 0 else f"  {hint}", DIM),
        ]

    def help(self) -> str:
        """What can be typed in answer, with examples from the options at hand."""
        lines = [
            ("7" if self.number > 7 else "1", "the option with this number"),
            (self.example(), "the option with these words; if several have them, they are listed"),
            ("options, or Enter", "what there is to choose"),
            ("why " + self.example(), "why this is or is not allowed; 'why' and the name of an action does, too"),
            ("board, log", "the table; all that you have seen happen"),
        ]
        return "".join(f"  {words:<18} {meaning}\n" for words, meaning in lines if words)

    def example(self) -> str:
        """Words that choose an option at hand."""
        return self._example(self.options[len(self.options) // 2]) if self.options else (self.members or ["pass"])[0]

    def what_is_there(self) -> str:
        """How many options there are, and what can be typed."""
        if self.members:
            return f"there are {', '.join(self.members[:LISTED])}"
        if not self.are_numbered:
            return f"there are {', '.join(option.text for option in self.options[:LISTED])}"
        return f"there are {self.number}: type a number up to that, or a part of one, such as '{self.example()}'"

    # --------------------------------------------------------------------------------------------------- answers

    def exact(self, text: str) -> str | None:
        """The text of the option that is typed: by its number in what was listed, or in full."""
        words = re.split(r"[\s,]+", text.strip())
        if self.are_numbered and all(re.fullmatch(r"\d+", word) for word in words):
            numbers = [int(word) for word in words]
            if self.members and all(1 <= number <= len(self.members) for number in numbers):
                return "{" + ", ".join(self.members[number - 1] for number in numbers) + "}"
            if len(numbers) == 1 and 1 <= numbers[0] <= len(self.shown):
                return self.shown[numbers[0] - 1].text
        return next((option.text for option in self.options if plain(option.text) == plain(text)), None)

    def matching(self, text: str) -> list[Option]:
        """The options in which all words occur: as whole words, else as beginnings, else anywhere."""
        words = [word.lower() for word in _tokens(text)]
        if not words:
            return []
        for level in range(3):
            found = [option for option in self.options if all(_occurs(word, option.text, level) for word in words)]
            if found:
                return found
        return []

    def is_clear(self, text: str, option: Option) -> bool:
        """Whether whole words name an option, not parts of words."""
        return all(_occurs(word.lower(), option.text, 0) for word in _tokens(text))

    def meant_action(self, text: str) -> str | None:
        """An action with its arguments, legal or not, that some words seem to mean: `play 45 B3`.

        Without its name, an action that is offered here.
        """
        words = [word.lower() for word in _tokens(text)]
        if not words:
            return None
        named = next((action for action in self.rules.actions if plain(action) == words[0]), None)
        if named is not None and "(" in text:
            return text
        node = self.play.game.machine.node(self.play.position)
        assert isinstance(node, flow.Decision)
        offered = [launch.action for launch in node.launches] if named is None else [named]
        readings = (self._reading(name, words if named is None else words[1:]) for name in offered)
        return next((reading for reading in readings if reading is not None), None)

    def _reading(self, name: str, words: list[str]) -> str | None:
        """The action with the arguments that the words name; None if some argument is not named, or not clearly."""
        action = self.rules.actions[name]
        arguments = []
        used: set[str] = set()
        for param in action.params[action.asks :]:
            ty = param.variable.type
            if isinstance(ty, types.SetOf | types.Map | types.Fraction):
                return None
            shown = dict.fromkeys(show_value(value, ty, self.rules) for value in types.values(ty))
            likely = [one for one in shown if len(shown) == 1 or set(words) & set(_tokens(one.lower()))]
            if len(likely) != 1:
                return None
            arguments.append(likely[0])
            used |= set(_tokens(likely[0].lower()))
        if not set(words) <= used:
            return None
        return f"{name}({', '.join(arguments)})" if arguments else name


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _occurs(word: str, text: str, level: int) -> bool:
    tokens = [token.lower() for token in _tokens(text)]
    if level == 0 or word.isdigit():
        return word in tokens
    if level == 1:
        return any(token.startswith(word) for token in tokens)
    return word in text.lower()


def menu_title(rules: ir.Game, menu: str, who: str) -> str | None:
    """What a choice point is about, in the words of the rules."""
    things: list[ir.Menu | ir.Procedure] = [
        thing for thing in (rules.menus.get(menu), rules.procedures.get(menu)) if thing is not None
    ]
    sentence = next((thing.source.sentence for thing in things if thing.source.sentence is not None), None)
    spoken = None if sentence is None else _spoken(rules, sentence, who)
    return None if spoken is None or "<" in spoken else spoken


def _spoken(rules: ir.Game, sentence: ir.Text, who: str) -> str:
    """A sentence with the player's name where it speaks of the player; other values are left as names."""
    parts = []
    for part in sentence.parts:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, ir.Local):
            ty = part.type
            is_player = isinstance(ty, types.Enum) and ty.name == PLAYER
            parts.append(who if is_player else f"<{part.variable.name}>")
        elif isinstance(part, ir.Const):
            parts.append(show_value(part.value, part.type, rules))
        else:
            parts.append("..")
    return "".join(parts)
