"""Terms as SMT-LIB 2.6 text: a script asks of several goals whether they follow from what is given.

A script declares what it uses and asserts the bounds of it; shared parts without free variables are defined once. Each
goal has a name, which stands for its contrary: the goal follows if what is given and the name can not hold together.
Equal questions give equal text, so the text is the key of a cache. Names that are made here begin with a `$`, which no
word of a game has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from seaspec.backends.symbolic.logic.formulas import post_order
from seaspec.backends.symbolic.logic.terms import Kind, Sort, Term, not_

_QUANTIFIERS = (Kind.FORALL, Kind.EXISTS)


@dataclass(frozen=True, slots=True)
class Script:
    """A question. `names`: the variables declared, with what they are called in the text.

    In the text stand the bounds of what is declared, then `given` assertions, then one for each of `goals`. Not
    `thorough`: where there are quantifiers, a solver need find only what is impossible, and may soon give up the rest.
    """

    text: str
    names: tuple[tuple[str, str], ...]
    given: int
    goals: int
    thorough: bool = True


def script(given: Sequence[Term], goals: Sequence[Term] = (), comment: str = "", *, thorough: bool = True) -> Script:
    """The question which goals follow; without goals, whether what is given can hold."""
    contraries = [not_(goal) for goal in goals]
    writer = _Writer([*given, *contraries])
    lines = [f"; {line}" for line in comment.splitlines()]
    lines += ["(set-logic ALL)", *writer.declarations, *writer.definitions]
    lines += [f"(assert {writer.text(term)})" for term in given]
    for place, term in enumerate(contraries):
        lines.append(f"(declare-const {goal_name(place)} Bool)")
        lines.append(f"(assert (=> {goal_name(place)} {writer.text(term)}))")
    lines += [f"(check-sat-assuming ({goal_name(place)}))" for place in range(len(goals))] or ["(check-sat)"]
    return Script("\n".join(lines) + "\n", tuple(writer.names.items()), len(given), len(goals), thorough)


def told(question: Script) -> tuple[str, Script]:
    """What a question says of itself, and the question without it."""
    first = question.text.index("(set-logic")
    said = " ".join(line.removeprefix("; ") for line in question.text[:first].splitlines())
    return said, replace(question, text=question.text[first:])


def narrowed(question: Script, used: Sequence[int]) -> Script:
    """The same question with a part of what is given, named by place."""
    lines = question.text.splitlines()
    left_out = {line for place, line in enumerate(_given(question, lines)) if place not in used}
    text = "\n".join(line for place, line in enumerate(lines) if place not in left_out) + "\n"
    return replace(question, text=text, given=question.given - len(left_out))


def with_marks(question: Script) -> str:
    """The text in which each thing that is given counts only if its mark does: so it can be told which were used."""
    lines = question.text.splitlines()
    for place, line in enumerate(_given(question, lines)):
        mark = mark_name(place)
        said = lines[line].removeprefix("(assert ")
        lines[line] = f"(declare-const {mark} Bool)\n(assert (=> {mark} {said})"
    return "\n".join(lines) + "\n"


def _given(question: Script, lines: Sequence[str]) -> list[int]:
    """The lines in which something is given."""
    asserted = [place for place, line in enumerate(lines) if line.startswith("(assert ")]
    first = len(asserted) - question.given - question.goals
    return asserted[first : first + question.given]


def mark_name(place: int) -> str:
    """The mark of something that is given."""
    return f"$given_{place}"


def goal_name(place: int) -> str:
    """What stands for the contrary of a goal."""
    return f"$contrary_{place}"


def quoted(name: str) -> str:
    """A name as a symbol.

    >>> quoted("mark[1]"), quoted("x")
    ('|mark[1]|', 'x')
    """
    plain = name.replace("_", "a").isalnum() and not name[0].isdigit() and name.isascii()
    return name if plain else "|" + name.replace("|", "!").replace("\\", "!") + "|"


class _Texts(dict[Term, str]):
    """The texts of terms, besides those that are known: these are many, and not copied."""

    def __init__(self, known: dict[Term, str]) -> None:
        super().__init__()
        self.known = known

    def __missing__(self, term: Term) -> str:
        return self.known[term]


class _Writer:
    def __init__(self, assertions: Sequence[Term]) -> None:
        self.names: dict[str, str] = {}
        self.declarations: list[str] = []
        self.definitions: list[str] = []
        self.known: dict[Term, str] = {}
        self.shared = 0
        self.used: dict[str, int] = {}
        self._declare(assertions)

    def _declare(self, assertions: Sequence[Term]) -> None:
        uses: dict[Term, int] = {}
        order = list(post_order(*assertions))
        for term in order:
            for arg in term.args:
                uses[arg] = uses.get(arg, 0) + 1
        functions: dict[str, Term] = {}
        bounds: list[str] = []
        for term in order:
            if term.kind is Kind.VAR and not term.open:
                symbol = self.symbol(term.name)
                self.declarations.append(f"(declare-const {symbol} {term.sort.value})")
                bounds += [f"(assert {limit})" for limit in _limits(symbol, term)]
            elif term.kind is Kind.APPLY and term.name not in functions:
                functions[term.name] = term
        for function, term in functions.items():
            name = self.symbol(function)
            domain = " ".join(["Int"] * len(term.args))
            self.declarations.append(f"(declare-fun {name} ({domain}) {term.sort.value})")
            args = [f"$x{i}" for i in range(len(term.args))]
            call = f"({name} {' '.join(args)})"
            for limit in _limits(call, term):
                held = " ".join(f"({arg} Int)" for arg in args)
                bounds.append(f"(assert (forall ({held}) (! {limit} :pattern ({call}))))")
        self.declarations += bounds
        for term in order:
            if uses.get(term, 0) > 1 and term.args and not term.open:
                text = self.text(term)
                name = f"$t{len(self.known)}"
                self.definitions.append(f"(define-fun {name} () {term.sort.value} {text})")
                self.known[term] = name

    def symbol(self, name: str) -> str:
        """What a variable or function is called here: its word, numbered anew, so that the text stands for itself."""
        word = name.split("!")[0]
        number = self.used[word] = self.used.get(word, 0) + 1
        self.names[name] = quoted(word if number == 1 else f"{word}#{number}")
        return self.names[name]

    def text(self, root: Term) -> str:
        """The text of a term."""
        return self._within(root, self.known)

    def _within(self, root: Term, known: dict[Term, str]) -> str:
        made = _Texts(known)
        for term in _below(root, known):
            made[term] = self._quantified(term, known) if term.kind in _QUANTIFIERS else self._node(term, made)
        return made[root]

    def _quantified(self, term: Term, known: dict[Term, str]) -> str:
        """A quantifier; what stands several times in its body has a name there."""
        names, body = term.args[: term.value], term.args[term.value]
        known = dict(known)
        uses: dict[Term, int] = {}
        order = list(_below(body, known))
        for part in order:
            if part.kind not in _QUANTIFIERS:
                for arg in part.args:
                    uses[arg] = uses.get(arg, 0) + 1
        opening: list[str] = []
        for part in order:
            if uses.get(part, 0) > 1 and part.args:
                self.shared += 1
                name = f"$s{self.shared}"
                opening.append(f"(let (({name} {self._within(part, known)})) ")
                known[part] = name
        text = "".join(opening) + self._within(body, known) + ")" * len(opening)
        held = " ".join(f"({quoted(name.name)} Int)" for name in names)
        limits = [test for name in names for test in _limits(quoted(name.name), name)]
        if limits:
            within = limits[0] if len(limits) == 1 else f"(and {' '.join(limits)})"
            text = f"({'=>' if term.kind is Kind.FORALL else 'and'} {within} {text})"
        return f"({term.kind.value} ({held}) {text})"

    def _node(self, term: Term, made: dict[Term, str]) -> str:
        args = [made[arg] for arg in term.args]
        match term.kind:
            case Kind.CONST:
                if term.sort is Sort.BOOL:
                    return "true" if term.value else "false"
                return str(term.value) if term.value >= 0 else f"(- {-term.value})"
            case Kind.VAR:
                return self.names[term.name] if not term.open else quoted(term.name)
            case Kind.APPLY:
                return f"({self.names[term.name]} {' '.join(args)})"
            case Kind.SUM:
                parts = [_weighed(weight, text) for weight, text in zip(term.weights, args, strict=True)]
                if term.value:
                    parts.append(str(term.value) if term.value > 0 else f"(- {-term.value})")
                return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]
            case _:
                return f"({term.kind.value} {' '.join(args)})"


def _below(root: Term, known: dict[Term, str]) -> Iterable[Term]:
    """Subterms, parts first, not looking into quantifiers and those that have a name."""
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        term, done = stack.pop()
        if done:
            yield term
        elif id(term) not in seen and term not in known:
            seen.add(id(term))
            stack.append((term, True))
            if term.kind not in _QUANTIFIERS:
                stack.extend((arg, False) for arg in reversed(term.args))


def _weighed(weight: int, text: str) -> str:
    if weight == 1:
        return text
    return f"(* {weight} {text})" if weight > 0 else f"(* (- {-weight}) {text})"


def _limits(text: str, term: Term) -> list[str]:
    """That what the text stands for lies within the bounds of a term."""
    found = []
    if term.low is not None:
        found.append(f"(<= {_signed(term.low)} {text})")
    if term.high is not None:
        found.append(f"(<= {text} {_signed(term.high)})")
    return found


def _signed(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
