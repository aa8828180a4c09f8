"""Games, packed to be put in a page; and the scripts of the page as one."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib import resources

from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.webassembly import shown_module
from seaspec.game import Game
from seaspec.web.describe import describe
from seaspec.web.values import Data

ENGINE = (
    "values.js", "machine.js", "words.js", "views.js", "plays.js", "why.js", "picture.js", "svg.js",
    "marks.js", "evidence.js", "supposing.js", "bots.js",
)  # fmt: skip
"""What a play needs, with or without a page: it runs in workers and in tests, too."""
PAGE = ("page.js", "opening.js")
_LEVEL = 9
_COMMENT = re.compile(r"\s*(//.*|/\*\*.*|\*( .*)?)?$")
"""A line that tells the page nothing; none of ours begins otherwise with a star and a space."""


class NotShown(Exception):
    """A game that can not be played in a page; the text says why."""


def packed_game(game: Game, pages: Mapping[str, str]) -> Data:
    """The module and its description, each packed, and by which rules it plays. `pages`: where the book shows what, by
    name."""
    try:
        module = shown_module(game.flow)
    except NotCompiled as error:
        raise NotShown(str(error)) from error
    data = describe(game, module, pages)
    about = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    rules = {part: value for part, value in data["rules"].items() if part != "texts"}
    return {"rules": rules, "module": squeezed(module.code), "about": squeezed(about.encode())}


def game_script(packed: Data) -> str:
    """What a page takes up when the game is to be played there."""
    parts = {part: packed[part] for part in ("module", "about")}
    return f"(globalThis.seaspecPacked ??= {{}})[{_in_page(packed['rules']['digest'])}] = {_in_page(parts)};\n"


def games_script(settings: Sequence[Data]) -> str:
    """The ways to play that a page has, in their order: `{label, name, stack, options, digest, file}`."""
    return f"globalThis.seaspecGames = {_in_page(settings)};\n"


def _in_page(data: object) -> str:
    """JSON that may stand in a page."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def engine() -> str:
    """The scripts of the engine: a function that gives the namespace, so that a worker can be made of it, too."""
    body = "\n".join(_read(name) for name in ENGINE)
    return f'function seaspecEngine() {{\n"use strict";\nconst SeaSpec = {{}};\n{body}\nreturn SeaSpec;\n}}\n'


def page_script() -> str:
    """The engine and what shows it, without comments and without what is before lines."""
    whole = engine() + "(() => {\nconst SeaSpec = seaspecEngine();\n" + "\n".join(map(_read, PAGE)) + "\n})();\n"
    return "\n".join(line.lstrip() for line in whole.split("\n") if not _COMMENT.match(line))


def page_style() -> str:
    return _read("page.css")


def squeezed(data: bytes) -> str:
    """Data as scripts take them up: by `DecompressionStream`, out of a text."""
    return b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode()


def _read(name: str) -> str:
    return resources.files("seaspec.web").joinpath(name).read_text(encoding="utf-8")
