"""What was measured, as a page of Markdown with a plot beside it. Medians; ratios are taken round by round."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import log10
from pathlib import Path

from checking import Check
from contests import Contest, Effort, Unit
from measuring import Measured, Sample, Spread, exponent

Played = tuple[Contest, list[Measured]]


@dataclass(frozen=True, slots=True)
class Start:
    """From text to first move: with nothing cached, and again."""

    game: str
    cold: Measured
    warm: Measured


@dataclass(frozen=True, slots=True)
class Grown:
    """A game in several sizes: for each its plays, and its start."""

    title: str
    sizes: tuple[int, ...]
    plays: list[Measured]
    starts: list[Measured]


@dataclass(slots=True)
class Results:
    """All that was measured in a run."""

    effort: Effort
    plays: list[Played] = field(default_factory=list)
    searches: list[Played] = field(default_factory=list)
    proofs: list[Played] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    growths: list[Grown] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def anything(self) -> bool:
        """Whether something was measured at all."""
        return bool(self.plays or self.searches or self.proofs or self.starts or self.growths or self.checks)


def page(results: Results, plot: str) -> str:
    """The whole page; `plot` is the name of the picture."""
    effort = results.effort
    rounds = f"{effort.rounds} round{'s' * (effort.rounds != 1)} of {effort.seconds:g} s each"
    lines = [
        "# Benchmarks",
        "",
        "This page is written by `make bench`, which measures all of it in one run. Each program is a process of its",
        "own on one core; it warms up, works for some seconds of processor time, and prints what it has done. The",
        f"engines of a table take turns: {rounds}. A number is the median, with the least and",
        "the greatest behind it. `SeaSpec is`: how many times as fast it is as that engine, round by round. Compare",
        "ratios; absolute numbers depend on the machine, and on what else it does.",
        "",
        *(["A quick run: these numbers are rough.", ""] if effort.quick else []),
        f"{datetime.date.today().isoformat()}, {machine()}",
        "",
        f"![speed of random plays]({plot})",
        "",
        "## Random plays",
        "",
        *_play_table(results.plays),
        "",
        "## Worlds explored completely",
        "",
        "Steps are the moves (in Tiny Calm whole turns, with payment and draw) of the whole world, as the peer counts",
        "them, whatever an engine passes through in between.",
        "",
        *_search_table(results.searches),
        "",
        "## Promises proved",
        "",
        "For all positions, by Z3, on one core, without what was kept from before: all promises of the rules that can",
        "be proved at all are tried together. Three encodings: types of few values are written out and the others are",
        "quantified, then, where that does not help, all are written out; everything quantified; everything written",
        "out. A simulator tests, it proves nothing.",
        "",
        *_proof_table(results.proofs),
        "",
        "## From the text to the first move",
        "",
        "Seconds of processor time in a new process. Cold: nothing is cached, neither the grammar nor Python's",
        "bytecode. Warm: what the cold run left in the caches is there.",
        "",
        *_start_table(results.starts),
        "",
        "## From the command to the news",
        "",
        "Seconds by the clock, on all cores, that an author of a house rule waits for `seaspec check --quick`: with",
        "nothing in the cache; with nothing changed since (what was found is told again); and with a changed line.",
        "",
        *_check_table(results.checks),
        "",
        "## Growth",
        "",
        "The exponent k, fitted over all sizes, and that of the last step: time goes as size to the power of k.",
        "",
        *_growth_table(results.growths),
        "",
        "## Versions",
        "",
        *(f"- {version}" for version in results.versions.values()),
    ]
    return "\n".join(lines) + "\n"


def machine() -> str:
    """The processor, as the system names it, and Python."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        processor = names[0] if names else processor
    system = f"{platform.system()} {platform.machine()}"
    return f"{processor}, {os.cpu_count()} cores, {system}, Python {platform.python_version()}"


def rate(sample: Sample, contest: Contest) -> float:
    """What is compared: plies, plays or explorations a second."""
    if "plays" not in sample:
        return 1 / sample["seconds"]
    return sample["plies" if contest.unit is Unit.PLIES else "plays"] / sample["seconds"]


def base_of(results: Sequence[Measured]) -> Measured | None:
    """The first of SeaSpec's engines that ran."""
    return next((m for m in results if m.contender.ours and m.samples), None)


def reference_of(results: Sequence[Measured]) -> Sample | None:
    """A sample of the first peer that ran: it says what a ply, or a step, is."""
    peers = [m for m in results if m.samples and not m.contender.ours]
    return peers[0].samples[0] if peers else None


def ratio(contest: Contest, measured: Measured, base: Measured | None) -> str:
    """How many times as fast SeaSpec is."""
    if base is None or measured is base or not measured.samples:
        return ""
    pairs = zip(base.samples, measured.samples, strict=True)
    return f"{_short(Spread.of([rate(a, contest) / rate(b, contest) for a, b in pairs]).median)}×"


def plies_a_second(contest: Contest, results: Sequence[Measured], measured: Measured) -> Spread | None:
    """Plies as the first peer counts them, where engines differ; nothing if there is none."""
    if contest.unit is Unit.PLIES:
        return Spread.of([s["plies"] / s["seconds"] for s in measured.samples])
    reference = reference_of(results)
    if reference is None:
        return None
    length = reference["plies"] / reference["plays"]
    return Spread.of([s["plays"] / s["seconds"] * length for s in measured.samples])


def _play_table(played: Iterable[Played]) -> Iterator[str]:
    yield "| game | engine | plies/s | from .. to | plays/s | SeaSpec is |"
    yield "|---|---|--:|--:|--:|--:|"
    notes = []
    for contest, results in played:
        base = base_of(results)
        for number, measured in enumerate(results):
            game = "" if number else f"**{contest.title}**"
            engine = measured.contender.engine
            if not measured.samples:
                yield f"| {game} | {engine} | not measured: {_cell(measured.why)} ||||"
                continue
            plays = Spread.of([s["plays"] / s["seconds"] for s in measured.samples])
            plies = plies_a_second(contest, results, measured)
            batch = f", batch of {measured.samples[0]['batch']:.0f}" if "batch" in measured.samples[0] else ""
            faster = ratio(contest, measured, base)
            speed = f"{_short(plies.median)} | {_short(plies.low)} .. {_short(plies.high)}" if plies else "|"
            yield f"| {game} | {engine}{batch} | {speed} | {_short(plays.median)} | {faster} |"
        if contest.note:
            notes.append(f"{contest.title}: {contest.note}")
    yield from (f"\n{note}" for note in notes)


def _search_table(searched: Iterable[Played]) -> Iterator[str]:
    yield "| world | engine | seconds | from .. to | positions it keeps | bytes each | steps/s | SeaSpec is |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for contest, results in searched:
        base, reference = base_of(results), reference_of(results)
        for number, measured in enumerate(results):
            world = "" if number else f"**{contest.title}**"
            engine = measured.contender.engine
            if not measured.samples:
                yield f"| {world} | {engine} | not measured: {_cell(measured.why)} ||||||"
                continue
            sample = measured.samples[0]
            seconds = Spread.of([s["seconds"] for s in measured.samples])
            steps = f"{_short(reference['steps'] / seconds.median)}" if reference else ""
            each = f"{sample['bytes'] / sample['positions']:.0f}" if "bytes" in sample else ""
            spread = f"{seconds.low:.3g} .. {seconds.high:.3g}"
            cells = f"{seconds.median:.3g} | {spread} | {sample['positions']:,.0f} | {each} | {steps}"
            yield f"| {world} | {engine} | {cells} | {ratio(contest, measured, base)} |"


def _proof_table(proved: Iterable[Played]) -> Iterator[str]:
    yield "| rules | engine | seconds | promises | proved | seconds a promise |"
    yield "|---|---|--:|--:|--:|--:|"
    for contest, results in proved:
        for number, measured in enumerate(results):
            rules = "" if number else f"**{contest.title}**"
            engine = measured.contender.engine
            if not measured.samples:
                yield f"| {rules} | {engine} | not measured: {_cell(measured.why)} ||||"
                continue
            sample = measured.samples[0]
            shown = f"{sample['proved']:.0f}" if "proved" in sample else "tested"
            each = _short(sample["seconds"] / max(1, sample["promises"]))
            yield f"| {rules} | {engine} | {_short(sample['seconds'])} | {sample['promises']:.0f} | {shown} | {each} |"


def _start_table(starts: Iterable[Start]) -> Iterator[str]:
    steps = ("read", "lower", "compile", "move")
    yield "| game | cold: read | lower | compile | first move | with imports | warm: read | compile | with imports |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for start in starts:
        if not start.cold.samples or not start.warm.samples:
            yield f"| {start.game} | not measured: {_cell(start.cold.why or start.warm.why)} ||||||||"
            continue
        cold = [f"{_median(start.cold, step):.3f}" for step in (*steps, "seconds")]
        warm = [f"{_median(start.warm, step):.3f}" for step in ("read", "compile", "seconds")]
        yield f"| {start.game} | {' | '.join([*cold, *warm])} |"


def _check_table(checks: Sequence[Check]) -> Iterator[str]:
    yield "| house rule | cold: news | the break | the end | unchanged | edited: news | the break | the end |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for check in checks:
        if check.cold is None or check.unchanged is None or check.edited is None:
            yield f"| {check.name} | not measured: {_cell(check.why)} |||||||"
            continue
        cold, edited = (_waited((w.news, w.broken, w.end)) for w in (check.cold, check.edited))
        yield f"| {check.name} | {cold} | {_waited([check.unchanged.end])} | {edited} |"
    for column, name in (("cold", "with an empty cache"), ("edited", "after a change")):
        found = [waited.broken for check in checks if (waited := getattr(check, column)) and waited.broken is not None]
        if found:
            yield f"| **median until the break, {name}: {Spread.of(found).median:.1f}** ||||||||"


def _waited(seconds: Iterable[float | None]) -> str:
    return " | ".join("" if each is None else f"{each:.1f}" for each in seconds)


def _growth_table(growths: Iterable[Grown]) -> Iterator[str]:
    yield "| what grows | size | nanoseconds a ply | k | last step | compile, s | k | last step |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for grown in growths:
        whys = [m.why for m in (*grown.plays, *grown.starts) if not m.samples]
        if whys:
            yield f"| {grown.title} | not measured: {_cell(whys[0])} |||||||"
            continue
        plies = [Spread.of([1e9 * s["seconds"] / s["plies"] for s in m.samples]).median for m in grown.plays]
        compiles = [_median(m, "compile") for m in grown.starts]
        for number, (size, ply, compiled) in enumerate(zip(grown.sizes, plies, compiles, strict=True)):
            title = "" if number else f"**{grown.title}**"
            ply_k, compile_k = ("|", "|") if number else (_exponents(grown.sizes, v) for v in (plies, compiles))
            yield f"| {title} | {size} | {_short(ply)} | {ply_k} | {compiled:.3f} | {compile_k} |"


def _exponents(sizes: Sequence[float], values: Sequence[float]) -> str:
    """Of all sizes, and of the last two."""
    return f"{exponent(sizes, values):.2f} | {exponent(sizes[-2:], values[-2:]):.2f}"


def _median(measured: Measured, name: str) -> float:
    return Spread.of([s[name] for s in measured.samples]).median


def _short(value: float) -> str:
    """
    >>> _short(1234567), _short(45_612), _short(12.345), _short(0.01234)
    ('1.23 M', '45,600', '12.3', '0.0123')
    """
    if value >= 1e6:
        return f"{value / 1e6:.3g} M" if value < 1e9 else f"{value / 1e6:,.0f} M"
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def _cell(text: str) -> str:
    return text.replace("|", "/")


# ------------------------------------------------------------------------------------------------------ the picture

LEFT, WIDTH, BAR, GAP, TOP = 250, 900, 15, 14, 40
COLOURS = {True: "#1f6f8b", False: "#b8c4c9"}


def picture(played: Sequence[Played]) -> str:
    """Bars of plies a second, on a logarithmic scale: ours are dark."""
    bars: list[tuple[float, str, str, float, bool]] = []
    titles: list[tuple[float, str]] = []
    y = float(TOP)
    for contest, results in played:
        titles.append((y + BAR - 3, contest.title))
        y += BAR + 3
        for measured in results:
            plies = plies_a_second(contest, results, measured) if measured.samples else None
            if plies:
                contender = measured.contender
                bars.append((y, contender.engine, _short(plies.median), plies.median, contender.ours))
                y += BAR + 2
        y += GAP
    values = [bar[3] for bar in bars] or [1.0]
    low, high = int(log10(min(values))), int(log10(max(values))) + 1

    def x(value: float) -> float:
        return LEFT + (log10(value) - low) / (high - low) * (WIDTH - LEFT - 80)

    size, font = f'viewBox="0 0 {WIDTH} {y:.0f}"', 'font-family="sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>',
        f'<rect width="{WIDTH}" height="{y:.0f}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP - 8}" x2="{at:.1f}" y2="{y - GAP:.1f}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{TOP - 14}" text-anchor="middle" fill="#555555">{_short(10.0**power)}</text>'
        )
    parts.append(f'<text x="10" y="{TOP - 14}" fill="#555555">plies a second, one core</text>')
    parts += [f'<text x="10" y="{at:.1f}" font-weight="bold">{escape(title)}</text>' for at, title in titles]
    for at, engine, label, value, ours in bars:
        parts.append(f'<text x="{LEFT - 8}" y="{at + BAR - 3:.1f}" text-anchor="end">{escape(engine)}</text>')
        length = max(1.0, x(value) - LEFT)
        parts.append(f'<rect x="{LEFT}" y="{at:.1f}" width="{length:.1f}" height="{BAR}" fill="{COLOURS[ours]}"/>')
        parts.append(f'<text x="{LEFT + length + 5:.1f}" y="{at + BAR - 3:.1f}">{label}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
