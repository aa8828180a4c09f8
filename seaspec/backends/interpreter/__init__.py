"""The reference interpreter: the definition of what a game means.

machine.py         runs the flow graph from node to node; state.py: positions
expressions.py     expressions to Python functions, with operators.py and library.py; look.py: what they read
effects.py         steps that change a position
offers.py          what may be chosen; choices.py: the options as a sequence; notation.py: as text
chance.py          what may happen, with exact weights
log.py, views.py   what happened, and what each player sees of it
why.py             why something may not be done
errors.py          what goes wrong
"""
