"""Analyses: questions about rules, each with one home, answered from the text alone, cautiously where it is not plain.

constants.py    states that nothing changes
loops.py        loops whose turns commute
"""
