"""The result of checking one game, as plain data: all that is printed, kept, or given to other tools is made from it.

Nothing here needs the game any more, so a result that was kept is told without compiling anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Diagnostic, Label, Severity
from seaspec.sampling.card import Card, Measured, Row
from seaspec.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file; lines and columns from 1, the end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def place_of(span: Span) -> Place:
    """Where a span is."""
    return Place(span.file.name, *span.file.position(span.start), *span.file.position(max(span.start, span.end)))


@dataclass(frozen=True, slots=True)
class Shown:
    """A play that shows something: its steps in words, the board at its end, and the play as it is saved, but for the
    texts of its rules; nothing of this where the game does not come to a first choice."""

    steps: tuple[str, ...]
    board: str
    saved: dict[str, Any]
    path: str | None = None
    """The file in which it was saved."""
    beside: Shown | None = None
    """Another play, which looked alike to somebody up to its last step; it has no board."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text."""

    at: Place
    text: str


@dataclass(frozen=True, slots=True)
class PromiseResult:
    """The verdict on a promise. `kept` None: undecided; `world`: where it was found, if not in the game itself; `play`:
    what breaks it, also where that is as it should be, or meets it, if that is not long; `because`: the lines of the
    variant without which it is not broken so."""

    name: str
    kind: str
    myth: bool
    sentence: str
    verdict: str
    kept: bool | None
    detail: str
    at: Place
    cites: tuple[str, ...]
    world: str | None
    play: Shown | None
    because: tuple[Line, ...] = ()
    rests_on: tuple[str, ...] = ()
    over: int = 1
    """So many steps in a row its proof looks at, if it is proved."""
    empty: str = ""
    """Why it says nothing, if that is proved."""
    does_without: tuple[str, ...] = ()
    """Guards that cite what it cites, and on which its proof does not rest."""


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """Whether an example shows what it says. `detail`: what is wrong; `changed`: it is one of the base, and ends
    otherwise with the house rule."""

    name: str
    sentence: str
    ok: bool
    runs: int
    detail: str
    at: Place
    because: tuple[Line, ...] = ()
    changed: bool = False


@dataclass(frozen=True, slots=True)
class FailureResult:
    """A place where the rules themselves fail."""

    message: str
    at: Place
    world: str | None
    play: Shown
    because: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusedResult:
    """Something that neither plays nor examples ever used. `sentence`: of an action; `proved`: a guard that can never
    forbid anything; `whose`: of a house rule `its own`, of the base what is used without it (`no more`), or is not
    (`the base's`); of a game `its own`; `searched`: how it was looked for beside plays and examples."""

    what: str
    name: str
    at: Place
    proved: bool = False
    sentence: str = ""
    whose: str = "its own"
    searched: str = ""


@dataclass(frozen=True, slots=True)
class PlaysResult:
    """How much was played at random."""

    number: int = 0
    positions: int = 0
    longest: int = 0
    unfinished: int = 0
    compiled: int = 0
    """So many more by machine code, and their steps."""
    compiled_steps: int = 0


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A step of proofs that one solver finds right and the other wrong; the promises whose proofs rest on it."""

    step: str
    promises: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """What a second solver says of the steps of all proofs. `solver` None: there is none, and nothing was asked;
    `complete`: it was asked for all of them."""

    solver: str | None
    agreed: int = 0
    undecided: int = 0
    contradictions: tuple[Contradiction, ...] = ()
    complete: bool = False

    @property
    def steps(self) -> int:
        return self.agreed + self.undecided + len(self.contradictions)


@dataclass(frozen=True, slots=True)
class Certification:
    """What the checker of certificates says of the proofs: which promises it has derived again, which it has not, and
    why; and what fails in a play, though a proof says that it holds."""

    derived: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What was found out about one game with fixed options. `faulty`: the text is, and nothing else was tried."""

    subject: str
    options: dict[str, str]
    faulty: bool
    title: str = ""
    file: str = ""
    files: int = 0
    inapplicable: dict[str, str] = field(default_factory=dict)
    """Examples that do not apply, and why; `gone`: how many there are, with those for other options."""
    gone: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    """Worlds that do not go with this stack, and why."""
    examples: tuple[ExampleResult, ...] = ()
    plays: PlaysResult = PlaysResult()
    promises: tuple[PromiseResult, ...] = ()
    failures: tuple[FailureResult, ...] = ()
    unused: tuple[UnusedResult, ...] = ()
    crosscheck: CrossCheck | None = None
    """None: it was not asked for, or nothing is proved."""
    certification: Certification | None = None
    """The same."""
    certificate: str = ""
    """What the proofs have found, as the text of a file, if it was asked for."""
    is_house_rule: bool = False
    """Variants are checked; what is their base's own is not told in full."""
    card: Card | None = None
    """What a house rule changes, in numbers."""
    compared: int = 0
    """So many plays were compared, step by step, without the house rule and with it; `parted`: in so many of them
    something differed."""
    parted: int = 0
    wrong: tuple[str, ...] = ()
    """What was called proved or exhaustive, and was broken by a play."""
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    """What was to be said on the way, such as that machine code can not explore the game."""
    seconds: float = 0.0
    interrupted: bool = False
    cached: bool = False

    @property
    def broken(self) -> tuple[PromiseResult, ...]:
        return tuple(promise for promise in self.promises if promise.kept is False)

    @property
    def undecided(self) -> tuple[PromiseResult, ...]:
        return tuple(promise for promise in self.promises if promise.kept is None)

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Where two solvers contradict each other: one of them is wrong."""
        return () if self.crosscheck is None else self.crosscheck.contradictions

    @property
    def refuted(self) -> tuple[str, ...]:
        """What fails in a play, though a proof says that it holds."""
        wrong = [f"{name}, and a play breaks it: this is a mistake of SeaSpec" for name in self.wrong]
        alarms = () if self.certification is None else self.certification.alarms
        return (*wrong, *(f"a proof says this, and it fails in a play: {alarm}" for alarm in alarms))

    @property
    def failed_examples(self) -> tuple[ExampleResult, ...]:
        return tuple(example for example in self.examples if not (example.ok or example.changed))

    @property
    def changed_examples(self) -> tuple[ExampleResult, ...]:
        """Examples of the base that end otherwise with the house rule."""
        return tuple(example for example in self.examples if example.changed)

    @property
    def never_happened(self) -> bool:
        """No play was any different with the house rule."""
        return bool(self.compared) and not self.parted and (self.card is None or self.card.is_same)

    @property
    def kept(self) -> bool:
        """Nothing is broken (something may be undecided)."""
        faulty = self.faulty or any(d.severity is Severity.ERROR for d in self.diagnostics)
        return not (faulty or self.broken or self.failed_examples or self.failures)


# --------------------------------------------------------------------------------------------------------- plain values


def to_data(result: Result) -> dict[str, Any]:
    """Values that json.dumps takes."""
    shallow = {name: value for name, value in asdict(result).items() if name != "diagnostics"}
    return {**shallow, "diagnostics": [_diagnostic_data(diagnostic) for diagnostic in result.diagnostics]}


def from_data(data: Mapping[str, Any], files: Mapping[str, SourceFile]) -> Result:
    """A result from its values. `files`: the texts that it may speak of, by name."""
    made = {
        "examples": tuple(
            ExampleResult(**{**each, "at": Place(**each["at"]), "because": _lines(each["because"])})
            for each in data["examples"]
        ),
        "plays": PlaysResult(**data["plays"]),
        "promises": tuple(
            PromiseResult(
                **{
                    **each,
                    "at": Place(**each["at"]),
                    "cites": tuple(each["cites"]),
                    "rests_on": tuple(each["rests_on"]),
                    "does_without": tuple(each["does_without"]),
                    "play": _shown(each["play"]),
                    "because": _lines(each["because"]),
                }
            )
            for each in data["promises"]
        ),
        "failures": tuple(
            FailureResult(
                **{
                    **each,
                    "at": Place(**each["at"]),
                    "play": _shown(each["play"]),
                    "because": _lines(each["because"]),
                }
            )
            for each in data["failures"]
        ),
        "unused": tuple(UnusedResult(**{**each, "at": Place(**each["at"])}) for each in data["unused"]),
        "crosscheck": _crosscheck(data["crosscheck"]),
        "certification": _certification(data["certification"]),
        "diagnostics": tuple(_diagnostic(each, files) for each in data["diagnostics"]),
        "notes": tuple(data["notes"]),
        "wrong": tuple(data["wrong"]),
        "card": _card(data["card"]),
    }
    return Result(**{**data, **made})


def _lines(data: list[dict[str, Any]]) -> tuple[Line, ...]:
    return tuple(Line(Place(**each["at"]), each["text"]) for each in data)


def _shown(data: Mapping[str, Any] | None) -> Shown | None:
    if data is None:
        return None
    return Shown(**{**data, "steps": tuple(data["steps"]), "beside": _shown(data["beside"])})


def _card(data: Mapping[str, Any] | None) -> Card | None:
    if data is None:
        return None
    rows = (
        Row(**{**row, "before": Measured(**row["before"]), "after": Measured(**row["after"])}) for row in data["rows"]
    )
    return Card(**{**data, "rows": tuple(rows)})


def _crosscheck(data: Mapping[str, Any] | None) -> CrossCheck | None:
    if data is None:
        return None
    found = (Contradiction(each["step"], tuple(each["promises"])) for each in data["contradictions"])
    return CrossCheck(**{**data, "contradictions": tuple(found)})


def _certification(data: Mapping[str, Any] | None) -> Certification | None:
    return None if data is None else Certification(**{name: tuple(texts) for name, texts in data.items()})


def _diagnostic_data(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code.name,
        "span": _span_data(diagnostic.span),
        "message": diagnostic.message,
        "labels": [[_span_data(label.span), label.text] for label in diagnostic.labels],
        "hint": diagnostic.hint,
    }


def _diagnostic(data: Mapping[str, Any], files: Mapping[str, SourceFile]) -> Diagnostic:
    labels = tuple(Label(_span(span, files), text) for span, text in data["labels"])
    return Diagnostic(Code[data["code"]], _span(data["span"], files), data["message"], labels, data["hint"])


def _span_data(span: Span) -> list[Any]:
    return [span.file.name, span.start, span.end]


def _span(data: list[Any], files: Mapping[str, SourceFile]) -> Span:
    name, start, end = data
    return Span(files.get(name) or SourceFile(name, ""), start, end)
