"""Diagnostics: codes.py is the table of codes, model.py a diagnostic as data, render.py its forms as text and JSON."""
