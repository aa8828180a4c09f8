"""What is done, what can be chosen and happen, as machine code: moves and steps; offers, subsets, chance; nodes, and
the functions that go from one to the next (control.py, playing.py); promises (judging.py)."""
