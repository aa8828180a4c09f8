"""What a position is made of, as terms (symbolic memory).

world.py        what the encoding of a game knows before it begins
sets.py         sets and maps
position.py     states, the frame, who is out; places.py: where the pieces are, exactly or by counts
image.py        the image of a position under a renaming
joints.py       where one path ends the next one begins
changes.py      sums by their change
"""
