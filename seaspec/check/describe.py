"""What declarations are called: their names, and a few words for messages such as "action play"."""

from __future__ import annotations

from typing import assert_never

from seaspec.syntax import tree

_WORDS: dict[type[tree.Node], str] = {
    tree.Title: "title",
    tree.Term: "term",
    tree.Rulebook: "rulebook",
    tree.Uses: "uses",
    tree.Combines: "combines with",
    tree.Note: "note",
    tree.Option: "option",
    tree.Const: "const",
    tree.TypeDecl: "type",
    tree.Board: "board",
    tree.Shape: "shape",
    tree.Table: "table",
    tree.Component: "component",
    tree.KindDecl: "kind",
    tree.Place: "place",
    tree.State: "state",
    tree.Picture: "picture",
    tree.Look: "look",
    tree.Define: "define",
    tree.Rules: "rules",
    tree.Menu: "menu",
    tree.Action: "action",
    tree.Procedure: "to",
    tree.Chance: "chance",
    tree.Whenever: "whenever",
    tree.ReplaceBody: "replace",
    tree.Remove: "remove",
    tree.Forbid: "forbid",
    tree.Allow: "allow",
    tree.SetValue: "set",
    tree.SetCapital: "set",
    tree.Breaks: "breaks",
    tree.Drops: "drops",
    tree.Invariant: "invariant",
    tree.Always: "always",
    tree.Lemma: "lemma",
    tree.Reachable: "reachable",
    tree.Winnable: "winnable",
    tree.NeverStuck: "never stuck",
    tree.Ends: "ends",
    tree.Secret: "secret",
    tree.OddsPromise: "odds",
    tree.Symmetry: "symmetry",
    tree.Example: "example",
}


def describe(declaration: tree.Declaration | tree.KindDecl) -> str:
    """A few words that say which declaration is meant, as it is written: `to turn`, `forbid play`."""
    match declaration:
        case tree.Hook():
            return f"{'before' if declaration.before else 'after'} {declaration.name}"
        case tree.ReplaceDeclaration():
            return f"replace {describe(declaration.declaration)}"
        case tree.AddItems():
            return f"add {', '.join(item.name for item in declaration.items)} to {declaration.menu}"
        case tree.AddKind():
            return f"add {declaration.kind.name} to {declaration.component}"
        case tree.Table(of=str() as of):
            return f"table of {of}"
        case tree.Remove(names=names) | tree.Drops(names=names) | tree.Secret(names=names):
            return f"{_WORDS[type(declaration)]} {', '.join(names)}"
        case tree.Title(language=name) | tree.Term(language=name):
            return f"{_WORDS[type(declaration)]} {name}"
        case tree.OddsPromise():
            return promise_name(declaration).replace("_", " ", 1)
        case _:  # cautious: words alone: the name, if there is one
            own_name: str | None = getattr(declaration, "name", None)
            return f"{_WORDS[type(declaration)]} {own_name}" if own_name else _WORDS[type(declaration)]


def describe_chapter(chapter: tree.Chapter) -> str:
    """`variant Short of Cards`: the heading of a chapter in a few words."""
    return f"{chapter.kind.value} {chapter.name}{f' of {chapter.of}' if chapter.of else ''}"


def declares(chapter: tree.Chapter, node: tree.Declaration) -> bool:
    """Whether it is this chapter that says so."""
    return any(declaration is node for declaration in chapter.declarations)


def promise_name(promise: tree.Promise) -> str:
    """The name by which `breaks`, `drops` and `remove` call a promise.

    Promises without a name of their own have one all the same: `never_stuck`, `ends`, `secret`, `odds_beats`,
    `mean_damage`.
    """
    match promise:
        case tree.NeverStuck():
            return "never_stuck"
        case tree.Ends():
            return "ends"
        case tree.Secret():
            return "secret"
        case tree.OddsPromise(mean=mean, call=tree.Apply(function=tree.Name(name=name)) | tree.Name(name=name)):
            return f"{'mean' if mean else 'odds'}_{name}"
        case tree.OddsPromise(mean=mean):
            return "mean" if mean else "odds"
        case (
            tree.Invariant() | tree.Always() | tree.Lemma() | tree.Reachable() | tree.Winnable() | tree.Symmetry()
            | tree.Example()
        ):  # fmt: skip
            return promise.name
        case _:
            assert_never(promise)


def counted(number: int, *, noun: bool = True) -> str:
    """`2 arguments`, or `2 are`."""
    if noun:
        return "1 argument" if number == 1 else f"{number or 'no'} arguments"
    return "1 is" if number == 1 else f"{number or 'none'} are"


def snake_case(name: str) -> str:
    """A capitalised name as the command line and file names have it.

    >>> snake_case("LongGame")
    'long_game'
    >>> snake_case("Old_maid")
    'old_maid'
    """
    words = []
    for index, letter in enumerate(name):
        starts = letter.isupper() and index > 0 and name[index - 1] != "_"
        if starts and (not name[index - 1].isupper() or name[index + 1 : index + 2].islower()):
            words.append("_")
        words.append(letter.lower())
    return "".join(words)
