"""One game, merged from its modules, itself and its variants: still syntax, nothing resolved.

What merge.py makes and elaborate reads. `replace`, `set`, `remove`, `add` are worked in; older bodies that a `base(..)`
calls are kept under another name; guards, exceptions and hooks that variants add stand beside what they belong to.
Clauses of one name (`define price(c: Card)`, `define price(c: Coin)`) form a family, told apart by the kind of the
first argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from seaspec.syntax import tree


@dataclass(slots=True)
class MergedGame:
    """Declarations by name, in the order they were written; chapters in merge order."""

    game: tree.Chapter
    chapters: tuple[tree.Chapter, ...]
    """Modules, the game, then the variants (and world) as stacked."""

    options: dict[str, tree.Option] = field(default_factory=dict)
    fixed_options: dict[str, tree.SetValue] = field(default_factory=dict)
    """`set players = 1` on an option: it has this value and can not be chosen any more."""
    consts: dict[str, tree.Const] = field(default_factory=dict)
    types: dict[str, tree.TypeDecl] = field(default_factory=dict)
    boards: dict[str, tree.Board] = field(default_factory=dict)
    shapes: dict[str, tree.Shape] = field(default_factory=dict)
    tables: dict[str, tree.Table] = field(default_factory=dict)
    """By name; `table of Class` under "of Class"."""
    components: dict[str, tree.Component] = field(default_factory=dict)
    removed_kinds: dict[str, tree.Remove] = field(default_factory=dict)
    """Kinds with `remove Joker`: they have no pieces."""
    removed: dict[str, tree.Remove] = field(default_factory=dict)
    """Anything else with `remove x`: it is not there any more, and examples that name it do not apply."""
    places: dict[str, tree.Place] = field(default_factory=dict)
    states: dict[str, tree.State] = field(default_factory=dict)
    pictures: dict[str, tree.Picture] = field(default_factory=dict)
    looks: dict[str, tree.Look] = field(default_factory=dict)
    terms: dict[tuple[str, str], tree.TermOf] = field(default_factory=dict)
    """By language and name."""
    defines: dict[str, tuple[tree.Define, ...]] = field(default_factory=dict)
    rules: dict[str, tree.Rules] = field(default_factory=dict)
    menus: dict[str, tree.Menu] = field(default_factory=dict)
    actions: dict[str, tuple[tree.Action, ...]] = field(default_factory=dict)
    procedures: dict[str, tuple[tree.Procedure, ...]] = field(default_factory=dict)
    """Left open and never given a body: the body is ()."""
    chances: dict[str, tree.Chance] = field(default_factory=dict)
    whenevers: tuple[tree.Whenever, ...] = ()
    forbids: dict[str, tuple[tree.Forbid, ...]] = field(default_factory=dict)
    """By action; their parameters are names for the action's, in order."""
    allows: dict[str, tuple[tree.Allow, ...]] = field(default_factory=dict)
    before: dict[str, tuple[tree.Hook, ...]] = field(default_factory=dict)
    """By procedure or action, in the order they run; their parameters are names for the procedure's, in order
    (none written: none available)."""
    after: dict[str, tuple[tree.Hook, ...]] = field(default_factory=dict)
    promises: tuple[tree.Promise, ...] = ()
    breaks: dict[str, tree.Breaks] = field(default_factory=dict)
