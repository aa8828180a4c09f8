"""`seaspec check`: how.py: how thoroughly; schedule.py: what is run when, with exploring.py, provers.py, beside.py and
because.py; ahead.py: explorations that begin ahead of time; answered.py, kept_results.py: what was found out before;
result.py: what came out, told by verdict_text.py, junit.py and sarif.py."""
