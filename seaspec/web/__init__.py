"""A game in a page: played without a server, by a module of WebAssembly that decides everything.

describe.py    what the page must know beside the module: names, where things stand in a position, sentences
values.py      the types of values, as the page decodes them
scene.py       how boards and pieces look, once and for all
packing.py     module and description, packed; the scripts of the page as one
*.js, *.css    what decodes, tells, supposes and shows; each says at its top what it is for
"""

from seaspec.web.packing import (
    NotShown,
    engine,
    game_script,
    games_script,
    packed_game,
    page_script,
    page_style,
    squeezed,
)

__all__ = [
    "NotShown",
    "engine",
    "game_script",
    "games_script",
    "packed_game",
    "page_script",
    "page_style",
    "squeezed",
]
