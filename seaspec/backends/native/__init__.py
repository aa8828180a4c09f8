"""The native back end: the flow graph as machine code, by LLVM. Nothing but machine.py need be imported to play.

values/         how values are represented, where they stand in the state
expressions/    expressions as text of LLVM, by assembly.py and runtime.py
flow/           steps, choices, chance, nodes
explore/        complete exploration
shown/          what a page is told and asks
build.py, cache.py, webassembly.py
                machine code, of this computer or for browsers, and where it is kept
machine.py      its use from Python
"""
