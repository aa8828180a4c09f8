"""The pages of docs/ are tested: their games compile and keep their examples, their transcripts come out as shown.

- A ```sea block is a whole file, unless a comment above it says otherwise. It must check without errors; its examples
  must hold; a few random plays must end without an error of the rules. Its variants are tried one by one, too.
- `<!-- name: cards -->` above such a block gives it a name. A block under `<!-- in: cards -->` is added to that game,
  and together they must pass the same test.
- A block under `<!-- error: SEA402 -->` must give these codes, and no others. `in: cards; error: SEA402`: both.
- `<!-- file: race.sea -->` writes a block to a file for the transcripts of its page; `added to: race.sea` appends it;
  `instead in: race.sea` puts it in the place of the declaration that begins with the same two words.
- A ```python block is run where these files are.
- A ```console block is a transcript: a line `$ seaspec ..`, or `$ pytest ..`, is run, and what follows is what it must
  print. A line `...` stands for any lines, `...` within a line for any text. What follows a prompt, as in `Ann> 2`, is
  typed.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from seaspec.backends.interpreter.errors import RuleError
from seaspec.cli.main import COMMANDS
from seaspec.compile import compile_chapters
from seaspec.diagnostics.model import Report, Stop
from seaspec.diagnostics.render import render
from seaspec.examples.run import run_examples
from seaspec.game import Game
from seaspec.library import Subject, load_subjects, single_variants
from seaspec.loading import load_subject, option_values
from seaspec.play import random_play
from seaspec.verdict.check import check_game, is_as_said

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
PLAYS = 5
LONGEST = 3_000

_BLOCK = re.compile(r"^```(sea|console|markdown|python|toml|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!-- ([^<>\n]*) -->\n\Z")
_TYPED = re.compile(r"^([A-Z]\w*>) (.+)$", re.MULTILINE)
_KEYS = ("name", "in", "error", "file", "added to", "instead in")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page, and what the comment above it says about it."""

    page: Path
    line: int
    language: str
    text: str
    says: dict[str, str] = field(hash=False)

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        comment = _COMMENT.search(text[: found.start()])
        says = dict(_said(part) for part in comment[1].split(";")) if comment else {}
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found[1], found[2], says)


def _said(part: str) -> tuple[str, str]:
    key, _, value = part.partition(":")
    assert key.strip() in _KEYS, f"unknown comment: {part}"
    return key.strip(), value.strip()


BLOCKS = [block for page in PAGES for block in blocks_of(page)]
FRAMES = {block.says["name"]: block.text for block in BLOCKS if "name" in block.says}


def text_of(block: Block) -> str:
    """The file that a block stands for: its own text, after the game it is added to."""
    frame = block.says.get("in")
    return block.text if frame is None else f"{FRAMES[frame]}\n{block.text}"


def compiled(path: Path) -> tuple[list[tuple[Subject, Game]], Report]:
    """All that stands in a file: its game with default options, and with each of its variants."""
    report = Report()
    games: list[tuple[Subject, Game]] = []
    try:
        subjects = load_subjects(str(path), report)
        if not report.failed:
            subjects += [
                variant for subject in subjects if not subject.asked for variant in single_variants(subject, report)
            ]
        for subject in subjects:
            rules = None if report.failed else compile_chapters(subject.chapters, {}, report)
            if rules is not None:
                games.append((subject, Game(rules, subject)))
    except Stop:
        pass
    return games, report


def play_some(game: Game) -> None:
    """Random plays from fixed seeds, none of which may end in an error of the rules."""
    for seed in range(PLAYS):
        random_play(game, Random(seed), LONGEST)


def broken_examples(subject: Subject, game: Game) -> list[str]:
    """The examples of a game that do not hold, and why."""
    results = run_examples(game, lambda options: load_subject(subject, options))
    return [
        f"{result.example.name}: {result.failure.message if result.failure else result.verdict.value}"
        for result in results
        if not is_as_said(game.rules, result)
    ]


SEA = [block for block in BLOCKS if block.language == "sea" and not {"added to", "instead in"} & set(block.says)]
WHOLE = [block for block in SEA if not {"error", "file"} & set(block.says)]
WRONG = [block for block in SEA if "error" in block.says]


@pytest.mark.parametrize("block", WHOLE, ids=str)
def test_games(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "page.sea"
    path.write_text(text_of(block), encoding="utf-8")
    games, report = compiled(path)
    assert not list(report), f"{block}\n{render(report, colour=False)}"
    assert games, f"{block}: nothing to check"
    for subject, game in games:
        broken = broken_examples(subject, game)
        assert not broken, f"{block}: {subject.name}"
        try:
            play_some(game)
        except RuleError as error:
            pytest.fail(f"{block}: {subject.name}: {error}")


@pytest.mark.parametrize("block", WRONG, ids=str)
def test_faults(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "page.sea"
    path.write_text(text_of(block), encoding="utf-8")
    _, report = compiled(path)
    wanted = {code.strip() for code in block.says["error"].split(",")}
    found = {diagnostic.code.id for diagnostic in report}
    assert found == wanted, f"{block}\n{render(report, colour=False)}"


GAMES = [ROOT / "tests" / "cases" / "games" / f"{name}.sea" for name in ("tic_tac_toe", "dice_race", "tricks")]
"""Games that were written by these pages alone."""
GAME_PLAYS = 200


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_games_by_the_pages(path: Path) -> None:
    report = Report()
    (subject,) = load_subjects(str(path), report)
    players = option_values(subject).get("players")
    counts = ("2",) if players is None else players.values
    for players in counts:
        game = load_subject(subject, {"players": players} if len(counts) > 1 else {})
        checked = check_game(game, GAME_PLAYS, 1, _untold, lambda options: load_subject(subject, options))
        assert not list(report), render(report, colour=False)
        assert checked.kept, f"{path.name}, {players} players"
        assert not checked.unused, f"{path.name}: never used: {checked.unused}"
        assert not checked.plays.unfinished


def _untold(label: str, total: int) -> Callable[[int], None]:
    return lambda done: None


def test_generated_parts_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_command_has_its_section() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## seaspec (\w+)\n\n<!-- generated: (\w+) -->$", page, re.MULTILINE)
    assert sorted(sections) == sorted((command, command) for command in COMMANDS)


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a transcript, each with what it prints."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not parts[0].strip(), "a transcript begins with a command"
    yield from zip(parts[1::2], parts[2::2], strict=True)


def _pattern(expected: str) -> str:
    """A transcript as a regular expression: `...` is any text, on a line of its own any lines."""
    lines = []
    for line in expected.rstrip().split("\n"):
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        elif typed := _TYPED.match(line):
            lines.append(rf"{typed[1]}\s*")
        else:
            lines.append(r"[^\n]*".join(re.escape(part.rstrip()) for part in line.split("...")) + r"[ ]*\n")
    return "".join(lines)


TRANSCRIPTS = [page for page in PAGES if any(b.language in ("console", "python") for b in BLOCKS if b.page == page)]


@pytest.mark.parametrize("page", TRANSCRIPTS, ids=lambda page: page.name)
def test_transcripts(page: Path, tmp_path: Path) -> None:
    for block in (block for block in BLOCKS if block.page == page):
        _write(block, tmp_path)
        if block.language == "python":
            done = _python(["-c", block.text], tmp_path, "")
            assert done.returncode == 0, f"{block}\n{done.stderr}"
        if block.language == "console":
            for command, expected in _commands(block.text):
                _run(block, command, expected, tmp_path)


def _write(block: Block, folder: Path) -> None:
    """Write, or change, the file that a block stands for."""
    for key, name in block.says.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if key == "file":
            path.write_text(block.text, encoding="utf-8")
        elif key == "added to":
            path.write_text(f"{path.read_text(encoding='utf-8')}\n{block.text}", encoding="utf-8")
        elif key == "instead in":
            head = re.escape(re.match(r"\w+ \w+", block.text)[0])  # type: ignore[index]
            old = path.read_text(encoding="utf-8")
            new, count = re.subn(rf"^{head}\b.*\n(?: .*\n|\n)*", lambda _: f"{block.text}\n", old, flags=re.MULTILINE)
            assert count == 1, f"{block}: {count} declarations begin with {head}"
            path.write_text(new, encoding="utf-8")


PROGRAMS = {
    "seaspec": ["-c", "import sys; from seaspec.cli.main import main; sys.exit(main())"],
    "pytest": ["-m", "pytest", "-p", "no:seaspec", "-p", "seaspec.cli.pytest_plugin", "-p", "no:cacheprovider"],
}
"""How the programs of transcripts are run. The plugin is there once, whether it is installed or not."""


def _run(block: Block, command: str, expected: str, folder: Path) -> None:
    program, *words = shlex.split(command)
    assert program in PROGRAMS, f"{block}: only {', '.join(PROGRAMS)} are run"
    typed = [line for _, line in _TYPED.findall(expected)]
    done = _python([*PROGRAMS[program], *words], folder, "".join(f"{line}\n" for line in typed))
    printed = "".join(f"{text.rstrip()}\n" for text in (done.stdout + done.stderr).rstrip().split("\n"))
    assert re.fullmatch(_pattern(expected), printed), (
        f"{block}: {command}\n--- printed\n{printed}--- expected\n{expected}"
    )


def _python(arguments: list[str], folder: Path, typed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100"},
    )


def test_the_readme(tmp_path: Path) -> None:
    """It shows the house rule as it stands, what is said of it, commands that exist, and a program that runs."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (rule,) = re.findall(r"^```\n(variant .*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert rule in (ROOT / "rules" / "admiral.sea").read_text(encoding="utf-8")

    program = """if True:  # what is not shown is made short: plays at random, searches for what is never used
        import sys
        from seaspec.cli.checking import schedule, seeking
        from seaspec.cli.main import main
        from seaspec.sampling import comparing
        comparing.PLAYS, seeking.AT_LENGTH, schedule.EXPLORING = 50, 0.5, 300.0
        sys.exit(main())
    """
    done = _python(["-c", program, "check", "rules/admiral.sea", "--plays", "1", "--limit", "0"], ROOT, "")
    shown = re.findall(r"^    (broken: .*|  .*)$", text, re.MULTILINE)
    assert shown and not set(shown) - set(done.stdout.splitlines())

    assert {"check", "play", "why"} < set(re.findall(r"^    seaspec (\w+) ", text, re.MULTILINE)) <= set(COMMANDS)
    (python,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    done = _python(["-c", python], tmp_path, "")
    assert done.returncode == 0, done.stderr


def _named(name: str) -> Any:
    """The values of a block of YAML."""
    (block,) = (block for block in BLOCKS if block.language == "yaml" and block.says.get("name") == name)
    return yaml.safe_load(block.text)


def test_the_workflow_of_ci(tmp_path: Path) -> None:
    """What it runs of SeaSpec runs, and writes the reports that it hands on."""
    for block in (block for block in BLOCKS if block.page.name == "ci.md" and block.language == "sea"):
        _write(block, tmp_path)
    steps = _named("workflow")["jobs"]["check"]["steps"]
    (step,) = (step for step in steps if step.get("run", "").startswith("seaspec "))
    command = step["run"].replace("seaspec", f"{shlex.quote(sys.executable)} -m seaspec", 1)
    env = {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}
    env |= {**step["env"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path / "home")}
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    (kept,) = (step["with"]["path"] for step in steps if step.get("uses", "").startswith("actions/cache@"))
    kept, keys = (Path(path.replace("~", "home")) for path in kept.split())
    assert (tmp_path / kept / "results").is_dir() and (tmp_path / keys / "cache.key").is_file()
    told = [part for step in steps for part in " ".join(map(str, step.get("with", {}).values())).split()]
    assert (tmp_path / "report.xml").is_file() and "report.xml" in told
    assert (tmp_path / "report.sarif").is_file() and "report.sarif" in told


def test_the_hook_of_ci() -> None:
    """It is one that there is."""
    there = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    (repository,) = _named("pre-commit")["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= there
    assert all(re.search(hook["files"], "rules/house.sea") for hook in repository["hooks"])
