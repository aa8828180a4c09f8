"""The command line: one file a command, and what they share.

    main.py            the command named in the first word, exit codes; failures.py: what could not be done, told
    arguments.py       FILE and `--set`; output.py: colour, tables, JSON; progress.py, histogram.py, outline.py
    play.py            play_terminal.py for people, play_json.py for programs, session.py: the play itself;
                       play_commands.py, play_news.py: commands, and what is told; play_keeping.py: where it is kept;
                       question.py: what a player is asked, and what was typed in answer, worded by play_wording.py
    replay.py          stored_rules.py: by which rules; clauses.py: the texts of clauses
    why.py             positions.py: where it is asked
    winnable.py        asked.py: a position or condition in words
    simulate.py        random_plays.py: on threads or in processes (forking.py); cluster.py: on a Ray cluster
    check.py           how.py: how thoroughly; checking.py: what is run, with exploring.py, provers.py, beside.py and
                       because.py;
                       ahead.py: explorations that begin ahead of time;
                       answered.py, kept_results.py: what was found out before; result.py: what came out, told by
                       verdict_text.py, junit.py, sarif.py, and to pytest by pytest_plugin.py
    cover.py, perft.py, emit.py, mutate.py

Only these files read the terminal, the clock and the environment.
"""
