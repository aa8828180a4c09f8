"""Mutation: would the checks find a mistake? mutants.py makes them, hunt.py looks for them."""
