"""Plant faults in the engine, and say which of them the tests do not notice.

    make plant                       200 faults, or what FAULTS= says; SEED= draws others
    python tests/plant --help

What is known of a text with a fault is kept in `.plant/` and not tried again; of those that survived, until a test has
changed. Which statements each test runs is found out first, and again for files of tests that have changed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from plant.faults import Fault, faults_of, text_with
from plant.field import ROOT, field, planted, surroundings
from plant.probes import FOLDERS, HITS, Known, Map, modules, put_probes

KEPT = ROOT / ".plant"
HARMLESS = Path(__file__).parent / "harmless.toml"
MOST_TESTS, MOST_SECONDS = 300, 15.0
"""So many tests are run for a fault, and no more than would take so many seconds without it."""
IN_FILE, IN_FUNCTION = 1 / 8, 1
"""Of tests in one file, and of cases of one test, each counts as so much slower than the one before: different ones
look at different things."""


UNNOTICED = ("survived", "never run")


@dataclass(frozen=True, slots=True)
class Tried:
    """What came out for a fault."""

    fault: Fault
    outcome: str
    by: str
    seconds: float

    @property
    def survived(self) -> bool:
        return self.outcome in UNNOTICED

    def __str__(self) -> str:
        where = f"{self.fault.path}:{self.fault.line}"
        by = f" [{self.by}]" if self.by else ""
        return f"{self.outcome:9} {self.seconds:6.1f}s {where} {self.fault.operator}: {self.fault.what}{by}"


def main() -> int:
    given = _arguments()
    KEPT.mkdir(exist_ok=True)
    if not given.as_mapped:
        make_map(given.jobs)
    known = Map.read(KEPT / "map.jsonl", ROOT)
    harmless = {entry["fault"] for entry in tomllib.loads(HARMLESS.read_text(encoding="utf-8")).get("harmless", [])}
    drawn = draw(given.seed, given.faults, given.only)
    tried: list[Tried] = []
    for one in results(drawn, known, harmless, given.jobs, given.patience):
        tried.append(one)
        if not given.json:
            print(one, flush=True)
    print(json.dumps([_told(one) for one in tried], indent=1) if given.json else "\n".join(summary(tried)))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="plant", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--faults", type=int, default=200, help="so many are planted")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--only", default="", help="those in whose path, or in whose text, this stands")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many processes")
    parser.add_argument("--patience", type=float, default=1, help="so many times as many tests are run for a fault")
    parser.add_argument("--as-mapped", action="store_true", help="do not look again which test runs what")
    parser.add_argument("--json", action="store_true", help="all that was found, as data")
    return parser.parse_args()


def _told(one: Tried) -> dict[str, Any]:
    fault = one.fault
    return {
        "file": fault.path, "line": fault.line, "operator": fault.operator, "fault": fault.what,
        "outcome": one.outcome, "by": one.by, "seconds": one.seconds,
    }  # fmt: skip


def summary(tried: Sequence[Tried]) -> Iterator[str]:
    """How many survive, in all and by folder."""
    yield ""
    for one in tried:
        if one.survived:
            yield str(one)
    count = Counter(one.outcome for one in tried)
    yield ", ".join(f"{number} {outcome}" for outcome, number in count.most_common())
    counted = [one for one in tried if one.outcome != "harmless"]
    for folder in FOLDERS:
        here = [one.survived for one in counted if one.fault.path.startswith(f"seaspec/{folder}/")]
        if here:
            yield f"{folder:22} {sum(here):3} of {len(here):4} survive"
    survived = sum(one.survived for one in counted)
    yield f"{survived} of {len(counted)} survive: {100 * survived / max(1, len(counted)):.1f} %"


# -------------------------------------------------------------------------------------------------------- the sample


def draw(seed: int, count: int, only: str = "") -> list[Fault]:
    """Faults of all folders; of a folder with four times as many, twice as many. The first ones are the same whatever
    the count, and most of them whatever else has changed in the engine."""
    found: dict[str, list[Fault]] = {folder: [] for folder in FOLDERS}
    for path in modules(ROOT):
        folder = next(f for f in FOLDERS if path.is_relative_to(ROOT / "seaspec" / f))
        found[folder] += [one for one in faults_of(ROOT, path) if only in one.path or only in one.what]

    def turns(faults: list[Fault]) -> Iterator[tuple[float, str, Fault]]:
        by_chance = sorted((sha256(f"{seed} {one.what}".encode()).hexdigest(), number, one) for number, one in
                           enumerate(faults))  # fmt: skip
        for turn, (chance, _, one) in enumerate(by_chance, 1):
            yield turn / len(faults) ** 0.5, chance, one

    return [one for _, _, one in merge(*map(turns, found.values()), key=lambda entry: entry[:2])][:count]


# ---------------------------------------------------------------------------------------------------------- the map


LEFT_OUT = (
    "test_admiral", "test_anchors", "test_architecture", "test_bench", "test_calls_at_random", "test_calm_peer",
    "test_calm_peer_c", "test_cluster", "test_docs", "test_every_stack", "test_fuzz", "test_fuzz_parse", "test_grammar",
    "test_house_rules", "test_library", "test_merge", "test_pirate_bay", "test_plant", "test_properties",
    "test_pytest_plugin", "test_sea_lords", "test_sea_lords_agreement", "test_sea_lords_house_agreement",
    "test_sea_lords_peer", "test_sea_lords_peer_c", "test_sea_lords_scores", "test_strategies",
    "test_tiny_calm",
)  # fmt: skip
"""Files of tests that run no engine, or large games by chance at length: what they alone notice is not noticed while
one works, and wants a quicker test."""
TYPES = "the type checker"
"""What looks at a fault that no test has noticed."""
AT_ONCE = 6
"""So many files of tests are collected in one go."""


def make_map(jobs: int) -> None:
    """Find out which statements each test runs, for files of tests that are new or changed."""
    done_path, map_path = KEPT / "mapped.json", KEPT / "map.jsonl"
    done: dict[str, str] = json.loads(done_path.read_text(encoding="utf-8")) if done_path.exists() else {}
    paths = [path for path in sorted((ROOT / "tests").glob("test_*.py")) if path.stem not in LEFT_OUT]
    paths += [path for path in modules(ROOT) if "    >>> " in path.read_text(encoding="utf-8")]
    files = {path.relative_to(ROOT).as_posix(): _digest([path]) for path in paths}
    waiting = [name for name, digest in files.items() if done.get(name) != digest]
    if not waiting:
        return
    print(f"which statements are run by the tests in {len(waiting)} files", file=sys.stderr)
    with field() as root:
        put_probes(root)
        hits = (root / HITS).read_bytes()
        running: dict[int, tuple[list[str], subprocess.Popen[bytes]]] = {}
        while waiting or running:
            while waiting and len(running) < jobs:
                number = len(waiting)
                names, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
                own = root / f"{HITS}-{number}"
                own.write_bytes(hits)
                around = surroundings(root) | {"PLANT_HITS": str(own), "PLANT_MAP": str(map_path)}
                command = [*PYTEST, "-p", "plant.recording", *names]
                running[number] = names, subprocess.Popen(command, cwd=root, env=around, stdout=subprocess.DEVNULL)
            for number, (names, process) in list(running.items()):
                if process.poll() is not None:
                    del running[number]
                    if process.returncode in (0, 1):  # else it was stopped
                        done |= {name: files[name] for name in names}
                    done_path.write_text(json.dumps(done, indent=1), encoding="utf-8")
            time.sleep(0.2)


PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")


def _digest(paths: Sequence[Path]) -> str:
    found = sha256()
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def chosen(fault: Fault, known: Map, patience: float, noticed: Mapping[str, int]) -> list[Known]:
    """The tests that may notice a fault: quick ones first, such as run little else, and such as have noticed others; of
    many files."""
    running = [known.tests[number] for number in known.running(fault.place, fault.statement)]
    slow = {
        test.test: (test.seconds + 0.02) * (test.breadth + 100) ** 0.5 / (1 + noticed.get(test.test, 0)) ** 0.5
        for test in running
    }
    running.sort(key=lambda test: slow[test.test])
    met: Counter[str] = Counter()
    ranked = []
    for test in running:
        file, function = test.test.split("::")[0], test.test.split("[")[0]
        met.update((file, function))
        ranked.append((slow[test.test] * (1 + met[file] * IN_FILE + met[function] * IN_FUNCTION), test))
    found: list[Known] = []
    seconds = 0.0
    for _, test in sorted(ranked, key=lambda entry: (entry[0], entry[1].test)):
        if len(found) < MOST_TESTS and (not found or seconds + test.seconds + 0.05 <= MOST_SECONDS * patience):
            found.append(test)
            seconds += test.seconds + 0.05
    return found


# --------------------------------------------------------------------------------------------------------- the trial


def results(drawn: Sequence[Fault], known: Map, harmless: set[str], jobs: int, patience: float) -> Iterator[Tried]:
    """What comes out for each fault, as it comes."""
    kept = KEPT / "results.jsonl"
    old = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.exists() else []
    tests_now = _digest(sorted(path for path in (ROOT / "tests").rglob("*") if path.suffix in (".py", ".sea")))
    before = {one["key"]: one for one in old}
    noticed = Counter(one["by"] for one in old)
    todo: list[tuple[Fault, str, str, list[Known]]] = []
    for fault in drawn:
        text = text_with(ROOT, fault)
        key = sha256(f"{fault.path} {text}".encode()).hexdigest()
        if fault.what in harmless:
            yield Tried(fault, "harmless", "", 0)
        elif key in before and (before[key]["outcome"] not in UNNOTICED or before[key]["now"] == tests_now):
            yield Tried(fault, before[key]["outcome"], before[key]["by"], before[key]["seconds"])
        else:
            todo.append((fault, text, key, chosen(fault, known, patience, noticed)))

    def keep(fault: Fault, key: str, outcome: str, by: str, seconds: float) -> Tried:
        told = {"key": key, "outcome": outcome, "by": by, "seconds": seconds, "fault": fault.what, "now": tests_now}
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")
        return Tried(fault, outcome, by, seconds)

    with field() as root, tempfile.TemporaryDirectory(prefix="seaspec-plant-") as folder:
        unnoticed: list[tuple[Fault, str, str, float]] = []
        doubtful: list[tuple[Fault, str, str, list[Known]]] = []
        by_key = {one[2]: one for one in todo}
        tasks = []
        for fault, text, key, tests in todo:
            (Path(folder) / key).write_text(text, encoding="utf-8")
            if tests:
                tasks.append(_task(fault, key, str(Path(folder) / key), tests, root))
            else:
                unnoticed.append((fault, key, "never run", 0))
        for key, found in _trials(tasks, root, Path(folder), jobs):
            fault, text, key, tests = by_key[key]
            comes_late = found["outcome"] == "survived" and (fault.place, fault.statement) in known.loading
            if comes_late or found["outcome"] == "elsewhere":
                doubtful.append((fault, text, key, tests))
            elif found["outcome"] in UNNOTICED:
                unnoticed.append((fault, key, found["outcome"], found["seconds"]))
            else:
                yield keep(fault, key, found["outcome"], found["by"], found["seconds"])
        for fault, text, key, tests in doubtful:
            with planted(root / fault.path, text):
                task = _task(fault, key, "", tests, root)
                ((_, found),) = _trials([task], root, Path(folder), 1)
            if found["outcome"] in UNNOTICED:
                unnoticed.append((fault, key, found["outcome"], found["seconds"]))
            else:
                yield keep(fault, key, found["outcome"], found["by"], found["seconds"])
        texts = {(fault.path, key): (Path(folder) / key).read_text(encoding="utf-8") for fault, key, *_ in unnoticed}
        wrong = _without_types(root, texts)
        for fault, key, outcome, seconds in unnoticed:
            is_noticed = (fault.path, key) in wrong
            yield keep(fault, key, "noticed" if is_noticed else outcome, TYPES if is_noticed else "", seconds)


Planting = tuple[str, str]
"""A file, and which text it gets."""


def _without_types(root: Path, texts: Mapping[Planting, str]) -> set[Planting]:
    """Of texts with faults those in which the type checker finds something; it looks at one of each file in one go.
    What it is told to ignore is lost from a text that is written anew, so such files are not looked at."""
    wrong: set[Planting] = set()
    waiting = [one for one in texts if "type: ignore" not in (root / one[0]).read_text(encoding="utf-8")]
    while waiting:
        at_once = {path: (path, key) for path, key in waiting}
        complained = _complained(root, {path: texts[one] for path, one in at_once.items()})
        if complained <= at_once.keys():
            wrong |= {at_once[path] for path in complained}
        else:  # somebody else is not content with one of these
            wrong |= {one for path, one in at_once.items() if _complained(root, {path: texts[one]})}
        waiting = [one for one in waiting if at_once[one[0]] != one]
    return wrong


def _complained(root: Path, texts: Mapping[str, str]) -> set[str]:
    """The files in which the type checker finds something wrong."""
    command = [sys.executable, "-m", "mypy", "seaspec", "--cache-dir", str(KEPT / "types"), "--no-error-summary"]
    with ExitStack() as stack:
        for path, text in texts.items():
            stack.enter_context(planted(root / path, text))
        done = subprocess.run(command, cwd=root, env=surroundings(root), capture_output=True, text=True)
    return {line.split(":")[0] for line in done.stdout.splitlines() if ": error:" in line}


def _task(fault: Fault, key: str, text: str, tests: Sequence[Known], root: Path) -> dict[str, Any]:
    """What trial.py has to know of a fault."""
    return {
        "key": key, "path": fault.path, "text": text, "file": str(root / fault.path),
        "module": fault.path.removesuffix(".py").replace("/", "."), "function": fault.place.function,
        "tests": [test.test for test in tests], "seconds": {test.test: test.seconds for test in tests},
    }  # fmt: skip


def _trials(
    tasks: Sequence[dict[str, Any]], root: Path, folder: Path, jobs: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What comes out for each of these, by its key."""
    if not tasks:
        return
    work, out = folder / "work.json", folder / "out.jsonl"
    work.write_text(json.dumps(tasks), encoding="utf-8")
    out.write_text("", encoding="utf-8")
    around = surroundings(root) | {"PLANT_WORK": str(work), "PLANT_OUT": str(out), "PLANT_JOBS": str(jobs)}
    files = sorted({test.split("::")[0] for task in tasks for test in task["tests"]})
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*PYTEST, "-p", "plant.trial", *files], cwd=root, env=around, stdout=log, stderr=log)
    read = 0
    while True:
        ended = process.poll() is not None
        lines = out.read_text(encoding="utf-8").splitlines()
        for line in lines[read:]:
            found = json.loads(line)
            yield found["key"], found
        read = len(lines)
        if ended:
            break
        time.sleep(0.2)
    if read < len(tasks) and tasks[0]["text"]:
        raise SystemExit((folder / "log").read_text(encoding="utf-8")[-3000:])
    if not read:  # with this fault the tests can not even be loaded
        yield tasks[0]["key"], {"outcome": "noticed", "by": "loading", "seconds": 0.0}


if __name__ == "__main__":
    sys.exit(main())
