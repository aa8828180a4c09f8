"""What is wrong as SARIF 2.1.0, which code hosts show beside the lines: diagnostics, broken promises, failed examples.

Errors are what makes the check fail; what is undecided, or never used, is a note.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from seaspec.cli.checking.junit import suite_name
from seaspec.cli.checking.result import Place, Result, place_of
from seaspec.cli.checking.verdict_text import (
    broken_lines,
    empty_text,
    failure_lines,
    in_world,
    promise_name,
    unused_text,
)
from seaspec.cli.main import version
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Diagnostic

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RULES = {
    "broken-promise": ("a broken promise", "A play was found that breaks what the game promises."),
    "failed-example": ("an example that fails", "The rules do not do what the example says."),
    "failing-rules": ("rules that fail", "A play was found in which the rules themselves fail."),
    "undecided-promise": ("an undecided promise", "Nothing was found that speaks for the promise, or against it."),
    "empty-promise": ("a promise that says nothing", "It holds in any position, or supposes what never happens."),
    "solvers-disagree": ("solvers disagree", "Two solvers contradict each other about a step of a proof."),
    "never-used": ("never used", "Neither plays nor examples ever used this."),
}
"""Rules besides the codes of diagnostics: a few words, and a sentence."""


def sarif(results: Sequence[Result], diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """The values of the file. `diagnostics`: what was found before any game was checked."""
    found = list(_once(each for part in (_of_text(diagnostics), *map(_of_game, results)) for each in part))
    used = list(dict.fromkeys(each["ruleId"] for each in found))
    for each in found:
        each["ruleIndex"] = used.index(each["ruleId"])
    driver = {
        "name": "SeaSpec",
        "version": version(),
        "rules": [_rule(rule) for rule in used],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: str) -> dict[str, Any]:
    if rule in RULES:
        short, long = RULES[rule]
    else:
        code = next(code for code in Code if code.id == rule)
        short, long = code.title, code.explanation
    return {"id": rule, "shortDescription": {"text": short}, "fullDescription": {"text": long}}


def _of_text(diagnostics: Iterable[Diagnostic]) -> Iterator[dict[str, Any]]:
    for diagnostic in diagnostics:
        hint = f"; {diagnostic.hint}" if diagnostic.hint else ""
        result = _result(
            diagnostic.code.id, diagnostic.severity.value, diagnostic.message + hint, place_of(diagnostic.span)
        )
        related = [{**_location(place_of(label.span)), "message": {"text": label.text}} for label in diagnostic.labels]
        yield {**result, "relatedLocations": related} if related else result


def _of_game(result: Result) -> Iterator[dict[str, Any]]:
    name = suite_name(result)
    yield from _of_text(result.diagnostics)
    for failure in result.failures:
        yield _result("failing-rules", "error", "\n".join([f"{name}:", *failure_lines(failure)]), failure.at)
    for promise in result.promises:
        if promise.empty:
            yield _result("empty-promise", "note", f"{name}: {empty_text(promise)}", promise.at)
        if promise.kept is True:
            continue
        sentence = f' "{promise.sentence}"' if promise.sentence else ""
        is_broken = promise.kept is False
        word = f"is broken{in_world(promise.world)}" if is_broken else "is undecided"
        head = f"{name}: {promise_name(promise.kind, promise.name)}{sentence} {word}"
        said = [head, *broken_lines(promise)[1:]]
        rule, level = ("broken-promise", "error") if is_broken else ("undecided-promise", "note")
        if any(promise.name in contradiction.promises for contradiction in result.contradictions):
            rule, level = "solvers-disagree", "error"
        yield _result(rule, level, "\n".join(said), promise.at)
    for example in (*result.failed_examples, *result.changed_examples):
        level = "note" if example.changed else "error"
        yield _result("failed-example", level, f"{name}: example {example.name}: {example.detail}", example.at)
    for unused in result.unused:
        yield _result("never-used", "note", f"{name}: {unused_text(unused)}", unused.at)


def _result(rule: str, level: str, text: str, at: Place) -> dict[str, Any]:
    return {"ruleId": rule, "level": level, "message": {"text": text}, "locations": [_location(at)]}


def _location(at: Place) -> dict[str, Any]:
    path = PurePath(at.file)
    uri = path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
    region = {"startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _once(results: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each result once: what is wrong with the text of a game is wrong with all that is built on it."""
    seen = set()
    for result in results:
        if repr(result) not in seen:
            seen.add(repr(result))
            yield result
