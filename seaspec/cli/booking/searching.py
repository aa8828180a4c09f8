"""What the search of a site finds of books: rules by their headings, clauses one by one, words in any of their forms.

The search of MkDocs makes an entry of each page and of each heading. Of books it is told in words alone: what is
folded, as rules are written, is left out. The text of a page would stand in its entry a second time, and goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from importlib import resources
from pathlib import Path
from typing import Any

from seaspec.book import LISTED, SILENT, WHERE

_FOLDED = re.compile(r"<details\b(?:(?!<details\b).)*?</details>", re.DOTALL)
_SCRIPTS = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_LISTED = re.compile(r"<h2\b[^>]*>(.*?)</h2>|<dt id=\"([^\"]*)\">.*?</dt>\s*<dd>(.*?)</dd>", re.DOTALL)
_REMARK = re.compile(r"<br>\s*<small\b(?! class=\"where\").*?</small>", re.DOTALL)

Entry = dict[str, str]
_WEIGHTS = {"clauses": 2.0, "rules": 1.5}
_MARGINAL = 0.7
"""What an entry weighs where players look for an answer: clauses come before rules, rules before all else. Silences of
the book, and what else its catalogue lists, come last."""


def in_words(content: str) -> str:
    """The HTML of a page of a book, without what only readers of its source look for.

    >>> in_words('<p>a<details>b<details>c</details></details>d<script>e</script>')
    '<p>ad'
    """
    content, folded = _SCRIPTS.sub("", content), 1
    while folded:
        content, folded = _FOLDED.subn("", content)
    return content


def clauses(content: str) -> tuple[str, list[Entry]]:
    """A page without the list of clauses that is on it, and an entry for each of them: id, heading, words.

    >>> clauses('<h2 id="x">Turn</h2><dl><dt id="a.1">a.1</dt><dd>By &amp; <b>by</b><br><small>done</small></dd></dl>')
    ('<h2 id="x">Turn</h2><dl></dl>', [{'id': 'a.1', 'heading': 'Turn', 'text': 'By & by'}])
    """
    found: list[Entry] = []
    heading = ""
    for title, id, text in _LISTED.findall(content):
        if title:
            heading = _plain(title)
        else:
            found.append(
                {"id": unescape(id), "heading": heading, "text": _plain(_REMARK.sub("", text).replace(WHERE, ""))}
            )
    return _LISTED.sub(lambda part: part[0] if part[1] else "", content), found


def _plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html.replace("<br>", " "))).strip()


def mend(site: Path, games: Mapping[str, str], pages: Mapping[str, list[Entry]]) -> None:
    """In a site that is built: entries of books, and the words that lunr knows. `games`: titles by folder; `pages`: the
    clauses of the pages of books, by their location, as `calm/rules/`. Without the search of MkDocs nothing is done."""
    index, lunr = site / "search" / "search_index.json", site / "search" / "lunr.js"
    if index.is_file():
        found = json.loads(index.read_text(encoding="utf-8"))
        found["docs"] = list(_mended(found["docs"], games, pages))
        index.write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    if lunr.is_file():
        lunr.write_text("\n".join([lunr.read_text(encoding="utf-8"), script("words"), script("lunr_words")]), "utf-8")


def _mended(
    entries: list[dict[str, Any]], games: Mapping[str, str], pages: Mapping[str, list[Entry]]
) -> Iterator[dict[str, Any]]:
    titles = {entry["location"]: entry["title"] for entry in entries}
    for entry in entries:
        page, _, anchor = entry["location"].partition("#")
        if page not in pages:
            yield entry
            continue
        weight = _WEIGHTS.get(page.strip("/").rpartition("/")[2], 1.0)
        game = unescape(games[page.partition("/")[0]])
        if anchor:
            yield {**entry, "title": f"{entry['title']} · {game}: {titles[page]}", "weight": weight}
            continue
        yield {**entry, "title": f"{entry['title']} · {game}", "text": ""}
        for clause in pages[page]:
            title = f"{clause['heading']}, {clause['id']} · {game}: {titles[page]}".removeprefix(", ")
            own = _MARGINAL if clause["heading"] in (SILENT, LISTED) else weight
            yield {"location": f"{page}#{clause['id']}", "title": title, "text": clause["text"], "weight": own}


def script(name: str) -> str:
    """A script of this folder."""
    return resources.files("seaspec.cli.booking").joinpath(f"{name}.js").read_text(encoding="utf-8")
