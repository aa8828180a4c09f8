"""The checker: chapters to one game (still syntax), and that to the typed core.

    merging/           chapters to one game
    elaborate.py       the merged game to the core; context.py is what is known while that goes on
      things.py          options, constants, types          boards.py, shapes.py, tables.py, pieces.py, slots.py
      words.py           defines and throws                 flow.py, headers.py: actions, procedures, hooks
      statements.py      steps; choices.py, calls.py        expressions.py; names.py, reads.py, folds.py, builtins.py
      promised/          promises and examples              texts.py: sentences and sources
      typing.py          what fits where                    limits.py: how large things may be
    rules/             rules about whole games: loops, recursion, clocks; who may know; clauses that are cited

Invariants: what is faulty is reported, never raised, and a fault is reported once; what comes out without a report is
valid by core/verify.py.
"""
