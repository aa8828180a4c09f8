"""The result of a check as text for a terminal, and as values for JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from seaspec.cli.checking.result import (
    Certification,
    CrossCheck,
    ExampleResult,
    FailureResult,
    Line,
    PromiseResult,
    Result,
    Shown,
    UnusedResult,
)
from seaspec.cli.output import (
    BOLD,
    DIM,
    FIRST_STEPS,
    GREEN,
    LAST_STEPS,
    RED,
    YELLOW,
    aligned,
    paint,
    step_lines,
    wrapped,
)
from seaspec.diagnostics.render import to_json
from seaspec.sampling.card import Card, number_text
from seaspec.sampling.words import ENDLESS, MOST_ANSWERS

CARD_ROWS = 10
"""So many lines of what a house rule changes."""
BESIDE = 46
"""Of two plays side by side, the columns for each."""
MOST_SAME, LAST_SAME = 2, 3
"""Of two plays side by side, so many steps that are the same are told in a row, and at the end."""
MOST_STEPS = 3
"""So many steps about which solvers contradict each other are told."""
LOST, BASE = "no more", "the base's"
"""Whose it is that something is never used: of the base, which uses it; or does not, either."""
ORDER = ("proved", "exhaustive", "bounded", "exact", "witnessed", "refuted", "tested", "undecided", "broken")
"""The verdicts, from the strongest to nothing."""


def print_result(result: Result, verbose: bool) -> None:
    """Tell all: a table, then what is broken, one by one."""
    options = ", ".join(f"{name} {value}" for name, value in result.options.items())
    print(f"{paint(result.subject, BOLD)}  {result.title}  ({result.file}){'   ' + options if options else ''}")
    print()
    _row("language", "ok", GREEN, f"{result.files} file{'s' if result.files > 1 else ''}")
    _print_examples(result)
    _print_plays(result)
    for world, reason in result.left_out.items():
        _row("worlds", "left out", YELLOW, f"{world} does not go with this stack: {reason}")
    counts = Counter((p.verdict, p.kept, p.world is not None) for p in result.promises)
    words = [(f"{kind}{' as said' if kind == 'broken' and kept else ''}{' in small worlds' * small}",
              counts[kind, kept, small])
             for kind in ORDER for kept in (True, None, False) for small in (False, True)
             if counts[kind, kept, small]]  # fmt: skip
    summary = ", ".join(f"{number} {word}" for word, number in words) or "none"
    worst = "broken" if result.broken else "undecided" if result.undecided else "ok"
    colour = {"broken": RED, "undecided": YELLOW, "ok": GREEN}[worst]
    _row("promises", worst, colour, summary + (" (cached)" if result.cached else ""))
    if result.crosscheck is not None:
        word, colour = _crosscheck_word(result.crosscheck)
        _row("crosscheck", word, colour, crosscheck_text(result.crosscheck))
    if result.certification is not None:
        word, colour = ("ALARM", RED) if result.refuted else ("ok", GREEN)
        _row("certified", word, colour, certification_text(result.certification))
    unused = [one for one in result.unused if verbose or one.whose != BASE]
    if unused and not result.is_house_rule:
        _row("unused", "note", YELLOW, f"{len(unused)} never used in plays or examples")
    _print_lines(result, verbose)
    if not result.is_house_rule:
        _print_unused(unused)
        _print_broken(result)
    else:
        _head("What it breaks", "" if not result.kept else "nothing that was found")
        _print_broken(result)
        _head("What it changes", "" if result.changed_examples else "no worked example ends otherwise")
        _print_changed(result)
        _head("What it does", "nothing that random plays show" if result.never_happened else "")
        _print_done(result, verbose)
        _print_unused(unused)
    if result.crosscheck is not None and result.contradictions:
        head, *lines = alarm_lines(result.crosscheck)
        print()
        print("\n".join([f"{paint('ALARM', BOLD, RED)}: {head}", *lines]))
    for alarm in result.refuted:
        print()
        print(wrapped(f"{paint('ALARM', BOLD, RED)}: {alarm}", "  "))
    print()
    _print_last(result)


def _broken() -> str:
    return paint("broken", BOLD, RED)


def in_world(world: str | None) -> str:
    """Where something was found, if it was not in the game itself."""
    return "" if world is None else f", in the world {world}"


def _row(what: str, word: str, colour: str, note: str) -> None:
    print(f"  {what:<10} {paint(f'{word:<10}', colour)} {note}")


def _print_examples(result: Result) -> None:
    failed, changed = len(result.failed_examples), len(result.changed_examples)
    total = len(result.examples)
    note = f"{total - failed - changed} of {total}" + (f"; {result.gone} do not apply" if result.gone else "")
    note += f"; {changed} end{'s' * (changed == 1)} otherwise with the house rule" if changed else ""
    word, colour = ("broken", RED) if failed else ("changed", YELLOW) if changed else ("ok", GREEN)
    _row("examples", word, colour, note)


def _print_changed(result: Result) -> None:
    """Worked examples of the base that end otherwise, by the lines that make the difference."""
    groups: dict[tuple[Line, ...], list[ExampleResult]] = {}
    for example in result.changed_examples:
        groups.setdefault(example.because, []).append(example)
    for because, several in groups.items():
        print()
        print(f"{paint('changed', BOLD, YELLOW)}: {len(several)} worked example{'s' * (len(several) != 1)}")
        print("\n".join(because_lines(because) or ["  it is not known because of which line"]))
        for example in several:
            said = f' "{example.sentence}"' if example.sentence else ""
            print(wrapped(f"{example.name}{said}   {example.at}", "    "))
            print(wrapped(example.detail, "      "))
    if groups:
        print('  where that is meant, say so: breaks NAME because ".."')
        print(f"  to have that written: seaspec accept {result.file}")


def _print_plays(result: Result) -> None:
    plays = result.plays
    note = f"{plays.number} at random, {plays.positions} positions"
    if plays.compiled:
        note += f"; {plays.compiled} by machine code, {plays.compiled_steps} steps"
    note += f"; the longest {plays.longest} steps"
    if plays.unfinished:
        note += f", {plays.unfinished} cut off"
    _row("plays", "broken" if result.failures else "ok", RED if result.failures else GREEN, note)
    if plays.longest >= MOST_ANSWERS and plays.unfinished == plays.number + plays.compiled:
        said = "note: no play ends: `win for p`, `lose for p` and `nobody wins` are ends, and so is that of `to play`"
        print(wrapped(said, "  "))


def _print_broken(result: Result) -> None:
    """Examples, promises, and rules that fail, with their plays."""
    for example in result.failed_examples:
        print()
        said = f' "{example.sentence}"' if example.sentence else ""
        print(f"{_broken()}: example {example.name}{said}   {example.at}")
        print("\n".join([wrapped(example.detail, "  "), *because_lines(example.because)]))
    for promise in sorted(result.broken, key=lambda promise: 0 if promise.play is None else len(promise.play.steps)):
        _print_lines_of(broken_lines(promise))
    for failure in result.failures:
        _print_lines_of(failure_lines(failure))


def _head(what: str, short: str) -> None:
    """The head of a part of what is told of a house rule; if there is nothing to tell, that."""
    print()
    print(paint(what, BOLD) + (f": {short}" if short else ""))


def _print_done(result: Result, verbose: bool) -> None:
    """How often the house rule came into play, and what it changes in numbers."""
    plays = f"{result.compared} play{'s' * (result.compared != 1)}"
    if result.never_happened:
        said = f"it never happened: nothing differs in {plays} at random without it and with it"
        print(f"  {paint('note', YELLOW)}: {said}")
    elif result.compared:
        print(f"  something differs in {result.parted} of {plays} at random")
    elif result.card is None:
        why = "there was no time, or none were wanted"
        print(f"  {paint('note', YELLOW)}: no plays were compared without it and with it ({why})")
    if result.card is not None and not result.never_happened:
        _print_card(result.card, verbose)


def _print_unused(unused: Sequence[UnusedResult]) -> None:
    for one in unused:
        print(f"  {paint('note', YELLOW)}: {unused_text(one)}   {paint(str(one.at), DIM)}")


def _print_card(card: Card, verbose: bool) -> None:
    """What a house rule changes, in numbers."""
    if card.is_same:
        print(f"  but no number that is counted, in {card.plays} plays")
        return
    _row("it changes", "note", YELLOW, f"in {card.plays} plays at random each (* differs for certain)")
    told = card.rows if verbose else card.foremost(CARD_ROWS)
    rows = [("", "without it", "with it", "")]
    rows += [(row.what, number_text(row, row.before), number_text(row, row.after), "*" * row.differs) for row in told]
    print("\n".join(aligned(rows, right=[1, 2], indent="    ")))
    if len(told) < len(card.rows):
        print(f"    {len(card.rows) - len(told)} more with --verbose")


def _crosscheck_word(found: CrossCheck) -> tuple[str, str]:
    if found.solver is None:
        return "none", YELLOW
    if found.contradictions:
        return "ALARM", RED
    return ("ok", GREEN) if found.complete and not found.undecided else ("in part", YELLOW)


def crosscheck_text(found: CrossCheck) -> str:
    """What a second solver says of the steps of proofs, in a line."""
    if found.solver is None:
        return "no second solver has looked at the proofs; to have one: pip install 'seaspec[crosscheck]'"
    steps = f"{found.steps} step{'s' * (found.steps != 1)}"
    said = [f"{found.agreed} of {steps} agreed on by {found.solver}"]
    if found.undecided:
        said.append(f"{found.undecided} it did not decide")
    if found.contradictions:
        said.append(f"{len(found.contradictions)} IT CONTRADICTS")
    if not found.complete:
        said.append("the others were not asked for")
    return ", ".join(said)


def certification_text(found: Certification) -> str:
    """What the checker of certificates says, in a line."""
    total = len(found.derived) + len(found.left)
    said = f"{len(found.derived)} of {total} proofs derived again by other means"
    return f"{said}, {len(found.alarms)} FACTS FAIL IN A PLAY: a mistake of SeaSpec" if found.alarms else said


def alarm_lines(found: CrossCheck) -> list[str]:
    """That two solvers contradict each other, and about what."""
    names = dict.fromkeys(name for each in found.contradictions for name in each.promises)
    several = len(found.contradictions)
    head = (
        f"{found.solver} contradicts Z3 about {several} step{'s' * (several != 1)} of proofs: one of the two is wrong"
    )
    lines = [f"  {each.step}" for each in found.contradictions[:MOST_STEPS]]
    if several > MOST_STEPS:
        lines.append(f"  and {several - MOST_STEPS} more")
    lines.append(f"  so these are not proved: {', '.join(names)}")
    return [head, *lines, "  please report it, with what `seaspec emit --stage smt2` prints"]


def _print_lines(result: Result, verbose: bool) -> None:
    """A line for what is undecided, and what is never used; if more is wanted, for all."""
    for promise in result.promises:
        if verbose or promise.kept is None:
            _print_promise(promise)
        if verbose and promise.rests_on:
            print(wrapped(f"rests on {', '.join(promise.rests_on)}", "    "))
        if verbose and promise.does_without:
            print(wrapped(f"does without {', '.join(promise.does_without)}", "    "))
    for promise in result.promises:
        if promise.empty and not verbose and not (result.is_house_rule and promise.at.file != result.file):
            print(f"  {paint('note', YELLOW)}: {empty_text(promise)}   {paint(str(promise.at), DIM)}")
    if verbose:
        for example in result.examples:
            if example.ok:
                print(f"  {paint('ok', GREEN)}: example {example.name}")


def _print_promise(promise: PromiseResult) -> None:
    colour = {None: YELLOW, True: GREEN, False: RED}[promise.kept]
    if promise.verdict == "broken":
        colour = RED
    detail = f" ({promise.detail})" if promise.detail else ""
    said = f' "{promise.sentence}"' if promise.sentence else ""
    myth = "myth " if promise.myth else ""
    at = paint(str(promise.at), DIM)
    print(f"  {paint(promise.verdict, colour)}: {myth}{promise.name}{said}{detail}   {at}")


def empty_text(promise: PromiseResult) -> str:
    """That a promise says nothing, in words."""
    return f"{promise_name(promise.kind, promise.name)} is proved, but {promise.empty}"


def unused_text(unused: UnusedResult) -> str:
    """What is never used, in words.

    >>> from seaspec.cli.checking.result import Place
    >>> at = Place("calm.sea", 1, 1, 1, 1)
    >>> unused_text(UnusedResult("action", "drop", at, sentence="a player drops a card", whose=LOST))
    'the action drop never happens any more: a player drops a card'
    """
    if unused.whose == LOST:
        said = f": {unused.sentence}" if unused.sentence else ""
        action, guard, ending = (
            f"{unused.name} never happens any more{said}",
            "forbids anything any more",
            "met any more",
        )
    else:
        action, guard, ending = f"{unused.name} is never taken", "forbids anything", "met"
    looked = f" ({unused.searched})" if unused.searched else ""
    return {
        "action": f"the action {action}{looked}",
        "guard": f"the guard {unused.name} never {guard}{' (proved)' if unused.proved else looked}",
        "ending": f"this ending is never {ending}{looked}",
    }[unused.what]


def _print_lines_of(broken: Sequence[str]) -> None:
    head, *lines = broken
    print()
    print("\n".join([f"{_broken()}: {head}", *lines]))


def failure_lines(failure: FailureResult) -> list[str]:
    """Rules that fail: how, and in which play."""
    head = f"{plainly(failure.message)}{in_world(failure.world)}   {failure.at}"
    return [head, *_shown_lines(failure.play, failure.because)]


def plainly(message: str) -> str:
    """What is wrong besides promises, in words of the table."""
    told = of_the_table(message)
    return told if told != message or message.startswith(ENDLESS) else f"the rules fail: {message}"


def of_the_table(detail: str) -> str:
    """What is said of a play, in words of the table.

    >>> of_the_table("stuck: Ben must choose (deed), and there is no option")
    'somebody is stuck: Ben must choose (deed), and there is no option'
    """
    return f"somebody is {detail}" if detail.startswith("stuck: ") else detail


def broken_lines(promise: PromiseResult) -> list[str]:
    """A broken promise: what it says, what is wrong, and its play."""
    said = f' "{promise.sentence}"' if promise.sentence else ""
    world = "" if f"in the world {promise.world}" in promise.detail else in_world(promise.world)
    found = [f"{promise_name(promise.kind, promise.name)}{said}{world}   {promise.at}"]
    if promise.detail:
        found.append(wrapped(of_the_table(promise.detail), "  "))
    return found if promise.play is None else [*found, *_shown_lines(promise.play, promise.because)]


def _shown_lines(play: Shown, because: Sequence[Line]) -> list[str]:
    """A play, why it goes wrong, and how it is shown again."""
    lines = play_lines(play) if play.beside is None else beside_lines(play, play.beside)
    found = ["  " + line for line in lines] + because_lines(because)
    paths = [one.path for one in (play, play.beside) if one is not None and one.path is not None]
    return [*found, *(f"  replay: seaspec replay {path}" for path in paths)]


def beside_lines(play: Shown, other: Shown) -> Iterator[str]:
    """Two plays side by side; what is the same, but for the last steps, is told in a line."""
    rows = list(zip_longest(play.steps, other.steps, fillvalue=""))
    same = next((number for number, (one, two) in enumerate(rows) if one != two), len(rows))
    told = f"after {same} steps that are the same, " if same > 1 else "after one step that is the same, "
    yield f"{told if same else ''}one play, and the other one:"
    told_rows = list(_rows_told(rows, same))
    for place, numbers in enumerate(told_rows):
        if FIRST_STEPS <= place < len(told_rows) - LAST_STEPS:
            if place == FIRST_STEPS:
                yield f"    ... {told_rows[-LAST_STEPS].start - numbers.start} steps"
            continue
        if len(numbers) > 1:
            yield f"    ... {len(numbers)} steps that are the same"
            continue
        one, two = (textwrap.wrap(text, BESIDE) or [""] for text in rows[numbers.start])
        for line, (left, right) in enumerate(zip_longest(one, two, fillvalue="")):
            head = "    " if line else f"{numbers.start + 1:>3}."
            yield f"  {head} {left:<{BESIDE}} | {right}".rstrip()


def _rows_told(rows: Sequence[tuple[str, str]], first: int) -> Iterator[range]:
    """The rows from one on, each alone, but for many that are the same in a row."""
    while first < len(rows):
        end = first
        while end < len(rows) - LAST_SAME and rows[end][0] == rows[end][1]:
            end += 1
        if end - first > MOST_SAME:
            yield range(first, end)
            first = end
        else:
            yield range(first, first + 1)
            first += 1


def because_lines(lines: Sequence[Line]) -> list[str]:
    """The lines of the variant that make the difference."""
    return [f"  {'and' if number else 'because of'} {line.text}   {line.at}" for number, line in enumerate(lines)]


def promise_name(kind: str, name: str) -> str:
    """`invariant few`; where the kind says it all, once: `never stuck`."""
    return name if name.startswith(kind) else f"{kind} {name}"


def play_lines(play: Shown) -> Sequence[str]:
    """The play, line by line, and the board at the end."""
    if not play.board:
        return ()
    found = f"after {len(play.steps)} step{'s' * (len(play.steps) != 1)}:"
    return [found, *step_lines(play.steps), *play.board.splitlines()]


def _print_last(result: Result) -> None:
    time = f"{result.seconds:.1f} s" + (" when it was checked; nothing has changed (cached)" if result.cached else "")
    time += f", {paint('interrupted', BOLD, YELLOW)}: more was to be looked at" if result.interrupted else ""
    if not result.kept:
        print(f"{_broken()}: {', '.join(_what_is_broken(result))}   {time}")
        return
    if result.contradictions:
        print(f"{paint('ALARM: the solvers contradict each other', BOLD, RED)}   {time}")
        return
    word = "kept" if not result.undecided else f"kept, {len(result.undecided)} undecided"
    if result.changed_examples:
        changed = len(result.changed_examples)
        word += f", {changed} worked example{'s' * (changed != 1)} changed"
    print(f"{paint(word, BOLD, GREEN)}   {time}")


def _what_is_broken(result: Result) -> list[str]:
    parts = []
    if result.broken:
        parts.append(f"{len(result.broken)} broken promises" if len(result.broken) > 1 else "a broken promise")
    if result.failed_examples:
        failed = len(result.failed_examples)
        parts.append(f"{failed} examples that fail" if failed > 1 else "an example that fails")
    if result.failures:
        parts.append("rules that fail")
    return parts


# -------------------------------------------------------------------------------------------------------------- json


def result_json(result: Result) -> dict[str, Any]:
    """The values that `--json` prints of a game."""
    if result.faulty:
        return {
            "subject": result.subject,
            "options": result.options,
            "kept": False,
            "diagnostics": to_json(result.diagnostics),
        }
    return {
        "subject": result.subject,
        "options": result.options,
        "kept": result.kept,
        "cached": result.cached,
        "seconds": round(result.seconds, 3),
        "interrupted": result.interrupted,
        "examples": [_example_json(example) for example in result.examples],
        "inapplicable": result.inapplicable,
        "worlds_left_out": result.left_out,
        "plays": {
            "number": result.plays.number,
            "positions": result.plays.positions,
            "longest": result.plays.longest,
            "unfinished": result.plays.unfinished,
            "compiled": result.plays.compiled,
            "compiled_steps": result.plays.compiled_steps,
        },
        "changes": None if result.card is None else asdict(result.card),
        "differs": {"plays": result.compared, "parted": result.parted} if result.is_house_rule else None,
        "alarms": list(result.refuted),
        "rule_errors": [
            {
                "message": f.message,
                "at": str(f.at),
                "world": f.world,
                "steps": list(f.play.steps),
                "play": f.play.path,
                "because": _because_json(f.because),
            }
            for f in result.failures
        ],
        "promises": [_promise_json(promise) for promise in result.promises],
        "crosscheck": None if result.crosscheck is None else _crosscheck_json(result.crosscheck),
        "certification": None if result.certification is None else asdict(result.certification),
        "unused": [
            {
                "what": u.what,
                "name": u.name,
                "at": str(u.at),
                "proved": u.proved,
                "whose": u.whose,
                "searched": u.searched,
            }
            for u in result.unused
        ],
        "diagnostics": to_json(result.diagnostics),
    }


def _crosscheck_json(found: CrossCheck) -> dict[str, Any]:
    return {
        "solver": found.solver,
        "steps": found.steps,
        "agreed": found.agreed,
        "undecided": found.undecided,
        "contradictions": [{"step": c.step, "promises": list(c.promises)} for c in found.contradictions],
        "complete": found.complete,
    }


def _example_json(example: ExampleResult) -> dict[str, Any]:
    return {
        "name": example.name,
        "ok": example.ok,
        "changed": example.changed,
        "runs": example.runs,
        "detail": example.detail,
        "at": str(example.at),
        "because": _because_json(example.because),
    }


def _promise_json(promise: PromiseResult) -> dict[str, Any]:
    beside = None if promise.play is None else promise.play.beside
    return {
        "name": promise.name,
        "kind": promise.kind,
        "myth": promise.myth,
        "sentence": promise.sentence,
        "verdict": promise.verdict,
        "kept": promise.kept,
        "detail": promise.detail,
        "world": promise.world,
        "at": str(promise.at),
        "cites": list(promise.cites),
        "steps": None if promise.play is None else list(promise.play.steps),
        "play": None if promise.play is None else promise.play.path,
        "beside": None if beside is None else {"steps": list(beside.steps), "play": beside.path},
        "because": _because_json(promise.because),
        "rests_on": list(promise.rests_on),
        "does_without": list(promise.does_without),
        "steps_in_a_row": promise.over,
        "says_nothing": promise.empty,
    }


def _because_json(lines: Sequence[Line]) -> list[dict[str, str]]:
    return [{"text": line.text, "at": str(line.at)} for line in lines]
