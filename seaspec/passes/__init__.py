"""Passes from a valid core to a valid core or flow graph.

lower.py        procedures to a flow graph; its last steps are the others
mark_live.py    which variables may still be read
mark_alike.py   which pieces stand for one another
"""
