"""The native back end: the flow graph as machine code, by LLVM. Nothing but machine.py need be imported from outside.

shapes, layout         how values are represented, where they stand in the state
facts, constants,
  twins                what is known of a game without running it
assembly, runtime,
  unit                 text of functions, and what the functions of a game share
emitter, places,
  singles, operators,
  folds, sets, lanes   expressions
moves, steps           what is done
alike, offers, subsets,
  chance               what can be chosen, what chance may give
nodes, control,
  playing              the functions that are called from Python
build, machine,
  decode               machine code, and its use from Python
"""
