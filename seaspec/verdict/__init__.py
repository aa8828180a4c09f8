"""Verdicts: how sure a promise is, and never called more than that.

check.py        all that is found out about a game
verdicts.py     the ladder of trust: proved, exhaustive, bounded, tested, broken, undecided
odds.py         exact odds of throws
needs.py        what a goal needs
blame.py        the lines of a variant that make the difference
"""
