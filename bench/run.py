"""Measures SeaSpec against its peers, all in one run, and writes docs/benchmarks.md with a plot.

python bench/run.py             what `make bench` does: installs the peers into bench/.env, and measures for a while
python bench/run.py --quick     about a minute, once the peers are installed; the page is only printed
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import checking
import contests
import installing
import report
from measuring import Measured, measure_all

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure SeaSpec against its peers, on processor time.")
    parser.add_argument("--quick", action="store_true", help="rough numbers, in about a minute")
    parser.add_argument("--seconds", type=positive, help="processor time of a measurement (2; quick: 0.3)")
    parser.add_argument("--rounds", type=rounds, help="rounds of each contest (5; quick: 1)")
    parser.add_argument("--peers", choices=("all", "c"), default="all", help="c: only those compiled here from C")
    parser.add_argument("--only", default="", metavar="TEXT", help="only contests whose title has this text")
    parser.add_argument("--output", type=Path, help="where the page goes (docs/benchmarks.md; quick: nowhere)")
    given = parser.parse_args(words)
    quick = given.quick
    effort = contests.Effort(given.seconds or (0.3 if quick else 2.0), given.rounds or (1 if quick else 5), quick)
    output = given.output or (None if quick else DOCS / "benchmarks.md")
    tools = installing.install() if given.peers == "all" else installing.none("only peers in C were asked for")
    with tempfile.TemporaryDirectory() as folder:
        results = run(tools, Path(folder), effort, given.only.casefold())
    if not results.anything:
        parser.error(f"no contest has '{given.only}' in its title")
    plot = (output or Path("benchmarks.md")).with_suffix(".svg")
    text = report.page(results, plot.name)
    print(text)
    if output is not None:
        _write(plot, report.picture(results.plays))
        _write(output, text)
        tell(f"written: {output}, {plot}")
    return 0


def run(tools: installing.Tools, folder: Path, effort: contests.Effort, only: str) -> report.Results:
    """All measurements; `folder` is for programs and caches."""
    results = report.Results(effort, versions=installing.versions(tools))

    def wanted(title: str) -> bool:
        return only in title.casefold()

    for contest in contests.play_contests(tools, folder, effort):
        if wanted(contest.title):
            tell(contest.title)
            results.plays.append((contest, measure_all(contest.contenders, effort.rounds)))
    for contest in contests.search_contests(tools, folder, effort):
        if wanted(contest.title):
            tell(contest.title)
            results.searches.append((contest, measure_all(contest.contenders, effort.rounds)))
    for contest in contests.proof_contests(tools, effort):
        if wanted(f"proofs {contest.title}"):
            tell(f"proofs: {contest.title}")
            results.proofs.append((contest, measure_all(contest.contenders, 1)))
    for number, (title, spec) in enumerate(games(effort)):
        if wanted(f"start {title}"):
            tell(f"from text to first move: {title}")
            results.starts.append(started(title, spec, folder / f"start {number}", effort))
    for name, path in list(checking.files())[: 1 if effort.quick else None]:
        if wanted(f"check {name}"):
            tell(f"check: {name}")
            results.checks.append(checking.checked(path, name))
    for growth in contests.growths(effort):
        if wanted(f"growth {growth.title}"):
            tell(f"growth: {growth.title}")
            results.growths.append(grown(growth, folder, effort))
    return results


def games(effort: contests.Effort) -> Iterator[tuple[str, Path]]:
    """The games whose start is measured: all there are."""
    specs = [*sorted(contests.SPEC.glob("*.sea")), *sorted(contests.ANCHORS.glob("*.sea"))]
    for spec in specs[:2] if effort.quick else specs:
        text = spec.read_text(encoding="utf-8")
        if text.startswith("game ") or "\ngame " in text:
            yield spec.stem, spec


def started(title: str, spec: Path, folder: Path, effort: contests.Effort) -> report.Start:
    """Pairs of a cold start and a warm one, each with a cache of its own."""
    cold: list[Measured] = []
    warm: list[Measured] = []
    for number in range(effort.rounds):
        contender = contests.seaspec_start(spec, (), folder / str(number))
        cold += measure_all([contender], rounds=1)
        warm += measure_all([contender], rounds=1)
    return report.Start(title, joined(cold), joined(warm))


def grown(growth: contests.Growth, folder: Path, effort: contests.Effort) -> report.Grown:
    """Plays of each size, in turn, and cold starts."""
    sizes = [size for size, _ in growth.sizes]
    plays = [contests.seaspec_plays(growth.spec, options, effort.seconds) for _, options in growth.sizes]
    starts: list[list[Measured]] = [[] for _ in sizes]
    for number in range(effort.rounds):
        for found, (size, options) in zip(starts, growth.sizes, strict=True):
            cache = folder / f"{growth.spec.stem} {size} {number}"
            found += measure_all([contests.seaspec_start(growth.spec, options, cache)], rounds=1)
    return report.Grown(growth.title, tuple(sizes), measure_all(plays, effort.rounds), [joined(f) for f in starts])


def joined(found: list[Measured]) -> Measured:
    """Samples that belong together; none if one is missing."""
    why = next((m.why for m in found if m.why), "")
    return Measured(found[0].contender, [] if why else [s for m in found for s in m.samples], why)


def positive(text: str) -> float:
    """A number of seconds."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def rounds(text: str) -> int:
    """A number of rounds."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def tell(text: str) -> None:
    """Say how far it is."""
    print(text, file=sys.stderr, flush=True)


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        tell("stopped: nothing is written")
        sys.exit(130)
