"""The checker of certificates: what a proof has found is looked at again, by other means.

It shares no code with `prove/` and `backends/symbolic/`, and is simple and slow on purpose: whoever doubts a proof
reads this. Two parts, which know nothing of each other:

    evaluate.py     every fact is evaluated by the interpreter, wherever its place is come to: in plays, in searches for
                    a position at which it fails, in explorations. One counterexample is an alarm
    derive.py       every fact is derived again: with a ground encoding (no quantifiers, no functions; a variable for
                    each entry of a state, for where each piece lies, and for its rank in a row), path by path, by Z3
                    and cvc5

    certificate.py  what stands in the file, read with care      rules.py   the rules in it, and facts as expressions
    values.py       values that are not known, over Z3           position.py, reading.py   positions, expressions
    steps.py        what steps do; what may be answered          solving.py   questions to solvers

A value that is not known is a table: each plain value that it may be, with the condition under which it is that. So
most of the language needs no encoding: what it means for plain values is done for each of them. Where an answer is
chosen among few, each is a way of its own; what is known there falls away, and questions stay small.

Nothing is supposed but what the certificate says of the place where a step begins (each of which is shown in its turn),
the tests of branches and guards, and that a number which goes into a state lies in its range: at that step the
interpreter itself refuses another one. Facts that are not shown are dropped, with all that rests on them.
"""
