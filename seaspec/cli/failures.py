"""What commands could not do, told in one message: faults of the text, of a saved play, of the user, of the tool."""

from __future__ import annotations

from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.cli.main import BROKEN, NO_ROOM, TOOL_FAILED
from seaspec.cli.output import Fault, print_diagnostics, print_error, print_json
from seaspec.diagnostics.model import Report, Stop
from seaspec.diagnostics.render import to_json
from seaspec.loading import LoadError
from seaspec.saved import PlayError
from seaspec.source import NOWHERE


def describe_failure(error: Exception, as_json: bool) -> int:
    """Print what went wrong; the exit code."""
    match error:
        case LoadError() | Stop():
            _print_report(error.report, as_json)
            return BROKEN
        case Fault():
            message, hint = error.message, error.hint
        case PlayError() | ChoiceError():
            message, hint = str(error), None
        case RuleError():
            where = "" if error.span is NOWHERE else f" ({error.span})"
            message, hint = f"the rules fail: {error.message}{where}", None
        case OSError():
            reason = error.strerror or str(error)
            message, hint = f"{error.filename}: {reason}" if error.filename else reason, None
            if error.errno in NO_ROOM:
                _print(message, "is the disk full?", as_json)
                return TOOL_FAILED
        case RecursionError():
            message, hint = "this is nested too deeply", None
        case MemoryError():
            message, hint = "there is not enough memory for this", None
        case _:
            return _print_bug(error, as_json)
    _print(message, hint, as_json)
    return BROKEN


def _print_bug(error: Exception, as_json: bool) -> int:
    """The tool is at fault, and says where."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
    text = " ".join(str(error).split())[:300]
    message = f"seaspec itself failed: {type(error).__name__}: {text}{where}"
    _print(message, "this is a bug; with SEASPEC_DEBUG=1 the tool shows more", as_json)
    return TOOL_FAILED


def _print(message: str, hint: str | None, as_json: bool) -> None:
    if as_json:
        print_json({"error": message, "hint": hint, "diagnostics": []})
    else:
        print_error(message, hint)


def _print_report(report: Report, as_json: bool) -> None:
    if as_json:
        first = next(iter(report), None)
        print_json({"error": first.message if first else "", "hint": None, "diagnostics": to_json(report)})
    else:
        print_diagnostics(report)
