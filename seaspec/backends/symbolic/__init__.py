"""The symbolic back end: the flow graph as terms of logic, for proofs.

    terms.py        terms, simplified as they are made; what they evaluate to
    smtlib.py       terms as SMT-LIB text, the only form in which they leave this folder
    sets.py         sets and maps of the language over terms
    position.py     a position of terms: states, the frame, who is out
    places.py       where the pieces are: exactly, or by counts
    expressions.py  expressions of the core to terms, with the duties (obligations) that they bring
    offers.py       what may be chosen, and what may happen by chance
    effects.py      steps
    paths.py        from node to node: locations, and the paths between them
    solve.py        asks Z3

Whatever can not be encoded is `Unsupported`, which names what and where; nothing is ever guessed. Where an encoding
says less than the rules do (`exact` is off), only what holds for all positions may be taken from it.
"""
