"""What one looks up: what words mean and where they are used, what options change, how likely throws are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from html import escape

from seaspec.book.contents import Sort, Thing, changed_names, sort_of
from seaspec.book.links import Book, names_of, words_in
from seaspec.book.texts import folded, prose, rows, said
from seaspec.check.describe import describe
from seaspec.core import ir, types
from seaspec.loading import Choices
from seaspec.sampling.telling import sentence_of
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.verdict.odds import odds_of

_WORDS = (
    tree.Define, tree.Place, tree.State, tree.Component, tree.Board, tree.TypeDecl, tree.Const, tree.Table, tree.Chance,
    tree.Menu,
)  # fmt: skip
_MOST_USES = 6
_MOST_VALUES = 12


# ------------------------------------------------------------------------------------------------------------ glossary


def glossary(book: Book) -> str:
    """Each word of the rules that has a sentence, or a term of the rule book, with it, and where it is used."""
    lines = [line for part in book.main for thing in part.things for line in _words_of(book, thing)]
    cells = [line for _, line in sorted(lines, key=lambda line: line[0])]
    head = "What the words of the rules mean; in the rules themselves each is a link."
    return "\n\n".join(["# Glossary", head, rows(("word", "", "what it means", "used by"), cells)])


def _words_of(book: Book, thing: Thing) -> Iterator[tuple[str, list[str]]]:
    """Something with its names, and what stands in it and has a term: the word to sort it by, and its cells."""
    term = book.term(thing.name)
    is_word = isinstance(thing.node, _WORDS) and thing.tail.sentence is not None
    what = describe(thing.node).partition(" ")[0]
    if is_word or (term and sort_of(thing.node) == Sort.RULE and not changed_names(thing.node)):
        of = [one for name in names_of(thing.node) for one in book.users.get(name, ()) if one is not thing]
        word = f"{book.to_thing(thing)}<br>{term}" if term else book.to_thing(thing)
        yield thing.name.lower(), [word, what, _meant(book, thing), _uses(book, of)]
    for name in words_in(thing.node):
        if inner := book.term(name):
            of = [one for one in book.users.get(name, ()) if one is not thing]
            linked = book.link(escape(name), book.pages[thing.anchor], thing.anchor)
            sort = "kind" if what == "component" else "value"
            yield name.lower(), [f"{linked}<br>{inner}", sort, "", _uses(book, of)]


def _meant(book: Book, thing: Thing) -> str:
    return said(thing.tail.sentence, book.to_name)


def _uses(book: Book, things: Iterable[Thing]) -> str:
    named: dict[str, Thing] = {}
    for one in things:
        named.setdefault(one.name, one)
    found = list(named.values())
    more = f" and {len(found) - _MOST_USES} more" if len(found) > _MOST_USES else ""
    return ", ".join(map(book.to_thing, found[:_MOST_USES])) + more


# ------------------------------------------------------------------------------------------------------------- options


def options_page(book: Book, options: Mapping[str, Choices]) -> str:
    """What may be chosen before a game, and what it changes: the lines that read it, and what rests on these."""
    shown = ["# What can be chosen"]
    for name, choices in options.items():
        shown.append(f"## {prose(name.replace('_', ' '))} {{#option-{name}}}")
        declared = next((one for one in book.declared.get(name, ()) if isinstance(one.node, tree.Option)), None)
        if declared is not None and declared.tail.sentence is not None:
            shown.append(f"*{_meant(book, declared)}*")
        values = ", ".join(choices.values[:_MOST_VALUES]) + (" .." if len(choices.values) > _MOST_VALUES else "")
        shown.append(f"{prose(values)}; if nothing is said, {prose(choices.default)}. `--set {name}=..` chooses it.")
        shown += _changed_by(book, name, declared)
    return "\n\n".join(shown)


def _changed_by(book: Book, name: str, declared: Thing | None) -> Iterator[str]:
    readers = [one for one in book.users.get(name, ()) if one is not declared]
    by_sort = {sort: [one for one in readers if sort_of(one.node) == sort] for sort in _CHANGED}
    for sort, words in _CHANGED.items():
        if by_sort[sort]:
            yield f"{words} {', '.join(map(book.to_thing, by_sort[sort]))}"
    lines = "\n".join(
        f'<li>{book.to_thing(one)}: <code class="rule">{book.code.inline(span, book.to_name)}</code></li>'
        for one in by_sort[Sort.RULE]
        for span in _lines(one.node.span, book.code.places(one.node.span, name))
    )
    if lines:
        yield folded("the lines that read it", f"<ul>{lines}</ul>")
    beyond = {
        other.anchor: other
        for one in by_sort[Sort.RULE]
        for word in names_of(one.node)
        for other in book.users.get(word, ())
        if other not in readers and other is not declared and sort_of(other.node) == Sort.RULE
    }
    if beyond:
        yield f"<small>which are used by {_uses(book, beyond.values())}</small>"
    if not readers:
        yield "Nothing in the rules reads it by name."


_CHANGED = {
    Sort.RULE: "It changes the rules:",
    Sort.PROMISE: "It changes the promises:",
    Sort.EXAMPLE: "Examples that choose it:",
}


def _lines(span: Span, places: Iterable[int]) -> Iterator[Span]:
    """The lines of a stretch of text in which something stands, each once."""
    text = span.file.text
    seen = set()
    for place in places:
        start = max(text.rfind("\n", 0, place) + 1, span.start)
        if start not in seen:
            seen.add(start)
            end = text.find("\n", place)
            blank = len(text[start:]) - len(text[start:].lstrip(" "))
            yield Span(span.file, start + blank, min(span.end, end if end >= 0 else len(text)))


# ---------------------------------------------------------------------------------------------------------------- odds


def odds_page(book: Book, game: ir.Game) -> str:
    """The throws of which odds are promised: worked out, as fractions, as shares, and as bars."""
    shown = ["# Odds", "Worked out by going through all dice; nothing is rounded but the share."]
    throws: dict[str, list[ir.OddsPromise]] = {}
    for promise in odds_promises(game):
        throws.setdefault(promise.odds.chance, []).append(promise)
    for chance, promises in throws.items():
        shown.append(book.heading(chance.replace("_", " ")))
        sentence = sentence_of(game, game.chances[chance].source)
        shown += [f"*{prose(sentence)}*"] if sentence else []
        found = {promise.name: odds_of(game, promise.odds) for promise in promises}
        most = max([Fraction(1), *(value for value in found.values() if value is not None)])
        is_yes = isinstance(game.chances[chance].gives.type, types.Bool)
        lines = []
        for promise in promises:
            value = found[promise.name]
            call = escape(promise.source.span.text.partition("=")[0].strip(), quote=False)
            address = book.to_name(chance)
            linked = call if address is None else f'<a href="{escape(address)}">{call}</a>'
            share = "" if value is None else f"{float(value):.1%}" if is_yes else f"{float(value):.2f}"
            lines.append([linked, "" if value is None else str(value), share, _bar(value, most)])
        shown.append(rows(("throw", "exactly", "about", ""), lines))
    return "\n\n".join(shown)


def odds_promises(game: ir.Game) -> list[ir.OddsPromise]:
    return [promise for promise in game.promises if isinstance(promise, ir.OddsPromise)]


def _bar(value: Fraction | None, most: Fraction) -> str:
    if value is None:
        return ""
    share = f"{float(100 * value / most):.1f}%"
    return f'<span class="bar" role="img" aria-label="{share} of the bar"><i style="width: {share}"></i></span>'
