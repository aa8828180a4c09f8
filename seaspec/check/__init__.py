"""The checker: chapters to one game (still syntax), and that to the typed core.

    merging/           chapters to one game
    elaborate.py       the merged game to the core; context.py is what is known while that goes on
      declared/          options, types, boards, tables, pieces, places, states, defines
      expressions/       what expressions mean               typing.py: what fits where; limits.py: how large it may be
      doing/             steps, choices, procedures          texts.py: sentences and sources
      promised/          promises and examples
    rules/             rules about whole games: loops, recursion, clocks; who may know; clauses that are cited

Global things are elaborated when they are first needed, so the rooms of elaboration call one another.

Invariants: what is faulty is reported, never raised, and a fault is reported once; what comes out without a report is
valid by core/verify.py.
"""
