"""The native back end: the flow graph as machine code, by LLVM. Nothing but machine.py need be imported to play.

shapes, layout         how values are represented, where they stand in the state
facts, constants,
  twins                what is known of a game without running it
assembly, runtime,
  unit                 text of functions, and what the functions of a game share
emitter, places,
  singles, operators,
  folds, sets, runs,
  relations, lanes     expressions
moves, steps           what is done
alike, offers, subsets,
  chance               what can be chosen, what chance may give
nodes, control,
  playing              the functions that are called from Python
build, cache           machine code, and where it is kept
machine, decode, encode
                       its use from Python

Complete exploration: explorer.py (and counting.py) is what is imported from outside.

kin, packing           positions in a few words, identical pieces in a fixed order
judging                promises
exploring, graphs      the functions that explore, and those that look at the graph
explorer, crew, memory,
  parts, measured,
  counting             their use from Python
"""
