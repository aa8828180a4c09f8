"""`seaspec check`: does a game, or a house rule, keep what it promises?

Each game is checked by checking.py, unless its result is kept (kept_results.py) and nothing has changed: then nothing
is imported that only checking needs. Results are told by verdict_text.py, and written by junit.py and sarif.py.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import product
from pathlib import Path

from seaspec.check.rules.cover import book_of, check_citations
from seaspec.cli.arguments import add_json, add_specs, count, options_of, positive, whole
from seaspec.cli.checking import kept_results
from seaspec.cli.checking.how import FULL_PLAYS, LARGE_SECONDS, MEMORY, PLAYS, QUICK_SECONDS, SECONDS, Channel, How, how
from seaspec.cli.checking.result import Result, Shown
from seaspec.cli.checking.verdict_text import print_result, result_json
from seaspec.cli.main import BROKEN, INTERRUPTED, OK, UNDECIDED
from seaspec.cli.output import DIM, Fault, paint, print_diagnostics, print_json, print_json_line
from seaspec.cli.progress import Progress
from seaspec.cli.saving import save_aside
from seaspec.diagnostics.model import Report, Stop
from seaspec.diagnostics.render import to_json
from seaspec.files import file_name
from seaspec.library import Subject, allowed_stacks, load_rulebook, load_subjects, single_variants
from seaspec.rulebook import Rulebook

_EXAMPLE = """\
examples:
  seaspec check rules/calm.sea                    a house rule, at default options
  seaspec check calm --set players=all            the game, for every number of players
  seaspec check "calm + reefs + monsters" --full  a stack, with all values of all options

What is checked: the language (types, names, flow, who may know what, citations), the examples of the text, random
plays with every promise watched, and what neither plays nor examples ever used. Exit code: 0 all is kept,
1 something is broken or the text is faulty, 2 two solvers contradict each other, or what is proved fails in a play, or
(with --strict) something is undecided, or examples of the base end otherwise with a house rule, 3 bad command line.
"""
PLAYS_FOLDER = Path(".seaspec")
"""Where plays that break a promise are saved."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "check",
        help="does a game, or a house rule, keep what it promises?",
        description="Check a game or each house rule of a file: language, examples, random plays, promises.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_specs(parser)
    parser.add_argument("--plays", type=count, default=None, help=f"random plays ({PLAYS}; {FULL_PLAYS} with --full)")
    parser.add_argument("--seed", type=whole, default=1, help="the luck of the plays (1)")
    parser.add_argument(
        "--full", action="store_true", help="each value of each option, all allowed stacks; a second solver"
    )
    parser.add_argument("--jobs", type=count, default=0, help="processes, if there is more than one game to check")
    text = f"megabytes that exploration may take, each process ({MEMORY})"
    parser.add_argument("--memory", metavar="MB", type=positive, default=MEMORY, help=text)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SECONDS} seconds for the check of a game")
    text = f"seconds for the check of a game ({SECONDS}, {LARGE_SECONDS} with large rules; without end with --full; "
    text += "0: as usual, but no proofs)"
    parser.add_argument("--limit", metavar="N", type=count, default=None, help=text)
    parser.add_argument("--no-cache", action="store_true", help="check anew what has not changed, and keep nothing")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with 2 if something is undecided, or a worked example ends otherwise",
    )
    parser.add_argument("--verbose", action="store_true", help="a line for each promise and example")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write the results as JUnit XML, for test reports")
    parser.add_argument("--sarif", metavar="FILE", type=Path, help="write what is wrong as SARIF, for code hosts")
    text = "write what the proofs have found, for seaspec certify; of one game only"
    parser.add_argument("--certificate", metavar="FILE", type=Path, help=text)
    text = "write what was found into a folder, for books that are made elsewhere: seaspec book --checks FOLDER"
    parser.add_argument("--record", metavar="FOLDER", type=Path, help=text)
    add_json(parser, "verdicts, failed examples, diagnostics")
    text = "print JSON, a line for each break as it is found; the last line is what --json prints"
    parser.add_argument("--json-lines", action="store_true", help=text)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check every subject with every choice of options; the exit code tells the worst."""
    report = Report()
    results: list[Result] = []
    try:
        for result in _results(args, report):
            results.append(result)
            if not _is_data(args):
                _print(result, args.verbose)
            if result.interrupted:
                break
    except Stop as stop:
        report.extend(stop.report)
    code = _code(results, report, args.strict)
    _write(args, results, report)
    if report.failed:
        from seaspec.loading import LoadError

        raise LoadError(report)
    if _is_data(args):
        told = {"subjects": [result_json(result) for result in results], "diagnostics": to_json(report)}
        (print_json_line if args.json_lines else print_json)(told)
    if any(result.interrupted for result in results):
        print(file=sys.stderr)
    return code


def _is_data(args: argparse.Namespace) -> bool:
    """Whether a program reads what is printed."""
    return bool(args.json or args.json_lines)


def _code(results: list[Result], report: Report, strict: bool) -> int:
    if any(result.interrupted for result in results):
        return INTERRUPTED
    if any(result.refuted for result in results):
        return UNDECIDED
    if report.failed or not all(result.kept for result in results):
        return BROKEN
    if any(result.contradictions for result in results):
        return UNDECIDED
    return UNDECIDED if strict and any(result.undecided or result.changed_examples for result in results) else OK


def _print(result: Result, verbose: bool) -> None:
    print_diagnostics(result.diagnostics)
    for note in result.notes:
        print(paint(note, DIM, stream=sys.stderr), file=sys.stderr)
    if not result.faulty:
        print_result(result, verbose)


def _write(args: argparse.Namespace, results: list[Result], report: Report) -> None:
    """Write the files that were asked for."""
    from seaspec.files import write_whole

    if args.certificate is not None and any(result.certificate for result in results):
        write_whole(args.certificate, results[0].certificate)
    if args.junit is not None:
        from seaspec.cli.checking.junit import junit

        write_whole(args.junit, junit(results, tuple(report), strict=args.strict))
    if args.sarif is not None:
        from seaspec.cli.checking.sarif import sarif

        write_whole(args.sarif, json.dumps(sarif(results, tuple(report)), indent=2, ensure_ascii=False) + "\n")


# ----------------------------------------------------------------------------------------------------------- all games

Case = tuple[Subject, dict[str, str]]


def _results(args: argparse.Namespace, report: Report) -> Iterator[Result]:
    """The results of all games that are meant, in their order. If the report has errors at last, there are none."""
    subjects = [subject for file in args.files for subject in load_subjects(file, report)]
    if report.failed or not subjects:
        return
    asked = options_of(args.set, report)
    if report.failed:
        return
    if args.full:
        subjects = [s for subject in subjects for s in _family(subject, report)]
    check_all_citations(subjects, report)
    if report.failed:
        return
    if not _is_data(args):
        print_diagnostics(report)
    cases = [(s, options) for s in subjects for options in _option_sets(s, asked, full=args.full)]
    if args.certificate is not None and len(cases) > 1:
        raise Fault(f"a certificate is of one game, and there are {len(cases)} to be checked")
    if args.record is not None and any(options for _, options in cases):
        raise Fault("a record is of a game with its usual options", "leave out --set and --full, or --record")
    thoroughly = how(
        plays=args.plays,
        seed=args.seed,
        full=args.full,
        quick=args.quick,
        limit=args.limit,
        memory=args.memory,
        cases=len(cases),
        keeps=not args.no_cache,
        certifies=args.certificate is not None,
    )
    channel = _channel(args, cases)
    for place, result in enumerate(_check_all(cases, thoroughly, args.jobs, channel)):
        if args.record is not None:
            _record(cases[place][0], result, args.record)
        folder = PLAYS_FOLDER if len(cases) == 1 else PLAYS_FOLDER / file_name(f"{place + 1} {result.subject}")
        yield with_saved_plays(result, cases[place][0], folder)


def _record(subject: Subject, result: Result, folder: Path) -> None:
    from seaspec.cli.checking import kept_results

    if not result.faulty and not result.interrupted:
        kept_results.record(subject, result, folder)


def _channel(args: argparse.Namespace, cases: list[Case]) -> Channel | None:
    """Where news go: of several games at once there are none."""
    is_wanted = len(cases) == 1 and (args.json_lines or not args.json)
    return Channel(PLAYS_FOLDER, args.json_lines) if is_wanted else None


def _family(subject: Subject, report: Report) -> Iterator[Subject]:
    """The subject; of a game alone also its variants and allowed stacks."""
    yield subject
    if not subject.asked:
        yield from single_variants(subject, report)
        yield from allowed_stacks(subject, report)


def check_all_citations(subjects: list[Subject], report: Report) -> None:
    """Clauses that are cited, in worlds too, must be in the rule book."""
    books: dict[str, Rulebook | None] = {}
    for subject in subjects:
        chapters = tuple(dict.fromkeys((*subject.chapters, *subject.worlds)))
        for chapter in chapters:
            name = book_of(chapter, chapters)
            if name is not None and name not in books:
                books[name] = load_rulebook(chapter, name, report)
        check_citations(chapters, {name: book for name, book in books.items() if book is not None}, report)


def _option_sets(subject: Subject, asked: Mapping[str, str], *, full: bool) -> Iterator[dict[str, str]]:
    """The options to check with: as asked, `all` meaning each value; with --full each value of each other option, too.

    Those are varied one at a time: what is wrong with a value shows, and the number of games stays in bounds.
    """
    if not full and "all" not in asked.values():
        yield dict(asked)
        return
    from seaspec.loading import option_values

    values = option_values(subject)
    spread: dict[str, tuple[str, ...]] = {}
    for name, value in asked.items():
        if value == "all":
            if name not in values:
                known = f"; its options are {', '.join(values)}" if values else ", it has none"
                raise Fault(f"{subject.name} has no option '{name}'{known}")
            spread[name] = values[name].values
        else:
            spread[name] = (value,)
    for chosen in product(*spread.values()):
        given = dict(zip(spread, chosen, strict=True))
        yield given
        if full:
            for name, choices in values.items():
                if name not in given:
                    yield from ({**given, name: value} for value in choices.values if value != choices.default)


# ------------------------------------------------------------------------------------------------------------ one game


def check_case(subject: Subject, options: Mapping[str, str], thoroughly: How, channel: Channel | None = None) -> Result:
    """The result for a game: kept, if nothing has changed, else worked out."""
    result = None if thoroughly.certifies else kept_results.find(subject, options, thoroughly)
    if result is None:
        from seaspec.cli.checking.schedule import check

        result = check(subject, options, thoroughly, channel)
        if not thoroughly.certifies:
            kept_results.keep(subject, options, thoroughly, result)
    return result


def _check_all(cases: list[Case], thoroughly: How, jobs: int, channel: Channel | None) -> Iterator[Result]:
    """The results of all cases in their order: here if there is one, else in several processes."""
    jobs = min(jobs or os.cpu_count() or 1, len(cases))
    if jobs < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for subject, options in cases:
            yield check_case(subject, options, thoroughly, channel)
        return
    forked = multiprocessing.get_context("fork")
    with (
        Progress("games", len(cases)) as progress,
        ProcessPoolExecutor(jobs, forked, _Aside.begin, (cases, thoroughly)) as pool,
    ):
        for result in pool.map(_Aside.check, range(len(cases))):
            progress.advance()
            yield result


class _Aside:
    """What a process of its own works on. It is forked, so that cases (deep trees) need not be sent to it."""

    work: tuple[list[Case], How]

    @classmethod
    def begin(cls, cases: list[Case], thoroughly: How) -> None:
        cls.work = cases, thoroughly

    @classmethod
    def check(cls, number: int) -> Result:
        """A case; bars are not drawn from here."""
        cases, thoroughly = cls.work
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            return check_case(*cases[number], thoroughly)


# --------------------------------------------------------------------------------------------------------- saved plays


def with_saved_plays(result: Result, subject: Subject, folder: Path) -> Result:
    """The same; plays that break promises, or in which the rules fail, are written to a folder."""
    texts = {name: file.text for name, file in kept_results.files_of(subject).items()}

    def kept(play: Shown, name: str) -> Shown:
        if play.beside is not None:
            play = replace(play, beside=_save(play.beside, folder / f"{file_name(f'{name} beside')}.play", texts))
        return _save(play, folder / f"{file_name(name)}.play", texts)

    return replace(
        result,
        promises=tuple(
            p if p.play is None or p.kept else replace(p, play=kept(p.play, p.name)) for p in result.promises
        ),
        failures=tuple(replace(f, play=kept(f.play, f"failure {n}")) for n, f in enumerate(result.failures, 1)),
    )


def _save(play: Shown, path: Path, texts: Mapping[str, str]) -> Shown:
    """Write a play, with the texts of its rules as they are now; without a path, where nothing can be written."""
    if not play.saved:
        return play
    from seaspec.files import write_whole
    from seaspec.saved import digest_of_rules

    rules = play.saved["rules"]
    now = {name: texts[name] for name in rules["texts"]}
    rules = {**rules, "texts": now, "digest": digest_of_rules(now, rules["stack"], rules["options"])}
    text = json.dumps({**play.saved, "rules": rules}, indent=1, ensure_ascii=False) + "\n"
    return play if save_aside(path, lambda path: write_whole(path, text)) is None else replace(play, path=str(path))
