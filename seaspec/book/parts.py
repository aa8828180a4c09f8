"""How a thing and a clause are shown."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape

from seaspec.book.changes import before_and_after, is_change, marks
from seaspec.book.contents import Thing, sort_of
from seaspec.book.course import Step, course
from seaspec.book.diagram import TONES, draw
from seaspec.book.drawn import of_example
from seaspec.book.links import Book, words_in
from seaspec.book.texts import folded, prose, said
from seaspec.book.turn import Sort
from seaspec.book.verdicts import stepped, verdict
from seaspec.check.describe import describe
from seaspec.rulebook import ClauseEntry
from seaspec.syntax import tree
from seaspec.syntax.walk import walk


def clauses(book: Book, thing: Thing) -> Iterator[str]:
    """What the rule book says of a thing, in our words: its clauses, but not the silences."""
    if book.coverage is None:
        return
    told, others = _clauses(book, thing)
    lines = [f"- {prose(entry.text)} <small>{book.to_clause(entry.id)}</small>" for entry in told]
    if others:
        lines.append(f"- <small>see {', '.join(map(book.to_clause, others))}</small>")
    if lines:
        yield "\n".join(lines)


def _clauses(book: Book, thing: Thing) -> tuple[list[ClauseEntry], list[str]]:
    """The clauses that a thing cites; and what else of the catalogue: components, examples, things that are counted."""
    if book.coverage is None:
        return [], []
    known, gaps = book.coverage.rulebook.clauses, {entry.id for entry in book.coverage.gaps}
    of_rules = {entry.id for entry in book.coverage.clauses}
    cited = [id for id in book.cited(thing) if id in known and id not in gaps]
    return [known[id] for id in cited if id in of_rules], [id for id in cited if id not in of_rules]


def readings(thing: Thing, book: Book) -> Iterator[str]:
    """How silences are read."""
    found = []
    for part in walk(thing.node):
        if isinstance(part, tree.Tail):
            ids = ", ".join(book.to_clause(clause.id) for clause in part.cites)
            found += [
                f"- {said(sentence, book.to_name)}" + (f" <small>{ids}</small>" if ids else "")
                for sentence in part.assumes
            ]
    if found:
        yield "The book is silent here, and is read so:\n\n" + "\n".join(found)


def guards(thing: Thing, book: Book) -> Iterator[str]:
    """What must be so, in words: the guards of an action, or of what is spliced into it."""
    if not isinstance(thing.node, tree.Action | tree.Rules):
        return
    found = []
    for line in thing.node.body:
        if isinstance(line, tree.Needs):
            words = said(line.tail.sentence, book.to_name) or escape(line.test.span.text)
            name = f"`{line.name}`: " if line.name is not None else ""
            found.append(f"- {name}{words}")
            for unless in line.exceptions:
                found.append(f"    - unless {said(unless.tail.sentence, book.to_name) or escape(unless.span.text)}")
    if found:
        yield "Not allowed, with these words, unless each holds:\n\n" + "\n".join(found)


def outline(book: Book) -> Iterator[str]:
    """The course of the game at a glance: a diagram a procedure, and all of it as a list."""
    steps = course(thing.node for contents in book.main for thing in contents.things)
    diagrams = list(_diagrams(book))
    if steps or diagrams:
        whose = "".join(
            f'<span class="asked tone{n}">{prose(who)} decides</span> ' for n, who in enumerate(_tones(book))
        )
        key = whose + "".join(
            f'<span class="{sort}">{words}</span> ' for sort, words in _KEY.items() if sort != "asked"
        )
        yield book.heading("The course of the game")
        yield f'<div class="course"><p>{key}</p></div>'
        yield from diagrams
        listed = f'<div class="course">{_listed(book, steps)}</div>'
        yield folded("all of it as a list", listed) if diagrams else listed


def _diagrams(book: Book) -> Iterator[str]:
    """The first one, and the others folded; those that say nothing but one thing are left out."""
    shown = [turn for turn in book.turns if sum(box.sort != Sort.RETURNS for box in turn.boxes) > 1]
    anchors = {turn.name: "course-" + re.sub(r"\W+", "-", turn.name) for turn in shown}
    tones = _tones(book)

    def link(name: str) -> str | None:
        return book.address(book.here, anchors[name]) if name in anchors else book.to_name(name)

    for turn in shown:
        drawn = draw(turn, link, tones)
        is_open = turn is shown[0]
        yield folded(escape(turn.title), drawn, is_open).replace("<details", f'<details id="{anchors[turn.name]}"', 1)


def _tones(book: Book) -> list[str]:
    """Who decides, as it is written; in diagrams each has a colour, as far as they go."""
    found = dict.fromkeys(box.who for turn in book.turns for box in turn.boxes if box.who)
    return list(found)[:TONES]


_KEY = {"asked": "somebody is asked", "chance": "chance", "end": "the game ends, or somebody is out of it"}


def _listed(book: Book, steps: Sequence[Step]) -> str:
    lines = []
    for step in steps:
        inner = f"\n{_listed(book, step.inner)}" if step.inner else ""
        lines.append(f'<li><code class="{step.sort}">{book.code.inline(step.span, book.to_name)}</code>{inner}</li>')
    return f"<ol>{''.join(lines)}</ol>"


def block(book: Book, thing: Thing) -> str:
    """All of a thing."""
    if isinstance(thing.node, _SMALL):
        return _small(book, thing)
    parts = [f"### {_headed(book, thing)} {{#{thing.anchor}}}"]
    if thing.tail.sentence is not None:
        parts.append(f"*{said(thing.tail.sentence, book.to_name)}*")
    parts += vocabulary(book, thing)
    parts += marks(book, thing)
    parts += verdict(book, thing)
    parts += clauses(book, thing)
    if isinstance(thing.node, tree.Example):
        parts += _example(book, thing, thing.node)
    parts += guards(thing, book)
    parts += readings(thing, book)
    if is_change(thing.node):
        parts.append(before_and_after(book, thing))
    else:
        parts.append(folded(_WRITTEN, book.written(thing), is_open=isinstance(thing.node, tree.Example)))
    parts += speaking(book, thing)
    return "\n\n".join(parts)


def _example(book: Book, thing: Thing, node: tree.Example) -> Iterator[str]:
    """What an example shows: its picture, its steps."""
    if node.myth:
        thought = said(thing.tail.sentence) or escape(thing.name)
        yield f'<div class="myth"><b>You may think:</b> <i>{thought}</i>. <b>It is not so.</b></div>'
    name, found = thing.name, book.examples
    if book.pages[thing.anchor].startswith("variant-"):
        drawn = book.alone.get(thing.chapter.name)
        name, found = thing.anchor, {} if drawn is None else drawn.examples
    picture = "".join(book.picture(of_example(name), f"{title_of(thing)}: the position at the end"))
    steps = found.get(name, ())
    if len(steps) > 1:
        yield stepped(book, thing.anchor, steps, picture)
    elif picture:
        yield picture


_SMALL = (tree.Option, tree.Const, tree.TypeDecl, tree.State, tree.Place, tree.SetValue, tree.SetCapital)


def _small(book: Book, thing: Thing) -> str:
    """Numbers, types, states, places: no heading each, or a page would have hundreds."""
    inside = [f"<b>{_headed(book, thing)}</b>"]
    if thing.tail.sentence is not None:
        inside.append(f" <i>{said(thing.tail.sentence, book.to_name)}</i>")
    inside += (f"<br>{words}" for words in vocabulary(book, thing))
    told, others = _clauses(book, thing)
    inside += (f"<br>{prose(entry.text)} <small>{book.to_clause(entry.id)}</small>" for entry in told)
    if others:
        inside.append(f"<br><small>see {', '.join(map(book.to_clause, others))}</small>")
    for sentence in thing.tail.assumes:
        inside.append(f"<br>The book is silent; it is read so: {said(sentence)}")
    inside += marks(book, thing)
    written = before_and_after(book, thing) if is_change(thing.node) else folded(_WRITTEN, book.written(thing))
    return f'<div class="thing" id="{thing.anchor}">{"".join(inside)}\n{written}</div>'


def _headed(book: Book, thing: Thing) -> str:
    """What something is called, here and in the rule book."""
    term = "" if is_change(thing.node) or sort_of(thing.node) != "rules" else book.term(thing.name)
    return f"{title_of(thing)} · {term}" if term else title_of(thing)


def vocabulary(book: Book, thing: Thing) -> Iterator[str]:
    """What the rule book calls kinds of pieces, and the words of a type."""
    names = () if is_change(thing.node) else words_in(thing.node)
    found = [f"{prose(name)} {term}" for name in names if (term := book.term(name))]
    if found:
        yield f"<small>in the rule book: {', '.join(found)}</small>"


def title_of(thing: Thing) -> str:
    if isinstance(thing.node, tree.OddsPromise):
        return escape(f"{'mean' if thing.node.mean else 'odds'} {thing.node.call.span.text}")
    is_named = getattr(thing.node, "name", None) == thing.name and not is_change(thing.node)
    return thing.name.replace("_", " ") if is_named else describe(thing.node)


_WRITTEN = "as it is written"


def speaking(book: Book, thing: Thing) -> Iterator[str]:
    """Promises and examples that cite one of the same clauses as a rule; the rules, of a promise or an example."""
    wanted = ("promises", "examples") if sort_of(thing.node) == "rules" else ("rules",)
    near: dict[str, Thing] = {}
    for id in book.cited(thing):
        for other in book.citing[id]:
            if other is not thing and sort_of(other.node) in wanted:
                near.setdefault(other.anchor, other)
    if near:
        shown = ", ".join(book.to_thing(other) for other in list(near.values())[:_MOST_NEAR])
        more = f" and {len(near) - _MOST_NEAR} more" if len(near) > _MOST_NEAR else ""
        yield f"<small>{_NEAR[wanted]} {shown}{more}</small>"


_MOST_NEAR = 8
_NEAR = {("promises", "examples"): "promised and shown of it:", ("rules",): "the rules:"}


WHERE = "in the rule book: "


def clause_row(book: Book, entry: ClauseEntry) -> str:
    """A clause, and who speaks of it."""
    assert book.coverage is not None
    coverage = book.coverage
    by_sort: dict[str, list[Thing]] = defaultdict(list)
    for thing in book.citing[entry.id]:
        by_sort[sort_of(thing.node)].append(thing)
    parts = [f'<dt id="{entry.id}">{entry.id}</dt><dd>{prose(entry.text)}']
    for sort, words in (("rules", "done by"), ("promises", "promised by"), ("examples", "shown by")):
        if by_sort[sort]:
            parts.append(f"<br><small>{words} {', '.join(map(book.to_thing, by_sort[sort]))}</small>")
    if not by_sort["rules"] and entry.id in coverage.notes:
        parts.append("<br><small>nothing that rules can do</small>")
    elif not by_sort["rules"] and entry in coverage.clauses:
        parts.append('<br><small class="missing">no rule cites it</small>')
    if entry.where:
        parts.append(f'<br><small class="where">{WHERE}{prose(entry.where)}</small>')
    return "".join([*parts, "</dd>"])
