"""The results of checks as JUnit XML, which servers that run tests read: a suite a game, a case a promise and example.

A promise that is broken, an example that fails, rules that fail are failures, told with the play. What is undecided is
skipped, and with `--strict` a failure. A faulty text is an error of the case `text`. Where proofs are cross-checked,
there is a case `crosscheck`; it fails if two solvers contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from seaspec.cli.checking.result import Place, Result
from seaspec.cli.checking.verdict_text import (
    alarm_lines,
    broken_lines,
    crosscheck_text,
    failure_lines,
    in_world,
    promise_name,
)
from seaspec.diagnostics.model import Diagnostic, Severity
from seaspec.diagnostics.render import render

_COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Sequence[Result], diagnostics: Sequence[Diagnostic], *, strict: bool) -> str:
    """The text of the file. `diagnostics`: what was found before any game was checked."""
    suites = Element("testsuites", name="seaspec")
    if any(d.severity is Severity.ERROR for d in diagnostics):
        suite = SubElement(suites, "testsuite", name="seaspec")
        _text(suite, "seaspec", diagnostics)
    for result in results:
        _suite(suites, result, strict)
    for suite in suites:
        for what, tag in _COUNTED.items():
            suite.set(what, str(sum(1 for _ in suite.iter(tag))))
    indent(suites)
    return _clean('<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode") + "\n")


def _suite(suites: Element, result: Result, strict: bool) -> None:
    suite = SubElement(suites, "testsuite", name=suite_name(result), time=f"{result.seconds:.3f}")
    name = suite.get("name", "")
    _text(suite, name, result.diagnostics)
    if result.faulty:
        return
    rules = SubElement(suite, "testcase", classname=name, name="rules")
    for failure in result.failures:
        message, *lines = failure_lines(failure)
        _add(rules, "failure", "rules", message, failure.at, lines)
    for promise in result.promises:
        case = _case(suite, name, promise_name(promise.kind, promise.name), promise.at)
        said = f"{promise.sentence}: " if promise.sentence else ""
        if promise.kept is False:
            message = f"{said}broken{in_world(promise.world)}"
            _add(case, "failure", "broken", message, promise.at, broken_lines(promise)[1:])
        elif promise.kept is None:
            _add(case, "failure" if strict else "skipped", "undecided", f"{said}undecided: {promise.detail}", None, ())
        else:
            SubElement(case, "system-out").text = f"{promise.verdict}: {promise.detail}".removesuffix(": ")
    if result.crosscheck is not None:
        case = SubElement(suite, "testcase", classname=name, name="crosscheck")
        if result.contradictions:
            head, *lines = alarm_lines(result.crosscheck)
            _add(case, "failure", "contradiction", head, None, lines)
        else:
            SubElement(case, "skipped" if result.crosscheck.solver is None else "system-out")
            case[0].text = crosscheck_text(result.crosscheck)
    for example in result.examples:
        case = _case(suite, name, f"example {example.name}", example.at)
        if not example.ok:
            word, tag = ("changed", "skipped") if example.changed and not strict else ("example", "failure")
            _add(case, tag, word, example.detail, example.at, ())


def suite_name(result: Result) -> str:
    """The game with its options, in a line."""
    options = ", ".join(f"{name}={value}" for name, value in result.options.items())
    return result.subject + (f" ({options})" if options else "")


def _text(suite: Element, name: str, diagnostics: Sequence[Diagnostic]) -> None:
    """The case of the text, with what was found in it."""
    case = SubElement(suite, "testcase", classname=name, name="text")
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if errors:
        told = render(diagnostics, colour=False)
        _add(case, "error", "faulty", errors[0].message, None, told.splitlines())
    elif diagnostics:
        SubElement(case, "system-out").text = render(diagnostics, colour=False)


def _case(suite: Element, classname: str, name: str, at: Place) -> Element:
    return SubElement(suite, "testcase", classname=classname, name=name, file=at.file, line=str(at.line))


def _add(case: Element, tag: str, type_: str, message: str, at: Place | None, lines: Sequence[str]) -> None:
    found = SubElement(case, tag, type=type_, message=message)
    where = [] if at is None else [str(at)]
    found.text = "\n".join([*where, *(line for line in lines if line)])


def _clean(text: str) -> str:
    """Without characters that XML has no way to write."""
    return _UNWRITABLE.sub("\ufffd", text)
