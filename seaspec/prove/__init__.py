"""Proofs for all positions: inductive invariants over a control-flow automaton, by an SMT solver.

proofs.py       which promises are tried, and how; portfolio.py: independent attempts at a large game
obligations.py  a promise to goals
miners/         candidates for facts (invariant mining); refute.py throws out those that plays contradict
induction.py    promise by promise: what is supposed, what is left, where it is claimed
houdini.py      candidates are dropped until the rest is inductive; knowledge.py: what is known at each location
lookback.py     k-induction: what follows from how the play came there
entail.py       questions to solvers
cone.py         what a proof looks at (cone of influence), and with what; facts.py
termination.py  `ends within`: measures that fall (ranking functions)
stuck.py        `never stuck`, choice by choice; lemmas.py: theorems on positions
relational/     two positions side by side: symmetry, secrets (relational verification)
audit/          vacuity, certificates, a second solver
explain/        what a proof rests on, and what a failed one supposes
"""
