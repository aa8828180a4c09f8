"""`seaspec accept`: what a house rule changes in worked examples of its base is written into the house rule.

Of each example that ends otherwise the variant says that it breaks, and why; where it can be counted anew
(examples/recount.py), the example as it is now is added under a name of its own. What fails, or leaves somebody stuck,
is never accepted. All else in the file stays as it is.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

from seaspec.check.describe import snake_case
from seaspec.cli.arguments import add_json
from seaspec.cli.checking.house import is_changed
from seaspec.cli.checking.schedule import rebuild
from seaspec.cli.main import BROKEN, OK
from seaspec.cli.output import GREEN, RED, YELLOW, Fault, is_terminal, paint, print_json, wrapped
from seaspec.compile import parse_text
from seaspec.diagnostics.model import Report, Severity
from seaspec.examples.recount import Made, Recounted, because, is_acceptable, recounted
from seaspec.examples.run import ExampleResult, other_options, run_examples
from seaspec.files import write_whole
from seaspec.library import Subject, load_subjects
from seaspec.loading import LoadError, load_subject
from seaspec.shelf import packaged_spec
from seaspec.syntax import tree
from seaspec.verdict.check import is_as_said

_EXAMPLE = """\
With `set hand_size = 4` an example of the base that deals five cards ends otherwise. `seaspec check` tells it; whoever
means it says so in the house rule. This command writes these lines: `breaks NAME because ".."`, and the example as it
is counted now. It shows them first, and asks.

examples:
  seaspec accept house.sea             show what would be written, and ask
  seaspec accept house.sea --yes       write it
  seaspec accept house.sea --dry-run   only show it

Exit code: 0 nothing is left to accept (or to show), 1 something can not be accepted, or nobody has said yes.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "accept",
        help="write into a house rule which worked examples of its base end otherwise",
        description="Worked examples of the base that end otherwise with a house rule are written into it: that they "
        "break, and why, and what they are now. What fails is never accepted.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a .sea file with house rules")
    said = parser.add_mutually_exclusive_group()
    said.add_argument("--yes", action="store_true", help="write without asking")
    said.add_argument("--dry-run", action="store_true", help="write nothing")
    add_json(parser, "a list: subject, file, accepted, left, diff, written")
    parser.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class Accepted:
    """What is to be written of a house rule. `left`: examples that are not accepted, and why."""

    subject: str
    path: Path
    examples: tuple[Recounted, ...]
    left: dict[str, str]
    before: str
    after: str

    @property
    def diff(self) -> str:
        name = str(self.path)
        lines = unified_diff(self.before.splitlines(True), self.after.splitlines(True), name, name, n=1)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def run(args: argparse.Namespace) -> int:
    """Accept what each house rule of a file changes; the exit code tells whether something is left."""
    report = Report()
    names = [subject.name for subject in load_subjects(args.file, report)]
    if report.failed:
        raise LoadError(report)
    told = []
    is_left = False
    for place, name in enumerate(names):
        subject = load_subjects(args.file, Report())[place]  # what was written before has moved all below it
        accepted = accept(subject)
        if not args.json:
            _tell(name, accepted)
        written = accepted.before != accepted.after and not args.dry_run and _is_said(args)
        if written:
            write_whole(accepted.path, accepted.after)
            if not args.json:
                print(f"{paint('written', GREEN)}: {accepted.path}")
        is_left |= bool(accepted.left) or (accepted.before != accepted.after and not (written or args.dry_run))
        told.append(_values(accepted, written=written))
    if args.json:
        print_json(told)
    return BROKEN if is_left else OK


def _is_said(args: argparse.Namespace) -> bool:
    """Whether somebody says yes."""
    if args.yes:
        return True
    if args.json or not is_terminal(sys.stdin):
        if not args.json:
            print("nothing is written; with --yes it is")
        return False
    try:
        return input("write this? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _tell(name: str, accepted: Accepted) -> None:
    for example, why in accepted.left.items():
        print(f"{paint('not accepted', RED)}: example {example}")
        print(wrapped(why, "  "))
    if accepted.before == accepted.after:
        print(f"{name}: there is nothing to accept")
        return
    print(accepted.diff, end="")
    only = [example.name for example in accepted.examples if example.text is None]
    if only:
        print(wrapped(f"{paint('note', YELLOW)}: not counted anew, only said to break: {', '.join(only)}", "  "))


def _values(accepted: Accepted, *, written: bool) -> dict[str, object]:
    return {
        "subject": accepted.subject,
        "file": str(accepted.path),
        "accepted": [{"name": e.name, "because": e.because, "example": e.text} for e in accepted.examples],
        "left": accepted.left,
        "diff": accepted.diff,
        "written": written,
    }


# --------------------------------------------------------------------------------------------------------- house rules


def accept(subject: Subject) -> Accepted:
    """What a house rule has to say of the examples that it changes."""
    chapter = _variant(subject)
    path = Path(chapter.span.file.name)
    before = path.read_bytes().decode("utf-8")
    game = load_subject(subject, {})
    changed = {
        result.example.name: result
        for result in run_examples(game, rebuild(subject, {}))
        if not is_as_said(game.rules, result) and is_changed(subject, game, result)
    }
    left = {name: _why(result) for name, result in changed.items() if not _can_be_accepted(result)}
    texts = {
        _named(name, chapter): _renamed(subject, name, _named(name, chapter)) for name in changed if name not in left
    }
    counted = recounted(texts, lambda wanted: _made(subject, chapter, wanted))
    examples = tuple(
        Recounted(name, _because(result), counted.get(_named(name, chapter)))
        for name, result in changed.items()
        if name not in left
    )
    return Accepted(subject.name, path, examples, left, before, _with_lines(before, chapter, examples))


def _variant(subject: Subject) -> tree.Chapter:
    """The house rule that is meant, in a file of its author."""
    chapters = [chapter for chapter in subject.asked if chapter.kind is tree.ChapterKind.VARIANT]
    if len(chapters) != 1:
        raise Fault(f"{subject.name} is not one house rule", "name a file with house rules: seaspec accept house.sea")
    if Path(chapters[0].span.file.name).resolve().is_relative_to(packaged_spec().resolve()):
        raise Fault(f"{chapters[0].name} comes with the tool, and is not changed")
    return chapters[0]


def _can_be_accepted(result: ExampleResult) -> bool:
    return result.failure is None or is_acceptable(result.failure)


def _because(result: ExampleResult) -> str:
    return "it holds now" if result.failure is None else because(result.failure)


def _why(result: ExampleResult) -> str:
    return "" if result.failure is None else result.failure.message


def _named(name: str, chapter: tree.Chapter) -> str:
    return f"{name}_{snake_case(chapter.name)}"


def _renamed(subject: Subject, name: str, new: str) -> str:
    """The text of an example of the base, with another name, and without its sentence: it may not be true any more."""
    declared = next(
        d for c in subject.chapters for d in c.declarations if isinstance(d, tree.Example) and d.name == name
    )
    head = re.compile(rf'\b{name}\b( +"[^"\n]*")?')
    return head.sub(new, declared.span.text, count=1)


def _made(subject: Subject, chapter: tree.Chapter, texts: Mapping[str, str]) -> Made:
    """The house rule with these examples, too; those whose text is faulty are left out."""
    declared = {name: example for name, text in texts.items() if (example := _parsed(chapter, name, text)) is not None}
    while declared:
        more = replace(chapter, declarations=(*chapter.declarations, *declared.values()))
        wanted = replace(subject, chapters=tuple(more if c is chapter else c for c in subject.chapters))
        try:
            game = load_subject(wanted, {})
        except LoadError as error:
            faulty = {d.span.file.name for d in error.report if d.severity is Severity.ERROR} & set(declared)
            if not faulty:
                raise
            declared = {name: example for name, example in declared.items() if name not in faulty}
            continue
        found = {}
        for mine in game.rules.examples:
            if mine.name in declared:
                options = other_options(game, mine)
                other = rebuild(wanted, {})(options) if options else game
                if other is not None:
                    again = next(each for each in other.rules.examples if each.name == mine.name)
                    found[mine.name] = other, again, declared[mine.name]
        return found
    return {}


def _parsed(chapter: tree.Chapter, name: str, text: str) -> tree.Example | None:
    """An example of a house rule, as if it stood in a file of its own name."""
    report = Report()
    file = parse_text(name, f"variant {chapter.name} of {chapter.of}\n{text}\n", report)
    found = None if report.failed else file.chapters[0].declarations[0]
    return found if isinstance(found, tree.Example) else None


def _with_lines(text: str, chapter: tree.Chapter, examples: tuple[Recounted, ...]) -> str:
    """The text of a file with what is accepted after the last line of a chapter."""
    if not examples:
        return text
    new = [f'breaks {example.name} because "{example.because}"' for example in examples]
    for example in examples:
        new += [] if example.text is None else ["", *example.text.split("\n")]
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    span = chapter.declarations[-1].span if chapter.declarations else chapter.span
    last, _ = span.file.position(span.end)
    above = lines[:last]
    if not above[-1].endswith(("\n", "\r")):
        above[-1] += end
    return "".join([*above, end, *(line + end for line in new), *lines[last:]])
