"""The picture of architecture.md: how a promise travels from text to verdict. Light or dark, as its reader has it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

STYLE = """\
svg { --ground: #fbfaf6; --box: #ffffff; --line: #52606d; --ink: #1f2933; --soft: #52606d; --kept: #d8ecd9; --bad: #f6d9d5 }
@media (prefers-color-scheme: dark) {
svg { --ground: #15191e; --box: #212830; --line: #8fa1b3; --ink: #e6ebf0; --soft: #a9b8c6; --kept: #23452b; --bad: #552b27 } }
text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; fill: var(--ink) }
.head { font-weight: bold } .soft { fill: var(--soft); font-size: 11px }
rect { fill: var(--box); stroke: var(--line); rx: 5px } .kept { fill: var(--kept) } .bad { fill: var(--bad) }
path { stroke: var(--line); fill: none } marker path { fill: var(--line) } .ground { fill: var(--ground); stroke: none }"""


class Box(NamedTuple):
    """A head, and softer lines below: the words of the literature, the folder. `kind`: how it is filled."""

    x: int
    y: int
    width: int
    head: str
    lines: tuple[str, ...] = ()
    kind: str = ""

    @property
    def height(self) -> int:
        return 26 + 16 * len(self.lines)

    def drawn(self) -> Iterator[str]:
        yield f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="{self.height}" class="{self.kind}"/>'
        yield f'<text x="{self.x + 9}" y="{self.y + 18}" class="head">{escape(self.head)}</text>'
        for number, line in enumerate(self.lines, 1):
            yield f'<text x="{self.x + 9}" y="{self.y + 18 + 16 * number}" class="soft">{escape(line)}</text>'


TEXT = Box(15, 40, 215, "text", ("invariant low: level <= 9", "grammar/, syntax/"))
CORE = Box(252, 40, 215, "core", ("names, types, options fixed", "check/"))
FLOW = Box(489, 40, 215, "flow graph", ("steps between nodes", "passes/"))
CONE = Box(726, 40, 215, "analyses", ("what may change, what is read", "analysis/"))
EXAMPLES = Box(15, 170, 215, "examples", ("what the author worked out", "examples/"))
PLAYS = Box(252, 170, 215, "random plays", ("runtime verification;", "two runs: self-composition", "sampling/"))
WORLDS = Box(489, 170, 215, "all positions", ("explicit-state model checking,", "of the game or a small world", "explore/"))
PROOF = Box(726, 170, 215, "proof", ("inductive invariants;", "calls: summaries, havoc", "prove/"))
MINED = Box(20, 330, 165, "miners/", ("candidate mining:", "guesses may be rough"))
SEEN = Box(210, 330, 165, "refute.py", ("plays throw out", "what is false"))
LOOP = Box(400, 330, 165, "houdini.py", ("dropped until the rest", "is kept by every path"))
BACK = Box(590, 330, 165, "lookback.py", ("k-induction:", "several steps in a row"))
ASKED = Box(776, 330, 165, "entail.py", ("SMT-LIB to Z3;", "only `unsat` counts"))
BROKEN = Box(15, 480, 215, "broken", ("the shortest play, blame,", "verdict/"), "bad")
TESTED = Box(252, 480, 215, "tested, witnessed", ("nothing is decided:", "no play has broken it"))
EXHAUSTIVE = Box(489, 480, 215, "exhaustive, bounded", ("all positions, or all", "of those that were reached"), "kept")
PROVED = Box(726, 480, 215, "proved", ("audit/: says it something?", "a second solver; explain/: why"), "kept")
ROW = (TEXT, CORE, FLOW, CONE)
LEVELS = (EXAMPLES, PLAYS, WORLDS, PROOF)
ENGINE = (MINED, SEEN, LOOP, BACK, ASKED)
ENDS = (BROKEN, TESTED, EXHAUSTIVE, PROVED)


def travel() -> str:
    """The picture as SVG."""
    parts = [part for box in (*ROW, *LEVELS, *ENGINE, *ENDS) for part in box.drawn()]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="580" viewBox="0 0 960 580">',
            "<title>How a promise travels from text to verdict</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0,0L8,4L0,8z"/></marker></defs>',
            '<rect width="960" height="580" class="ground"/>',
            _said(20, 26, "what is said"),
            _said(20, 156, "each level decides what it can; what is open goes on to the right"),
            _said(20, 316, "the loop of a proof: what is dropped may take with it what rested on it, so all is asked again"),
            _said(20, 466, "the verdict: never called more than it is"),
            *(_right(one, other) for boxes in (ROW, LEVELS, ENGINE) for one, other in zip(boxes, boxes[1:], strict=False)),
            _way((596, 98), (596, 128), (122, 128), (122, 170)),
            *(_way((box.x + 107, 128), (box.x + 107, 170)) for box in LEVELS[1:3]),
            _way((596, 128), (833, 128), (833, 170)),
            _way((833, 244), (833, 286), (100, 286), (100, 330)),
            _way((480, 388), (480, 416), (100, 416), (100, 388)),
            _way((860, 388), (860, 480)),
            _way((575, 244), (575, 480)),
            _way((385, 244), (385, 480)),
            _way((122, 228), (122, 252), (7, 252), (7, 508), (15, 508)),
            *parts,
            "</svg>\n",
        ]
    )


def _said(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" class="soft">{escape(text)}</text>'


def _right(one: Box, other: Box) -> str:
    return _way((one.x + one.width, one.y + 29), (other.x, one.y + 29))


def _way(*points: tuple[int, int]) -> str:
    return f'<path d="M{"L".join(f"{x},{y}" for x, y in points)}" marker-end="url(#tip)"/>'
