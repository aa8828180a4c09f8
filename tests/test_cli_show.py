"""`seaspec show`: what a house rule can change, and how."""

from __future__ import annotations

import json

import pytest
from cli_runner import seaspec

import seaspec as library
from seaspec.diagnostics.model import Report
from seaspec.library import load_subject_of
from seaspec.source import SourceFile
from seaspec.syntax.parse import parse


def shown(*words: str) -> list[dict[str, object]]:
    return json.loads(seaspec("show", *words, "--json").out)  # type: ignore[no-any-return]


def test_all_that_can_be_changed_is_listed() -> None:
    kinds = {entry["kind"] for entry in shown("calm")}
    assert {"option", "constant", "define", "action", "procedure", "menu", "place", "promise", "example"} <= kinds
    names = {entry["name"] for entry in shown("calm")}
    game = library.load("calm").rules
    assert set(game.actions) <= names and {o.name for o in game.options} <= names
    out = seaspec("show", "calm").out
    assert "hand_size  5" in out and "price(v, c)" in out and "defines" in out


def test_a_name_tells_where_it_stands_and_what_changes_it() -> None:
    (price,) = shown("calm", "price")
    assert price["changes"] == ["replace price(v, c) = .."] and "cost.1" in price["cites"]  # type: ignore[operator]
    (drop,) = shown("calm", "DROP_TWO")
    assert drop["guards"] == ["two"] and "allow drop_two(p) despite two when .." in drop["changes"]  # type: ignore[operator]
    out = seaspec("show", "calm", "drop_two").out
    assert 'forbid drop_two(p) when .. "why"' in out and "p privately chooses 2 of" in out


def test_players_words_and_clauses_are_found() -> None:
    assert {entry["name"] for entry in shown("calm", "discards", "two")} >= {"drop_two"}
    assert all("cost.1" in entry["cites"] for entry in shown("calm", "cost.1"))  # type: ignore[operator]
    assert {entry["chapter"] for entry in shown("calm + storms")} >= {"Calm", "Storms"}


@pytest.mark.parametrize("game", ["calm", "admiral", "pirate_bay", "calm + reefs + storms"])
def test_the_lines_that_change_something_can_be_read(game: str) -> None:
    """With something in the place of dots and capitals, each is a line of a house rule."""
    subject = load_subject_of(game, Report())
    assert subject is not None
    lines = []
    for entry in shown(game):
        for line in entry["changes"]:  # type: ignore[attr-defined]
            if line.startswith(("replace", "before", "after")) and not line.endswith("= .."):
                continue  # what follows depends on what it is
            if line.startswith("replace"):
                line = line.replace("= ..", "= base")
            line = line.replace("NEW_ACTION", "rest").replace("NEW_KIND", "Rest").replace('".."', '"so"')
            lines.append(line.replace("when ..", "when yes").replace("= ..", "= 1"))
    report = Report()
    text = "\n".join([f"variant House of {subject.game.name}", *dict.fromkeys(lines)]) + "\n"
    parse(SourceFile("house.sea", text), report)
    assert not report.failed, [f"{d.span}: {d.message}" for d in report][:3]


def test_what_is_not_there_is_told_with_what_is_near() -> None:
    ran = seaspec("show", "calm", "prise")
    assert ran.code == 3 or ran.code == 1
    assert "nothing is called 'prise'" in ran.err and "price" in ran.err
    assert seaspec("show", "clam").code != 0


def test_terms_of_the_rule_book_are_found() -> None:
    (drop,) = shown("calm", "сбросить", "2")
    assert drop["name"] == "drop_two" and drop["terms"] == ["сбросить 2 карты"]
    assert "Card" in {entry["name"] for entry in shown("calm", "карта", "старта")}, "what has the kind in it"
    assert "in the rule book: сбросить 2 карты" in seaspec("show", "calm", "drop_two").out
