"""Values: how they are represented (shapes.py), where they stand in the state (layout.py, decode.py, encode.py); what
is known of a game without running it (facts.py, constants.py, twins.py); what its functions share (unit.py)."""
