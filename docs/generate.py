"""Write the parts of the pages that are made from the program: tables of words, operators, limits, options, errors; and pictures.

    python docs/generate.py            rewrite what is stale
    python docs/generate.py --check    only say what is; exit code 1 if anything is

A page holds `<!-- generated: ops -->`, the part, and `<!-- end -->`. errors.md is made as a whole; and properties.md, of
what properties.py has found.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT))

import properties  # noqa: E402

from seaspec.backends.interpreter import machine  # noqa: E402
from seaspec.check.expressions import builtins
from seaspec.check import limits as limit  # noqa: E402
from seaspec.cli.main import COMMANDS, Parser, home_of  # noqa: E402
from seaspec.core import flow  # noqa: E402
from seaspec.core.ops import Op  # noqa: E402
from seaspec.core.show import SIGNS  # noqa: E402
from seaspec.diagnostics.codes import Code  # noqa: E402
from seaspec.drawing import draw_svg  # noqa: E402
from seaspec.loading import load  # noqa: E402
from seaspec.passes.lower import SETTLE_ROUNDS  # noqa: E402
from seaspec.syntax import lines, parse  # noqa: E402
from seaspec.syntax.grammar import load_grammar  # noqa: E402
from seaspec.sampling.telling import open_table  # noqa: E402
from travel import travel  # noqa: E402

PART = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
LONGEST_CASE = 14
"""A case of more lines is not shown in errors.md."""


def main(words: list[str]) -> int:
    stale = [path for path, text in generated() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in words:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale: run python docs/generate.py")
        return 1 if stale else 0
    for path, text in generated():
        path.write_text(text, encoding="utf-8")
    return 0


def generated() -> Iterator[tuple[Path, str]]:
    """All pages with generated parts, as they should be."""
    whole = {DOCS / "errors.md": errors, DOCS / "properties.md": properties.page}
    for path, make in whole.items():
        yield path, make()
    yield DOCS / "pictures" / "travel.svg", travel()
    for name in PICTURES:
        yield DOCS / "pictures" / f"{name}.svg", picture(name)
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if path not in whole and PART.search(text):
            yield path, PART.sub(lambda found: f"{found[1]}\n{part(found[2])}\n{found[4]}", text)


def part(name: str) -> str:
    """The text of a part."""
    if name in COMMANDS:
        return options(name)
    return PARTS[name]()


PICTURES: dict[str, tuple[str, dict[str, str]]] = {
    "fleets": ("admiral", {"berths": "fixed"}),
    "islands": ("pirate_bay", {}),
}
"""The pictures, and the games whose beginning they show, with the options that they are played with."""


def picture(name: str) -> str:
    """The board of a game as it begins."""
    spec, options = PICTURES[name]
    game = load(spec, **options)
    play = game.start(seed=1)
    table = open_table(game.machine, play.position)
    return draw_svg(game.rules, table, game.title, f"{play.asked} is asked")


# ------------------------------------------------------------------------------------------------------------- tables


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines_of = [list(head), *(list(row) for row in rows)]
    shown = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines_of]
    return "\n".join([shown[0], "|" + "---|" * len(lines_of[0]), *shown[1:]]) + "\n"


def words() -> str:
    """The words of the grammar by class."""
    grammar = load_grammar()
    hard = grammar.hard
    heads = grammar.heads - hard
    blocks = [grammar.states[state["_INDENT"]] for state in grammar.states if state.get("_INDENT", -1) >= 0]
    inner = {word for word, name in grammar.words.items() for block in blocks if name in block} - hard
    rows = [
        ("never a name", listed(hard)),
        ("no name at the beginning of a line at the margin", listed(heads)),
        ("no name at the beginning of a line of a block", listed(inner)),
        ("known where they can stand, names elsewhere", listed(set(grammar.words) - hard - heads - inner)),
    ]
    return table(("class", "words"), rows)


def goes_on() -> str:
    """What makes a line go on."""
    lists = load_grammar().word_lists
    always = [word if word != "STRING" else "a string" for word in sorted(lists["goes_on"])]
    marks = [f"`{word}`" for word in always if word != "a string"]
    text = f"a string, {', '.join(marks)}"
    within = ", ".join(f"`{word}`" for word in sorted(lists["goes_on_in_expression"]))
    return f"    {text.replace('`', '')}\n\n  {within} go on with the line above if they belong to an expression there.\n"


def ops() -> str:
    """The operators."""
    rows = []
    for op in Op:
        many = "any" if op.arity is None else str(op.arity)
        sign = f"`{SIGNS[op]}`" if op in SIGNS else ""
        rows.append((op.name.lower().replace("_", " "), sign, many, op.meaning))
    return table(("operator", "written", "arguments", "meaning"), rows)


LIBRARY = {
    "next": ("next(c, d), next(p)", "the cell beside c in direction d, or none; the value after p in its ring: the next player"),
    "previous": ("previous(p)", "the value before p in its ring"),
    "opposite": ("opposite(d)", "the value half a ring away"),
    "turns": ("turns(a, b)", "steps from a to b: onward for players, the shorter way round in other rings"),
    "beside": ("beside(c)", "the cells that share a side with c"),
    "around": ("around(c)", "the cells that share a side or corner with c"),
    "border": ("border(c, d)", "the side or corner of c in direction d: the same one, seen from both of its sides"),
    "rotated": ("rotated(c, q)", "the cell in the place of c when the board is turned by q quarters, clockwise; a quarter of a board that is no square is none"),
    "ray": ("ray(c, d), ray(c, d, n)", "the cells from c on in direction d, in order, c not among them, up to the rim or a gap; at most n"),
    "distance": ("distance(a, b)", "steps of a king from a to b, on the whole rectangle"),
    "steps": ("steps(a, b), steps(c, e, d)", "how many steps onward lead from a to b in their ring, of directions and players alike; how many steps in direction d lead from the cell c to the cell e, 0 if they are one, or none"),
    "towards": ("towards(a, b)", "the direction in which b lies from a, in a straight line without gaps; or none"),
    "edge": ("edge(Board)", "the cells with fewer than four cells beside them"),
    "lines": ("lines(Board)", "the rows, then the columns, each an ordered set of cells; gaps are skipped. Diagonals are not among them"),
    "cell_at": ("cell_at(S, k)", "the k-th member of an ordered set, from 1; or none"),
    "spot": ("spot(x)", "the place of a piece in the row it lies in, from 1; that it lies in a row is an obligation"),
    "min": ("min(a, b, ..)", "the least"),
    "max": ("max(a, b, ..)", "the greatest"),
    "abs": ("abs(a)", "a without its sign"),
    "seat": ("seat(n)", "the n-th player, from 1; it goes round"),
    "rival": ("rival(p)", "the other one of two players"),
    "out": ("out(p)", "p has dropped out"),
    "covered": ("covered(place, c)", "with what letter a shape that is laid there covers a cell or border, or none"),
}
"""How the words of the library are written, and what they mean, in the order of check/expressions/builtins.py."""


def library() -> str:
    """The words of the library."""
    unknown = set(builtins.LIBRARY) ^ set(LIBRARY)
    if unknown:
        raise SystemExit(f"docs/generate.py: LIBRARY and check/expressions/builtins.py differ in {', '.join(sorted(unknown))}")
    rows = [(f"`{LIBRARY[word][0]}`", LIBRARY[word][1]) for word in builtins.LIBRARY]
    return table(("written", "is"), [*rows, ("`everyone`", "the set of all players, those who are out among them")])


def limits() -> str:
    """How large things may be."""
    rows = [
        ("characters in a file", parse.MAX_SIZE),
        ("brackets within one another", lines.MAX_BRACKETS),
        ("blocks within one another", lines.MAX_DEPTH),
        ("players", limit.MOST_PLAYERS),
        ("pieces of a game", limit.MOST_PIECES),
        ("cells of a board", limit.LARGEST_BOARD),
        ("entries of a table", limit.LARGEST_TABLE),
        ("places, or entries of states, by index", limit.MOST_INSTANCES),
        ("values of a type or range that is listed", limit.LARGEST_LISTED),
        ("values of a type that there are sets of, or maps from (sets of sets and of maps: any number)", limit.LARGEST_BASE),
        ("the end of a range", limit.LARGEST_BOUND),
        ("a number", limit.LARGEST_NUMBER),
        ("dice in a roll", limit.MOST_DICE),
        ("sides of a die", limit.MOST_SIDES),
        ("members that sets within sets go through, as a define, test or sentence is written", limit.MOST_LOOKED_AT),
        ("options that are listed one by one (of sets and shares: any number)", flow.MOST_OPTIONS),
        ("ways of filling in an action that are tried to find them", flow.MOST_TRIED),
        ("ways in which the dice of a named throw may fall", limit.MOST_THROWN),
        ("calls of a define by itself, one within another", limit.DEEPEST_CALLS),
        ("rules that settle at one point, one after another", SETTLE_ROUNDS),
        ("steps between two decisions or chance events", machine.JUMPS),
    ]
    return table(("at most", ""), [(what, f"{number:,}") for what, number in rows])


def listed(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))


PARTS: dict[str, Callable[[], str]] = {
    "words": words,
    "goes_on": goes_on,
    "ops": ops,
    "library": library,
    "limits": limits,
}

# ------------------------------------------------------------------------------------------------------- command line


def options(command: str) -> str:
    """The arguments of a command."""
    parser = Parser(prog="seaspec")
    subparsers = parser.add_subparsers()
    import_module(home_of(command)).add_parser(subparsers)
    own = subparsers.choices[command]
    rows = []
    for action in own._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = "" if action.nargs == 0 else action.metavar or (action.dest.upper() if action.option_strings else action.dest)
        if action.choices is not None and action.metavar is None:
            value = "|".join(map(str, action.choices))
        names = [f"{name} {value}".strip() for name in action.option_strings] or [str(value)]
        text = (action.help or "") % {**vars(action), "prog": own.prog}
        rows.append((", ".join(f"`{name}`" for name in names), text))
    usage = re.sub(r"\s+", " ", own.format_usage().removeprefix("usage: ")).strip()
    about = re.sub(r"\s+", " ", own.description or "").strip()
    return f"{about}\n\n    {usage}\n\n{table(('argument', 'meaning'), rows)}"


# ------------------------------------------------------------------------------------------------------------- errors

GROUPS = {
    "1": "Text and syntax",
    "2": "Chapters and variants",
    "3": "Names",
    "4": "Types and ranges",
    "5": "Flow and secrets",
    "6": "Files, options, the command line",
    "9": "Warnings",
}


def errors() -> str:
    """The page of all codes."""
    found = cases()
    lines_of = [
        "# Errors and warnings",
        "",
        "<!-- made by docs/generate.py from seaspec/diagnostics/codes.py: change that, not this page -->",
        "",
        "Each message of `seaspec` has a code that never changes. Where the tests have a short text that gives the error, it",
        "is shown: `###` stands in the line that the error is about, with a piece of its message.",
    ]
    group = ""
    for code in sorted(Code, key=lambda code: code.id):
        if code.id[3] != group:
            group = code.id[3]
            lines_of += ["", f"## {GROUPS[group]}"]
        lines_of += ["", f"### {code.id}: {code.title}", "", code.explanation]
        case = found.get(code.id)
        if case is not None:
            lines_of += ["", "```text", case, "```"]
    return "\n".join(lines_of) + "\n"


def cases() -> dict[str, str]:
    """By code: the shortest text in tests/cases/errors that gives this error alone."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "tests" / "cases" / "errors").glob("*.sea")):
        for chunk in re.split(r"^---\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            codes = re.findall(r"### (SEA\d+)", chunk)
            case = chunk.strip("\n")
            plain = case.isprintable() or all(char.isprintable() or char == "\n" for char in case)
            if len(set(codes)) != 1 or case.count("\n") >= LONGEST_CASE or not plain or "```" in case:
                continue
            known = found.get(codes[0])
            if known is None or (len(case), case) < (len(known), known):
                found[codes[0]] = case
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
