"""Terms (terms.py), as SMT-LIB text (smtlib.py), asked of solvers (solve.py); witnesses for what is there."""
