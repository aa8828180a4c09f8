"""The command line: one file a command, and what they share.

    main.py            the command named in the first word, exit codes; failures.py: what could not be done, told
    arguments.py       FILE and `--set`; output.py: colour, tables, JSON; progress.py, histogram.py, outline.py
    play.py            play_terminal.py for people, play_json.py for programs, session.py: the play itself;
                       question.py: what a player is asked, and what was typed in answer
    replay.py          stored_rules.py: by which rules; clauses.py: the texts of clauses
    why.py             positions.py: where it is asked
    simulate.py        random_plays.py: on threads or in processes; cluster.py: on a Ray cluster
    check.py, cover.py, perft.py, emit.py

Only these files read the terminal, the clock and the environment.
"""
