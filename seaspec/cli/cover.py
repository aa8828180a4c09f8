"""`seaspec cover`: which clauses of the rule book are rules of a text, which are spoken of, which are missing."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from seaspec.check.rules.cover import Coverage, Use, book_of
from seaspec.cli.arguments import add_json
from seaspec.cli.output import Fault, print_diagnostics, print_json
from seaspec.diagnostics.model import Report
from seaspec.diagnostics.render import to_json
from seaspec.library import load_chapters, load_coverage
from seaspec.loading import LoadError
from seaspec.rulebook import ClauseEntry
from seaspec.syntax import tree

_EXAMPLE = """\
example:
  seaspec cover calm            what of the rule book of Calm is in spec/calm.sea
  seaspec cover calm --json     the same for a program
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "cover",
        help="which clauses of the rule book are rules of the text, and which are not",
        description="Go through the clauses of a game's rule book (rulebooks/NAME.md). A clause is implemented if a "
        "rule cites it; excused, if a note does; exampled only, if but examples, promises, worlds or headings do; else "
        "missing. A silence is assumed in words if an assume or a note stands where it is cited. Told, too: rules of "
        "the game that cite nothing. The exit code is 0 if no clause is missing, else 1.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a .sea file, or the name of a game or module such as calm")
    add_json(parser, "clauses, implemented, exampled, excused, missing, gaps, cited, silent, diagnostics")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the coverage of a file; 0 if nothing is missing, else 1."""
    report = Report()
    coverage = _load(args.file, report)
    if args.json:
        print_json({**_as_json(coverage), "diagnostics": to_json(report)})
    else:
        print_diagnostics(report)
        print(_as_text(coverage))
    return 1 if coverage.missing or report.failed else 0


def _load(spec: str, report: Report) -> Coverage:
    chapters = load_chapters(spec, report)
    if report.failed or not chapters:
        raise LoadError(report)
    main = next((chapter for chapter in chapters if chapter.kind is tree.ChapterKind.GAME), chapters[0])
    if book_of(main, chapters) is None:
        raise Fault(f"{main.name} names no rule book", "write 'rulebook NAME' below its heading")
    coverage = load_coverage(chapters, report)
    if coverage is None:
        raise LoadError(report)
    return coverage


def _as_text(coverage: Coverage) -> str:
    lines = [f"{coverage.rulebook.name}: {_counts(coverage)}", *_counts_of_gaps(coverage), "", *_sections(coverage)]
    lines += _listed("missing:", coverage.missing)
    lines += _listed("exampled only: no rule cites them, and no note says why", coverage.exampled)
    lines += _listed("silences that are cited without words:", coverage.wordless)
    lines += _listed("silences that nothing cites:", coverage.unread)
    if coverage.silent:
        number = len(coverage.silent)
        say = f"{number} rules cite nothing and assume" if number > 1 else "1 rule cites nothing and assumes"
        lines += ["", f"{say} nothing:"]
        lines += [f"  {use.span}  {use.what}" for use in coverage.silent]
    return "\n".join(lines)


def _counts(coverage: Coverage) -> str:
    return (
        f"{len(coverage.clauses)} clauses, {len(coverage.implemented)} implemented, {len(coverage.exampled)} exampled "
        f"only, {len(coverage.excused)} excused by a note, {len(coverage.missing)} missing"
    )


def _counts_of_gaps(coverage: Coverage) -> list[str]:
    total = len(coverage.gaps)
    if not total:
        return []
    silences = f"{total} silences" if total > 1 else "1 silence"
    assumed = f"{len(coverage.assumed)} assumed in words, {len(coverage.wordless)} cited without words"
    return [f"{' ' * len(coverage.rulebook.name)}  {silences}, {assumed}, {len(coverage.unread)} not cited"]


def _sections(coverage: Coverage) -> Iterator[str]:
    """A line for each part of the rule book: how many of its clauses are implemented or excused."""
    sections = dict.fromkeys(entry.section for entry in coverage.clauses)
    width = max((len(section) for section in sections), default=0)
    for section in sections:
        entries = [entry for entry in coverage.clauses if entry.section == section]
        open_ones = {"exampled only": coverage.exampled, "missing": coverage.missing}
        counts = {what: sum(entry in those for entry in entries) for what, those in open_ones.items()}
        marks = "".join(f"   {count} {what}" for what, count in counts.items() if count)
        yield f"  {section:<{width}}  {len(entries) - sum(counts.values()):>3} of {len(entries):>3}{marks}"


def _listed(head: str, entries: Sequence[ClauseEntry]) -> Iterator[str]:
    if entries:
        yield from ("", head)
    for entry in entries:
        yield textwrap.fill(f"{entry.id}  {entry.text}", 100, initial_indent="  ", subsequent_indent="    ")


def _as_json(coverage: Coverage) -> dict[str, object]:
    clauses = {entry.id: {"text": entry.text, "section": entry.section} for entry in coverage.clauses}
    return {
        "rulebook": coverage.rulebook.name,
        "clauses": clauses,
        "implemented": _ids(coverage.implemented),
        "exampled": _ids(coverage.exampled),
        "excused": _uses({entry.id: coverage.notes[entry.id] for entry in coverage.excused}),
        "missing": _ids(coverage.missing),
        "gaps": {
            "assumed": _ids(coverage.assumed),
            "wordless": _ids(coverage.wordless),
            "unread": _ids(coverage.unread),
        },
        "cited": _uses({id: uses for id, uses in coverage.cited.items() if id in clauses}),
        "others": _uses({id: uses for id, uses in coverage.cited.items() if id not in clauses}),
        "silent": [_use(use) for use in coverage.silent],
    }


def _ids(entries: Sequence[ClauseEntry]) -> list[str]:
    return [entry.id for entry in entries]


def _uses(uses: Mapping[str, tuple[Use, ...]]) -> dict[str, list[dict[str, object]]]:
    return {id: [_use(use) for use in several] for id, several in uses.items()}


def _use(use: Use) -> dict[str, object]:
    line, _ = use.span.file.position(use.span.start)
    return {"what": use.what, "file": use.span.file.name, "line": line}
