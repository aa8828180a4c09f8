"""Locations, and the paths between them (the control-flow automaton, by large blocks).

paths.py        of a whole game; apart.py: procedure by procedure
calls.py        calls as single steps (summaries); changing.py: what they may change (mod sets)
"""
