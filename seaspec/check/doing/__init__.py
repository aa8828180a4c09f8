"""What happens: statements.py, choices.py, calls.py; flow.py: actions, procedures, hooks, `whenever`."""
