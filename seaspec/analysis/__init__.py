"""Analyses: questions about rules, each with one home, answered from the text alone, cautiously where it is not plain.

reads.py        what expressions read of a position
control.py      ways through the flow graph: where calls come back to, the heads of loops
bounds.py       between which numbers an expression lies
constants.py    states that nothing changes
loops.py        loops whose turns commute

They know the core alone. Who asks about nodes names them all (`assert_never`): none that is new is forgotten.
"""
