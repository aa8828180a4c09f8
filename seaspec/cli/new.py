"""`seaspec new variant of GAME`: a house rule to begin with, in a file of its own, with the names of the game."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seaspec.backends.interpreter.state import contents
from seaspec.check.describe import promise_name, snake_case
from seaspec.cli.arguments import add_json
from seaspec.cli.output import Fault, print_json
from seaspec.compile import parse_text
from seaspec.core import types
from seaspec.core.ir import BOX
from seaspec.diagnostics.model import Report
from seaspec.examples.place import set_up
from seaspec.examples.run import run_example
from seaspec.files import write_whole
from seaspec.game import Game
from seaspec.library import Subject, load_subject_of
from seaspec.loading import LoadError, load_subject
from seaspec.shelf import packaged_spec
from seaspec.syntax import tree

_EXAMPLE = """\
What is written can be checked and played as it stands, and changes nothing yet: each line tells what it is for. A file
that is there already is left alone.

examples:
  seaspec new variant of calm                         writes calm_house.sea
  seaspec new variant of calm gales.sea --name Gales
  seaspec new variant of sticks.sea                   beside the game
"""
BEGINS = "at_the_beginning"
"""The name of the example that is written."""
_SEEDS = range(1, 6)
"""Plays that are begun to see how the game stands when it begins."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "new",
        help="write a house rule to begin with",
        description="Write a house rule to begin with, in a file of its own: a variant that changes nothing yet, with "
        "a line for each thing that it can say, by the names of the game.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", metavar="variant", choices=["variant"], help="what is written: a house rule")
    parser.add_argument("of", metavar="of", choices=["of"], help="the word 'of'")
    parser.add_argument("game", metavar="GAME", help="a .sea file, a game's name, or a game with one of its variants")
    parser.add_argument("file", metavar="FILE", nargs="?", help="where it goes (GAME_house.sea, beside the game)")
    parser.add_argument("--name", metavar="NAME", default="House", help="how the variant is called (House)")
    add_json(parser, "file, variant, of")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the file; 0, or a fault if there is one already."""
    report = Report()
    subject = load_subject_of(args.game, report)
    if subject is None or report.failed:
        raise LoadError(report)
    base = _base(subject)
    name = _free_name(args.name, subject)
    path = Path(args.file) if args.file else _folder(subject) / f"{snake_case(base.name)}_house.sea"
    if path.suffix != ".sea":
        raise Fault(f"{path}: files of rules end in .sea", f"write '{path}.sea'")
    if path.exists() or path.is_symlink():
        raise Fault(f"{path} is there already, and is left alone", "name another file")
    game = load_subject(subject, {})
    begins = _sizes(game)
    if not _holds(subject, name, base, begins):
        begins = []
    write_whole(path, _skeleton(path.name, name, base, subject, game, begins))
    try:
        load_subject(_found_again(path), {})
    except LoadError:
        path.unlink(missing_ok=True)
        raise
    if args.json:
        print_json({"file": str(path), "variant": name, "of": base.name})
    else:
        print(f"{path}: variant {name} of {base.name}\nsee what it does: seaspec check {path}")
    return 0


def _found_again(path: Path) -> Subject:
    """The variant as any other command finds it, with its base."""
    report = Report()
    subject = load_subject_of(str(path), report)
    if subject is None or report.failed:
        raise LoadError(report)
    return subject


def _base(subject: Subject) -> tree.Chapter:
    """What the house rule is built on: the game, or the one variant that is named."""
    if len(subject.asked) > 1:
        raise Fault("a house rule is built on one chapter", "name a game, or a game with one variant")
    return subject.asked[0] if subject.asked else subject.game


def _free_name(name: str, subject: Subject) -> str:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9_]*", name):
        raise Fault(f"'{name}' can not name a variant", "a capital letter, then letters, digits and '_': --name Gales")
    if any(chapter.name == name for chapter in (*subject.chapters, *subject.family)):
        raise Fault(f"{subject.game.name} has a chapter {name} already", "give it another name: --name Gales")
    return name


def _folder(subject: Subject) -> Path:
    """Beside a game of one's own; those that come with the tool are found from anywhere."""
    folder = Path(subject.game.span.file.name).parent
    return Path() if _is_packaged(folder) else folder


def _is_packaged(folder: Path) -> bool:
    return packaged_spec().resolve() in (folder.resolve(), *folder.resolve().parents)


# ---------------------------------------------------------------------------------------------------------- the text


def _skeleton(
    file: str, name: str, base: tree.Chapter, subject: Subject, game: Game, begins: Sequence[tuple[str, int]]
) -> str:
    declared = [declaration for chapter in subject.chapters for declaration in chapter.declarations]
    parts = (
        _head(file, name, base),
        _changes(declared),
        _promise(game),
        _example(declared, game, begins),
        _dropped(declared),
    )
    return "\n".join(line for part in parts for line in (*part, "")).rstrip() + "\n"


def _head(file: str, name: str, base: tree.Chapter) -> Iterator[str]:
    yield f"-- A house rule for {base.name}. It says what is different, and nothing else; as it stands, nothing is."
    yield "--"
    yield f"--   seaspec show {file}     what can be changed, by name or in players' words"
    yield f"--   seaspec check {file}    what it breaks, what it changes, and how often it comes into play"
    yield f"--   seaspec play {file}     at the table"
    yield "--"
    yield "-- Where a line begins with two dashes it does nothing: take them away, and say what you want."
    yield ""
    yield f'variant {name} of {base.name} "House rules"'
    yield 'note "What is different at our table, in words."'


def _changes(declared: Sequence[tree.Declaration]) -> Iterator[str]:
    yield "-- What is different. `base` is what it was before."
    values = [d for d in declared if isinstance(d, tree.Define) and d.body is not None and d.shrinking is None]
    if values:
        head = _called(max(values, key=lambda value: value.tail.sentence is not None))
        yield f"replace {head} = base{head.removeprefix(head.partition('(')[0])}"
    for constant in [d for d in declared if isinstance(d, tree.Const)][:1]:
        yield f"-- set {constant.name} = {constant.value.span.text}"
    for action in [d for d in declared if isinstance(d, tree.Action)][:1]:
        yield f'-- forbid {_called(action)} when yes "why nobody may"'
    for procedure in [d for d in declared if isinstance(d, tree.Procedure) and d.name not in ("play", "setup")][:1]:
        yield f"-- after {_called(procedure)}"
        yield '--   say "what all are told then"'


def _promise(game: Game) -> Iterator[str]:
    yield "-- What shall hold whatever is done: a check tries to break it, and then to prove it."
    claim = "yes"
    for name, place in game.rules.places.items():
        index = [variable.type.name for variable in place.index if isinstance(variable.type, types.Enum)]
        if name != BOX and index == [types.PLAYER]:
            claim = f"every p in Player: size of {name}[p] <= {len(place.holds.members)}"
            break
    yield f'-- invariant ours "in words": {claim}'


def _example(declared: Sequence[tree.Declaration], game: Game, begins: Sequence[tuple[str, int]]) -> Iterator[str]:
    yield "-- What happens at the table: how things stand, what is done, what follows. This is how it begins."
    if begins:
        yield from _begins(begins)
    for action in [d for d in declared if isinstance(d, tree.Action)][:1]:
        yield '-- example ours_at_work "in words"'
        yield f"--   when {game.players[0]} does {action.name}(..)"
        yield "--   then refused"


def _begins(sizes: Sequence[tuple[str, int]]) -> list[str]:
    told = ", ".join(f"size of {place} = {size}" for place, size in sizes)
    return [f"example {BEGINS}", f"  then {told}"]


def _holds(subject: Subject, name: str, base: tree.Chapter, sizes: Sequence[tuple[str, int]]) -> bool:
    """Whether the game begins so, as examples understand it."""
    report = Report()
    text = "\n".join([f"variant {name} of {base.name}", *_begins(sizes)]) + "\n"
    chapters = parse_text("<new>", text, report).chapters
    if not sizes or report.failed:
        return False
    try:
        game = load_subject(replace(subject, chapters=(*subject.chapters, *chapters)), {})
    except LoadError:
        return False  # the game has an example of that name
    return all(run_example(game, e).is_as_told for e in game.rules.examples if e.name == BEGINS)


def _dropped(declared: Sequence[tree.Declaration]) -> Iterator[str]:
    yield "-- What the game promises or shows, and does not hold with our rule: `breaks` says that it fails, and shall;"
    yield "-- `drops`, that it makes no sense any more."
    for promise in [d for d in declared if isinstance(d, tree.Promise)][:1]:
        yield f'-- drops {promise_name(promise)} because "why"'


def _called(declared: tree.Define | tree.Action | tree.Procedure) -> str:
    names = ", ".join(param.name for param in declared.params)
    return f"{declared.name}({names})" if names else declared.name


def _sizes(game: Game) -> list[tuple[str, int]]:
    """Places that hold as much whenever the game begins, the first two."""
    machine = game.machine
    begun = [set_up(machine, seed) for seed in _SEEDS]
    found: list[tuple[str, int]] = []
    for name, place in game.rules.places.items():
        for slot in machine.layout.places[name].slots.values() if name != BOX else ():
            sizes = {len(contents(place.order, state.slots[slot])) for state in begun}
            if len(sizes) == 1 and sizes != {0}:
                found.append((machine.effects.slot_name(slot), sizes.pop()))
    return found[:2]
