"""Worked examples: the position is laid, the steps are taken, what must follow is tested.

run.py          an example, line by line
positions.py    the position that `given` describes
place.py        where the flow stands
answers.py      which option a step means
"""
