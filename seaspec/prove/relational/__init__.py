"""Two positions side by side (relational verification).

pairs.py        what follows for expressions read at both
commute.py      reading and renaming commute
symmetry.py     symmetries, block by block
secrets.py      positions that look alike ask the same (non-interference); sight.py: what plainly all see
"""
