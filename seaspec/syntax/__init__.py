"""The syntax: .sea text to tree, and tree to text.

    grammar.py       loads grammar/sea.lark, the one home of the concrete syntax, as a table
    lines.py         a file to chunks of lines: comments, strings, brackets, lines that go on, indentation
    parse.py         runs the table over each chunk; syntax_error.py says what is wrong where it can not go on
    build.py         what each rule makes of its children (with build_things.py and build_values.py)
    tree.py          the nodes; walk.py goes through them
    format.py        a tree as text (with format_statement.py and format_expr.py)

Invariants: every node knows the span of its text; nothing here knows what a text means; user mistakes are reported,
never raised; no depth of nesting, and no length of a text, ends in a traceback.
"""
