"""Faults that are planted in the engine, one at a time, to see whether the tests notice: `make plant`.

    faults.py      operators of mutation over a syntax tree, and a sample of what they give
    field.py       a copy of the project in a temporary folder, in which a fault is planted; never in the tree itself
    probes.py      which statements of the engine each test runs: a map that is made once, and kept
    recording.py   the plugin of pytest that makes it
    trial.py       one fault: the tests that run the changed statement, until one notices
    harmless.toml  faults that change nothing, each with its reason
    __main__.py    the command

A fault is *noticed* if a test fails with it, or does not come to its end in time; else it has *survived*, and wants a
test, or a reason in harmless.toml.
"""
