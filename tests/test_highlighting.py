"""Colours of code: every text is cut up without loss, words are keywords where they stand as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from seaspec.syntax.tokens import Look, pieces

ROOT = Path(__file__).parent.parent
TEXTS = sorted([*ROOT.glob("spec/*.sea"), *ROOT.glob("rules/**/*.sea"), *ROOT.glob("tests/cases/**/*.sea")])


def test_every_text_is_cut_up_without_loss() -> None:
    """Faulty ones, too; and of sound ones nothing is wrong."""
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        found = list(pieces(text))
        assert "".join(piece.text for piece in found) == text, path
        if path.parent.name == "spec":
            assert not [piece for piece in found if piece.look is Look.WRONG], path


@pytest.mark.parametrize(
    ("text", "word", "looks"),
    [
        # a word of the language is a name where none can stand
        ("game T\nplace open set of Card open\n", "open", "name keyword"),
        ("game T\nto setup\n  move all Card from box to move\n", "move", "keyword name"),
        # in the braces of a sentence, and around them
        ('game T "the {size of deck} cards"\n', "size", "keyword"),
        ('game T "the {size of deck} cards"\n', '"the ', "sentence"),
        ('game T "the {size of deck} cards"\n', "deck", "name"),
        # a line that is not understood spoils itself alone
        ("game T\nconst = 3\nconst most = 4\n", "const", "head head"),
        ("game T\nconst = 3\nconst most = 4\n", "most", "keyword"),
        ("game T\nconst few = 4 cites play.3\n", "play.3", "clause"),
        ("game T  -- size of nothing\n", "-- size of nothing", "comment"),
        ("game T  -- size of nothing\n", "size", ""),
        ("game T\nconst few = ?\n", "?", "wrong"),
    ],
)
def test_what_a_word_is(text: str, word: str, looks: str) -> None:
    assert " ".join(piece.look.value for piece in pieces(text) if piece.text == word) == looks
