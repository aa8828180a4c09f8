"""The symbolic back end: the flow graph as terms of logic, for proofs.

    logic/          terms, SMT-LIB text (the only form in which they leave this folder), solvers
    values/         what a position is made of, as terms
    read/           expressions at a position
    run/            one way through the graph (symbolic execution)
    paths/          locations, and the paths between them

    bounds.py       between which numbers an expression lies that can not be read
    reads.py        what expressions read of a position
    cuts.py         where paths are cut though nobody chooses there
    shared.py       procedures that are looked at once, for many ways lead to them
    seats.py        whether seats are alike in a part of the rules

Whatever can not be encoded is `Unsupported`, which names what and where; nothing is ever guessed. Where an encoding
says less than the rules do (`exact` is off), only what holds for all positions may be taken from it.
"""
