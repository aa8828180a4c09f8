"""Threads that stay in machine code while work comes in rounds, one right after the other.

A round takes some milliseconds: too little for threads that are woken for it, since they wake on the processor of the
one who wakes them. So helpers come by themselves: in `attend` they look for a moment whether a gate is open, else they
nap, and come again. `lead` opens the gate, works too, and closes it; then it waits for those who are inside. All take
the number of the next job from one counter, so nobody has to come, and on a busy machine nobody is waited for who has
not begun.

    gate    SHUT, and 1 for each helper that is inside
    kind    which function does the round's jobs: its arguments are jobs, count, the counter, lanes, among
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from seaspec.backends.native.assembly import Code
from seaspec.backends.native.explore.memory import Job, Room, Words
from seaspec.backends.native.values.unit import Unit

CREW = Words("gate kind next jobs count lanes among")
SHUT = -(1 << 32)
LOOKS = 200_000
"""So often one looks at the gate before one naps: a tenth of a millisecond."""
NAP = 0.0001


def write_crew(unit: Unit, kinds: list[str]) -> None:
    """`lead(crew)` and `attend(crew)`, with functions for the kinds of work."""
    _write_work(unit, kinds)
    lead = Code("lead", "i64", [("ptr", "%crew")], attributes="")
    gate = lead.offset("%crew", CREW["gate"])
    # Opened by adding, not by storing: a helper that came to the shut gate may not have gone away yet.
    lead.value(f"atomicrmw add ptr {gate}, i64 {-SHUT} seq_cst")
    lead.call("void", "work", [("ptr", "%crew")])
    lead.value(f"atomicrmw add ptr {gate}, i64 {SHUT} seq_cst")
    done = lead.label("done")
    with lead.count_up(0, LOOKS) as look:
        inside = lead.value(f"load atomic i64, ptr {gate} seq_cst, align 8")
        lead.branch(lead.compare("eq", inside, SHUT), done, look.onward)
    lead.place(done)
    lead.give(0)
    unit.add(lead)

    attend = Code("attend", "i64", [("ptr", "%crew")], attributes="")
    gate = attend.offset("%crew", CREW["gate"])
    enter, leave, look_on = attend.label("enter"), attend.label("leave"), attend.label("look_on")
    with attend.count_up(0, LOOKS) as look:
        seen = attend.value(f"load atomic i64, ptr {gate} monotonic, align 8")
        attend.branch(attend.compare("slt", seen, 0), look.onward, enter)
        attend.place(enter)
        before = attend.value(f"atomicrmw add ptr {gate}, i64 1 seq_cst")
        attend.branch(attend.compare("slt", before, 0), leave, look_on)
        attend.place(look_on)
        attend.call("void", "work", [("ptr", "%crew")])
        attend.place(leave)
        attend.value(f"atomicrmw sub ptr {gate}, i64 1 seq_cst")
    attend.give(0)
    unit.add(attend)


def _write_work(unit: Unit, kinds: list[str]) -> None:
    code = Code("work", "void", [("ptr", "%crew")], attributes="")
    jobs, lanes = (code.load("ptr", code.offset("%crew", CREW[name])) for name in ("jobs", "lanes"))
    kind, count, among = (code.load("i64", code.offset("%crew", CREW[name])) for name in ("kind", "count", "among"))
    counter = code.offset("%crew", CREW["next"])
    labels, done = [code.label(name) for name in kinds], code.label("done")
    code.switch(kind, done, list(enumerate(labels)))
    for name, label in zip(kinds, labels, strict=True):
        code.place(label)
        given = [("ptr", jobs), ("i64", count), ("ptr", counter), ("ptr", lanes), ("i64", among)]
        code.call("void", name, given)
        code.jump(done)
    code.place(done)
    code.give()
    unit.add(code)


class Crew:
    """The threads, and what they are to do. `functions`: lead and attend."""

    def __init__(self, functions: dict[str, Callable[..., int]], kinds: list[str]) -> None:
        self._kinds = kinds
        self._lead, self._attend = functions["lead"], functions["attend"]
        self._room = Room(CREW.size)
        self._words = Job(self._room.address, CREW)
        self._words["gate"] = SHUT
        self._is_at_work = False
        self._nobody = Event()
        """What is waited for while one naps; it never comes."""

    def do(self, kind: str, jobs: int, count: int, lanes: int = 0, among: int = 0) -> None:
        """All jobs of a round; `lanes`, `among`: what the function gets beside them."""
        words = self._words
        words["kind"], words["next"] = self._kinds.index(kind), 0
        words["jobs"], words["count"], words["lanes"], words["among"] = jobs, count, lanes, among
        self._lead(words.address)
        while words["gate"] != SHUT:
            self._nobody.wait(NAP)

    @contextmanager
    def helped(self, helpers: int) -> Iterator[None]:
        """With so many threads beside this one."""
        self._is_at_work = True
        threads = [Thread(target=self._stay, daemon=True) for _ in range(helpers)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._is_at_work = False
            for thread in threads:
                thread.join()

    def _stay(self) -> None:
        while self._is_at_work:
            self._attend(self._words.address)
            self._nobody.wait(NAP)
