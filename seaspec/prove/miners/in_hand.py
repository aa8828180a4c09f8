"""What may hold of what a procedure has in hand: facts about its parameters and names, where each procedure is looked
at for itself.

    what is said if something   may hold anyway, before that comes to be so
    what is tested of one       may hold of another of the same type: whoever calls may have tested it
    all but those in hand       keep a promise, while the procedure is at work on them; these may keep a part of it
    all but those still to come keep it, while a loop makes it so for one after the other
    all other players           keep it, while the procedure is at work on one
    all that lie elsewhere      keep it, while the procedure is at work where one in hand lies
    what is said of names       of an action, when it ends, may hold of what is in hand all the time
    two in hand                 are not the same; they lie at the same place
    one that is about to move   goes where a promise allows it to lie, or to go to from where it lies
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, permutations, product

from seaspec.backends.symbolic.seats import names_players
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, FoldKind, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import Node, free_variables, rewrite, substitute, walk
from seaspec.prove.facts import Fact, conjuncts, negated

MOST_IN_HAND = 3


def facts_in_hand(graph: flow.Flow, own: Iterable[Fact], frame: Iterable[Variable]) -> Iterator[Fact]:
    """Facts about the pieces in the frame. `own`: what promises say."""
    have = list(frame)
    pieces = [name for name in have if isinstance(name.type, types.Pieces)]
    for one, other in combinations(pieces, 2):
        if set(_members(one)) & set(_members(other)):
            yield Fact(None, (), negated(_is(one, other)))
            yield from (_lie_together(graph.game, place, one, other) for place in _spread(graph.game, one, other))
    yield from _tested_of_others(graph, have)
    own = list(own)
    yield from of_all_others(own, have)
    for fact in own:
        yield from _about_to_move(fact, have)
        if fact.after is None:
            if fact.guards:
                yield Fact(None, (), fact.test, fact.values)
            yield from _all_but(fact, pieces)
            yield from _all_but_to_come(fact, have)
            yield from _elsewhere(graph.game, fact, pieces)


def of_names(fact: Fact, frame: Iterable[Variable]) -> Iterator[Fact]:
    """What is said of the names of an action when it ends: of what is in hand in a procedure that it may call."""
    free = [name for expr in (fact.test, *fact.guards) for name in free_variables(expr)]
    named = [name for name in dict.fromkeys(free) if name in fact.names]
    compares = any(isinstance(node, ir.Old) for expr in (fact.test, *fact.guards) for node in walk(expr))
    if fact.after is None or compares or not named or len(named) > MOST_IN_HAND:
        return
    have = list(frame)
    fitting = [[one for one in have if _fits(one.type, name.type)] for name in named]
    for chosen in product(*fitting):
        if len(set(chosen)) == len(chosen):
            said: dict[Variable, Expr] = dict(zip(named, map(ir.Local, chosen), strict=True))
            guards = tuple(substitute(guard, said) for guard in fact.guards)
            yield Fact(None, guards, substitute(fact.test, said), fact.values, is_wanted=True)


def of_all_others(own: Iterable[Fact], frame: Iterable[Variable]) -> Iterator[Fact]:
    """What is said of a player, if that is not the one in hand."""
    players = [name for name in frame if isinstance(name.type, types.Enum) and names_players(name.type)]
    for fact in own:
        about = [name for name, (ty, _) in fact.values.items() if names_players(ty)]
        if len(about) == 1 and fact.after is None:
            for name in players:
                other = negated(_is(about[0], name))
                yield replace(fact, promise=None, guards=(other, *fact.guards), weaker_than=fact)


def _tested_of_others(graph: flow.Flow, have: list[Variable]) -> Iterator[Fact]:
    seen: set[Expr] = set()
    for test in _tests(graph):
        free = free_variables(test)
        if len(free) == 2 and isinstance(test, ir.Apply) and test.op is Op.OR:  # one of two in hand, or the other
            for pair in permutations(have, 2):
                if all(map(_fits, (name.type for name in pair), (name.type for name in free))):
                    said = substitute(test, dict(zip(free, map(ir.Local, pair), strict=True)))
                    if said not in seen:
                        seen.add(said)
                        yield Fact(None, (), said)
        if len(free) != 1:
            continue
        for name in have:
            if name is free[0] or not _fits(name.type, free[0].type):
                continue
            said = substitute(test, {free[0]: ir.Local(name)})
            if said not in seen:
                seen.add(said)
                yield Fact(None, (), said)


def _tests(graph: flow.Flow) -> Iterator[Expr]:
    """What the rules test, and the guards of actions."""
    for block in graph.blocks:
        if isinstance(block.exit, flow.Test):
            for part in (*conjuncts(block.exit.test), *conjuncts(negated(block.exit.test))):
                yield part
                match part:
                    case ir.Apply(ty, Op.OR, parts) if len(parts) == 2:
                        yield ir.Apply(ty, Op.OR, tuple(map(negated, parts)))
                    case _:  # cautious: a guess less; what is guessed is proved all the same
                        pass
    for action in graph.game.actions.values():
        for guard in action.guards:
            yield from conjuncts(guard.test)


def _fits(ty: types.Type, other: types.Type) -> bool:
    """Whether a value of a type may be one of another."""
    if isinstance(ty, types.Pieces) and isinstance(other, types.Pieces):
        return set(ty.members) <= set(other.members)
    return ty == other


def _all_but(fact: Fact, pieces: list[Variable]) -> Iterator[Fact]:
    """What is said of every piece, of all but some in hand."""
    test = fact.test
    if not isinstance(test, ir.Fold) or test.kind is not FoldKind.EVERY or len(test.binders) != 1:
        return
    (binder,) = test.binders
    if not isinstance(binder.variable.type, types.Pieces) or binder.prefix:
        return
    alike = [name for name in pieces if set(_members(name)) & set(binder.variable.type.members)][:MOST_IN_HAND]
    for name in alike:
        for part in _halves(substitute(test.body, {binder.variable: ir.Local(name)})):
            yield from _with_and_without(fact, part, None)
    for number in (1, 2):
        for names in combinations(alike, number):
            others = tuple(negated(_is(binder.variable, name)) for name in names)
            tests = others if binder.test is None else (binder.test, *others)
            whole = tests[0] if len(tests) == 1 else ir.Apply(types.Bool(), Op.AND, tests)
            said = replace(test, binders=(replace(binder, test=whole),))
            yield from _with_and_without(fact, said, fact)


def _all_but_to_come(fact: Fact, have: list[Variable]) -> Iterator[Fact]:
    """What is said of every piece, of all but those that a loop has still to go through."""
    for piece, (ty, _) in fact.values.items():
        for name in have:
            if isinstance(ty, types.Pieces) and isinstance(name.type, types.SetOf) and _fits(ty, name.type.of):
                gone = negated(ir.Apply(types.Bool(), Op.IN, (ir.Local(piece), ir.Local(name))))
                yield Fact(None, (gone,), fact.test, fact.values)
    match fact.test:
        case ir.Fold(_, FoldKind.EVERY, (ir.Binder(variable, _, test, False) as binder,)):
            for name in have:
                if isinstance(name.type, types.SetOf) and _fits(variable.type, name.type.of):
                    gone = negated(ir.Apply(types.Bool(), Op.IN, (ir.Local(variable), ir.Local(name))))
                    whole = gone if test is None else ir.Apply(types.Bool(), Op.AND, (test, gone))
                    yield from _with_and_without(fact, replace(fact.test, binders=(replace(binder, test=whole),)), fact)
        case _:  # cautious: a guess less; what is guessed is proved all the same
            return


def _elsewhere(game: ir.Game, fact: Fact, pieces: list[Variable]) -> Iterator[Fact]:
    """What is said of every piece in a place, of those that lie elsewhere than one in hand."""
    match fact.test:
        case ir.Fold(_, FoldKind.EVERY, (ir.Binder(variable, ir.Everywhere(_, place), test, False) as binder,)):
            for name in pieces:
                if set(_members(name)) & set(_members(variable)):
                    away = negated(_there_together(game, place, name, variable))
                    whole = away if test is None else ir.Apply(types.Bool(), Op.AND, (test, away))
                    yield from _with_and_without(fact, replace(fact.test, binders=(replace(binder, test=whole),)), fact)
        case _:  # cautious: a guess less; what is guessed is proved all the same
            return


def _about_to_move(fact: Fact, have: list[Variable]) -> Iterator[Fact]:
    """What is said of where every piece lies, or where it lay when a procedure began and where it lies now: of one in
    hand that lies somewhere, and is about to go to another place in hand."""
    match fact.test:
        case ir.Fold(_, FoldKind.EVERY, (ir.Binder(variable, ir.Everywhere(_, place), None, False),), body):
            said = body
        case ir.Apply(
            _, Op.NOT, (ir.Fold(_, FoldKind.SOME, (ir.Binder(variable, ir.Everywhere(_, place), None),), body),)
        ):
            said = negated(body)
        case _:  # cautious: a guess less; what is guessed is proved all the same
            return
    if not isinstance(variable.type, types.Pieces):
        return
    now = ir.Local(Variable("now", variable.type))
    then = ir.Local(Variable("then", variable.type))

    def told_apart(node: Node) -> Node:
        match node:
            case ir.WhereIs(_, _, ir.Local(name)) if name is variable:
                return replace(node, piece=now)
            case ir.Old(inner):
                return rewrite(inner, lambda part: then if part == now else part)
            case _:  # cautious: it stays as it is, and is a guess
                return node

    split = rewrite(said, told_apart)
    if fact.after is None:
        split = substitute(split, {variable: then})
    for piece, target in product(have, have):
        if not _fits(piece.type, variable.type):
            continue

        def moved(node: Node, piece: Variable = piece, target: Variable = target) -> Node:
            match node:
                case ir.WhereIs(ty, there, inner) if inner == now:
                    return ir.Local(target) if there == place and ty == target.type else node
                case _:  # cautious: a guess, as the whole
                    pass
            return ir.Local(piece) if node == then else node

        whole = rewrite(split, moved)
        if now.variable not in free_variables(whole) and target in free_variables(whole):
            yield Fact(None, (), whole, fact.values)


def _spread(game: ir.Game, *pieces: Variable) -> Iterator[str]:
    """The places with several instances in which all of these may lie."""
    for name, place in game.places.items():
        if place.index and all(set(_members(piece)) & set(place.holds.members) for piece in pieces):
            yield name


def _lie_together(game: ir.Game, place: str, one: Variable, other: Variable) -> Fact:
    """That two in hand lie in the same instance, if both lie in that place."""
    return Fact(
        None, (_lies_in(game, one, place), _lies_in(game, other, place)), _same_instance(game, place, one, other)
    )


def _there_together(game: ir.Game, place: str, one: Variable, other: Variable) -> Expr:
    return ir.Apply(types.Bool(), Op.AND, (_lies_in(game, one, place), _same_instance(game, place, one, other)))


def _with_and_without(fact: Fact, said: Expr, weaker_than: Fact | None) -> Iterator[Fact]:
    """What is said where a promise is claimed, or anyway."""
    yield Fact(None, (), said, fact.values, weaker_than=None if fact.guards else weaker_than)
    if fact.guards:
        yield Fact(None, fact.guards, said, fact.values, weaker_than=weaker_than)


def _halves(test: Expr) -> Iterator[Expr]:
    """What is said of a number that lies in a range: of its lower and of its upper end."""
    match test:
        case ir.Apply(ty, Op.IN, (value, ir.Apply(_, Op.RANGE, (low, high)))):
            yield ir.Apply(ty, Op.AT_MOST, (low, value))
            yield ir.Apply(ty, Op.AT_MOST, (value, high))
        case _:  # cautious: it is said as it stands
            yield test


def _is(one: Variable, other: Variable) -> Expr:
    return ir.Apply(types.Bool(), Op.EQUAL, (ir.Local(one), ir.Local(other)))


def _lies_in(game: ir.Game, name: Variable, place: str) -> Expr:
    return ir.Apply(types.Bool(), Op.IN, (ir.Local(name), ir.Everywhere(types.SetOf(game.places[place].holds), place)))


def _same_instance(game: ir.Game, place: str, one: Variable, other: Variable) -> Expr:
    keys = enumerate(game.places[place].index)
    same = (
        ir.Apply(
            types.Bool(), Op.EQUAL, tuple(ir.WhereIs(key.type, place, ir.Local(name), at) for name in (one, other))
        )
        for at, key in keys
    )
    return ir.Apply(types.Bool(), Op.AND, tuple(same))


def _members(name: Variable) -> tuple[int, ...]:
    assert isinstance(name.type, types.Pieces)
    return name.type.members
