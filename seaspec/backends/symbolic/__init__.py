"""The symbolic back end: the flow graph as terms of logic, for proofs.

    logic/          terms, SMT-LIB text (the only form in which they leave this folder), solvers
    values/         what a position is made of, as terms
    read/           expressions at a position
    run/            one way through the graph (symbolic execution)
    paths/          locations, and the paths between them

    cuts.py         where paths are cut though nobody chooses there; procedures to which many ways lead
    seats.py        whether seats are alike in a part of the rules

Whatever can not be encoded is `Unsupported`, which names what and where; nothing is ever guessed. Where an encoding
says less than the rules do (`exact` is off), only what holds for all positions may be taken from it.
"""
