"""What is compared with what: for each game the engines that have it, for each world those that can search it all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import c_programs
from installing import Missing, Tools
from measuring import Contender

HERE = Path(__file__).resolve().parent
PEERS = HERE / "peers"
SPEC = HERE.parent / "spec"
ANCHORS = SPEC / "anchors"
ONE_BATCH = "512"
BATCHES = "64,512,4096"
NO_END = "0"


class Unit(Enum):
    """How work is counted where engines differ in what they call a ply."""

    PLIES = "plies"
    """All count the same: a player's choice."""
    PLAYS = "plays"
    """Whole plays, which are the same for all."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Engines that do the same. The first one of SeaSpec's that runs is what the others are compared with."""

    title: str
    unit: Unit
    contenders: tuple[Contender, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long each measurement takes, in seconds of processor time, and whether corners are cut."""

    seconds: float
    rounds: int
    quick: bool


@dataclass(frozen=True, slots=True)
class Growth:
    """A game in several sizes: the options of each, with its size."""

    title: str
    spec: Path
    sizes: tuple[tuple[int, tuple[str, ...]], ...]


ANCHOR_PEERS: tuple[tuple[str, str, Unit, dict[str, str]], ...] = (
    ("Tic-tac-toe", "tic_tac_toe", Unit.PLIES, dict.fromkeys(("pyspiel", "pgx", "ludax"), "tic_tac_toe")),
    ("Connect four", "connect_four", Unit.PLIES, dict.fromkeys(("pyspiel", "pgx", "ludax"), "connect_four")),
    ("Hex 11x11", "hex", Unit.PLIES, dict.fromkeys(("pyspiel", "pgx", "ludax"), "hex")),
    ("Breakthrough 8x8", "breakthrough", Unit.PLIES, {"pyspiel": "breakthrough"}),
    ("Reversi", "reversi", Unit.PLIES, {"pyspiel": "othello", "pgx": "othello", "ludax": "reversi"}),
    ("Battleship", "battleship", Unit.PLIES, {"pyspiel": "battleship"}),
    ("Hanabi, 2 players", "hanabi", Unit.PLAYS, {"pyspiel": "hanabi"}),
    ("Pig", "pig", Unit.PLAYS, {"pyspiel": "pig"}),
    ("Backgammon", "backgammon", Unit.PLAYS, {"pyspiel": "backgammon", "pgx": "backgammon"}),
)
"""Title, file, unit, and the name that each peer has for the game."""
NOTES = {
    "backgammon": "OpenSpiel counts a whole move as one choice, Pgx each checker.",
    "hanabi": "OpenSpiel in C++ are two of its random bots here: its rollouts want a game that pays at the end only.",
}


def play_contests(tools: Tools, programs: Path, effort: Effort) -> Iterator[Contest]:
    """Random plays: Calm and Sea Lords, then the anchor games."""
    seconds = str(effort.seconds)
    yield Contest(
        "Calm, standard game of four",
        Unit.PLAYS,
        (
            *_seaspec("calm", seconds, "players=4"),
            _in_c("by hand in C, plainly", "calm_peer", tools, programs, "4", "1", NO_END, seconds, defined="PLAIN"),
            _in_c("by hand in C, cleverly", "calm_peer", tools, programs, "4", "1", NO_END, seconds),
            Contender("by hand in Python", _python("python_plays.py", "calm", seconds)),
        ),
        "A ply is a turn here. Both engines in C list every option of a turn; the plain one prices cell by cell, "
        "the clever one knows beforehand which cells each number fits in, and copies whole runs of them.",
    )
    yield Contest(
        "Sea Lords, drawn layout",
        Unit.PLAYS,
        (
            *_seaspec("sea_lords", seconds, "layout=drawn"),
            *(
                _in_c(title, "sea_lords_peer", tools, programs, "drawn", "5", "1", NO_END, seconds, defined=defined)
                for title, defined in (("by hand in C, plainly", "PLAIN"), ("by hand in C, cleverly", ""))
            ),
            Contender("by hand in Python", _python("python_plays.py", "sea_lords", seconds)),
        ),
        "Both engines in C list every option; the plain one looks cell by cell and scores all lines for all numbers of "
        "the mercenaries, the clever one finds cells by shifts. The engine in Python is a referee, written to be read.",
    )
    for title, file, unit, names in ANCHOR_PEERS[:2] if effort.quick else ANCHOR_PEERS:
        contenders = [_seaspec(str(ANCHORS / f"{file}.sea"), seconds)[0], *_openspiel(tools, names, seconds)]
        for library in ("pgx", "ludax"):
            if library in names and not (effort.quick and file != "tic_tac_toe"):  # they take long to compile
                contenders.append(_jax(tools, library, names[library], programs, effort))
        if file == "tic_tac_toe":
            contenders += [_boardgame(tools, seconds), _quint(tools, seconds)]
        yield Contest(title, unit, tuple(contenders), NOTES.get(file, ""))


def search_contests(tools: Tools, programs: Path, effort: Effort) -> Iterator[Contest]:
    """Worlds that are explored completely."""
    seconds = str(effort.seconds)
    for title, world, model in (
        ("Tic-tac-toe, all of it", "tic_tac_toe.sea + whole", "tic_tac_toe"),
        ("Connect four, four by four", "connect_four.sea + small", "connect_four"),
    ):
        native, interpreter = (_explorer(engine, str(ANCHORS / world), seconds) for engine in ("native", "interpreter"))
        ours = (native, interpreter) if model == "tic_tac_toe" else (native,)  # the interpreter is for small worlds
        yield Contest(title, Unit.PLAYS, (*ours, _spin(tools, model, seconds), QUINT_VERIFIER))
    for cards in (8,) if effort.quick else (8, 10):
        native = _explorer("native", str(HERE / "tiny_calm.sea"), seconds, f"cards={cards}")
        by_hand = _in_c("by hand in C", "tiny_calm", tools, programs, str(cards), "20" if cards < 10 else "2")
        yield Contest(f"Tiny Calm, {cards} cards", Unit.PLAYS, (native, by_hand))


def proof_contests(tools: Tools, effort: Effort) -> Iterator[Contest]:
    """Promises that are proved for all positions; the encodings side by side."""
    tic_tac_toe = str(ANCHORS / "tic_tac_toe.sea")
    quint = _quint_tests(tools, "1000" if effort.quick else "10000")
    yield Contest("Tic-tac-toe", Unit.PLAYS, (_prover(tic_tac_toe, "all"), quint, QUINT_VERIFIER))
    if effort.quick:
        return
    encodings = "all", "quantified", "written"
    for title, spec in (("Calm, standard game", "calm"), ("Connect four", str(ANCHORS / "connect_four.sea"))):
        yield Contest(title, Unit.PLAYS, tuple(_prover(spec, encoding) for encoding in encodings))
    for title, spec, name, sizes in (
        ("Growing cards", "growing_cards.sea", "cards", (16, 64, 256, 1024)),
        ("Growing fleet, on 1024 cells", "growing_fleet.sea", "ships", (4, 16, 64)),
        ("Hex", "hex.sea", "columns", (3, 6, 11)),
    ):
        folder = HERE if spec.startswith("growing") else ANCHORS
        for size in sizes:
            options = [f"{name}={size}", *([f"rows={size}"] if name == "columns" else [])]
            yield Contest(f"{title}: {name} {size}", Unit.PLAYS, (_prover(str(folder / spec), "all", *options),))


def _prover(spec: str, encoding: str, *options: str) -> Contender:
    named = {"all": "", "quantified": ", with quantifiers", "written": ", written out"}[encoding]
    return Contender(f"SeaSpec{named}", _python("seaspec_prove.py", spec, encoding, *options), ours=True)


def _quint_tests(tools: Tools, traces: str) -> Contender:
    engine = f"Quint's simulator, an invariant in {int(traces):,} plays"
    if isinstance(tools.quint, Missing):
        return Contender(engine, missing=tools.quint.why)
    return Contender(engine, _python("quint_invariant.py", tools.quint, traces))


def growths(effort: Effort) -> tuple[Growth, ...]:
    """Games in steps of four."""
    last = 2 if effort.quick else 4
    return (
        Growth("cells of the board (hex)", ANCHORS / "hex.sea",
               tuple((n * n, (f"columns={n}", f"rows={n}")) for n in (4, 8, 16)[:last])),
        Growth("cards (a deck that is played through)", HERE / "growing_cards.sea",
               tuple((n, (f"cards={n}",)) for n in (16, 64, 256, 1024)[:last])),
        Growth("ships (one of them moves each turn)", HERE / "growing_fleet.sea",
               tuple((n, (f"ships={n}",)) for n in (4, 16, 64, 256)[:last])),
    )  # fmt: skip


def seaspec_plays(spec: Path, options: tuple[str, ...], seconds: float) -> Contender:
    """Native plays of one size."""
    return Contender("SeaSpec", _python("seaspec_plays.py", "native", str(spec), str(seconds), *options), ours=True)


def seaspec_start(spec: Path, options: tuple[str, ...], cache: Path) -> Contender:
    """From text to first move, with a cache of its own."""
    environment = {
        "SEASPEC_CACHE": str(cache / "code"),
        "XDG_CACHE_HOME": str(cache),
        "XDG_CONFIG_HOME": str(cache / "config"),
        "PYTHONPYCACHEPREFIX": str(cache / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    command = _python("seaspec_start.py", str(spec), *options)
    return Contender("SeaSpec", command, ours=True, environment=environment)


QUINT_VERIFIER = Contender("Quint", missing="its verifier downloads the checker it runs; its simulator does not search")


def _python(name: str, *words: str) -> tuple[str, ...]:
    """A program beside this one, with SeaSpec's Python."""
    return (sys.executable, str(PEERS / name), *words)


def _seaspec(spec: str, seconds: str, *options: str) -> tuple[Contender, Contender]:
    native = _python("seaspec_plays.py", "native", spec, seconds, *options)
    interpreter = _python("seaspec_plays.py", "interpreter", spec, seconds, *options)
    return (
        Contender("SeaSpec, native", native, ours=True),
        Contender("SeaSpec, interpreter", interpreter, ours=True),
    )


def _explorer(engine: str, spec: str, seconds: str, *options: str) -> Contender:
    return Contender(f"SeaSpec, {engine}", _python("seaspec_explore.py", engine, spec, seconds, *options), ours=True)


def _in_c(title: str, name: str, tools: Tools, programs: Path, *words: str, defined: str = "") -> Contender:
    if isinstance(tools.compiler, Missing):
        return Contender(title, missing=tools.compiler.why)
    return Contender(title, (str(c_programs.build(name, programs, *defined.split())), *words))


def _openspiel(tools: Tools, names: dict[str, str], seconds: str) -> Iterator[Contender]:
    python = tools.python["pyspiel"]
    for engine, mode in (("OpenSpiel, C++", "native"), ("OpenSpiel, from Python", "python")):
        if isinstance(python, Missing):
            yield Contender(engine, missing=python.why)
        else:
            yield Contender(engine, (python, str(PEERS / "openspiel_plays.py"), mode, names["pyspiel"], seconds))


def _jax(tools: Tools, library: str, name: str, programs: Path, effort: Effort) -> Contender:
    engine, python = {"pgx": "Pgx", "ludax": "Ludax"}[library], tools.python[library]
    if isinstance(python, Missing):
        return Contender(engine, missing=python.why)
    batches = ONE_BATCH if effort.quick else BATCHES
    command = (python, str(PEERS / "jax_plays.py"), library, name, str(effort.seconds), batches)
    # What JAX compiles in the first round it finds again in the others.
    cache = {
        "JAX_COMPILATION_CACHE_DIR": str(programs / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    return Contender(engine, command, environment=cache)


def _boardgame(tools: Tools, seconds: str) -> Contender:
    if isinstance(tools.node, Missing):
        return Contender("boardgame.io", missing=tools.node.why)
    environment = {"NODE_PATH": tools.node_path, "NODE_ENV": "production"}
    command = (tools.node, str(PEERS / "boardgame_plays.cjs"), seconds)
    return Contender("boardgame.io", command, environment=environment)


def _quint(tools: Tools, seconds: str) -> Contender:
    if isinstance(tools.quint, Missing):
        return Contender("Quint's simulator", missing=tools.quint.why)
    return Contender("Quint's simulator", _python("quint_plays.py", tools.quint, seconds))


def _spin(tools: Tools, model: str, seconds: str) -> Contender:
    if isinstance(tools.spin, Missing) or isinstance(tools.compiler, Missing):
        why = next(tool.why for tool in (tools.spin, tools.compiler) if isinstance(tool, Missing))
        return Contender("Spin", missing=why)
    return Contender("Spin", _python("spin_explore.py", tools.spin, tools.compiler, model, seconds))
