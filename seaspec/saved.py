"""The form of saved plays: JSON with names, the exact rules, and everything that happened.

    {"format": "seaspec play", "version": 1,
     "rules": {"name", "stack", "options", "digest", "texts": {file: text}},
     "players": [..], "seed": n or null,
     "moves": [{"player": "Ann", "menu": "deed", "does": "lay(Card 45, B3)"}, {"chance": "Card 7"}, ..],
     "result": null or {"winners", "losers", "reason"}}

Reading checks every part, replays every move, and compares the result; what is wrong is a PlayError that says where.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seaspec.game import Game
    from seaspec.play import Play

FORMAT = "seaspec play"
VERSION = 1


class PlayError(ValueError):
    """A play can not go on, or a saved play is no good; `where`: the move (from 1) or the part of the file."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where


def to_json(play: Play) -> dict[str, Any]:
    """The data of a play."""
    moves = []
    for move in play.history:
        if move.player is None:
            moves.append({"chance": move.text})
        else:
            moves.append({"player": move.player, "menu": move.menu, "does": move.text})
    result = play.result
    ended = None
    if result is not None:
        ended = {"winners": list(result.winners), "losers": list(result.losers), "reason": result.reason}
    game = play.game
    rules = {
        "name": game.name,
        "stack": list(game.stack),
        "options": game.options,
        "digest": game.digest,
        "texts": dict(game.texts),
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": rules,
        "players": list(game.players),
        "seed": play.seed,
        "moves": moves,
        "result": ended,
    }


def digest_of_rules(texts: Mapping[str, str], stack: Sequence[str], options: Mapping[str, str]) -> str:
    """A fingerprint of the exact rules: texts, chapters, options, wherever the files lie."""
    parts = [*sorted(texts.values()), repr(tuple(stack)), repr(dict(options))]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def from_json(data: Any, game: Game) -> Play:
    """The play that the data tell of, by the rules of a game."""
    _expect(data, dict, "the file")
    if data.get("format") != FORMAT:
        raise PlayError(f'this is no saved play ("format": {data.get("format")!r})')
    if data.get("version") != VERSION:
        raise PlayError(f"version {data.get('version')!r} of the format is not known; this tool reads {VERSION}")
    rules = _part(data, "rules", dict)
    check_rules(rules, game)
    players = _part(data, "players", list)
    if players != list(game.players):
        raise PlayError(f"it was played by {', '.join(map(str, players))}, not {', '.join(game.players)}", "players")
    seed = data.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise PlayError(f"a whole number or null was expected, not {seed!r}", "seed")
    moves = _part(data, "moves", list)
    play = game.start(outcomes=())
    for number, move in enumerate(moves, 1):
        _replay(play, number, move)
    _check_result(data.get("result"), play)
    if seed is not None:
        play.draw_from(seed)
    return play


def _replay(play: Play, number: int, move: Any) -> None:
    where = f"move {number}"
    _expect(move, dict, where)
    try:
        if "chance" in move:
            play.happen(_part(move, "chance", str, where))
            return
        does = _part(move, "does", str, where)
        player = _part(move, "player", str, where)
        if play.asked is None:
            what = "the game is over by then" if play.is_over else "chance comes first there"
            raise PlayError(f"{player} chooses, but {what}")
        if player != play.asked:
            raise PlayError(f"{player} chooses, but {play.asked} is asked")
        play.do(does)
    except PlayError as error:
        raise PlayError(error.message, error.where if error.where.startswith(where) else where) from error


def _check_result(result: Any, play: Play) -> None:
    found = play.result
    if (result is None) != (found is None):
        is_over = "it is over" if found is not None else "it goes on"
        told = "goes on" if result is None else "is over"
        raise PlayError(f"the file says that the play {told}, but after its moves {is_over}: were moves cut?", "result")
    if found is None:
        return
    _expect(result, dict, "result")
    for part, names in (("winners", found.winners), ("losers", found.losers)):
        if result.get(part) != list(names):
            raise PlayError(f"the file says {result.get(part)!r}, the rules say {list(names)!r}", f"result, {part}")


def check_rules(saved: Mapping[str, Any], game: Game) -> None:
    """The rules of a saved play are those of the game, to the letter; else the error tells which lines differ."""
    for part, kind in (("name", str), ("stack", list), ("options", dict), ("digest", str), ("texts", dict)):
        _part(saved, part, kind, "rules")
    if saved["stack"] != list(game.stack):
        mine, theirs = " + ".join(game.stack), " + ".join(map(str, saved["stack"]))
        raise PlayError(f"it was played by {theirs}, and this is {mine}", "rules, stack")
    if saved["options"] != game.options:
        differ = [
            f"{name}: {saved['options'].get(name)!r} then, {game.options.get(name)!r} now"
            for name in sorted({*saved["options"], *game.options})
            if saved["options"].get(name) != game.options.get(name)
        ]
        raise PlayError(f"the options differ: {'; '.join(differ)}", "rules, options")
    changes = changed_lines(saved["texts"], _named_as(saved["texts"], game.texts))
    if changes:
        shown = "\n".join(changes[:20]) + ("\n.." if len(changes) > 20 else "")
        raise PlayError(f"the rules have changed since:\n{shown}", "rules, texts")
    if saved["digest"] != game.digest:
        raise PlayError("the fingerprint does not fit the texts: the file was edited", "rules, digest")


def _named_as(before: Mapping[str, Any], after: Mapping[str, str]) -> dict[str, str]:
    """The files of `after` by their names in `before`: the same file may lie elsewhere now."""
    named: dict[str, str] = {}
    for name, text in after.items():
        free = [] if name in before else [old for old in before if old not in after and old not in named]
        same_text = [old for old in free if before[old] == text]
        same_name = [old for old in free if _file_name(old) == _file_name(name)]
        only = free if len(before) == len(after) == 1 else []
        named[next(iter(same_text + same_name + only), name)] = text
    return named


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def changed_lines(before: Mapping[str, Any], after: Mapping[str, str]) -> list[str]:
    """The lines that differ between two sets of files, `file: -old`, `file: +new`.

    >>> changed_lines({"a.sea": "one\\ntwo"}, {"a.sea": "one\\n2"})
    ['a.sea:2 -two', 'a.sea:2 +2']
    """
    found = []
    for name in sorted({*before, *after}):
        old, new = str(before.get(name, "")).splitlines(), after.get(name, "").splitlines()
        here = 0
        for line in unified_diff(old, new, n=0, lineterm=""):
            if line.startswith("@@"):
                here = int(line.split("+")[1].split(" ")[0].split(",")[0])
            elif not line.startswith(("---", "+++")):
                found.append(f"{name}:{here} {line}")
    return found


def _part(data: Mapping[str, Any], name: str, kind: type, where: str = "") -> Any:
    if name not in data:
        raise PlayError(f'"{name}" is missing', where or "the file")
    return _expect(data[name], kind, f"{where}, {name}" if where else name)


def _expect(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind):
        wanted = {"dict": "an object", "list": "a list", "str": "a text"}[kind.__name__]
        raise PlayError(f"{wanted} was expected, not {type(value).__name__}", where)
    return value
