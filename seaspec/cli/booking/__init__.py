"""Books of rules, written to disk or given to MkDocs.

making.py     the pages of games by their specs, with what is known of them
book.py       the command
one_file.py   all pages as one file of HTML
plugin.py     the plugin of MkDocs
"""
