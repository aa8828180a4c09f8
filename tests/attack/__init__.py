"""An attack on the verdicts: random games with random promises, the truth by going through all positions, and what each
level says of them with all others switched off.

    generator.py    a seed to a text; things.py, values.py, words.py, steps.py, promises.py, changes.py draw its parts
    themes.py       small games that turn on what was judged wrongly before
    drawn.py        what there is to be drawn, and what a text is made of
    truth.py        what is so, from all positions that the interpreter comes to; mirror.py, sight.py: of two positions
    levels.py       what each level says; judge.py: where that is wrong
    lock.py         a game behind a lock, out of reach of plays, and its small twin
    shrink.py       the smallest text of which the same wrong thing is said
    campaign.py     many games on all cores, or on a cluster; workers.py: one that kills its process is found out
    __main__.py     `make attack`
"""
