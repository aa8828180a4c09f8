"""Whether the hooks that two variants put at the same point get into each other's way.

Both run, in merge order; if that order is not settled, it must not matter. It is taken to matter if both

- write the same place or state (and not both just add to it),
- move, or set something of, the same parameter of the hooked call, unless each first tests it for another kind
  (`if c is Joker: ..`),
- ask a player or throw dice,
- end the game or leave a procedure, or one leaves a procedure and the other does anything at all.

All this by name, over the procedures and actions that are called or offered, with their own hooks: indices are not
compared (`coins[p]` and `coins[q]` are the same state), what is only read does not count, and neither does what
`whenever` rules do later. A source that is not named in the text (`move c to P`) is the parameter itself, if it is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from seaspec.check.merging.draft import Draft, settle_hint
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label
from seaspec.syntax import tree
from seaspec.syntax.walk import walk


def check_hooks(draft: Draft) -> None:
    """Report hooks of two variants at one point whose order is open and matters."""
    chapters = {id(change): chapter for chapter, change in draft.collected}
    for hooks in (draft.merged.before, draft.merged.after):
        for several in hooks.values():
            effects: list[tuple[tree.Hook, tree.Chapter, _Effects]] = []
            for hook in several:
                chapter = chapters[id(hook)]
                own = _effects_of_hook(draft, hook)
                for other, other_chapter, others in effects:
                    if not draft.order.is_settled(other_chapter, chapter):
                        _compare(draft, (other, other_chapter, others), (hook, chapter, own))
                effects.append((hook, chapter, own))


@dataclass(slots=True)
class _Effects:
    """What steps do: names that are set, and that are only added to; pieces: the number of a parameter and the kind
    it has been tested for; whether they decide or throw, end the game, leave a procedure."""

    sets: set[str] = field(default_factory=set)
    adds: set[str] = field(default_factory=set)
    pieces: set[tuple[int, str | None]] = field(default_factory=set)
    decides: bool = False
    ends: bool = False
    stops: bool = False

    @property
    def any(self) -> bool:
        return bool(self.sets or self.adds or self.pieces or self.decides or self.ends or self.stops)


def _compare(
    draft: Draft, first: tuple[tree.Hook, tree.Chapter, _Effects], second: tuple[tree.Hook, tree.Chapter, _Effects]
) -> None:
    (hook, chapter, one), (other_hook, other_chapter, other) = first, second
    written = (one.sets & (other.sets | other.adds)) | (one.adds & other.sets)
    reasons = [f"write '{name}'" for name in sorted(written) if name]
    for number, kind in sorted(one.pieces, key=str):
        if any(number == n and (kind is None or k is None or kind == k) for n, k in other.pieces):
            reasons.append(f"move '{hook.params[number].name}'")
    if one.decides and other.decides:
        reasons.append("decide or throw")
    if one.ends and other.ends:
        reasons.append("end the game")
    if (one.stops and other.any) or (other.stops and one.any):
        reasons.append("act, and one may stop the other")
    if not reasons:
        return
    point = f"{'before' if hook.before else 'after'} {hook.name}"
    message = f"{chapter.name} and {other_chapter.name} both hook '{point}', and both {reasons[0]}"
    labels = [Label(hook.span, f"{chapter.name} hooks it, too")]
    hint = settle_hint(chapter, other_chapter)
    draft.report.add(Code.HOOK_CONFLICT, other_hook.span, message, labels=labels, hint=hint)


# ------------------------------------------------------------------------------------------------------------- effects


def _effects_of_hook(draft: Draft, hook: tree.Hook) -> _Effects:
    effects = _Effects()
    numbers = {param.name: index for index, param in enumerate(hook.params)}
    _collect(draft, hook.body, effects, numbers, {}, set())
    return effects


def _collect(
    draft: Draft,
    body: Iterable[tree.Statement],
    effects: _Effects,
    numbers: Mapping[str, int],
    kinds: Mapping[str, str],
    visited: set[str],
) -> None:
    """Add what statements do. `numbers`: the parameters of the hook; `kinds`: what they have been tested for."""
    for statement in body:
        _collect_one(draft, statement, effects, numbers, kinds, visited)
        if isinstance(statement, tree.If):
            tested = {**kinds, **_tests_of_kind(statement.test)}
            _collect(draft, statement.then, effects, numbers, tested, visited)
            _collect(draft, statement.otherwise, effects, numbers, kinds, visited)
        else:
            _collect(draft, blocks_in(statement), effects, numbers, kinds, visited)


def _tests_of_kind(test: tree.Expr) -> dict[str, str]:
    match test:
        case tree.Is(subject=tree.Name(name=name), test=tree.Test.VALUE, negated=False, value=tree.Capital(name=kind)):
            return {name: kind}
        case tree.Binary(op=tree.Operator.AND, left=left, right=right):
            return {**_tests_of_kind(left), **_tests_of_kind(right)}
        case _:  # cautious: not known to be of a kind; then hooks are taken to conflict
            return {}


def blocks_in(statement: tree.Statement) -> Iterator[tree.Statement]:
    """The statements in the blocks of a statement."""
    match statement:
        case tree.If():
            yield from (*statement.then, *statement.otherwise)
        case tree.Choose():
            yield from (*statement.body, *(statement.otherwise or ()))
        case tree.ForEach() | tree.Repeat() | tree.AllAtOnce():
            yield from statement.body
        case tree.AnyOrder():
            yield from statement.lines
        case tree.MatchStatement():
            for case in statement.cases:
                yield from case.body
        case (
            tree.Needs() | tree.Call() | tree.Assign() | tree.Let() | tree.Move() | tree.MoveSome() | tree.Draw()
            | tree.Shuffle() | tree.Roll() | tree.Again() | tree.Gives() | tree.Stop() | tree.Say() | tree.Show()
            | tree.Nothing() | tree.Win() | tree.Lose() | tree.NobodyWins() | tree.DropOut() | tree.Score()
            | tree.Share()
        ):  # fmt: skip
            pass
        case _:
            assert_never(statement)


def _collect_one(
    draft: Draft,
    statement: tree.Statement,
    effects: _Effects,
    numbers: Mapping[str, int],
    kinds: Mapping[str, str],
    visited: set[str],
) -> None:
    match statement:
        case tree.Assign(target=target, op=op):
            (effects.sets if op is None else effects.adds).add(_name(target))
        case tree.Move(cargo=cargo, target=target):
            effects.sets.add(_name(target))
            if isinstance(cargo, tree.Name) and cargo.name in numbers:
                effects.pieces.add((numbers[cargo.name], kinds.get(cargo.name)))
            elif _name(cargo) in draft.merged.places:
                effects.sets.add(_name(cargo))
        case tree.MoveSome(source=source, target=target):
            effects.sets.update((_name(source), _name(target)))
        case tree.Draw(source=source, target=target):
            effects.sets.update((_name(source), _name(target)))
            effects.decides = True
        case tree.Shuffle(place=place):
            effects.sets.add(_name(place))
            effects.decides = True
        case tree.Roll() | tree.Share() | tree.AnyOrder():
            effects.decides = True
        case tree.Choose(offer=offer):
            effects.decides = True
            if isinstance(offer, tree.OfferActions):
                for item in offer.items:
                    _collect_called(draft, item.name, effects, visited)
        case tree.Win() | tree.Lose() | tree.NobodyWins() | tree.Score() | tree.DropOut():
            effects.ends = True
        case tree.Stop():
            effects.stops = True
        case tree.Call(call=tree.Apply(function=tree.Name(name=name)) | tree.Name(name=name)):
            _collect_called(draft, name, effects, visited)
        case tree.If(test=test) | tree.Let(value=test):
            throws = (node.name for node in walk(test) if isinstance(node, tree.Name))
            effects.decides = effects.decides or any(name in draft.merged.chances for name in throws)
        case (
            tree.Call() | tree.Let() | tree.If() | tree.ForEach() | tree.Repeat() | tree.MatchStatement()
            | tree.AllAtOnce() | tree.Needs() | tree.Again() | tree.Gives() | tree.Say() | tree.Show()
            | tree.Nothing()
        ):  # fmt: skip
            pass
        case _:
            assert_never(statement)


def _collect_called(draft: Draft, name: str, effects: _Effects, visited: set[str]) -> None:
    """What a procedure or action does, with its hooks; a menu: all its options."""
    if name in visited:
        return
    visited.add(name)
    merged = draft.merged
    bodies: list[tuple[tree.Statement, ...]] = [clause.body for clause in merged.actions.get(name, ())]
    bodies += [clause.body or () for clause in merged.procedures.get(name, ())]
    bodies += [hook.body for hook in (*merged.before.get(name, ()), *merged.after.get(name, ()))]
    for body in bodies:
        _collect(draft, body, effects, {}, {}, visited)
    if name in merged.menus:
        for item in merged.menus[name].items:
            _collect_called(draft, item.name, effects, visited)
    if name in merged.chances:
        effects.decides = True


def _name(expr: tree.Expr) -> str:
    """The name of the place or state that an expression stands for."""
    match expr:
        case tree.Name(name=name) | tree.Dot(name=name):
            return name
        case tree.Index(base=base):
            return _name(base)
        case _:  # cautious: no name: it conflicts with all that has none, either
            return ""
