"""The grammar: from grammar/sea.lark to a table that parse.py runs.

Lark checks the grammar and computes the LALR(1) table. What parse.py needs of it is kept in a `Grammar`, of plain
values, and kept as JSON (seaspec/kept.py), by all that it is made from; where it is kept, Lark is not even imported.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import seaspec.kept as kept

MAGIC = b"seaspec grammar\n"
MOST_ENTRIES = 20
"""The oldest ones beyond this number are removed."""
CHUNK = "chunk"
LONE_EXPRESSION = "lone_expression"
END = "$END"
_WORD_LISTS = ("hard", "goes_on", "goes_on_in_expression")
_STARTS = (CHUNK, LONE_EXPRESSION, *_WORD_LISTS)


@dataclass(frozen=True, slots=True)
class Production:
    """What happens when a rule is complete: `size` values are taken off the stack, one of `origin` is put on it.

    `picks` says which of them are kept: an index, `None` for a `[..]` that is not there, or ~index for a value that
    is spliced in. `build` names the function of build.py that makes the node; "" passes on the one kept value, or
    splices if the origin begins with `_`. `single` prefers passing on if exactly one value is kept.
    """

    origin: str
    size: int
    picks: tuple[int | None, ...]
    build: str
    single: bool


@dataclass(frozen=True, slots=True)
class Grammar:
    """A state of the table maps a terminal to a state (shift) or to ~production (reduce), a rule to a state.

    Names of terminals are in capitals, `$END` among them. `words` and `marks` say how the fixed ones are written,
    `patterns` holds the regular expressions of the others. `word_lists` are the lists at the end of sea.lark.
    """

    states: tuple[dict[str, int], ...]
    productions: tuple[Production, ...]
    starts: dict[str, tuple[int, int]]
    words: dict[str, str]
    marks: dict[str, str]
    patterns: dict[str, str]
    word_lists: dict[str, frozenset[str]]

    @property
    def hard(self) -> frozenset[str]:
        """The words that are never a name."""
        return self.word_lists["hard"]

    @property
    def heads(self) -> frozenset[str]:
        """The words with which a line at the margin can begin."""
        first = self.states[self.starts[CHUNK][0]]
        return frozenset(word for word, terminal in self.words.items() if terminal in first)


@cache
def load_grammar() -> Grammar:
    """The grammar of SeaSpec, from the cache if there is one."""
    text = grammar_path().read_text(encoding="utf-8")
    entries, key = kept.Entries(kept.usual_folder(), "grammar", MAGIC), _key(text)
    entry = entries.read(key)
    if entry is not None:
        return _from_json(entry)
    found = compile_grammar(text)
    entries.write(key, _to_json(found))
    entries.keep_newest(MOST_ENTRIES)
    return found


def grammar_path() -> Path:
    """Where sea.lark lies: in a checkout beside the package, in an installed wheel within it."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "grammar" / "sea.lark"
    return inside if inside.exists() else package.parent / "grammar" / "sea.lark"


def build_lark(text: str, *, strict: bool) -> Any:
    """The grammar as a Lark object; `strict` refuses any conflict (and needs the package interegular)."""
    from lark import Lark  # imported here: a start with a cache does without

    return Lark(text, parser="lalr", lexer="contextual", strict=strict, maybe_placeholders=True, start=list(_STARTS))


def compile_grammar(text: str) -> Grammar:
    """Have Lark compute the table of a grammar."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    data, memo = build_lark(text, strict=False).memo_serialize([TerminalDef, Rule])
    table = data["parser"]["parser"]
    rules = {key: value for key, value in memo.items() if value["__type__"] == "Rule"}
    number = {key: index for index, key in enumerate(rules)}
    symbols = table["tokens"]
    states: list[dict[str, int]] = [{} for _ in table["states"]]
    for state, actions in table["states"].items():
        for symbol, (is_reduce, argument) in actions.items():
            states[state][symbols[symbol]] = ~number[argument["@"]] if is_reduce else argument
    terminals = {value["name"]: value["pattern"] for value in memo.values() if value["__type__"] == "TerminalDef"}
    literal = {name: p["value"] for name, p in terminals.items() if p["__type__"] == "PatternStr"}
    word_lists: dict[str, set[str]] = {name: set() for name in _WORD_LISTS}
    for rule in rules.values():
        if (origin := rule["origin"]["name"]) in word_lists:
            terminal = rule["expansion"][0]["name"]
            word_lists[origin].add(literal.get(terminal, terminal))
    return Grammar(
        states=tuple(states),
        productions=tuple(_production(rule) for rule in rules.values()),
        starts={name: (table["start_states"][name], table["end_states"][name]) for name in _STARTS},
        words={value: name for name, value in literal.items() if value.isalpha()},
        marks={value: name for name, value in literal.items() if not value.isalpha()},
        patterns={name: p["value"] for name, p in terminals.items() if p["__type__"] == "PatternRE"},
        word_lists={name: frozenset(words) for name, words in word_lists.items()},
    )


def _production(rule: Mapping[str, Any]) -> Production:
    origin, expansion, options = rule["origin"]["name"], rule["expansion"], rule["options"]
    picks = tuple(_picks(expansion, options["empty_indices"], options["keep_all_tokens"]))
    single = bool(options["expand1"]) and not rule["alias"]
    passes = origin.startswith("_") or origin in _WORD_LISTS or (single and len(picks) == 1)
    build = "" if passes else rule["alias"] or origin
    return Production(str(origin), len(expansion), picks, str(build), single)


def _picks(expansion: Sequence[Mapping[str, Any]], empty: Sequence[bool], keep_all: bool) -> Iterator[int | None]:
    places = list(empty) if empty else [False] * len(expansion)
    index = 0
    for missing in places:
        if missing:
            yield None
            continue
        symbol = expansion[index]
        if symbol["__type__"] == "NonTerminal":
            yield ~index if symbol["name"].startswith("_") else index
        elif keep_all or not symbol["filter_out"]:
            yield index
        index += 1


# --------------------------------------------------------------------------------------------------------- the cache


def _key(text: str) -> bytes:
    """What tells this table from others: all that it is made from."""
    return kept.digest((Path(__file__).read_text(encoding="utf-8"), _lark_version(), sys.version, text))


def _lark_version() -> str:
    """Read from Lark's text: to import it, or importlib.metadata, takes longer than all the rest of a start."""
    spec = importlib.util.find_spec("lark")
    if spec is None or spec.origin is None:
        return "none"
    found = re.search(r'__version__[^"\n]*"([^"\n]*)"', Path(spec.origin).read_text(encoding="utf-8"))
    return found[1] if found else "unknown"


def _from_json(body: bytes) -> Grammar:
    data = json.loads(body)
    return Grammar(
        states=tuple(data["states"]),
        productions=tuple(Production(o, size, tuple(picks), b, s) for o, size, picks, b, s in data["productions"]),
        starts={name: (first, last) for name, (first, last) in data["starts"].items()},
        words=data["words"],
        marks=data["marks"],
        patterns=data["patterns"],
        word_lists={name: frozenset(words) for name, words in data["word_lists"].items()},
    )


def _to_json(grammar: Grammar) -> bytes:
    data = asdict(grammar)
    data["productions"] = [list(production.values()) for production in data["productions"]]
    data["word_lists"] = {name: sorted(words) for name, words in data["word_lists"].items()}
    return json.dumps(data, separators=(",", ":")).encode()
