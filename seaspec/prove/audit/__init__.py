"""What is asked of a proof once more.

vacuity.py          promises that say little, guards that never forbid
certificate.py      all questions of a proof, to be asked again
second_solver.py    the steps, asked of another solver
"""
