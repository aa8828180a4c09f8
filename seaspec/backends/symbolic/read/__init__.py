"""Expressions of the core to terms, at a position.

expressions.py  the reader; operators.py: the table of operators
binders.py      going through the members of sets: written out, or quantified
aggregates.py   what is made of many members
defines.py      defines and tables
lookalike.py    positions that look alike to a player
"""
