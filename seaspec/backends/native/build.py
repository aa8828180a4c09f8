"""From a flow graph to machine code: the text of the module, optimised, as an object file."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import llvmlite.binding as llvm

from seaspec.backends.native.assembly import Code
from seaspec.backends.native.control import START, Run
from seaspec.backends.native.layout import Kind, Layout
from seaspec.backends.native.nodes import Writer, write_decider, write_option, write_options
from seaspec.backends.native.playing import write_play
from seaspec.backends.native.runtime import runtime
from seaspec.backends.native.steps import state_image
from seaspec.backends.native.unit import Unit
from seaspec.core.flow import Flow

EFFORT = 2
"""How hard LLVM tries, 0 to 3."""


@dataclass(frozen=True)
class Facts:
    """What one must know beside the machine code to use it."""

    context_size: int
    rows_size: int
    visits: int
    initial: str
    """The first state, in hexadecimal digits."""
    messages: list[str]
    sites: list[tuple[int, int]]

    def as_data(self) -> dict[str, object]:
        return asdict(self)


def write(graph: Flow) -> tuple[str, Facts]:
    """The module of a game as LLVM assembly. Raises `NotCompiled` before anything is run."""
    layout = Layout(graph)
    unit = Unit(graph, layout)
    image = initial_state(unit)
    Run(unit).write()
    write_options(unit)
    write_option(unit)
    write_decider(unit)
    write_play(unit, image)
    text = unit.text(runtime("bmi2" in host_features()))
    visits = unit.context.part("visits", 8 * len(graph.blocks))
    facts = Facts(unit.context.size, unit.context.rows, visits, image.hex(), unit.messages, unit.sites)
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


def compile_text(text: str) -> bytes:
    """The object file of a module for this machine."""
    machine = target_machine()
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=EFFORT)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)  # type: ignore[no-any-return]


def target_machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=host_features(), opt=EFFORT, reloc="pic", codemodel="small", jit=True
    )


def host_features() -> str:
    return llvm.get_host_cpu_features().flatten()  # type: ignore[no-any-return]
