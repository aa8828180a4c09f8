"""What code for pages does beside playing: it tells what happens, as people are told of it, and answers questions.

telling.py    values as words; who sees what goes where; the table when a joint choice began
asking.py     questions about a position: sentences, guards, sights
"""
