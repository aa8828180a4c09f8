"""`seaspec show`: what a house rule can change in a game, by name, and the line that changes it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches

from seaspec.book.links import words_in
from seaspec.cli.arguments import add_json
from seaspec.cli.output import BOLD, CYAN, DIM, Fault, aligned, paint, print_json, wrapped
from seaspec.diagnostics.model import Report
from seaspec.library import load_subject_of
from seaspec.loading import LoadError
from seaspec.syntax import tree

_EXAMPLE = """\
A house rule is written by names: whoever wants to change what a card costs must know that it is called 'price'. Words
are looked for in names, in sentences, and in the clauses that are cited.

examples:
  seaspec show calm                   all that can be changed
  seaspec show calm price             what it is, where it stands, and the lines that change it
  seaspec show calm "discards two"    in players' words
  seaspec show calm остров            by a term of the rule book
  seaspec show "calm + storms" --json
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something with a name. `head`: with its parameters; `guards`: those of an action; `changes`: lines of a house
    rule that change it; `text`: as it is written; `terms`: what the rule book calls it, and what stands in it."""

    kind: str
    name: str
    head: str
    sentence: str
    terms: tuple[str, ...]
    cites: tuple[str, ...]
    chapter: str
    at: str
    guards: tuple[str, ...]
    changes: tuple[str, ...]
    text: str


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "show",
        help="what a house rule can change, by name, and the line that changes it",
        description="List the actions, procedures, defines, tables, constants, options, promises and examples of a "
        "game, with their sentences; or tell of some of them where they stand and how a house rule changes them.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a .sea file, a game's name, or a stack: 'calm + reefs + storms'")
    parser.add_argument("words", metavar="WORD", nargs="*", help="a name, or words of a sentence, or a clause")
    add_json(parser, "a list: kind, name, head, sentence, terms, cites, chapter, at, guards, changes, text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show; 0, or 1 if there is nothing of that name."""
    report = Report()
    subject = load_subject_of(args.file, report)
    if subject is None or report.failed:
        raise LoadError(report)
    terms = _terms(subject.chapters)
    entries = [entry for chapter in subject.chapters for entry in _of_chapter(chapter, terms)]
    asked = " ".join(args.words)
    found = _found(entries, asked) if asked else entries
    if not found:
        near = get_close_matches(asked.lower(), [entry.name for entry in entries], 3, 0.5)
        raise Fault(
            f"nothing is called '{asked}', or speaks of it", f"did you mean {' or '.join(near)}?" if near else ""
        )
    if args.json:
        print_json([asdict(entry) for entry in found])
    elif asked:
        print("\n\n".join("\n".join(_whole(entry)) for entry in found))
    else:
        print("\n".join(_listed(found)))
    return 0


def _found(entries: Sequence[Entry], asked: str) -> list[Entry]:
    """Those of that name; else those whose name, sentence or clauses have the words."""
    same = [entry for entry in entries if entry.name.lower() == asked.lower()]
    words = asked.lower().split()

    def speaks(entry: Entry) -> bool:
        said = f"{entry.name} {entry.name.replace('_', ' ')} {entry.sentence} {' '.join(entry.terms)}".lower()
        return asked.lower() in entry.cites or all(word in said for word in words)

    return same or [entry for entry in entries if speaks(entry)]


# ---------------------------------------------------------------------------------------------------------------- text


def _listed(entries: Sequence[Entry]) -> Iterator[str]:
    for place, kind in enumerate(dict.fromkeys(entry.kind for entry in entries)):
        if place:
            yield ""
        yield paint(f"{kind}s" if not kind.endswith("y") else f"{kind[:-1]}ies", BOLD)
        several = [entry for entry in entries if entry.kind == kind]
        yield from aligned([(entry.head, entry.sentence or _value(entry)) for entry in several])


def _value(entry: Entry) -> str:
    """Of a constant without words, what it is."""
    return entry.text.partition("=")[2].strip() if entry.kind == "constant" else ""


def _whole(entry: Entry) -> Iterator[str]:
    cites = f"   cites {', '.join(entry.cites)}" if entry.cites else ""
    yield f"{entry.kind} {paint(entry.head, BOLD, CYAN)}   {paint(f'{entry.at}, {entry.chapter}{cites}', DIM)}"
    if entry.sentence:
        yield wrapped(f'"{entry.sentence}"', "  ")
    if entry.terms:
        yield wrapped(f"in the rule book: {', '.join(entry.terms)}", "  ")
    yield from (f"    {line}" for line in entry.text.splitlines())
    yield "  to change it:"
    yield from (f"    {line}" for line in entry.changes)


# ------------------------------------------------------------------------------------------------------------- entries


def _terms(chapters: Sequence[tree.Chapter]) -> dict[str, list[str]]:
    """By name, what the rule book calls it, in all languages."""
    found: dict[str, list[str]] = {}
    for chapter in chapters:
        for declared in chapter.declarations:
            for word in declared.words if isinstance(declared, tree.Term) else ():
                found.setdefault(word.name, []).append(word.word)
    return found


def _of_chapter(chapter: tree.Chapter, terms: Mapping[str, Sequence[str]]) -> Iterator[Entry]:
    for declared in chapter.declarations:
        found = _entry(declared)
        if found is not None:
            kind, name, params, guards, changes = found
            head = name + (f"({', '.join(params)})" if params else "")
            tail: tree.Tail = getattr(declared, "tail", tree.Tail(declared.span))
            yield Entry(
                kind=kind,
                name=name,
                head=head,
                sentence=_said(tail.sentence),
                terms=tuple(word for one in dict.fromkeys([name, *words_in(declared)]) for word in terms.get(one, ())),
                cites=tuple(clause.id for clause in tail.cites),
                chapter=chapter.name,
                at=str(declared.span),
                guards=tuple(guards),
                changes=tuple(changes),
                text=declared.span.text.rstrip(),
            )


_Found = tuple[str, str, Sequence[str], Sequence[str], Sequence[str]]


def _entry(declared: tree.Declaration) -> _Found | None:
    """Kind, name, parameters, guards, and the lines that change it; None of what has no name, or is a change itself."""
    match declared:
        case tree.Option(name=name) | tree.Const(name=name):
            kind = "option" if isinstance(declared, tree.Option) else "constant"
            return kind, name, (), (), [f"set {name} = .."]
        case tree.Table(name=str(name)):
            return "table", name, (), (), [f"replace table {name} .."]
        case tree.Define(name=name, params=params):
            return "define", name, _names(params), (), [f"replace {_head(name, params)} = .."]
        case tree.Menu(name=name, params=params):
            head = _head(name, params)
            return "menu", name, _names(params), (), [f"add NEW_ACTION to {head}", f"replace {head} = .."]
        case tree.Action(name=name, params=params, body=body):
            head = _head(name, params)
            guards = [need.name for need in body if isinstance(need, tree.Needs) and need.name is not None]
            changes = [f'forbid {head} when .. "why"', *(f"allow {head} despite {guard} when .." for guard in guards)]
            return (
                "action",
                name,
                _names(params),
                guards,
                [*changes, f"before {head}", f"after {head}", f"replace {head}"],
            )
        case tree.Procedure(name=name, params=params):
            head = _head(name, params)
            return "procedure", name, _names(params), (), [f"before {head}", f"after {head}", f"replace {head}"]
        case tree.Chance(name=name, params=params):
            return "throw", name, _names(params), (), [f"replace {_head(name, params)}"]
        case (
            tree.Component() | tree.Place() | tree.State() | tree.Board() | tree.TypeDecl() | tree.Picture()
            | tree.Look()
        ):  # fmt: skip
            kind = {"TypeDecl": "type"}.get(type(declared).__name__, type(declared).__name__.lower())
            name = declared.name
            changes = [f"replace {kind} {name} .."]
            return kind, name, (), (), [f"add NEW_KIND to {name}", *changes] if kind == "component" else changes
        case (
            tree.Invariant() | tree.Always() | tree.Lemma() | tree.Reachable() | tree.Winnable() | tree.Symmetry()
            | tree.Example()
        ):  # fmt: skip
            name, kind = declared.name, "example" if isinstance(declared, tree.Example) else "promise"
            return kind, name, (), (), [f'breaks {name} because ".."', f'drops {name} because ".."']
        case _:  # cautious: it is not offered to be changed
            return None


def _names(params: Sequence[tree.Param]) -> list[str]:
    return [param.name for param in params]


def _head(name: str, params: Sequence[tree.Param]) -> str:
    return name + (f"({', '.join(_names(params))})" if params else "")


def _said(sentence: tree.Sentence | None) -> str:
    """A sentence, with the names in it in braces."""
    if sentence is None:
        return ""
    return "".join(part if isinstance(part, str) else f"{{{part.span.text}}}" for part in sentence.parts)
