"""Expressions as machine code: emitter.py is the base, operators.py the table of operators."""
