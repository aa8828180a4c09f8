"""Books of rules, written to disk or given to MkDocs.

making.py     the pages of games by their specs, with what is known of them
book.py       the command
playing.py    the page on which a game is played
one_file.py   all pages as one file of HTML, with a search of its own: finder.js
serving.py    books in the browser, made anew whenever a text changes; serving.js is in each page
plugin.py     the plugin of MkDocs
searching.py  what its search finds of books; words.js and lunr_words.js are added to it
"""
