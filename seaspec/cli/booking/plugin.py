"""The plugin `seaspec` of MkDocs: books of rules as pages of a site, made anew whenever it is built.

    plugins:
      - search
      - seaspec:
          games: [calm, rules/house.sea]
          play: [calm players=all]    # further ways to play in their pages
          checks: checks    # a folder that `seaspec check --record` has written into, if there is one

Where the navigation of the site has an entry `seaspec`, as in `- Games: seaspec`, the books stand there; else at its
end. A site without a navigation of its own finds the pages by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config import config_options as option
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from seaspec.book import STEPPER, Layout, navigation
from seaspec.cli.booking.making import STYLE, pages_of, stepper, style
from seaspec.cli.booking.searching import Entry, clauses, in_words, mend
from seaspec.cli.output import Fault
from seaspec.loading import LoadError

EXTENSIONS = ("tables", "attr_list", "md_in_html")
HERE = "seaspec"


class Settings(Config):  # type: ignore[no-untyped-call]  # of MkDocs
    games = option.ListOfItems(option.Type(str))
    play = option.ListOfItems(option.Type(str), default=[])
    checks = option.Optional(option.Dir(exists=True))


class BookPlugin(BasePlugin[Settings]):  # type: ignore[no-untyped-call]  # of MkDocs
    """Adds the pages."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.clauses: dict[str, list[Entry]] = {}
        """Of pages of books, by their address."""
        self._whole: str | None = None
        """What is shown of the page that is told to the search."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        layout = Layout.FOLDERS if config.use_directory_urls else Layout.FILES
        checks = None if self.config.checks is None else Path(self.config.checks)
        try:
            self.pages = {**pages_of(self.config.games, layout, checks, self.config.play), STYLE: style()}
        except (LoadError, Fault) as error:
            raise PluginError(f"seaspec: {error}") from error
        folders = {path.partition("/")[0] + "/" for path in self.pages if "/" in path}
        for folder in folders if layout is Layout.FILES else {""}:
            self.pages[folder + STEPPER] = stepper()
        config.extra_css.append(STYLE)
        config.markdown_extensions += [name for name in EXTENSIONS if name not in config.markdown_extensions]
        if config.nav is not None:
            config.nav = self._placed(config.nav)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        for path, text in self.pages.items():
            files.append(File.generated(config, path, content=text))
        return files

    def on_serve(self, server: Any, *, config: MkDocsConfig, builder: Any) -> Any:
        for game in self.config.games:
            if Path(game).is_file():
                server.watch(game)
        return server

    @event_priority(100)
    def _before_search(self, /, context: Any, *, page: Page, **_: Any) -> None:
        """The search is told of a page of a book in words, and apart of each clause."""
        if page.file.src_uri in self.pages:
            self._whole = page.content
            page.content, self.clauses[page.url] = clauses(in_words(page.content or ""))

    @event_priority(-100)
    def _after_search(self, /, context: Any, *, page: Page, **_: Any) -> None:
        if page.file.src_uri in self.pages:
            page.content, self._whole = self._whole, None

    on_page_context = CombinedEvent(_before_search, _after_search)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        mend(Path(config.site_dir), self._titles, self.clauses)

    @property
    def _titles(self) -> dict[str, str]:
        """Of the games, by their folders."""
        firsts = {path: text.partition("\n")[0].removeprefix("# ") for path, text in self.pages.items()}
        return {path.partition("/")[0]: title for path, title in firsts.items() if path.endswith("/index.md")}

    def _placed(self, nav: Any) -> Any:
        """The navigation with the books in it."""
        games: dict[str, dict[str, str]] = {}
        for path, text in self.pages.items():
            games.setdefault(path.partition("/")[0], {})[path] = text
        books = [{title: navigation(games[name])} for name, title in self._titles.items()]
        placed = [{title: books if target == HERE else target} for entry in nav for title, target in _entry(entry)]
        return placed if any(books in entry.values() for entry in placed) else [*placed, {"Rules": books}]


def _entry(entry: Any) -> Any:
    return entry.items() if isinstance(entry, dict) else [(None, entry)]
