"""What was found out about a promise: its verdict, how it was found, and the play that shows it, stepped through."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from seaspec.book.contents import Check, Sort, Thing, Verdict, sort_of, told_as
from seaspec.book.links import Book
from seaspec.book.plays import Mark, Step, pictures_script
from seaspec.book.texts import folded, prose, said

STEPPER = "stepper.js"
"""The script that steps through plays; it lies beside the books of a site."""
LEVELS = {
    "proved": "for all positions of the game, by induction, with a solver",
    "exhaustive": "all positions of the game, or of the small world that is named, were looked at",
    "exact": "computed, without rounding",
    "bounded": "all plays up to a depth were looked at",
    "tested": "no play that was tried speaks against it",
    "witnessed": "a play shows it",
    "refuted": "a play shows that what one might think is not so",
    "kept": "it is kept in all plays that were tried",
    "undecided": "neither proved nor broken",
    "broken": "a play breaks it",
}
"""The words of verdicts, and what they mean."""


def verdict(book: Book, thing: Thing) -> Iterator[str]:
    """What was found out about a promise: by the check of its game; on the page of a variant, of the game with it."""
    if sort_of(thing.node) != Sort.PROMISE:
        return
    is_of_variant = book.pages[thing.anchor].startswith("variant-")
    of = book.variant_checks.get(thing.chapter.name, Check()) if is_of_variant else book.check
    name = told_as(thing.node, of.verdicts)
    found = None if name is None else of.verdicts[name]
    if name is None or found is None:
        badge = '<span class="verdict stale">not checked yet</span>'
    else:
        look = "stale" if of.stale else "broken" if found.kept is False else "kept" if found.kept else "undecided"
        stale = "stale: " if of.stale else ""
        badge = f'<span class="verdict {look}">{stale}{escape(found.level)}</span> <small>{prose(found.text)}</small>'
    if getattr(thing.node, "myth", False):
        thought = said(thing.tail.sentence) or escape(thing.name)
        so = _MYTHS[None if found is None else found.kept]
        badge = f'<div class="myth"><b>You may think:</b> <i>{thought}</i>. <b>{so}</b><br>{badge}</div>'
    yield badge
    if name is not None and found is not None:
        yield from _how(book, found)
        drawn = book.alone.get(thing.chapter.name) if is_of_variant else None
        plays = book.plays if not is_of_variant else {} if drawn is None else drawn.plays
        yield from _shown(book, thing, found, plays.get(name))


_MYTHS = {
    True: "It is not so.",
    False: "It is so, though it is called a myth.",
    None: "It is not known whether it is so.",
}
"""What a check says of what one may think."""


def _how(book: Book, found: Verdict) -> Iterator[str]:
    """How it was found, and what it rests on."""
    told = [LEVELS.get(found.level, "")]
    if found.world:
        told.append(f"not in the game itself, but in the small world {book.named(found.world)}")
    if found.over > 1:
        told.append(f"the proof looks at {found.over} steps in a row")
    if found.rests_on:
        told.append(f"rests on {', '.join(map(book.named, found.rests_on))}")
    if found.does_without:
        told.append(f"does without {', '.join(map(book.named, found.does_without))}")
    if found.empty:
        told.append(f"but it says nothing: {prose(found.empty)}")
    lines = "".join(f"<li>{line}</li>" for line in told if line)
    if lines:
        yield folded("how it was found", f"<ul>{lines}</ul>")


def _shown(book: Book, thing: Thing, found: Verdict, steps: Sequence[Step] | None) -> Iterator[str]:
    """The play that shows it: stepped, or at least told."""
    if not found.steps:
        return
    count = f"{len(found.steps)} step{'s' * (len(found.steps) != 1)}"
    because = blamed(found.because)
    if steps is None or found.beside:
        yield folded(f"the play that shows it: {count}", _told(found) + because)
        return
    yield folded(f"the play that shows it: {count}", stepped(book, thing.anchor, steps) + because)


def lost(book: Book, variant: str, verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """The plays that break promises, stepped or at least told, with the lines that make it so."""
    plays = book.alone[variant].plays if variant in book.alone else {}
    for name, found in verdicts.items():
        if found.kept is False and found.steps:
            count = f"{len(found.steps)} step{'s' * (len(found.steps) != 1)}"
            steps = () if found.beside else plays.get(name, ())
            anchor = f"{book.here}-lost-" + re.sub(r"\W+", "-", name)
            play = stepped(book, anchor, steps) if steps else _told(found)
            yield folded(f"{escape(name)}: the play that breaks it, in {count}", play + blamed(found.because))


def _told(found: Verdict) -> str:
    """A play in words, with the board at its end in signs."""
    board = f"<pre>{escape(found.board, quote=False)}</pre>" if found.board.strip() else ""
    beside = f"<p>and another one, which looks alike:</p>{listed(found.beside)}" if found.beside else ""
    return f"{listed(found.steps)}\n{board}{beside}"


def listed(steps: Sequence[str]) -> str:
    return f"<ol>{''.join(f'<li>{prose(step)}</li>' for step in steps)}</ol>"


def blamed(because: Sequence[str]) -> str:
    """The lines of a house rule that make it so."""
    lines = "".join(f"<li><code>{escape(line, quote=False)}</code></li>" for line in because)
    return f'<div class="blamed">It is so because of<ul>{lines}</ul></div>' if lines else ""


def stepped(book: Book, anchor: str, steps: Sequence[Step], picture: str = "") -> str:
    """A play that can be stepped through. Without a script it is a list, and the `picture`, if there is one. `anchor`:
    what it is called in the page."""
    book.stepped[anchor] = tuple(steps)
    lines = []
    for step in steps:
        words = prose(step.words)
        address = book.to_name(step.by) if step.by else None
        if address is not None:
            words += f' <a class="by" href="{escape(address)}">{escape(step.by)}</a>'
        mark = f' <span class="mark">{_MARKS[step.mark]}</span>' if step.mark else ""
        look = f' class="{step.mark.replace(" ", "-")}"' if step.mark else ""
        name = f"{anchor}-step-{step.number}"
        lines.append(f'<li id="{name}" value="{step.number}"{look}>{words}{mark}</li>')
    return (
        f'<div class="stepper" data-play="{anchor}">{picture}\n'
        f'<ol start="{steps[0].number}">{"".join(lines)}</ol></div>'
    )


_MARKS = {
    Mark.HOLDS: "it holds",
    Mark.BROKEN: "it does not hold",
    Mark.NOT_YET: "not yet",
    Mark.MET: "here it is",
    Mark.REFUSED: "refused",
}


def scripts(book: Book) -> Iterator[str]:
    """At the end of a page with plays: their pictures, and the script that shows them."""
    if book.stepped:
        name = f"plays-{book.here}.js"
        drawn = {anchor: [step.drawn for step in steps] for anchor, steps in book.stepped.items()}
        book.pictures[name] = pictures_script(drawn)
        yield f'<script src="{book.asset(name)}" defer></script>\n<script src="{book.beside(STEPPER)}" defer></script>'


def standing(check: Check) -> str:
    """How many promises have which verdict."""
    levels = Counter(verdict.level for verdict in check.verdicts.values())
    told = ", ".join(f"{number} {level}" for level, number in levels.most_common())
    return f"promises: {told}{' (stale)' if check.stale else ''}" if told else ""


def checked(check: Check, command: str) -> str:
    """By what check the verdicts were found; `command`: what finds them anew."""
    if not check.verdicts:
        return f"They have not been checked yet: `{command}` does it."
    told = f"Checked in {check.seconds:.0f} seconds, {check.plays} plays at random among it"
    tools = ", ".join(f"{name} {version}" for name, version in check.tools.items())
    told = prose(f"{told}, by {tools}." if tools else f"{told}.")
    if check.stale:
        told += (
            f" <strong>The text of the rules has changed since: these verdicts are stale.</strong> `{command}` "
            "finds them anew."
        )
    return told + (f" {prose(check.remark)}" if check.remark else "")
