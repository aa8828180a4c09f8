"""What a proof rests on (grounds.py), and what one that fails supposes (supposed.py)."""
