"""Habits from other languages, and from plain English: what is said instead.

By the first word of a line, by a name that nothing has, or by how a line looks around the place where it can not go on.
"""

from __future__ import annotations

import re

_WHAT_CHANGES = "`state x: 0..9 = 0` declares what can change, `let x = ..` names a value"
_WITH_VALUE = "`define f(x: T) = ..` has a value, `to f(x: T)` does something"
_THROW = "say `chance chooses n in 1..3`, or `roll 2 d6 as n`"
_WORDS = "a list of words is `type T = one of red, blue`, what is played with a `component`"
_PIECES = "pieces are a `component Card`, and below it, indented, `Card times 3`; a die is thrown: `roll d6 as n`"
_INDENT = "this is a line of a block: indent it, below the head to which it belongs"
_IN_BLOCKS = (
    "move", "draw", "if", "else", "repeat", "roll", "say", "show", "win", "lose", "nobody", "nothing", "needs", "stop",
    "shuffle", "score", "match", "given", "when", "then",
)  # fmt: skip
HABITS = {
    "return": "`stop` ends it sooner than its last line; `define f(x: T) = ..` has a value",
    "break": "`stop` ends a procedure, `repeat until P` a loop", "continue": "`if` says what is done else",
    "random": _THROW, "rand": _THROW,
    "while": "say `repeat until P`, and below it, indented, what is repeated",
    "do": "say `repeat 3 times`, or `repeat until P`, and below it, indented, what is repeated",
    "loop": "say `repeat`, `repeat 3 times` or `repeat until P`, and below it, indented, what is repeated",
    "for": "say `for each x in S`, and below it, indented, what is done",
    "function": _WITH_VALUE, "def": _WITH_VALUE, "var": _WHAT_CHANGES, "int": _WHAT_CHANGES, "bool": _WHAT_CHANGES,
    "print": "say `say \"..\"`", "elif": "say `else if P`", "elseif": "say `else if P`",
    "import": "say `uses Name` below the heading",
}  # fmt: skip
"""Words with which a line begins in other languages."""
_AT_THE_MARGIN = {
    "players": "say `const players = 2`, or `option players: 2..4 = 2`", "enum": _WORDS, "class": _WORDS,
    "struct": _WORDS, "deck": "say `component Card(..)`, and `place deck pile of Card hidden`",
    **dict.fromkeys(("card", "cards"), "say `component Card(..)`"),
    **dict.fromkeys(("piece", "pieces", "token", "tokens", "die", "dice"), _PIECES),
    "goal": "say `whenever P`, and `win for p`",
    "let": "`const x = 3` stays as it is, `state x: 0..9 = 3` can change; `let` stands in blocks",
    "setup": "say `to setup`", "play": "say `to play`", "turn": "say `to turn(p: Player)`",
    "procedure": "say `to turn(p: Player)`", "rule": "say `action go(p: Player)`, `to turn(p: Player)` or `whenever P`",
    "end": "a block ends where its indentation does", "endif": "a block ends where its indentation does",
    **dict.fromkeys(_IN_BLOCKS, _INDENT),
}  # fmt: skip
_NAMES = {
    "true": "write `yes`", "false": "write `no`", "True": "write `yes`", "False": "write `no`", "null": "write `none`",
    "nil": "write `none`", "undefined": "write `none`", "None": "write `none`", "len": "say `size of S`",
    "length": "say `size of S`", "choice": "say `chance chooses x in S`", "randint": _THROW,
    "self": "say the parameter", "round": "numbers are whole: `/` rounds down",
    "Bool": "say `yes or no`", "Boolean": "say `yes or no`",
    "Int": "say a range, such as `0..9`", "Integer": "say a range, such as `0..9`",
    "Number": "say a range, such as `0..9`",
    "String": "say the words that it can be: `one of red, blue`", "List": "say `set of T`, or `map K to T`",
    "Set": "say `set of T`", "Map": "say `map K to T`", "players": "say `size of Player`",
    "current_player": "a procedure has a parameter, `to turn(p: Player)`, for whose turn it is",
}  # fmt: skip
_TYPES = {
    "bool": "yes or no", "boolean": "yes or no", "int": "0..9", "integer": "0..9", "number": "0..9", "float": "0..9",
    "string": "one of red, blue", "str": "one of red, blue", "text": "one of red, blue",
}  # fmt: skip
_EVERY = "say `every x in S: P`"
_EACH = "say `for each p in Player`, and below it what `p` does"
_SOME = "say `some x in S: P`"
_OVER = "the game is over with `win for p`, `lose for p`, `nobody wins`, or where `to play` ends"
_DRAWN = "where it is a draw say `nobody wins`"
_STATE = "to change a state write `:=`"
_LOOKS: tuple[tuple[str, str], ...] = (
    (r"component\b.*¦\s*times", "how many there are is said in a line below it, indented: `Card times 3`"),
    (r"place\b[^:]*(\[.*\])?¦:", "a place has no colon: `place hand[p: Player] set of Card seen by p`"),
    (r".*\bof\s+¦[({\[]", "the words stand there without brackets"),
    (r"define\b.*\)\s*:.*\breturn\b", "a define has a `=`, and no `return`: `define f(x: T) = ..`"),
    (r"\s+(else\s+)?if\b.*\bthen\b.*¦(:=|\+=|-=)", "the `if` of a statement has no `then`: `if P: x := 1`"),
    (r"\s+(else\s+)?if\b.*\bthen\s*¦\s*$", "an `if` with a block below it has no `then`"),
    (r"\s+(else\s+)?if\b.*¦\{", "the block stands below the `if`, indented, without brackets"),
    (r"\s+(each|every)\s+¦?(\w+|\w+\s+in\s+\w+)\s*¦?(chooses|may|does|rolls|draws|in)\b", _EACH),
    (r".*\b(all|forall|each)\s+¦\w+\s+in\b", _EVERY),
    (r".*¦(for\s+all|for\s+each|for\s+every|forall)\b.*:", _EVERY),
    (r".*\b(any|exists)\s+¦\w+\s+in\b", _SOME),
    (r".*\bseat\s+¦\d", "say `seat(1)`"),
    (r".*¦(isn|aren)\b", "write `is not`"),
    (r".*¦(is\s+in|are\s+in)\b", "write `in`"),
    (r".*\bis\s+¦in\b", "write `x in S`, without `is`"),
    (r".*\bis\s+not\s+¦in\b", "write `x not in S`, without `is`"),
    (r".*\bcount\s*¦\(", "say `count x in S where P`, without brackets"),
    (r".*\bsize\s*¦\(", "say `size of S`"),
    (r".*\bsum\s*\(.*¦for\b", "brackets stand round all of it: `(sum e for x in S)`"),
    (r".*\b(max|maximum)\s*\(.*¦for\b", "say `(most e for x in S)`"),
    (r".*\b(min|minimum)\s*\(.*¦for\b", "say `(least e for x in S)`"),
    (r".*=.*¦for\b", "several values stand in brackets: `{e for x in S}` is a set, `[e for k in K]` a map"),
    (r"\s+(set|let|change|put)\s+\w.*¦to\b", _STATE),
    (r"\s+set\s+¦[\w\[\].]+\s*(to\b|:?=)", _STATE),
    (r"\s+[\w\[\]().]+\s*¦(becomes|gets|equals|is|to)\b", _STATE),
    (r"¦\w+\s+(privately\s+|repeatedly\s+)?(chooses|may)\b", _INDENT),
    (r"place\b.*\[¦[A-Z]", "an index has a name and a type: `hand[p: Player]`"),
    (r"place\b.*¦(face|visible|public|private|secret|shown|closed|up|down)\b", "say `open`, `hidden` or `seen by p`"),
    (r"(replace\s+)?picture\b.*¦:", "the picture stands in the lines below; its head has no colon"),
    (r"(replace\s+)?look\b[^:]*\s¦[a-z]", "a colon stands before the shape: `look faces of Card: card`"),
    (r"look\b.*¦(like|as|with|in|and)\b", "say `pointing`, `coloured`, `showing`, `numbered`, and a name"),
    (r'term\s+\w+\s+¦"', "say what it is a word for: `term ru Card \"карта\"`"),
    (r"term\b.*¦[:=]", "the word stands behind the name: `term ru Card \"карта\"`"),
    (r"term\s+¦[A-Z\"]", "say in which language: `term ru Card \"карта\"`"),
    (r"board\b.*:\s*¦", "a board is a grid; what is none is a type, with a picture: `picture bay of Harbour`"),
    (r"whenever\b.*¦:", "what is done stands in the lines below; only its name has a colon: `whenever won: P`"),
    (r"\s+whenever\s+¦", "`whenever` stands at the margin, in a block say `if P`"),
    (r"\s+¦one\s+of\s+each", "say `Card one each`: the kind, and how many"),
    (r"\s+deal\s+¦", "say `for each p in Player: draw 3 from deck to hand[p]`"),
    (r"\s+draw\s+(from|an?)\s+¦", "say how many: `draw 1 from deck to hand[p]`"),
    (r"\s+move\s+[a-z]\w*\s+¦from\b", "what has a name is moved from where it is: `move c to discard`"),
    (r"(.*:)?\s+move\s+\w+\s+[A-Z]\w*\s+¦to\b", "say where from: `move all Card from box to deck`"),
    (r"(.*:)?\s*(draw|tie)\s*¦\s*$", f"{_DRAWN}; a card is drawn by `draw 1 from deck to hand[p]`"),
    (r".*\b(is|in|an?)\s+¦(draw|tie|drawn|tied)\b", _DRAWN),
    (r".*\bnobody\s+¦", _DRAWN),
    (r"\s+(the\s+)?(game|play)\s+¦(ends|is)\b", _OVER),
    (r"ends\s+within\b.*¦\w", "say of what: `ends within 50 calls of turn`, a procedure or an action of yours"),
    (r".*\b(shuffle|from|to)\s+¦the\s+\w+", "write the name alone, without `the`"),
    (r"\s+(win|lose)\s+¦\w", "say `win for p`, `lose for p` or `nobody wins`"),
    (r".*\bwin\s+for\b.*¦with\b", "say `win for {p in Player with most points[p]}`"),
    (r"\s+then\s+\w+\s+¦(wins|won)\b", "say `then Ann has won`"),
    (r".*¦(wins|won|win)\b", "say `win for p`"),
    (r".*¦(loses|lost)\b", "say `lose for p`"),
    (r"\s+(end|game|finish|stop)\s+¦(game|over|the)\b", _OVER),
    (r"\s+score\b[^:]*¦\s*$", "say `score p: points[p]`"),
    (r".*\bchooses\s+(an?\s+)?¦\w+\s+(in|from)\b", "what is chosen has a name of its own: `p chooses c in hand[p]`"),
    (r".*\bchooses\s+\w+\s+¦from\b", "say `in`: `p chooses c in hand[p]`"),
    (r".*\bchooses\b.*\bof\b.*¦\s*$", "what is chosen gets a name: `p chooses 2 of S as chosen`"),
    (r"\s+choose\s+¦", "say who chooses: `p chooses x in S`"),
    (r".*¦rolls\b", "say `roll d6 as n`"),
    (r"\s+roll\b.*¦\s*$", "what is thrown gets a name: `roll d6 as n`"),
    (r".*\b(some|every|no)\s+\w+\s*¦:", "say among what: `some p in Player: P`"),
    (r"\s+given\s+\w+\s+¦(at|has|is|on|in)\b", "say what a place holds, or what a state is: `given points[Ann] = 3`"),
    (r"\s+when\s+[A-Z]\w*\s+¦[a-z]", "say `when Ann does go`, `when Ann chooses 3` or `when Ann passes`"),
    (r"\s+then\s+[A-Z]\w*\s+¦[a-z]", "say what holds now: `then Ben is asked`, `then points[Ann] = 3`"),
    (r".*:\s*\d+\s*-\s*\d+\s*¦=", "a range is written `0..9`"),
)  # fmt: skip
"""How a line looks, with `¦` where it can not go on; and what is said."""
_COMPILED = tuple((re.compile(pattern), hint) for pattern, hint in _LOOKS)


def by_first_word(line: str) -> str | None:
    """What is said for a line that begins as in other languages."""
    found = re.match(r"(\s*)([a-z]+)\b", line)
    if found is None:
        return None
    if not found[1] and found[2] in _AT_THE_MARGIN:
        return _AT_THE_MARGIN[found[2]]
    is_loop = found[2] == "for" and line.lstrip().startswith("for each")
    return None if is_loop else HABITS.get(found[2])


def by_look(line: str, at: int) -> str | None:
    """What is said for a line that can not go on at a column."""
    marked = f"{line[:at]}¦{line[at:]}"
    return next((hint for pattern, hint in _COMPILED if pattern.match(marked)), None)


def by_name(name: str) -> str | None:
    """What is said for a name that nothing has."""
    if re.fullmatch(r"d\d+", name):
        return f"say `roll {name} as n`, and then `n`"
    return _NAMES.get(name) or HABITS.get(name)


def of_type(word: str) -> str:
    """What is said where a type is wanted, and this word begins one elsewhere."""
    if word in _TYPES:
        return f"say `{_TYPES[word]}`"
    if word == "player":
        return "write 'Player'"
    return "a type is a range such as `0..9`, `yes or no`, `one of red, blue`, or a capitalised name"
