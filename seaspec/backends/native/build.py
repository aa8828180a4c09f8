"""From a flow graph to machine code: the text of the module, optimised, as an object file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from seaspec.backends.native.assembly import Code
from seaspec.backends.native.expressions.emitter import TRACE
from seaspec.backends.native.flow.chance import MOST_ROLLS, TOTALS
from seaspec.backends.native.flow.control import START, Run
from seaspec.backends.native.flow.nodes import Writer, write_decider, write_options, write_tell
from seaspec.backends.native.flow.playing import write_begin, write_play
from seaspec.backends.native.flow.steps import state_image
from seaspec.backends.native.runtime import runtime
from seaspec.backends.native.values.layout import Kind, Layout
from seaspec.backends.native.values.unit import Unit
from seaspec.core.flow import Flow

EFFORT, LESS_EFFORT, NO_EFFORT = 2, 1, 0
"""How hard LLVM tries, 0 to 3."""
LONG = 500_000
"""Characters from which on a module is long: then with less effort, so that nobody waits."""
VERY_LONG = 900_000
INLINED, FEW_INLINED = 50, 10
"""How much of a long, or very long, module is worked into its callers: that is what costs the most time."""


@dataclass(frozen=True)
class Facts:
    """What one must know beside the machine code to use it. `visits`, `offered`: where in the context it is counted how
    often random plays came to a block, and how many options were offered there; `begun`: how often each procedure, in
    the order of `routines`."""

    context_size: int
    rows_size: int
    visits: int
    offered: int
    begun: int
    initial: str
    """The first state, in hexadecimal digits."""
    messages: list[str]
    sites: list[tuple[int, int]]
    words: dict[int, int]
    """Words that an option of a node takes, by block."""
    taken: dict[int, int]
    """Where in the context a subset stands that chance took, by block."""
    totals: int
    """Where in the context the totals of a throw stand."""
    trace: int
    """Where in the context stands what has happened, if that is noted."""

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Facts:
        """From what JSON makes of the fields: pairs are lists there, and keys texts."""
        sites = [(block, step) for block, step in data["sites"]]
        by_block = {name: {int(block): n for block, n in data[name].items()} for name in ("words", "taken")}
        return cls(**{**data, "sites": sites, **by_block})


def write(graph: Flow, traces: bool = False, features: str | None = None) -> tuple[str, Facts]:
    """The module of a game as LLVM assembly. Raises `NotCompiled` before anything is run. `features`: of the processor,
    if it is not this one."""
    unit = Unit(graph, Layout(graph), traces)
    write_playing(unit)
    return finish(unit, features)


def write_playing(unit: Unit) -> None:
    """The functions that play it."""
    write_begin(unit, initial_state(unit))
    Run(unit).write()
    write_play(unit)


def finish(unit: Unit, features: str | None = None) -> tuple[str, Facts]:
    """The rest of a module in which is written how it is played: what tells of positions and options; and all text."""
    graph = unit.flow
    write_options(unit)
    words = write_tell(unit)
    write_decider(unit)
    text = unit.text(runtime("bmi2" in (host_features() if features is None else features)))
    part = unit.context.part
    facts = Facts(
        rows_size=unit.context.rows,
        visits=part("visits", 8 * len(graph.blocks)),
        offered=part("offered", 8 * len(graph.blocks)),
        begun=part("begun", 8 * len(graph.routines)),
        initial=initial_state(unit).hex(),
        messages=unit.messages,
        sites=unit.sites,
        words=words,
        taken={number: part(name, 0) for number, name in unit.taken.items()},
        totals=part(TOTALS, MOST_ROLLS * 8),
        trace=part(TRACE, 8),
        context_size=unit.context.size,
    )
    return text, facts


def initial_state(unit: Unit) -> bytes:
    """The state before anything has happened: all pieces at home, states at their first values."""
    layout, game = unit.layout, unit.game
    state = bytearray(layout.size)
    state[0:2] = START.to_bytes(2, "little")
    writer = Writer(unit, Code("initial", "void", ()))
    for name, held in layout.states.items():
        image = state_image(writer, game.states[name])
        state[held.offset : held.offset + len(image)] = image
    size = layout.where_bits // 8
    homes: dict[str, list[int]] = {}
    for piece in game.pieces:
        slot = layout.places[piece.home].slot
        state[layout.where + piece.id * size : layout.where + (piece.id + 1) * size] = slot.to_bytes(size, "little")
        homes.setdefault(piece.home, []).append(piece.id)
    for name, pieces in homes.items():
        field = layout.places[name]
        mask = sum(1 << (piece - field.low) for piece in pieces).to_bytes(field.mask_bytes, "little")
        match field.kind:
            case Kind.MASKS:
                state[field.offset : field.offset + field.mask_bytes] = mask
            case Kind.PILES:
                state[field.offset : field.offset + 2 * field.mask_bytes] = mask + mask
                state[field.offset + 2 * field.mask_bytes] = 1
            case Kind.ROWS:
                state[field.offset : field.offset + 2] = len(pieces).to_bytes(2, "little")
                for spot, resident in enumerate(pieces):
                    start = field.offset + 2 + spot * field.cell.size
                    stored = field.cell.encode(resident).to_bytes(field.cell.size, "little")
                    state[start : start + field.cell.size] = stored
            case Kind.CELLS | Kind.WHERE:
                pass
    return bytes(state)


def compile_text(text: str, effort: int | None = None, machine: llvm.TargetMachine | None = None) -> bytes:
    """The object file of a module. `effort`: if it is not the one that fits the length; `machine`: if not this one."""
    if effort is None:
        effort = EFFORT if len(text) < LONG else LESS_EFFORT
    machine = machine or target_machine(EFFORT if effort else NO_EFFORT)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=effort)
    if effort == LESS_EFFORT:
        options.loop_unrolling = False
        options.inlining_threshold = INLINED if len(text) < VERY_LONG else FEW_INLINED
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)  # type: ignore[no-any-return]


def target_machine(effort: int = EFFORT) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=host_features(), opt=effort, reloc="pic", codemodel="small", jit=True
    )


def compiler() -> str:
    """The version of LLVM, and what it compiles for."""
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"LLVM {version} {EFFORT} {llvm.get_default_triple()} {llvm.get_host_cpu_name()} {host_features()}"


def host_features() -> str:
    return llvm.get_host_cpu_features().flatten()  # type: ignore[no-any-return]
