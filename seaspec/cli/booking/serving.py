"""`seaspec book --serve`: books in the browser, made anew whenever a text changes.

`Shown` is what is there to be shown; `look` makes it anew if a file has changed. A server hands it out from its own
threads, and tells each page that asks when there is news. The last good book stays for as long as the text has faults.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from seaspec.book import Layout
from seaspec.cli.booking.making import pages_of, stepper, style
from seaspec.cli.booking.one_file import converter, one_file
from seaspec.cli.booking.searching import script
from seaspec.cli.output import Fault
from seaspec.diagnostics.model import Report
from seaspec.library import load_subject_of
from seaspec.loading import LoadError

EVERY = 0.2
"""Seconds between two looks at the files."""
WAITS = 20.0
"""So many seconds an answer is held back, if there is no news."""
HERE = "127.0.0.1"

Stamps = dict[str, tuple[int, int]]


class Shown:
    """Books by their address (`/` is the only one, or a list of them), and what is wrong with the text as it is now."""

    def __init__(self, specs: Sequence[str], checks: Path | None = None, ways: Sequence[str] = ()) -> None:
        self.specs = specs
        self.ways = ways
        self.checks = checks
        self.books: dict[str, str] = {}
        self.faults = ""
        self.number = 0
        """Of the books that were made."""
        self.told = 0
        """How often there was news."""
        self.news = threading.Condition()
        self.is_over = False
        self._folders: set[Path] = {Path(word).parent for spec in specs for word in spec.split() if _is_path(word)}
        self._seen: Stamps | None = None
        self._watched: set[str] = set()

    def look(self) -> bool:
        """Whether something has changed; then all is made anew."""
        stamps = _stamps(self._folders)
        if stamps == self._seen:
            return False
        self._seen = stamps
        books, faults = self._made()
        with self.news:
            if books:
                self.books, self.number = books, self.number + 1
            self.faults = faults
            self.told += 1
            self.news.notify_all()
        return True

    @property
    def is_watching(self) -> bool:
        """Whether there is a file whose change could mend what is wrong."""
        return bool(self._folders)

    def end(self) -> None:
        """Nobody has to wait any longer."""
        with self.news:
            self.is_over = True
            self.news.notify_all()

    def _made(self) -> tuple[dict[str, str], str]:
        """The books; or none, and what is wrong."""
        try:
            for spec in self.specs:
                self._watch(spec)
            folders: dict[str, dict[str, str]] = {}
            for path, text in pages_of(self.specs, Layout.ONE, self.checks, self.ways).items():
                folders.setdefault(f"/{path.partition('/')[0]}", {})[path] = text
            books = {address: one_file(pages, style(), stepper()) for address, pages in folders.items()}
        except LoadError as error:
            return {}, str(error)
        except Fault as error:
            return {}, f"{error.message}\n{error.hint or ''}"
        except OSError as error:
            return {}, f"{error.filename}: {error.strerror}"
        if len(books) > 1:
            return books | {"/": _listed(books)}, ""
        return {"/": next(iter(books.values())), **books}, ""

    def _watch(self, spec: str) -> None:
        """The files of a game change where they lie; what was just read is what has been seen of them."""
        subject = load_subject_of(spec, Report()) if spec not in self._watched else None
        if subject is not None:
            self._watched.add(spec)
            new = {Path(file.name).parent for file in subject.files} - self._folders
            self._folders |= new
            self._seen = {**(self._seen or {}), **_stamps(new)}


def _is_path(word: str) -> bool:
    return word.endswith(".sea") or os.sep in word


def _stamps(folders: Iterable[Path]) -> Stamps:
    """When the texts in folders, and the catalogues beside them, were changed last."""
    found = {}
    for folder in folders:
        for path in (*folder.glob("*.sea"), *folder.glob("rulebooks/*.md")):
            with suppress(OSError):
                status = path.stat()
                found[str(path)] = (status.st_mtime_ns, status.st_size)
    return found


def _listed(books: Iterable[str]) -> str:
    ways = "".join(f'<li><a href="{escape(path)}">{escape(path[1:])}</a></li>' for path in books)
    return _PAGE.format(title="Books", body=f"<ul>{ways}</ul>")


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
</head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto"><main><h1>{title}</h1>
{body}
</main></body>
</html>
"""


@contextmanager
def opened(shown: Shown, port: int) -> Iterator[str]:
    """A server of what is shown: its address. It answers on this machine alone."""
    try:
        server = ThreadingHTTPServer((HERE, port), type("Handler", (_Handler,), {"shown": shown}))
    except OSError as error:
        raise Fault(f"port {port} can not be used: {error.strerror}", "--port 0 takes one that is free") from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield f"http://{HERE}:{server.server_port}/"
    finally:
        shown.end()
        server.shutdown()
        thread.join()
        server.server_close()


def serve(specs: Sequence[str], port: int, checks: Path | None = None, ways: Sequence[str] = ()) -> int:
    """Show books until somebody interrupts."""
    converter()
    shown = Shown(specs, checks, ways)
    with opened(shown, port) as address:
        with suppress(KeyboardInterrupt):
            shown.look()
            if not shown.is_watching:
                print(shown.faults, file=sys.stderr)
                return 1
            print(f"{address}   ends with Ctrl-C", flush=True)
            faults = ""
            while True:
                if shown.faults != faults:
                    faults = shown.faults
                    print(faults or "the text has no faults", flush=True)
                time.sleep(EVERY)
                shown.look()
        print("ended", flush=True)
    return 0


class _Handler(BaseHTTPRequestHandler):
    """Books, and news of them."""

    shown: Shown
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/news":
            self._news(parse_qs(asked.query).get("seen", [""])[0])
            return
        with self.shown.news:
            page, number, faults = self.shown.books.get(asked.path), self.shown.number, self.shown.faults
            is_empty = not self.shown.books
        if page is None and is_empty and asked.path == "/":
            self._send(_with_news(_PAGE.format(title="No book yet", body=_pre(faults)), number))
        elif page is None:
            body = '<p>The books are <a href="/">here</a>.</p>'
            self._send(_PAGE.format(title="There is no such page", body=body), HTTPStatus.NOT_FOUND)
        else:
            self._send(_with_news(page, number))

    def _news(self, seen: str) -> None:
        """How it stands; if that is what was seen, as soon as it is not any more."""
        shown = self.shown
        with shown.news:
            shown.news.wait_for(lambda: str(shown.told) != seen or shown.is_over, WAITS)
            news = {"seen": str(shown.told), "book": str(shown.number), "faults": shown.faults}
        if not shown.is_over:
            self._send(json.dumps(news), kind="application/json")
        else:
            self.close_connection = True

    def _send(self, text: str, status: HTTPStatus = HTTPStatus.OK, kind: str = "text/html") -> None:
        content = text.encode()
        with suppress(ConnectionError):  # who has asked is gone
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing: what matters is printed by `serve`."""


def _pre(text: str) -> str:
    return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>' if text else "<p>It is being made.</p>"


def _with_news(page: str, number: int) -> str:
    return page.replace("</body>", f'<script data-book="{number}">{script("serving")}</script>\n</body>')
