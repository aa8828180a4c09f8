"""What a game declares, made when it is first needed: a type may need a constant, a constant a table, a table a type.

things.py: options, constants, types    boards.py, shapes.py    tables.py    pieces.py: components and facts
slots.py: places and states             headers.py: parameters  words.py: defines and throws
"""
