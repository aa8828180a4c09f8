"""Expressions: from syntax to the typed core. What they speak of is elaborated when it is first needed.

expressions.py: any expression, and tests with what they tell    names.py: what a name stands for
reads.py: entries of states, places, tables; facts and dots      builtins.py: what is called like a function
folds.py: `every`, `some`, `count`, sets and maps by a rule      cases.py: `if` and `match`
"""
