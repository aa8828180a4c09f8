"""What the parser makes of texts: the tree, its spans, and how it goes on after a fault and at its limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Diagnostic, Report
from seaspec.source import SourceFile, Span
from seaspec.syntax import tree
from seaspec.syntax.lines import MAX_BRACKETS, MAX_DEPTH, MAX_ERRORS, split_lines
from seaspec.syntax.parse import MAX_NESTING, MAX_SIZE, parse, parse_expression
from seaspec.syntax.walk import walk

CASES = sorted((Path(__file__).parent / "cases" / "excerpts").glob("*.sea"))


def declarations(text: str) -> tuple[tree.Declaration, ...]:
    report = Report()
    file = parse(SourceFile("a.sea", f"game Case\n{text}"), report)
    assert not report.diagnostics, [(str(d.span), d.message) for d in report]
    return file.chapters[0].declarations


def declared(text: str) -> tree.Declaration:
    (declaration,) = declarations(text)
    return declaration


def body(text: str) -> tuple[tree.Statement, ...]:
    procedure = declared("to f\n" + "".join(f"  {line}\n" for line in text.split("\n")))
    assert isinstance(procedure, tree.Procedure)
    assert procedure.body is not None
    return procedure.body


def expression(text: str) -> tree.Expr:
    report = Report()
    expr = parse_expression(SourceFile("a.sea", text), report)
    assert not report.diagnostics
    assert expr is not None
    return expr


def errors(text: str) -> list[Diagnostic]:
    report = Report()
    parse(SourceFile("a.sea", text), report)
    return report.diagnostics


def codes(text: str) -> list[Code]:
    return [diagnostic.code for diagnostic in errors(text)]


# ------------------------------------------------------------------------------------------------ chapters and tails


def test_chapters_own_what_follows() -> None:
    text = 'game A "a"\nconst x = 1\nvariant B of A after C, D cites b.1\nconst y = 2\nconst z = 3\nworld w of A\n'
    file = parse(SourceFile("a.sea", text), Report())
    assert [(c.kind.value, c.name, c.of, c.after, len(c.declarations)) for c in file.chapters] == [
        ("game", "A", None, (), 1),
        ("variant", "B", "A", ("C", "D"), 2),
        ("world", "w", "A", (), 0),
    ]
    assert file.chapters[1].tail.cites[0].id == "b.1"
    assert file.chapters[0].span.text == 'game A "a"'


def test_a_tail_may_stand_before_and_after_the_body() -> None:
    define = declared(
        'define f "words {size of x} of {y}"\n  cites a.1\n  = 3 cites b.2, c.3\n  assume "so" cites gap.1\n'
    )
    assert isinstance(define, tree.Define)
    assert [clause.id for clause in define.tail.cites] == ["a.1", "b.2", "c.3", "gap.1"]
    assert [sentence.parts for sentence in define.tail.assumes] == [("so",)]
    assert define.tail.sentence is not None
    before, hole, between, last = define.tail.sentence.parts
    assert (before, between) == ("words ", " of ")
    assert isinstance(hole, tree.Unary)
    assert isinstance(last, tree.Name)
    assert (hole.span.text, last.span.text) == ("size of x", "y")


def test_about_lines() -> None:
    text = 'title ru "Штиль"\nrulebook calm\nuses a, b\ncombines with Solo, Reefs\nnote "n" cites a.1\n'
    title, rulebook, uses, combines, note = declarations(text)
    assert isinstance(title, tree.Title) and (title.language, title.text) == ("ru", "Штиль")
    assert isinstance(rulebook, tree.Rulebook) and rulebook.name == "calm"
    assert isinstance(uses, tree.Uses) and uses.names == ("a", "b")
    assert isinstance(combines, tree.Combines) and combines.names == ("Solo", "Reefs")
    assert isinstance(note, tree.Note) and note.tail.cites[0].id == "a.1"


# ------------------------------------------------------------------------------------------------------------ things


def test_a_drawing_keeps_its_symbols() -> None:
    board = declared("board Sea: drawn towards Compass\n  . a #\n  -1 2 .\n  key a = Anchor\n  key # = Rock, 2 = Two\n")
    assert isinstance(board, tree.Board) and isinstance(board.form, tree.DrawnBoard)
    assert board.form.towards == "Compass"
    assert [[symbol.text for symbol in row] for row in board.form.drawing.rows] == [[".", "a", "#"], ["-1", "2", "."]]
    assert board.form.drawing.key == (("a", "Anchor"), ("#", "Rock"), ("2", "Two"))


def test_components_nest() -> None:
    component = declared(
        "component Ship(owner: Player) requires big\n"
        "  Fleet(number: 1..9) times 3 each kept in supply\n"
        "  Merc(cost: 3..5)\n    Boarder(4, p) for p in Player where p is not q\n"
    )
    assert isinstance(component, tree.Component)
    fleet, merc = component.kinds
    assert (fleet.times, fleet.each, fleet.kept_in) == (expression("3"), True, "supply")
    assert merc.kinds[0].loops[0].name == "p"
    assert merc.kinds[0].facts[0].value == expression("4")


def test_places_and_states() -> None:
    text = (
        "place a[c: Sea] at most room(c) Ship or Fort seen by knows(c) uncounted\n"
        "place b row of up to 5 Card open\n"
        "state c[s: Ship]: yes or no = no while in field\n"
        "track d: set of Card = {} until end of turn hidden\n"
    )
    a, b, c, d = declarations(text)
    assert isinstance(a, tree.Place) and a.order is tree.Order.SLOT and a.holds == ("Ship", "Fort") and a.uncounted
    assert isinstance(b, tree.Place) and b.order is tree.Order.ROW and b.capacity == expression("5")
    assert isinstance(c, tree.State) and c.while_in == "field" and not c.track
    assert isinstance(d, tree.State) and d.until == "turn" and d.track and d.seen is not None and not d.seen.open


def test_left_open() -> None:
    heads = ("board A", "type B", "component C(x: D)", "define e: F", "to g(h: I)")
    board, type, component, define, procedure = declarations("".join(f"{head} left open\n" for head in heads))
    assert isinstance(board, tree.Board) and board.form is None
    assert isinstance(type, tree.TypeDecl) and type.type is None
    assert isinstance(component, tree.Component) and component.left_open
    assert isinstance(define, tree.Define) and define.body is None
    assert isinstance(procedure, tree.Procedure) and procedure.body is None


# ------------------------------------------------------------------------------------------------ words, flow, changes


def test_value_lines_must_all_hold() -> None:
    define = declared(
        "define f\n  let a = 1\n  b\n  every x in S:\n    c\n    d\n  match e\n    1, -2: g\n    none\n      h\n"
    )
    assert isinstance(define, tree.Define) and isinstance(define.body, tree.LetIn)
    both = define.body.body
    assert isinstance(both, tree.Binary) and both.op is tree.Operator.AND
    assert isinstance(both.right, tree.Match)
    assert both.right.cases[0].patterns == (tree.Number(both.span, 1), tree.Number(both.span, -2))
    assert both.left == expression("b and (every x in S: (c and d))")


def test_else_in_a_statement_and_in_an_expression() -> None:
    (choice,) = body("if a\n  b\nelse if c: d\nelse\n  let x = if a then b\n    else if c\n    then d\n    else e\n  f")
    assert isinstance(choice, tree.If)
    (second,) = choice.otherwise
    assert isinstance(second, tree.If)
    let, call = second.otherwise
    assert isinstance(let, tree.Let) and let.value == expression("if a then b else if c then d else e")
    assert isinstance(call, tree.Call)
    (one,) = body("if a: x := if b then c\n  else d\nelse if e: x := if f then g else h")
    assert isinstance(one, tree.If)
    assert len(one.otherwise) == 1


def test_otherwise_in_a_statement_and_in_an_expression() -> None:
    let, choice = body("let x = the y in S\n  otherwise none\np chooses x in S\n  f\notherwise: g")
    assert isinstance(let, tree.Let) and let.value == expression("the y in S otherwise none")
    assert isinstance(choice, tree.Choose) and choice.body and choice.otherwise is not None


def test_then_begins_a_line_of_an_example_or_goes_on_with_an_if() -> None:
    example = declared(
        "example e\n  given a = (if b\n    then c else d)\n  then f, refused by g\n  when h\n  then i with odds 1/2\n"
    )
    assert isinstance(example, tree.Example)
    assert [type(line).__name__ for line in example.lines] == ["Given", "Then", "Step", "Then"]


def test_choices() -> None:
    values, subset, menu, passes, secret = body(
        "p privately chooses x in S where f(x), y in T weights w\nchance chooses 1..4 of S as them\n"
        "p repeatedly chooses orders(p) until done\np may repeatedly a or b(c) until d\nq may secretly e"
    )
    assert isinstance(values, tree.Choose) and values.manner is tree.Manner.PRIVATELY
    assert isinstance(values.offer, tree.OfferValues) and [pick.name for pick in values.offer.picks] == ["x", "y"]
    assert isinstance(subset, tree.Choose) and subset.decider is None
    assert isinstance(subset.offer, tree.OfferSubset) and subset.offer.low == expression("1")
    assert isinstance(menu, tree.Choose) and menu.manner is tree.Manner.REPEATEDLY
    assert isinstance(passes, tree.Choose) and isinstance(passes.offer, tree.OfferActions)
    assert [item.arguments for item in passes.offer.items] == [None, (expression("c"),)]
    assert isinstance(secret, tree.Choose) and secret.manner is tree.Manner.MAY_SECRETLY


def test_a_block_that_replaces_may_hold_values_or_statements() -> None:
    text = (
        "replace a(x)\n  let y = x\n  b and y\n  every q in S:\n    c(q)\n"
        "replace d(x)\n  e(x)\n  g\n"
        "replace h(x)\n  match x\n    1: 2\n    3: 4\n"
        "replace i: nothing\nreplace place j set of Card open\nreplace k = l or m\n"
    )
    values, calls, match, nothing, place, menu = declarations(text)
    assert isinstance(values, tree.ReplaceBody) and values.body is None and isinstance(values.value, tree.LetIn)
    assert isinstance(calls, tree.ReplaceBody) and calls.body is not None and calls.value == expression("e(x) and g")
    assert isinstance(match, tree.ReplaceBody) and match.body is None and isinstance(match.value, tree.Match)
    assert isinstance(nothing, tree.ReplaceBody) and nothing.value is None and nothing.params is None
    assert isinstance(place, tree.ReplaceDeclaration) and isinstance(place.declaration, tree.Place)
    assert isinstance(menu, tree.ReplaceBody) and menu.value == expression("l or m")


def test_changes() -> None:
    text = (
        "add a, b(t) for t in S to menu(p)\nadd Monster times 3 to Card\nforbid f(x) when y\nallow f(x) despite g\n"
        'set n = 3\nset Sea = grid 3 by 4\nset N = 1..4\nremove A, b\ndrops c, d because "e {f}"\nbefore h(i): j\n'
    )
    assert [type(change).__name__ for change in declarations(text)] == [
        "AddItems", "AddKind", "Forbid", "Allow", "SetValue", "SetCapital", "SetCapital", "Remove", "Drops", "Hook",
    ]  # fmt: skip


def test_promises() -> None:
    text = (
        "invariant a at end of b: c\nmyth always d after e(f), g\n  h\nlemma i(j: K): l\nreachable m: n\nnever stuck\n"
        "ends within 54 calls of turn by left(p)\nsecret o, p\nodds q(1) = 1/2\nsymmetry r\n  p: Player to rival(p)\n"
        "winnable u: v\nwinnable w only if x: y\nmyth example s: t\n"
    )
    found = declarations(text)
    assert [getattr(promise, "myth", None) for promise in found] == [
        False, True, False, False, False, False, False, False, False, False, False, True,
    ]  # fmt: skip
    assert isinstance(found[0], tree.Invariant) and found[0].when is tree.When.AT_END


# --------------------------------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a + b * c - d", "(a + (b * c)) - d"),
        ("not a and b", "(not a) and b"),
        ("a implies b implies c", "a implies (b implies c)"),
        ("old a.b = c", "(old (a.b)) = c"),
        ("size of a + 1", "(size of a) + 1"),
        ("-a * b", "(-a) * b"),
        ("1..n - 1", "(1)..(n - 1)"),
        ("every x in S where x > 1 and p(x): q implies r", "every x in S where (x > 1 and p(x)): (q implies r)"),
        ("most f(x) for x in S otherwise a + b", "most f(x) for x in S otherwise (a + b)"),
        ("if a then b else c or d", "if a then b else (c or d)"),
    ],
)
def test_precedence(text: str, same: str) -> None:
    assert expression(text) == expression(same)


def test_a_test_of_a_value_is_not_a_word() -> None:
    tests = {"x is empty": "EMPTY", "x is some y": "SOME", "x is asked at y": "ASKED", "x is y": "VALUE"}
    for text, test in tests.items():
        found = expression(text)
        assert isinstance(found, tree.Is) and found.test.name == test


# --------------------------------------------------------------------------------------------------------------- spans


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_spans_lie_within_one_another(path: Path) -> None:
    source = SourceFile(str(path), path.read_text(encoding="utf-8"))
    file = parse(source, Report())
    for chapter in file.chapters:
        for declaration in chapter.declarations:
            for node in walk(declaration):
                assert node.span.file is source
                assert declaration.span.start <= node.span.start <= node.span.end <= declaration.span.end
                if isinstance(node, tree.Name | tree.Capital | tree.Symbol | tree.Clause):
                    assert node.span.text in (getattr(node, field, None) for field in ("name", "id", "text"))


def test_the_span_of_an_expression_in_a_bigger_text() -> None:
    source = SourceFile("a.sea", "see {a + b} here")
    expr = parse_expression(Span(source, 5, 10), Report())
    assert expr is not None
    assert expr.span.text == "a + b"


# --------------------------------------------------------------------------------------------------------------- lines


def test_odd_but_harmless_texts() -> None:
    plain = parse(SourceFile("a.sea", 'game A "a"\nto f\n  g\n  h "x"\n'), Report())
    for text in (
        '\ufeffgame A "a"\nto f\n  g\n  h "x"\n',
        'game A "a"\r\nto f\r\n  g\r\n  h "x"\r\n',
        'game A "a"\nto f\n  g\n  h "x"',
        '\n\n-- c\ngame A "a"  \n\nto f -- c\n\n     g --c\n  -- c\n\n     h\n       -- c\n       "x"\n\n',
        'game\tA\t"a"\nto f\n  g\n  h\t"x"\n',
    ):
        report = Report()
        assert parse(SourceFile("a.sea", text), report) == plain
        assert not report.diagnostics


def test_comments_end_nothing_and_strings_hide_them() -> None:
    layout = split_lines(SourceFile("a.sea", 'note "a -- b" -- "c\ndefine f(a, -- (\n  b) = 3\n'), Report())
    assert len(layout.chunks) == 2
    assert len(layout.chunks[1].lines) == 1
    assert layout.text == 'note "a -- b"      \ndefine f(a,     \n  b) = 3\n'


def test_a_negative_number_begins_a_line_of_its_own() -> None:
    table = declared("table f(n: -1..1): -1..1\n  -1 -1\n  0 2\n")
    assert isinstance(table, tree.Table) and table.drawing is not None
    assert [[symbol.text for symbol in row] for row in table.drawing.rows] == [["-1", "-1"], ["0", "2"]]
    assert declared("define f = a\n  - 1\n") == declared("define f = a - 1\n")


# -------------------------------------------------------------------------------------------------------------- faults


def test_a_fault_does_not_hide_the_next() -> None:
    text = "game A\nto f\n  a b\n  c\n  d e\n    g\n  h i\ndefine j = = k\ndefine l = 3\nplace m\n"
    places = [str(diagnostic.span) for diagnostic in errors(text)]
    assert places == ["a.sea:3", "a.sea:5", "a.sea:7", "a.sea:8", "a.sea:10"]


def test_what_has_no_fault_is_kept() -> None:
    file = parse(SourceFile("a.sea", "game A\ndefine b = = c\ndefine d = 3\n"), Report())
    assert [d.name for d in file.chapters[0].declarations if isinstance(d, tree.Define)] == ["d"]


def test_a_faulty_heading_does_not_give_its_declarations_to_another() -> None:
    file = parse(SourceFile("a.sea", "game A\ndefine b = 1\nvariant c of A\ndefine d = 3\n"), Report())
    assert [len(chapter.declarations) for chapter in file.chapters] == [1]


def test_after_many_errors_the_rest_is_not_looked_at() -> None:
    found = errors("game A\n" + "foo bar\n" * 1000)
    assert len(found) == MAX_ERRORS + 1
    assert found[-1].code is Code.TOO_MANY


def test_a_carriage_return_within_a_line() -> None:
    assert codes("game A\rconst b = 1\rconst c = 2\n") == [Code.LINE_ENDS]


def test_control_characters() -> None:
    assert codes('game A\nnote "a\x07b"\nconst a = \x00\n') == [Code.BAD_CHARACTER, Code.BAD_CHARACTER]


# -------------------------------------------------------------------------------------------------------------- limits

NESTED = 20_000
DEEP = {
    "brackets": "(" * NESTED + "1" + ")" * NESTED,
    "all brackets": "([{" * NESTED,
    "not": "not " * NESTED + "a",
    "minus": "- " * NESTED + "a",
    "implies": "a implies " * NESTED + "a",
    "plus": "a + " * NESTED + "a",
    "and": "a and " * NESTED + "a",
    "dots": "a" + ".a" * NESTED,
    "calls": "a" + "()" * NESTED,
    "if": "if a then " * NESTED + "a" + " else b" * NESTED,
    "else": "if a then b else " * NESTED + "a",
    "every": "every x in S: " * NESTED + "a",
    "lines": "a\n" + "  and a\n" * NESTED,
}


@pytest.mark.parametrize("name", DEEP)
def test_nesting_has_a_limit(name: str) -> None:
    found = codes(f"game A\ndefine f = {DEEP[name]}\ndefine g = 3\n")
    assert set(found) <= {Code.TOO_DEEP, Code.BRACKETS}
    assert Code.TOO_DEEP in found


def test_just_within_the_limits() -> None:
    for text in (
        "(" * MAX_BRACKETS + "1" + ")" * MAX_BRACKETS,
        "a + " * (MAX_NESTING - 10) + "a",
        "not " * (MAX_NESTING - 10) + "a",
    ):
        assert not errors(f"game A\ndefine f = {text}\n")


def test_blocks_have_a_limit() -> None:
    def blocks(number: int) -> str:
        return "game A\nto f\n" + "".join("  " * level + "if a\n" for level in range(1, number)) + "  " * number + "b\n"

    assert codes(blocks(MAX_DEPTH - 1)) == []
    assert codes(blocks(400)) == [Code.TOO_DEEP]
    assert codes("game A\nto f\n  if a: b\n" + "  else if a: b\n" * 5000) == [Code.TOO_DEEP]
    assert codes("game A\ndefine f\n" + "  a\n" * 5000) == [Code.TOO_DEEP]
    assert codes("game A\ndefine f\n" + "  let a = b\n" * 5000 + "  a\n") == [Code.TOO_DEEP]


def test_many_statements_are_no_nesting() -> None:
    assert codes("game A\nto f\n" + "  a\n" * 2000) == []
    assert codes("game A\nreplace f\n" + "  a\n" * 2000) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("game A\n" + "const a = 1\n" * (MAX_SIZE // 12 + 1), Code.TOO_LONG),
        ("game A\nconst a = " + "1" * 500_000, Code.TOO_LONG),
        ("game A\nconst a = {" + "1, " * 50_000 + "1 1}", Code.SYNTAX),
        ("game A\ncasti " + "a" * 500_000, Code.SYNTAX),
        ("game A\n" + '"' * 500_001, Code.OPEN_STRING),
        ("game A\nconst a = " + ")" * 100_000, Code.BRACKETS),
        ("game A\ndefine f = a\n" + "  else if a\n" * 30_000, Code.INDENTATION),
        ("game A\ndefine f = " + "if " * 5000 + "\nthen" * 30_000, Code.TOO_DEEP),
        ("\n" * 500_000, Code.NO_HEADING),
    ],
)
@pytest.mark.timeout(60)
def test_long_texts_do_not_hang(text: str, code: Code) -> None:
    assert code in codes(text)
