"""Complete exploration by machine code; explorer.py and counting.py are what is imported from outside.

kin, packing            positions in a few words, identical pieces in a fixed order
exploring, graphs       the functions that explore, and those that look at the graph
crew, memory, parts,
  measured              their use from Python
"""
