"""Miners: where candidates for inductive facts come from. Guesses may be
rough: each that is kept is shown on all paths.

candidates.py   what promises say, also more sharply, and what the rules test, name and begin with
tested.py       what was tested on every way to a place
whereabouts.py  which kinds may lie where (a points-to analysis of pieces)
laid.py         where each piece is laid
in_hand.py      what a procedure has in hand
"""
