"""The checker: chapters to one game (still syntax), and that to the typed core.

    merge.py           chapters to one game; merge_order.py, merge_changes.py (with merge_replace.py), merge_hooks.py
                       and merge_final.py are its steps, merge_draft.py what they work on, merged.py what comes out
    trace.py           for an error in a base: which line of a variant led to it
    elaborate.py       the merged game to the core; context.py is what is known while that goes on
      things.py          options, constants, types          boards.py, shapes.py, tables.py, pieces.py, slots.py
      words.py           defines and throws                 flow.py, headers.py: actions, procedures, hooks
      statements.py      steps; choices.py, calls.py        expressions.py; names.py, reads.py, folds.py, builtins.py
      promises.py        with examples.py                   texts.py: sentences and sources
      typing.py          what fits where                    limits.py: how large things may be
    static_rules.py    loops, recursion, clocks; knowledge.py: who may know; falling.py: numbers that shrink
    cover.py           which clauses of the rule book are cited

Invariants: what is faulty is reported, never raised, and a fault is reported once; what comes out without a report is
valid by core/verify.py.
"""
