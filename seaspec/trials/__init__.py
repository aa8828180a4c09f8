"""Trials: what can be found out about a game by running it.

Examples, random plays, exact odds of throws, proofs; whether a goal can still be reached; whether the checks would find
a mistake.
"""
