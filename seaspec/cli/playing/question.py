"""What a player is asked, as text: a headline, the options in groups, and what the words typed in answer mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.interpreter.choices import Act, Choice, Shares, Subsets
from seaspec.backends.interpreter.notation import Notation, plain, sorted_names, titled
from seaspec.cli.output import BOLD, CYAN, DIM, in_columns, paint, wrapped
from seaspec.cli.playing.wording import act_told, asked_about, what_is_chosen
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
    """An option: its number, its formal text, the sentence it is told by, the action it is (None: it is none)."""

    number: int
    text: str
    told: str
    choice: Choice
    action: str | None

    @property
    def words(self) -> str:
        """All words by which it can be meant."""
        return self.text if self.told == self.text else f"{self.text} {self.told}"


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
            self.options = self._told_apart([self._option(n, choice) for n, choice in enumerate(self.found, 1)])
        self.shown: set[int] = set()
        names = self.members or [option.text for option in self.options]
        self.are_numbered = not all(re.fullmatch(r"-?\d+|pass", name) for name in names)

    def _option(self, number: int, choice: Choice) -> Option:
        text = self.notation.text(choice)
        if not isinstance(choice, Act):
            return Option(number, text, text, choice, None)
        told = act_told(self.notation.machine, self.play.position, choice, self.notation.piece_name)
        return Option(number, text, told or text, choice, choice.action)

    def _told_apart(self, options: list[Option]) -> list[Option]:
        """Options that one sentence would tell alike are told by their formal texts."""
        told = Counter(option.told for option in options)
        return [replace(option, told=option.text) if told[option.told] > 1 else option for option in options]

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
        what = self._what()
        may_pass = ", or pass" if self.found.passing else ""
        return f"{paint(self.who, BOLD)}: {asked_about(self.play)}{f': {what}' if what else ''}{may_pass}"

    def _what(self) -> str:
        """What is to be chosen, if it is no action."""
        node = self.play.game.machine.node(self.play.position)
        assert isinstance(node, flow.Decision)
        inner = self.found.inner
        if isinstance(inner, Subsets | Shares):
            number = str(inner.low) if inner.low == inner.high else f"{inner.low} to {inner.high}"
            (variable,) = flow.offer_variables(node.offer)
            act = "choose" if isinstance(inner, Subsets) else "share out"
            return f"{act} {number} ({variable.name.replace('_', ' ')})"
        if isinstance(node.offer, ir.OfferValues):
            return f"choose {what_is_chosen(self.notation, node.offer)}"
        return "what comes next" if isinstance(node.offer, flow.OfferLines) else ""

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
        lines = [paint(f"  {self.number} options", DIM)]
        small = [option for option in self.options if self._size(option.action) <= LISTED // 4]
        for action in dict.fromkeys(option.action for option in self.options):
            if self._size(action) > LISTED // 4:
                lines += self._group_lines(action)
        lines += self.listed(small) if small else []
        hint = f"type a part of what you mean, such as: {self.example()}"
        if cell := re.fullmatch(r"([A-Z]+)(\d+)", self.example()):
            hint += f", or {cell[1]} or {cell[2]} alone"
        return [*lines, paint(f"  {hint}; 'list' shows all", DIM)]

    def _size(self, action: str | None) -> int:
        return sum(option.action == action for option in self.options)

    def listed(self, options: Sequence[Option]) -> list[str]:
        """Options with their numbers, by which they can be chosen from now on (else they are words like others)."""
        self.shown.update(option.number for option in options)
        width = len(str(self.number)) + 1
        return in_columns([f"{option.number:>{width}} {option.told}" for option in options], self.width)

    def _group_lines(self, action: str | None) -> Iterator[str]:
        """A large group: what can stand at each place of its options."""
        group = [option for option in self.options if option.action == action]
        if action is None:
            yield wrapped(f"from {group[0].told} to {group[-1].told}", "    ", self.width)
            return
        rules = self.rules.actions[action]
        sentence = rules.source.sentence
        general = "" if sentence is None else f"  {_in_general(self.rules, sentence, self.who)}"
        yield f"  {paint(action, CYAN)}{general}   {paint(f'{len(group)} options', DIM)}"
        for position, param in enumerate(rules.params):
            values = {option.choice.arguments[position] for option in group if isinstance(option.choice, Act)}
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
            ("1 2" if self.members else "1", "the option with this number"),
            (self.example(), "the option with these words; a part of a word will do, or the number in B3"),
            ("", "if several have them, they are listed, with the numbers that they always have"),
            ("options, or Enter", "what there is to choose; 'list' shows all of it, however long"),
            ("why " + self.example(), "why this is or is not allowed; 'why' and the name of an action does, too"),
            ("board, log", "the table; all that you have seen happen"),
        ]
        if self.found.passing:
            lines.insert(2, ("pass", "choose none of them"))
        return "".join(f"  {words:<18} {meaning}\n" for words, meaning in lines)

    def example(self) -> str:
        """Words that choose one option at hand, as few as will do."""
        if not self.options:
            return (self.members or ["pass"])[0]
        likely = [option for option in self.options if option.action is not None] or self.options
        option = likely[len(likely) // 2]
        words = _tokens(option.text)
        for text in (words[-1], " ".join(words[-2:]), f"{words[0]} {words[-1]}", f"{words[0]} {' '.join(words[-2:])}"):
            if not text.isdigit() and self.matching(text) == [option] and self.exact(text) in (None, option.text):
                return text
        return option.text

    def what_is_there(self) -> str:
        """How many options there are, and what can be typed."""
        if self.members:
            return f"there are {', '.join(self.members[:LISTED])}"
        if not self.are_numbered:
            return f"there are {', '.join(option.text for option in self.options[:LISTED])}"
        return f"there are {self.number}, such as '{self.example()}'; Enter tells what there is"

    # --------------------------------------------------------------------------------------------------- answers

    def exact(self, text: str) -> str | None:
        """The text of the option that is typed: by its number in what was listed, or in full."""
        words = re.split(r"[\s,]+", text.strip())
        if self.are_numbered and all(re.fullmatch(r"\d+", word) for word in words):
            numbers = [int(word) for word in words]
            if self.members and all(1 <= number <= len(self.members) for number in numbers):
                return "{" + ", ".join(self.members[number - 1] for number in numbers) + "}"
            if len(numbers) == 1 and numbers[0] in self.shown:
                return self.options[numbers[0] - 1].text
        for meant in (plain(text), plain(titled(text))):
            for option in self.options:
                if meant in (plain(option.text), plain(option.told)):
                    return option.text
        return None

    def matching(self, text: str) -> list[Option]:
        """The options in which all words occur: as whole words, else as beginnings, else anywhere."""
        words = [word.lower() for word in _tokens(text)]
        if not words:
            return []
        for level in range(3):
            found = [option for option in self.options if all(_occurs(word, option.words, level) for word in words)]
            if found:
                return found
        return []

    def is_clear(self, text: str, option: Option) -> bool:
        """Whether whole words name an option, not parts of words."""
        return all(_occurs(word.lower(), option.words, 0) for word in _tokens(text))

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
    """Whether a word stands in a text as a word; at level 1 as the beginning of one, or the number in one, as in `B3`;
    at level 2 anywhere.
    """
    tokens = [token.lower() for token in _tokens(text)]
    if level == 0:
        return word in tokens
    if word.isdigit():
        return any(re.fullmatch(rf"[a-z]*{word}", token) for token in tokens)
    if level == 1:
        return any(token.startswith(word) for token in tokens)
    return word in text.lower()


def _in_general(rules: ir.Game, sentence: ir.Text, who: str) -> str:
    """A sentence with the name of who is asked; other values are left as names."""
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
