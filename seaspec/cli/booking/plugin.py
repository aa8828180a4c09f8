"""The plugin `seaspec` of MkDocs: books of rules as pages of a site, made anew whenever it is built.

    plugins:
      - search
      - seaspec:
          games: [calm, rules/house.sea]
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
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files

from seaspec.book import STEPPER, Layout, navigation
from seaspec.cli.booking.making import STYLE, pages_of, stepper, style
from seaspec.cli.output import Fault
from seaspec.loading import LoadError

EXTENSIONS = ("tables", "attr_list", "md_in_html")
HERE = "seaspec"


class Settings(Config):  # type: ignore[no-untyped-call]  # of MkDocs
    games = option.ListOfItems(option.Type(str))
    checks = option.Optional(option.Dir(exists=True))


class BookPlugin(BasePlugin[Settings]):  # type: ignore[no-untyped-call]  # of MkDocs
    """Adds the pages."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        layout = Layout.FOLDERS if config.use_directory_urls else Layout.FILES
        checks = None if self.config.checks is None else Path(self.config.checks)
        try:
            self.pages = {**pages_of(self.config.games, layout, checks), STYLE: style(), STEPPER: stepper()}
        except (LoadError, Fault) as error:
            raise PluginError(f"seaspec: {error}") from error
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

    def _placed(self, nav: Any) -> Any:
        """The navigation with the books in it."""
        games: dict[str, dict[str, str]] = {}
        for path, text in self.pages.items():
            games.setdefault(path.partition("/")[0], {})[path] = text
        books = [
            {pages[f"{name}/index.md"].partition("\n")[0].removeprefix("# "): navigation(pages)}
            for name, pages in games.items()
            if f"{name}/index.md" in pages
        ]
        placed = [{title: books if target == HERE else target} for entry in nav for title, target in _entry(entry)]
        return placed if any(books in entry.values() for entry in placed) else [*placed, {"Rules": books}]


def _entry(entry: Any) -> Any:
    return entry.items() if isinstance(entry, dict) else [(None, entry)]
