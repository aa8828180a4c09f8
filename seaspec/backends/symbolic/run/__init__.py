"""One way through the graph (symbolic execution).

runs.py         a run: what has happened, and what is known (the path condition)
effects.py      steps; moving.py: which pieces a step may move
offers.py       what may be chosen, what may happen by chance
onward.py       from a node to the next
anything.py     what has no encoding, or is left out (havoc); firsts.py: first values, to which states come back
said.py         what can be said of a test that reads what is left out
"""
