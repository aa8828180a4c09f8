"""The core: what a game means, for everything that runs, proves or explains it.

ir.py              the nodes; types.py: types and how values are held; ops.py: the operators
flow.py            the flow graph, the last form of the core
walk.py            the one traversal, derived from the fields of the nodes; the one worklist
evaluate.py        expressions that need no position; geometry.py: boards as tables
show.py            expressions and values as text; show_game.py: whole games
definedness.py     what an expression owes: when it has a value; owing.py: what steps and exits owe
verify.py          what a valid core is
"""
