"""A position as a picture, for any game: its boards in text or SVG, and the rest of the table in lines.

What is drawn comes from the core alone. Each place indexed by a cell shows its pieces there; each state of a cell its
value, by the letter that it is `drawn` with; the letter of a drawn board, or of a state fixed after setup, is what the
cell is made of. What a piece looks like (`pieces.py`) follows from general notions: whose it is now, where it heads, a
small number that it has, a yes or no that is not as at first. Everything else that lies open stands in lines.

In: `Seen`, the names of places and states with what is seen of them; who looks is up to the caller. `picture.py` makes
data of it; `text.py` and `svg.py` are two renderings, with `text_pictures.py` and `svg_pictures.py` for the pictures
that an author gives of what is no grid, and `text_cells.py`, `svg_marks.py`, `svg_places.py`, `svg_dice.py` for what
stands in a cell, beside the boards and above them; `names.py`, `pieces.py`, `colours.py`, `lines.py` (what lies beside
the boards) are what both share.
"""

from seaspec.drawing.names import first_value, initials, labels
from seaspec.drawing.picture import BoardPicture, Mark, Picture, Shape, picture
from seaspec.drawing.seen import Seen, SeenPlace
from seaspec.drawing.svg import draw_svg
from seaspec.drawing.svg_dice import Thrown
from seaspec.drawing.text import draw_text

__all__ = [
    "BoardPicture", "Mark", "Picture", "Seen", "SeenPlace", "Shape", "Thrown", "draw_svg", "draw_text", "first_value",
    "initials", "labels", "picture",
]  # fmt: skip
