"""A game, packed to be put in a page; and the scripts of the page as one."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from importlib import resources

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.webassembly import shown_module
from seaspec.game import Game
from seaspec.web.describe import describe

ENGINE = (
    "values.js",
    "machine.js",
    "words.js",
    "views.js",
    "plays.js",
    "why.js",
    "picture.js",
    "svg.js",
    "marks.js",
    "bots.js",
)
"""What a play needs, with or without a page: it runs in workers and in tests, too."""
PAGE = ("page.js",)
_LEVEL = 9


class NotShown(Exception):
    """A game that can not be played in a page; the text says why."""


def packed_game(game: Game, pages: Mapping[str, str]) -> str:
    """The module and its description, each packed, as a script. `pages`: where the book shows what, by name."""
    try:
        module = shown_module(game.flow)
    except NotCompiled as error:
        raise NotShown(str(error)) from error
    about = json.dumps(describe(game, module, pages), ensure_ascii=False, separators=(",", ":"))
    parts = {"title": game.title, "module": _packed(module.code), "about": _packed(about.encode())}
    data = json.dumps(parts).replace("<", "\\u003c")  # it may stand in a page
    return f"globalThis.seaspecGame = {data};\n"


def engine() -> str:
    """The scripts of the engine: a function that gives the namespace, so that a worker can be made of it, too."""
    body = "\n".join(_read(name) for name in ENGINE)
    return f'function seaspecEngine() {{\n"use strict";\nconst SeaSpec = {{}};\n{body}\nreturn SeaSpec;\n}}\n'


def page_script() -> str:
    """The engine and what shows it."""
    return engine() + "(() => {\nconst SeaSpec = seaspecEngine();\n" + "\n".join(map(_read, PAGE)) + "\n})();\n"


def page_style() -> str:
    return _read("page.css")


def _packed(data: bytes) -> str:
    return b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode()


def _read(name: str) -> str:
    return resources.files("seaspec.web").joinpath(name).read_text(encoding="utf-8")
