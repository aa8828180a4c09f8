"""Chapters to one game, still syntax: merge.py; its steps are order.py, changes.py (with replace.py), hooks.py and
final.py, draft.py is what they work on, merged.py what comes out, format.py that as text; trace.py: which line of a
variant led to an error in its base."""
