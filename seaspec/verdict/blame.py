"""Which lines of a variant make the difference: without them a play that breaks something can not be played, or breaks
nothing.

Each line is left out in turn, and if no single one will do, each two. What a line without which the text makes no sense
would change is not known. Pictures and looks change nothing, and are left out always: they need not fit what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.machine import Answer, Machine
from seaspec.backends.interpreter.notation import Notation
from seaspec.examples.run import run_example
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import LoadError, load_subject
from seaspec.sampling.secrets import look_different
from seaspec.sampling.watch import Found, Watcher
from seaspec.syntax import tree

MOST_TOGETHER = 2
"""So many lines are left out together."""
NOT_A_CHANGE = tree.Option | tree.Breaks | tree.Drops

Shows = Callable[[Game], bool]
"""Whether a game still shows what is to be explained."""


def blamed(
    subject: Subject, options: Mapping[str, str], shows: Shows, go_on: Callable[[], bool]
) -> tuple[tree.Declaration, ...]:
    """The lines of the subject's variants without any one of which it is not shown; else two that do it together.

    `go_on` is asked whether there is time to try one more.
    """
    changes = list(_changes(subject))
    for number in range(1, MOST_TOGETHER + 1):
        found: list[tree.Declaration] = []
        for gone in combinations(changes, number):
            if not go_on():
                return ()
            game = _without(subject, options, gone)
            if game is not None and not shows(game):
                found += gone
                if number > 1:
                    break
        if found:
            return tuple(found)
    return ()


def _changes(subject: Subject) -> Iterator[tree.Declaration]:
    for chapter in subject.chapters:
        for declared in chapter.declarations if chapter.kind is tree.ChapterKind.VARIANT else ():
            is_change = isinstance(declared, tree.Thing | tree.Word | tree.Flow | tree.Change)
            if is_change and not isinstance(declared, NOT_A_CHANGE) and not _draws(declared):
                yield declared


def _draws(declared: tree.Declaration) -> bool:
    """Whether it is a picture or a look."""
    return isinstance(declared, _DRAWN) or (
        isinstance(declared, tree.ReplaceDeclaration) and isinstance(declared.declaration, _DRAWN)
    )


_DRAWN = (tree.Picture, tree.Look)


def _undrawn(chapter: tree.Chapter, pictures: frozenset[str]) -> tuple[tree.Declaration, ...]:
    """What a chapter says, but for what is said of pictures."""
    kept: list[tree.Declaration] = []
    for declared in chapter.declarations:
        if isinstance(declared, tree.Remove):
            names = tuple(name for name in declared.names if name not in pictures)
            kept += [declared] if names == declared.names else [replace(declared, names=names)] if names else []
        elif not _draws(declared):
            kept.append(declared)
    return tuple(kept)


def _without(subject: Subject, options: Mapping[str, str], gone: tuple[tree.Declaration, ...]) -> Game | None:
    """The game without some lines; None if that is no game."""
    pictures = frozenset(d.name for c in subject.chapters for d in c.declarations if isinstance(d, _DRAWN))
    left = (
        replace(chapter, declarations=tuple(d for d in chapter.declarations if all(d is not g for g in gone)))
        for chapter in subject.chapters
    )
    chapters = tuple(replace(chapter, declarations=_undrawn(chapter, pictures)) for chapter in left)
    try:
        return load_subject(replace(subject, chapters=chapters), options)
    except LoadError:
        return None


# ------------------------------------------------------------------------------------------------------ what is shown


def shown_by_example(name: str) -> Shows:
    """Whether the example does not show there what its author says."""

    def shows(game: Game) -> bool:
        example = next((example for example in game.rules.examples if example.name == name), None)
        return example is None or run_example(game, example).is_as_told is (name in game.rules.breaks)

    return shows


def shown_by_pair(machine: Machine, found: Found, beside: tuple[Answer, ...]) -> Shows:
    """Whether the same two plays look alike to somebody there, too, and then different."""
    told = [list(_told(machine, one)) for one in (found, Found(beside))]

    def shows(game: Game) -> bool:
        try:
            one, other = (_read(game.machine, texts) for texts in told)
            return look_different(game.machine, one, other)
        except (ChoiceError, RuleError):
            return False

    return shows


def _read(machine: Machine, told: list[str]) -> list[Answer]:
    """The answers that are told by name."""
    state, answers = machine.begin(), list[Answer]()
    for text in told:
        if state.result is not None:
            break
        answers.append(Notation(machine, state).read(text))
        state = machine.step(state, answers[-1])
    return answers


def shown_by_play(machine: Machine, found: Found, promise: str | None) -> Shows:
    """Whether the same play breaks the promise there, too; None: the rules themselves fail in it."""
    told = list(_told(machine, found))
    if found.back is not None:
        back = found.back
        return lambda game: _comes_back(game.machine, told, back)
    return lambda game: _shows(game.machine, told, promise)


def _told(machine: Machine, found: Found) -> Iterator[str]:
    """The answers of a play by name, so that they mean something in another game."""
    if not found.answers:
        return  # it may fail before anybody chooses
    state = machine.begin()
    for number, answer in enumerate(found.answers):
        if number:
            state = machine.step(state, found.answers[number - 1])
        yield Notation(machine, state).text(answer)


def _comes_back(machine: Machine, told: list[str], back: int) -> bool:
    """Whether the play can be played there, and at its end all is as it was after so many answers."""
    try:
        states = [machine.begin()]
        for text in told:
            if states[-1].result is not None:
                return False
            states.append(machine.step(states[-1], Notation(machine, states[-1]).read(text)))
    except (ChoiceError, RuleError):
        return False
    return machine.canonical(states[-1]) == machine.canonical(states[back])


def _shows(machine: Machine, told: list[str], promise: str | None) -> bool:
    watcher = Watcher(machine)
    watcher.follow()
    try:
        state = machine.begin(watch=watcher)
        watcher.position(None, state)
        for text in told:
            if state.result is not None:  # that game is over sooner
                return False
            answer = Notation(machine, state).read(text)
            watcher.answered(answer)
            before, state = state, machine.step(state, answer, watch=watcher)
            watcher.position(before, state)
    except ChoiceError:
        return False
    except RuleError:
        return promise is None
    return promise in watcher.findings.broken
