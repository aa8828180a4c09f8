"""docs/properties.md is about the games as they are: all properties of the catalogues, and all that cites them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from seaspec.verdict.verdicts import Verdict

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

import properties

FOUND = properties.kept()


@pytest.mark.parametrize("game", properties.GAMES)
def test_every_property_is_spoken_of(game: str) -> None:
    book = properties.catalogue(game)
    assert len(book.said) == {"calm": 25, "admiral": 27, "pirate_bay": 23, "sea_lords": 25}[game]
    spoken = {id for row in FOUND[game] for id in row.properties} | set(book.notes)
    assert spoken == set(book.said)


@pytest.mark.parametrize("game", properties.GAMES)
def test_the_page_is_not_stale(game: str) -> None:
    """What the texts cite, and in which stack, is what was checked: else run `make properties`."""
    cited = {
        (subject.name, name, id)
        for subject, news in properties.speaking(game)
        for name, ids in news.items()
        for id in ids
    }
    assert {(row.stack, row.name, id) for row in FOUND[game] for id in row.properties} == cited


@pytest.mark.parametrize("game", properties.GAMES)
def test_verdicts_are_those_of_the_tool(game: str) -> None:
    words = {verdict.value for verdict in Verdict} | {"holds"}
    for row in FOUND[game]:
        assert row.verdict in words, row
        assert row.verdict != "broken" or row.detail.startswith("as said"), row
        assert not row.steps or row.verdict in ("refuted", "broken"), row
