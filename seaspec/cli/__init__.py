"""The command line: one file a command, and what they share.

    main.py            the command named in the first word, exit codes; failures.py: what could not be done, told
    arguments.py       FILE and `--set`; output.py: colour, tables, JSON; progress.py, outline.py, forking.py
    playing/           `play`; checking/: `check`; simulating/: `simulate`; mutating/: `mutate`
    replay.py          stored_rules.py: by which rules; clauses.py: the texts of clauses
    why.py             positions.py: where it is asked
    winnable.py        asked.py: a position or condition in words
    pytest_plugin.py   .sea files as test files
    cover.py, perft.py, emit.py

Only these files read the terminal, the clock and the environment.
"""
