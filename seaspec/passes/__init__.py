"""Passes from a valid core to a valid core or flow graph: lower.py, whose last step is mark_live.py."""
