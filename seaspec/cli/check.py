"""`seaspec check`: does a game, or a house rule, keep what it promises?"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from seaspec.check.cover import book_of, check_citations
from seaspec.cli.arguments import add_json, add_spec, count, options_of, positive, whole
from seaspec.cli.exploring import Exploring, threads_for
from seaspec.cli.main import BROKEN, OK, UNDECIDED
from seaspec.cli.output import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    RED,
    YELLOW,
    Fault,
    paint,
    print_diagnostics,
    print_json,
    wrapped,
)
from seaspec.cli.progress import Progress
from seaspec.cli.provers import FULL_PATIENCE, PATIENCE, QUICK_SECONDS, SECONDS, Provers, are_there
from seaspec.diagnostics.model import Report, Stop
from seaspec.diagnostics.render import to_json
from seaspec.game import Game
from seaspec.library import Subject, allowed_stacks, load_rulebook, load_subjects, single_variants
from seaspec.loading import LoadError, load_subject, option_values
from seaspec.rulebook import Rulebook
from seaspec.syntax import tree
from seaspec.trials.check import Checked, Unused, check_game, is_as_said, look_into_worlds, proved, run_in_worlds
from seaspec.trials.examples import ExampleResult
from seaspec.trials.telling import as_play, open_table, sentence_of, steps
from seaspec.trials.verdicts import PromiseVerdict, Verdict
from seaspec.trials.watching import Found

PLAYS = 12
FULL_PLAYS = 100
WORLD_PLAYS = 40
"""Plays in each small world, for what plays of the game leave undecided."""
MEMORY = 1_000
"""Megabytes that exploration may take."""
MOST_STEPS = 60
"""A play that is told is cut in the middle if it is longer."""

_EXAMPLE = """\
examples:
  seaspec check rules/calm.sea                    a house rule, at default options
  seaspec check calm --set players=all            the game, for every number of players
  seaspec check "calm + reefs + monsters" --full  a stack, with all values of all options

What is checked: the language (types, names, flow, who may know what, citations), the examples of the text, random
plays with every promise watched, and what neither plays nor examples ever used. Exit code: 0 all is kept,
1 something is broken or the text is faulty, 2 something is undecided (with --strict), 3 bad command line.
"""

LOOKS = {
    Verdict.PROVED: GREEN,
    Verdict.EXHAUSTIVE: GREEN,
    Verdict.BOUNDED: GREEN,
    Verdict.EXACT: GREEN,
    Verdict.WITNESSED: GREEN,
    Verdict.REFUTED: GREEN,
    Verdict.TESTED: GREEN,
    Verdict.UNDECIDED: YELLOW,
    Verdict.BROKEN: RED,
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "check",
        help="does a game, or a house rule, keep what it promises?",
        description="Check a game or each house rule of a file: language, examples, random plays, promises.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    parser.add_argument("--plays", type=count, default=None, help=f"random plays ({PLAYS}; {FULL_PLAYS} with --full)")
    parser.add_argument("--seed", type=whole, default=1, help="the luck of the plays (1)")
    parser.add_argument("--full", action="store_true", help="each value of each option, all allowed stacks")
    parser.add_argument("--jobs", type=count, default=0, help="processes, if there is more than one game to check")
    text = f"megabytes that exploration may take, each process ({MEMORY})"
    parser.add_argument("--memory", metavar="MB", type=positive, default=MEMORY, help=text)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SECONDS} seconds for all proofs of a game")
    text = f"seconds for all proofs of a game ({SECONDS}; without end with --full; 0: none)"
    parser.add_argument("--limit", metavar="N", type=whole, default=None, help=text)
    parser.add_argument("--strict", action="store_true", help="exit with 2 if something is undecided")
    parser.add_argument("--verbose", action="store_true", help="a line for each promise and example")
    add_json(parser, "verdicts, failed examples, diagnostics")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check every subject with every choice of options; the exit code tells the worst."""
    report = Report()
    subjects = load_subjects(args.file, report)
    if report.failed or not subjects:
        raise LoadError(report)
    asked = options_of(args.set, report)
    if report.failed:
        raise LoadError(report)
    if args.full:
        subjects = [s for subject in subjects for s in _family(subject, report)]
    results: list[dict[str, Any]] = []
    codes: list[int] = []
    plays = args.plays if args.plays is not None else FULL_PLAYS if args.full else PLAYS
    _citations(subjects, report)
    if report.failed:
        raise LoadError(report)
    if not args.json:
        print_diagnostics(report)
    cases: list[Case] = [(s, options) for s in subjects for options in _option_sets(s, asked, full=args.full)]
    args.threads = threads_for(len(cases))
    for code, found in _check_all(cases, args, plays):
        codes.append(code)
        results.append(found)
    if args.json:
        print_json({"subjects": results, "diagnostics": to_json(report)})
    if BROKEN in codes:
        return BROKEN
    return UNDECIDED if args.strict and UNDECIDED in codes else OK


Case = tuple[Subject, dict[str, str]]


def _check_all(cases: list[Case], args: argparse.Namespace, plays: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The results of all cases in their order: here if there is one, else in several processes."""
    jobs = min(args.jobs or os.cpu_count() or 1, len(cases))
    if jobs < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for subject, options in cases:
            yield _check(subject, options, args, plays)
        return
    forked = multiprocessing.get_context("fork")
    with (
        Progress("games", len(cases)) as progress,
        ProcessPoolExecutor(jobs, forked, _Aside.begin, (cases, args, plays)) as pool,
    ):
        for code, found, text in pool.map(_Aside.check, range(len(cases))):
            progress.advance()
            if text:
                print(text)
            yield code, found


class _Aside:
    """What a process of its own works on. It is forked, so that cases (deep trees) need not be sent to it."""

    work: tuple[list[Case], argparse.Namespace, int]

    @classmethod
    def begin(cls, cases: list[Case], args: argparse.Namespace, plays: int) -> None:
        cls.work = cases, args, plays

    @classmethod
    def check(cls, number: int) -> tuple[int, dict[str, Any], str]:
        """A case: what it would print comes back as text."""
        cases, args, plays = cls.work
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code, found = _check(*cases[number], args, plays)
        return code, found, printed.getvalue()


def _family(subject: Subject, report: Report) -> Iterator[Subject]:
    """The subject; of a game alone also its variants and allowed stacks."""
    yield subject
    if not subject.asked:
        yield from single_variants(subject, report)
        yield from allowed_stacks(subject, report)


def _citations(subjects: list[Subject], report: Report) -> None:
    """Clauses that are cited must be in the rule book."""
    books: dict[str, Rulebook] = {}
    for subject in subjects[:1]:
        for chapter in subject.chapters:
            name = book_of(chapter, subject.chapters)
            if name is not None and name not in books:
                book = load_rulebook(chapter, name, report)
                if book is not None:
                    books[name] = book
        check_citations(subject.chapters, books, report)


def _option_sets(subject: Subject, asked: Mapping[str, str], *, full: bool) -> Iterator[dict[str, str]]:
    """The options to check with: as asked, `all` meaning each value; with --full each value of each other option, too.

    Those are varied one at a time: what is wrong with a value shows, and the number of games stays in bounds.
    """
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


# ------------------------------------------------------------------------------------------------------- one subject


def _check(
    subject: Subject, options: Mapping[str, str], args: argparse.Namespace, plays: int
) -> tuple[int, dict[str, Any]]:
    started = time.monotonic()
    report = Report()
    try:
        game = load_subject(subject, options, report)
    except LoadError as error:
        return _faulty(subject, options, error.report, args)
    except Stop as stop:
        return _faulty(subject, options, stop.report, args)
    bars: list[Progress] = []

    def begin(label: str, total: int) -> Callable[[int], None]:
        bar = Progress(label, total)
        bars.append(bar)
        bar.__enter__()

        def tell(done: int) -> None:
            bar.advance(done - bar.done)
            if done >= total:
                bar.__exit__(None, None, None)

        return tell

    def build(other: Mapping[str, str]) -> Game | None:
        try:
            return load_subject(subject, {**options, **other})
        except LoadError:
            return None

    checked = check_game(game, plays, args.seed, begin, build)
    for bar in bars:
        bar.__exit__(None, None, None)
    worlds = [world for world in subject.worlds if world not in subject.chapters]
    with_examples = [w for w in worlds if any(isinstance(declared, tree.Example) for declared in w.declarations)]
    checked = run_in_worlds(checked, [_world(subject, world) for world in with_examples])
    exploring = Exploring(args.full, args.memory, args.threads)
    if plays:
        small = [(world.name, _world(subject, world)) for world in worlds]
        checked = look_into_worlds(checked, small, WORLD_PLAYS, args.seed, exploring, args.full)
    checked, interrupted = (checked, True) if exploring.is_stopped else _proved(checked, args)
    code = OK if checked.kept else BROKEN
    if code == OK and checked.undecided:
        code = UNDECIDED
    saved = {v.name: _save(checked.where(v), v.name, v.found) for v in checked.broken if v.found is not None}
    if args.json:
        return code, {**_as_json(subject, options, checked, saved), "diagnostics": to_json(report)}
    print_diagnostics(report)
    _print(subject, checked, saved, args.verbose, time.monotonic() - started)
    if interrupted:
        raise KeyboardInterrupt
    return code, {}


def _proved(checked: Checked, args: argparse.Namespace) -> tuple[Checked, bool]:
    """Proofs of what is still open, as far as there is time and a solver; and whether somebody has interrupted them."""
    seconds = proof_seconds(args)
    if seconds == 0 or not are_there():
        return checked, False
    patience = FULL_PATIENCE if args.full else PATIENCE
    with Provers(args.threads, seconds, patience) as provers:
        try:
            return proved(checked, provers.solve, lambda: provers.go_on), provers.interrupted
        except KeyboardInterrupt:
            return checked, True


def proof_seconds(args: argparse.Namespace) -> float | None:
    """How long proofs may take, for all promises of a game together; None: as long as it takes."""
    if args.limit is not None:
        return float(args.limit)
    return QUICK_SECONDS if args.quick else None if args.full else SECONDS


def _world(subject: Subject, world: tree.Chapter) -> Callable[[], Game | None]:
    """The game in a small world, at its own options; None where the world does not go with the stack."""

    def build() -> Game | None:
        small = replace(subject, name=f"{subject.name} in {world.name}", chapters=subject.in_world(world))
        try:
            return load_subject(small, {})
        except LoadError:
            return None

    return build


def _faulty(
    subject: Subject, options: Mapping[str, str], report: Report, args: argparse.Namespace
) -> tuple[int, dict[str, Any]]:
    if args.json:
        return BROKEN, {"subject": subject.name, "options": dict(options), "diagnostics": to_json(report)}
    print_diagnostics(report)
    return BROKEN, {}


def _save(game: Game, name: str, found: Found) -> str | None:
    """The play in a file of the working directory; None where nothing can be written."""
    folder = Path(".seaspec")
    path = folder / f"{name.replace(' ', '_').replace(',', '')}.play"
    try:
        folder.mkdir(exist_ok=True)
        as_play(game, found).save(path)
    except OSError:
        return None
    return str(path)


# -------------------------------------------------------------------------------------------------------------- text


def _print(subject: Subject, checked: Checked, saved: Mapping[str, str | None], verbose: bool, seconds: float) -> None:
    game = checked.game
    options = ", ".join(f"{name} {value}" for name, value in game.options.items())
    files = " ".join(dict.fromkeys(chapter.span.file.name for chapter in subject.chapters[-1:]))
    print(f"{paint(subject.name, BOLD)}  {game.title}  ({files}){'   ' + options if options else ''}")
    print()
    _row("language", "ok", GREEN, f"{len(subject.files)} file{'s' if len(subject.files) > 1 else ''}")
    _print_examples(checked)
    findings = checked.plays
    errors = checked.rule_errors
    note = f"{findings.plays} at random, {findings.positions} positions, the longest {findings.longest} steps"
    if findings.unfinished:
        note += f", {findings.unfinished} cut off"
    _row("plays", "broken" if errors else "ok", RED if errors else GREEN, note)
    counts = Counter((v.verdict, v.kept) for v in checked.promises)
    words = [(f"{kind.value}{' as said' if kind is Verdict.BROKEN and kept else ''}", counts[kind, kept])
             for kind in Verdict for kept in (True, None, False) if counts[kind, kept]]  # fmt: skip
    summary = ", ".join(f"{number} {word}" for word, number in words) or "none"
    worst = "broken" if checked.broken else "undecided" if checked.undecided else "ok"
    _row("promises", worst, {"broken": RED, "undecided": YELLOW, "ok": GREEN}[worst], summary)
    if checked.unused:
        _row("unused", "note", YELLOW, f"{len(checked.unused)} never used in plays or examples")
    for verdict in checked.promises:
        if verbose or verdict.kept is None:
            _print_promise(checked, verdict)
    if verbose:
        for result in checked.examples:
            if is_as_said(game.rules, result):
                print(f"  {paint('ok', GREEN)}: example {result.example.name}")
    for unused in checked.unused:
        _print_unused(unused)
    for result in checked.failed_examples:
        _print_example(result)
    for error, found in errors:
        print()
        print(f"{paint('broken', BOLD, RED)}: the rules fail: {error.message}   {error.span}")
        _tell(checked.game, found)
    for verdict in checked.broken:
        _print_broken(checked, verdict, saved.get(verdict.name))
    print()
    _print_last(checked, seconds)


def _row(what: str, word: str, colour: str, note: str) -> None:
    print(f"  {what:<10} {paint(f'{word:<10}', colour)} {note}")


def _print_examples(checked: Checked) -> None:
    failed = len(checked.failed_examples)
    total = len(checked.examples)
    gone = checked.inapplicable
    note = f"{total - failed} of {total}" + (f"; {gone} do not apply" if gone else "")
    _row("examples", "broken" if failed else "ok", RED if failed else GREEN, note)


def _print_promise(checked: Checked, verdict: PromiseVerdict) -> None:
    word = paint(verdict.verdict.value, LOOKS[verdict.verdict])
    detail = f" ({verdict.detail})" if verdict.detail else ""
    sentence = sentence_of(checked.game.rules, verdict.promise.source)
    said = f' "{sentence}"' if sentence else ""
    myth = "myth " if verdict.promise.myth else ""
    print(f"  {word}: {myth}{verdict.name}{said}{detail}   {paint(str(verdict.promise.source.span), DIM)}")


def _print_unused(unused: Unused) -> None:
    said = {
        "action": f"the action {unused.name} is never taken",
        "guard": f"the guard {unused.name} never forbids anything",
        "ending": "this ending is never met",
    }[unused.what]
    print(f"  {paint('note', YELLOW)}: {said}   {paint(str(unused.source.span), DIM)}")


def _print_example(result: ExampleResult) -> None:
    print()
    said = f' "{result.example.source.sentence.parts[0]}"' if result.example.source.sentence is not None else ""
    print(f"{paint('broken', BOLD, RED)}: example {result.example.name}{said}   {result.example.source.span}")
    print(wrapped(_why(result), "  "))


def _why(result: ExampleResult) -> str:
    """What is wrong with an example."""
    if result.failure is None:
        return "it holds, and should not"
    failure = result.failure
    moves = f" after {'; '.join(failure.moves)}" if failure.moves else ""
    names = f" ({failure.names})" if failure.names else ""
    return f"{failure.message}{names}{moves}   {failure.span}"


def _print_broken(checked: Checked, verdict: PromiseVerdict, path: str | None) -> None:
    sentence = sentence_of(checked.game.rules, verdict.promise.source)
    said = f' "{sentence}"' if sentence else ""
    print()
    print(f"{paint('broken', BOLD, RED)}: {verdict.kind} {verdict.name}{said}   {verdict.promise.source.span}")
    if verdict.detail:
        print(wrapped(verdict.detail, "  "))
    if verdict.found is not None:
        _tell(checked.where(verdict), verdict.found)
        if path is not None:
            print(f"  replay: seaspec replay {path}")


def _tell(game: Game, found: Found) -> None:
    """The play, line by line, and the board at the end."""
    from seaspec.drawing import draw_text
    from seaspec.trials.plays import last_position

    if not found.answers:
        return
    machine = game.machine
    lines = list(steps(machine, found))
    print(f"  after {len(lines)} steps:")
    for number, line in enumerate(lines, 1):
        if MOST_STEPS // 2 < number <= len(lines) - MOST_STEPS // 2:
            if number == MOST_STEPS // 2 + 1:
                print(f"      ... {len(lines) - MOST_STEPS} steps")
            continue
        print(f"    {number:>3}. {line}")
    drawn = draw_text(game.rules, open_table(machine, last_position(machine, found)))
    print("\n".join("  " + line for line in drawn.splitlines()))


def _print_last(checked: Checked, seconds: float) -> None:
    if not checked.kept:
        parts = []
        if checked.broken:
            parts.append(f"{len(checked.broken)} broken promises" if len(checked.broken) > 1 else "a broken promise")
        if checked.failed_examples:
            failed = len(checked.failed_examples)
            parts.append(f"{failed} examples that fail" if failed > 1 else "an example that fails")
        if checked.rule_errors:
            parts.append("rules that fail")
        print(f"{paint('broken', BOLD, RED)}: {', '.join(parts)}   {seconds:.1f} s")
        return
    word = "kept" if not checked.undecided else f"kept, {len(checked.undecided)} undecided"
    print(f"{paint(word, BOLD, GREEN)}   {seconds:.1f} s")


# -------------------------------------------------------------------------------------------------------------- json


def _as_json(
    subject: Subject, options: Mapping[str, str], checked: Checked, saved: Mapping[str, str | None]
) -> dict[str, Any]:
    game = checked.game
    return {
        "subject": subject.name,
        "options": {**game.options, **options},
        "kept": checked.kept,
        "examples": [
            {
                "name": e.example.name,
                "ok": is_as_said(game.rules, e),
                "runs": e.runs,
                "detail": "" if e.failure is None else _why(e),
                "at": str(e.example.source.span),
            }
            for e in checked.examples
        ],
        "inapplicable": game.rules.inapplicable,
        "plays": {
            "number": checked.plays.plays,
            "positions": checked.plays.positions,
            "longest": checked.plays.longest,
            "unfinished": checked.plays.unfinished,
        },
        "rule_errors": [
            {"message": error.message, "at": str(error.span), "steps": list(steps(game.machine, found))}
            for error, found in checked.rule_errors
        ],
        "promises": [_promise_json(checked, v, saved.get(v.name)) for v in checked.promises],
        "unused": [{"what": u.what, "name": u.name, "at": str(u.source.span)} for u in checked.unused],
    }


def _promise_json(checked: Checked, verdict: PromiseVerdict, path: str | None) -> dict[str, Any]:
    found = verdict.found if verdict.kept is False else None
    return {
        "name": verdict.name,
        "kind": verdict.kind,
        "myth": verdict.promise.myth,
        "sentence": sentence_of(checked.game.rules, verdict.promise.source),
        "verdict": verdict.verdict.value,
        "kept": verdict.kept,
        "detail": verdict.detail,
        "at": str(verdict.promise.source.span),
        "cites": list(verdict.promise.source.cites),
        "steps": None if found is None else list(steps(checked.where(verdict).machine, found)),
        "play": path,
    }


__all__ = ["CYAN", "add_parser", "run"]
