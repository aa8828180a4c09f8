"""Exploration: explicit-state model checking, breadth first, with witnesses that the interpreter replays.

reference.py    by the interpreter; native.py: by machine code, told in the same words
graph.py        the graph of all positions: reachability, longest ways
reach.py        guided search for a condition; distance.py: how far it is from holding (the heuristic)
seeking.py      that search for what promises speak of: what is to be met, what is known to be false
"""
