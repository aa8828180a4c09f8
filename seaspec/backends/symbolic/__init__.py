"""The symbolic back end: the flow graph as terms of logic, for proofs.

    terms.py        terms, simplified as they are made
    smtlib.py       terms as SMT-LIB text, the only form in which they leave this folder
    sets.py         sets and maps of the language over terms
    position.py     a position of terms: states, the frame, who is out
    places.py       where the pieces are: exactly, or by counts
    expressions.py  expressions of the core to terms, with the duties (obligations) that they bring
    binders.py      going through the members of sets: written out, or quantified
    aggregates.py   what is made of many members: sums, extremes, the one that is meant
    defines.py      defines and tables
    bounds.py       between which numbers an expression lies that can not be read
    operators.py    the table of operators
    changes.py      sums by their change
    runs.py         one way through the graph, and what is known on it
    offers.py       what may be chosen, and what may happen by chance
    witnesses.py    goals that say that something is there
    effects.py      steps
    onward.py       from a node to the next: what may be answered, and what happens then
    image.py        the image of a position under a renaming
    lookalike.py    positions that look alike to a player
    paths.py        locations, and the paths between them
    cuts.py         where paths are cut though nobody chooses there
    calls.py        calls as single steps: each procedure looked at for itself
    apart.py        locations and paths within one procedure after the other
    changing.py     what procedures may change before they come back
    moving.py       which pieces a step may move, and between which places
    solve.py        asks Z3

Whatever can not be encoded is `Unsupported`, which names what and where; nothing is ever guessed. Where an encoding
says less than the rules do (`exact` is off), only what holds for all positions may be taken from it.
"""
