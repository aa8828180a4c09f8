"""`seaspec play`: terminal.py for people, programs.py for programs, session.py: the play itself; commands.py, news.py:
what is typed, and what is told; keeping.py: where it is kept; question.py: what a player is asked, in the words of
wording.py."""
