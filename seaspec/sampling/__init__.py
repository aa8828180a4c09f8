"""Sampling: what random plays show.

plays.py        plays with every promise watched (runtime verification), and a count of what was ever used
watch.py        the watched promises: compiled monitors; words.py: what whoever tells of plays must know
statistics.py   counts of many plays; batches.py divides them; native.py and reference.py play them
secrets.py      the two-run test (self-composition, non-interference); noticing.py: what a player notices of a step
symmetry.py     a position and its image side by side; renaming.py makes images
telling.py      plays told in sentences
"""
