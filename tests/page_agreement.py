"""Plays of the page's engine (seaspec/web/*.js, run by node or by Chromium) against those of the interpreter.

The interpreter plays at random; the engine of the page follows. At each position are compared: the options, as saved
plays have them and as the rules tell them; what every player sees, the log too; what stands against actions that are
not offered, guard by guard; the picture; at the end, who has won, and the scores. And of what its bots suppose where
something is hidden from them (`compare_guesses`), the interpreter says whether they may.
"""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from chromium import runner

from seaspec.backends.interpreter.choices import Act
from seaspec.backends.interpreter.errors import RuleError
from seaspec.backends.interpreter.notation import Notation
from seaspec.backends.interpreter.why import why_not
from seaspec.cli.playing.wording import act_told
from seaspec.core import types
from seaspec.drawing import draw_svg
from seaspec.game import Game
from seaspec.play import Play
from seaspec.saved import from_json
from seaspec.web import engine, packed_game

HERE = Path(__file__).parent
DRIVER = HERE / "page_driver.js"
MOST_OPTIONS = 120
"""Of more options than this none is told."""
ASKED = 3
"""So many actions are asked about at each position."""


Moves = list[tuple[bool, str]]
"""Whether each is an outcome of chance, and its text."""


class Disagreement(AssertionError):
    """The page and the interpreter do not say the same."""


def told_by_page(data: Any, folder: Path, program: str | None = None) -> Any:
    """What the engine of the page says (page_driver.js)."""
    program = program or runner()
    assert program is not None
    written, driver = json.dumps(data), DRIVER.read_text(encoding="utf-8")
    if Path(program).name.startswith("node"):
        engine_file = folder / "engine.js"
        engine_file.write_text(engine().strip(), encoding="utf-8")
        command = [program, str(DRIVER), str(engine_file)]
        ran = subprocess.run(command, input=written, text=True, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)
    page = folder / "page.html"
    tell = (
        "told(seaspecEngine(), data).then((found) => { document.body.textContent = btoa(unescape(encodeURIComponent("
        "JSON.stringify(found)))); });"
    )
    data_script = f"const data = {written.replace('<', chr(92) + 'u003c')};"
    scripts = "".join(f"<script>{text}</script>" for text in (engine(), driver, data_script, tell))
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{scripts}</body>", encoding="utf-8")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=600000", "--dump-dom"]
    for _ in range(3):  # modules are compiled beside the page, which takes time, but none of what the page has
        ran = subprocess.run([*command, page.as_uri()], text=True, capture_output=True, check=False)
        found = re.search(r"<body>([A-Za-z0-9+/=]+)</body>", ran.stdout)
        if found is not None:
            return json.loads(b64decode(found[1]))
    raise AssertionError(ran.stderr[-2000:])


def compare(
    game: Game,
    plays: int,
    seed: object,
    folder: Path,
    most_moves: int = 400,
    every: int = 1,
    packed: Any = None,
) -> int:
    """So many random plays; how many positions were compared: one of `every` in full, and the last; of the others where
    they rest, who is asked, and how many options there are."""
    wanted = [_play(game, Random(f"{seed} {number}"), most_moves, every) for number in range(plays)]
    data = {
        "game": packed or packed_data(game),
        "plays": [
            {"moves": moves, "asks": [look.get("asks") for look in looks], "most": MOST_OPTIONS}
            for moves, looks in wanted
        ],
    }
    found = told_by_page(data, folder)["plays"]
    count = 0
    for number, ((moves, looks), told) in enumerate(zip(wanted, found, strict=True)):
        for place, (ours, theirs) in enumerate(zip(looks, told, strict=False)):
            _same(
                ours, theirs, f"{game.name}, play {number}, position {place}, after {moves[max(0, place - 2) : place]}"
            )
            count += 1
        if "saved" in told[-1]:
            kept = told.pop()
            texts = [text for _, text in moves]
            _equal(texts, kept["linked"], f"{game.name}, play {number}: what a link holds")
            _equal(texts, [move.text for move in from_json(kept["saved"], game).history], f"{game.name}: what is saved")
        if len(looks) != len(told):
            raise Disagreement(f"{game.name}, play {number}: {len(looks)} positions, or {len(told)}: {told[-1]}")
    return count


def compare_guesses(game: Game, seed: object, folder: Path, most: int = 200, every: int = 1, size: int = 3) -> Guesses:
    """A random play, and what bots of the page suppose at the decisions of each seat: by the interpreter, too, each of
    these plays looks to the seat as the true one does."""
    moves, _ = _play(game, Random(f"{seed}"), most, most + 1)
    told = guessed(game, [(moves, seat) for seat in range(len(game.players))], folder, every, size)
    found = Guesses(looks=dict(enumerate(told)))
    for seat, player in enumerate(game.players):
        for look in found.looks[seat]:
            true = replayed(game, moves[: look["after"]])
            found.missing += size - len(look["plays"])
            for supposed in look["plays"]:
                play = replayed(game, supposed)
                where = f"{game.name}, seat {seat}, after {look['after']} moves: what is supposed"
                _equal(str(true.view(player)), str(play.view(player)), where)
                found.count += 1
                found.others += play.position != true.position
    return found


@dataclass
class Guesses:
    """How many plays were supposed, how many were wanted besides; how many are other than the truth. `looks`: by seat,
    after how many moves which plays."""

    count: int = 0
    missing: int = 0
    others: int = 0
    looks: dict[int, Any] = field(default_factory=dict)


def guessed(game: Game, plays: list[tuple[Moves, int]], folder: Path, every: int, size: int) -> list[Any]:
    """What bots of the page suppose in plays, for a seat each, every so many moves, in as much time as they need."""
    asked = [
        {"moves": moves, "seat": seat, "every": every, "size": size, "seed": 5, "milliseconds": 60_000}
        for moves, seat in plays
    ]
    found: list[Any] = told_by_page({"game": packed_data(game), "plays": [], "guesses": asked}, folder)["guesses"]
    return found


def replayed(game: Game, moves: Moves) -> Play:
    """The play with these moves, of which it is said whether they are outcomes of chance."""
    play = game.start(automatic=False)
    for is_chance, text in moves:
        if is_chance:
            play.happen(text)
        else:
            play.do(text)
    return play


def packed_data(game: Game) -> Any:
    """The packed game, as the page has it; it is made once."""
    if game.digest not in _PACKED:
        _PACKED[game.digest] = packed_game(game, {})
    return _PACKED[game.digest]


_PACKED: dict[str, Any] = {}


Looks = list[dict[str, Any]]


def _play(game: Game, random: Random, most: int, every: int) -> tuple[Moves, Looks]:
    play = game.start(automatic=False)
    moves: Moves = []
    looks: Looks = [_look(game, play, random)]
    while not play.is_over and len(moves) < most:
        try:
            if play.chance is not None:
                play.happen(play.chance.canonical(play.chance.sample(random)))
            else:
                assert play.options is not None
                play.do(play.options.random(random))
        except RuleError:
            break
        last = play.history[-1]
        moves.append((last.player is None, last.text))
        is_looked_at = len(moves) % every == 0 or play.is_over
        looks.append(_look(game, play, random) if is_looked_at else _brief(game, play))
    return moves, looks


def _brief(game: Game, play: Play) -> dict[str, Any]:
    """Where it rests, who is asked, how many options or outcomes there are."""
    count = play.options.size if play.options is not None else play.chance.count() if play.chance is not None else 0
    return {"brief": [play.position.block, game.machine.decider(play.position), count]}


def _look(game: Game, play: Play, random: Random) -> dict[str, Any]:
    """What the interpreter says of a position."""
    machine, state = game.machine, play.position
    found: dict[str, Any] = {"asks": [], "why": []}
    options = play.options
    if play.chance is not None:
        found["count"] = play.chance.count()
        if found["count"] <= MOST_OPTIONS:
            weighted = play.chance.weighted()
            found["options"] = sorted((play.text(outcome), str(weight)) for outcome, weight in weighted)
    elif options is not None:
        found["count"] = options.size
        if options.size <= MOST_OPTIONS:
            found["options"] = sorted((play.text(choice), "1") for choice in options)
            name = Notation(machine, state).piece_name
            found["told"] = sorted(
                act_told(machine, state, choice, name) or "" if isinstance(choice, Act) else "" for choice in options
            )
    else:
        found |= {"count": 0, "options": []}
    views = [play.view(player) for player in game.players]
    found["views"] = [
        {
            "places": {name: [_listed(seen.contents), seen.size] for name, seen in view.places.items()},
            "states": view.states,
            "log": list(view.log),
            "asked": view.asked,
            "menu": view.menu,
            "over": view.over,
            "options": view.number_of_options,
        }
        for view in views
    ]
    found["picture"] = draw_svg(game.rules, views[0], "A title")
    seat = machine.decider(state)
    if seat is not None:
        for action, values in _questions(game, seat, random):
            found["asks"].append([seat, action, [_plain(value) for value in values]])
            found["why"].append([_reason(reason) for reason in why_not(machine, state, seat, action, values)])
    result = play.result
    if result is not None:
        scores = None if result.scores is None else [_listed(score) for score in result.scores.values()]
        found["result"] = [list(result.winners), list(result.losers), scores, result.reason]
    return found


def _questions(game: Game, seat: int, random: Random) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Actions with arguments, whatever they are."""
    plain = [
        action
        for action in game.rules.actions.values()
        if not any(isinstance(p.variable.type, types.SetOf | types.Map | types.Fraction) for p in action.params)
    ]
    for action in random.sample(plain, min(ASKED, len(plain))):
        values = tuple(random.choice(list(types.values(p.variable.type))) for p in action.params)
        yield action.name, ((seat, *values[1:]) if action.asks else values)


LIES = re.compile(r"it lies in \w+")
FAILS = "that can not even be asked"
"""What is said more fully by the interpreter."""


def _reason(reason: Any) -> list[Any]:
    text = FAILS if reason.text.startswith(FAILS) else LIES.sub("it lies elsewhere", reason.text)
    return [reason.guard, text, [list(pair) for pair in reason.values], list(reason.cites)]


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _listed(score: Any) -> Any:
    return None if score is None else list(score)


def _same(ours: dict[str, Any], theirs: dict[str, Any], where: str) -> None:
    if "fault" in theirs:
        raise Disagreement(f"{where}: {theirs['fault']}")
    if "brief" in ours:
        _equal(ours["brief"], theirs["brief"], f"{where}: block, who is asked, how many options")
        return
    views = [
        {**view, "places": {name: [seen["contents"], seen["size"]] for name, seen in view["places"].items()}}
        for view in theirs["views"]
    ]
    for seat, (mine, other) in enumerate(zip(ours["views"], views, strict=True)):
        for part, value in mine.items():
            if isinstance(value, dict):
                for name in {*value, *other[part]}:
                    _equal(value.get(name), other[part].get(name), f"{where}: seat {seat}, {part} {name}")
            else:
                _equal(value, other[part], f"{where}: seat {seat}, {part}")
    _equal(ours["count"], theirs["count"], f"{where}: how many options")
    if "options" in ours:
        _equal(
            [text for text, _ in ours["options"]], sorted(text for text, _ in theirs["options"]), f"{where}: options"
        )
    if "told" in ours:
        _equal(ours["told"], sorted(text or "" for text in theirs["told"]), f"{where}: sentences")
    for ask, mine, other in zip(ours["asks"], ours["why"], theirs["why"], strict=True):
        for reason in other:
            reason["text"] = FAILS if reason["text"].startswith(FAILS) else reason["text"]
        found = [[r["guard"], r["text"], r["values"], [cite["id"] for cite in r["cites"]]] for r in other]
        _equal(mine, found, f"{where}: why not {ask}")
    _equal(ours["picture"], theirs["picture"], f"{where}: picture")
    result = theirs["result"]
    found_result = None if result is None else [result[part] for part in ("winners", "losers", "scores", "reason")]
    _equal(ours.get("result"), found_result, f"{where}: result")


def _equal(ours: Any, theirs: Any, where: str) -> None:
    if ours == theirs:
        return
    if isinstance(ours, list) and isinstance(theirs, list):
        place = next(
            (n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
        )
        where, ours, theirs = (
            f"{where}, number {place} of {len(ours)} and {len(theirs)}",
            ours[place : place + 3],
            theirs[place : place + 3],
        )
    elif isinstance(ours, str) and isinstance(theirs, str):
        place = next(
            (n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
        )
        ours, theirs = ours[max(0, place - 60) : place + 60], theirs[max(0, place - 60) : place + 60]
    raise Disagreement(f"{where}:\n  interpreter {ours!r:.500}\n  page        {theirs!r:.500}")
