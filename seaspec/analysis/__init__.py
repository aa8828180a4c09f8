"""Analyses: questions about rules, each with one home, answered from the text alone, cautiously where it is not plain.

reads.py        what expressions read of a position
control.py      ways through the flow graph; states that change on none of them
bounds.py       between which numbers an expression lies
loops.py        loops whose turns commute

They know the core alone. Who asks about nodes names them all (`assert_never`): none that is new is forgotten.
"""
