"""Rules about whole games: the flow (static_rules.py), who may know (knowledge.py), numbers that shrink (falling.py),
clauses of the rule book (cover.py)."""
