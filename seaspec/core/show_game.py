"""Whole games and flow graphs as text, for `seaspec emit --stage core|flow` and for people who look for a bug.

The core is printed much as .sea text, but with everything resolved; the flow as numbered blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, Stmt, Target, Variable
from seaspec.core.show import plain, show_binders, show_expr, show_value
from seaspec.core.types import Type

INDENT = "  "


def show_game(game: ir.Game) -> str:
    """The core of a game as text."""
    return "\n".join(_game(game)) + "\n"


def show_flow(graph: flow.Flow) -> str:
    """A flow graph as text: `start`, then each block with its steps, its exit, and what is live at a node."""
    lines = [f"start {graph.start}", ""]
    for number, block in enumerate(graph.blocks):
        lines.append(f"{number}: -- {block.owner}")
        if flow.is_node(block.exit) and block.live:
            lines.append(f"{INDENT}live {', '.join(variable.name for variable in block.live)}")
        lines.extend(INDENT + line for step in block.steps for line in _step(step, graph.game))
        lines.extend(INDENT + line for line in _exit(block.exit, graph))
    return "\n".join(lines) + "\n"


def show_type(ty: Type) -> str:
    """A type as it is written.

    >>> show_type(types.Optional(types.Int(1, 6)))
    '1..6 or none'
    """
    match ty:
        case types.Bool():
            return "yes or no"
        case types.Int(low, high):
            return f"{low}..{high}"
        case types.Enum(name) | types.Cells(_, name) | types.Pieces(name):
            return name
        case types.Borders(board):
            return f"borders of {board}"
        case types.Optional(of):
            return f"{show_type(of)} or none"
        case types.SetOf(of, ordered):
            return f"{'ordered ' if ordered else ''}set of {show_type(of)}"
        case types.Map(keys, values):
            return f"map {show_type(keys)} to {show_type(values)}"
        case types.Never():
            return "nothing"
        case types.Fraction():
            return "odds"
        case _:
            assert_never(ty)


# ---------------------------------------------------------------------------------------------------------------- game


def _game(game: ir.Game) -> Iterator[str]:
    yield f"game {' + '.join(game.stack) or game.name}"
    for option in game.options:
        yield f"option {option.name}: {show_type(option.type)} = {show_value(option.value, option.type, game)}"
    for name, ty in game.types.items():
        if isinstance(ty, types.Enum):
            yield f"type {name} = {'ring' if ty.ring else 'one'} of {', '.join(ty.values)}"
    for board in game.boards.values():
        yield f"board {board.name}: {board.columns} by {board.rows}, {len(board.cells)} cells"
    for picture in game.pictures.values():
        yield f"picture {picture.name}: {len(picture.spots)} cells of {', '.join((*picture.things, *picture.standing))}"
    for look in game.looks.values():
        yield f"look {look.name}: {look.shape.value} for {', '.join(look.kinds)}"
    yield from _pieces(game)
    for place in game.places.values():
        yield _place(place, game)
    for state in game.states.values():
        yield _state(state, game)
    for table in game.tables.values():
        index = ", ".join(map(show_type, table.index))
        yield f"table {table.name}({index}): {show_type(table.type)}, {len(table.entries)} entries"
    for function in game.functions.values():
        yield f"define {function.name}{_params(function.params)}: {show_type(function.type)}"
        yield f"{INDENT}= {show_expr(function.body, game)}"
    for action in game.actions.values():
        yield from _action(action, game)
    for procedure in game.procedures.values():
        if not procedure.is_action:
            yield f"procedure {procedure.name}{_params(procedure.params)}"
            yield from _body(procedure, game)
    for chance in game.chances.values():
        yield f"chance {chance.name}{_params(chance.params)}"
        yield from _block(chance.body, game)
        for test in chance.again:
            yield f"{INDENT}again if {show_expr(test, game)}"
        yield f"{INDENT}gives {show_expr(chance.gives, game)}"
    for rule in game.whenevers:
        some = f"some {show_binders(rule.witnesses, game)}: " if rule.witnesses else ""
        yield f"whenever {rule.name}: {some}{show_expr(rule.test, game)}"
        yield from _block(rule.body, game)
    for menu in game.menus.values():
        yield f"menu {menu.name} = {' or '.join(menu.actions)}"
    for promise in game.promises:
        yield _promise(promise, game)


def _pieces(game: ir.Game) -> Iterator[str]:
    alike: dict[int, list[ir.Piece]] = {}
    for piece in game.pieces:
        alike.setdefault(piece.twin, []).append(piece)
    for same in alike.values():
        times = f" times {len(same)}" if len(same) > 1 else ""
        yield f"piece {same[0].title}{times} ({' < '.join(same[0].kinds)}) in {same[0].home}"


def _place(place: ir.Place, game: ir.Game) -> str:
    capacity = "" if place.capacity is None else f" up to {show_expr(place.capacity, game)}"
    flags = f"{' uncounted' if place.uncounted else ''}{' fixed after setup' if place.fixed else ''}"
    what = f"{place.order.value}{capacity} of {place.holds.name}"
    return f"place {place.name}{_index(place.index)} {what}{_sight(place.sight, game)}{flags}"


def _state(state: ir.State, game: ir.Game) -> str:
    word = "track" if state.track else "state"
    until = "" if state.until is None else f" until end of {state.until}"
    kept = "" if state.while_in is None else f" while in {state.while_in}"
    value = f"{show_type(state.type)} = {show_expr(state.initial, game)}"
    return f"{word} {state.name}{_index(state.index)}: {value}{until}{kept}{_sight(state.sight, game)}"


def _sight(sight: ir.Sight, game: ir.Game) -> str:
    if sight.all:
        return " open"
    return " hidden" if sight.by is None else f" seen by {show_expr(sight.by, game)}"


def _action(action: ir.Action, game: ir.Game) -> Iterator[str]:
    params = []
    for param in action.params:
        among = "" if param.domain is None else f" in {show_expr(param.domain, game)}"
        where = "" if param.test is None else f" where {show_expr(param.test, game)}"
        params.append(f"{param.variable.name}: {show_type(param.variable.type)}{among}{where}")
    sentence = "" if action.source.sentence is None else f' "{plain(action.source.sentence, game)}"'
    yield f"action {action.name}({', '.join(params)}){sentence}"
    for guard in action.guards:
        yield f"{INDENT}needs {guard.name}: {show_expr(guard.test, game)}"
        yield from (f"{INDENT * 2}unless {show_expr(test, game)}" for test, _ in guard.exceptions)
    if action.name in game.procedures:
        yield from _body(game.procedures[action.name], game)


def _body(procedure: ir.Procedure, game: ir.Game) -> Iterator[str]:
    for word, block in (("before", procedure.before), ("", procedure.body), ("after", procedure.after)):
        if block and word:
            yield f"{INDENT}-- {word}"
        yield from _block(block, game)
    if procedure.clocks:
        yield f"{INDENT}-- clocks {', '.join(procedure.clocks)}"


def _promise(promise: ir.Promise, game: ir.Game) -> str:
    myth = "myth " if promise.myth else ""
    match promise:
        case ir.Invariant(name, claim, procedures, test):
            where = f" {claim.name.lower()} {', '.join(procedures)}" if procedures else ""
            return f"{myth}invariant {name}{where}: {show_expr(test, game)}"
        case ir.Always(name, after, test):
            where = " after " + ", ".join(procedure for procedure, _, _ in after) if after else ""
            return f"{myth}always {name}{where}: {show_expr(test, game)}"
        case ir.Lemma(name, params, test):
            return f"{myth}lemma {name}{_params(tuple(p.variable for p in params))}: {show_expr(test, game)}"
        case ir.Reachable(name, test):
            return f"{myth}reachable {name}: {show_expr(test, game)}"
        case ir.Winnable(name, needed, test):
            only = "" if needed is None else f" only if {show_expr(needed, game)}"
            return f"{myth}winnable {name}{only}: {show_expr(test, game)}"
        case ir.NeverStuck():
            return f"{myth}never stuck"
        case ir.EndsWithin(_, calls, procedure, measure):
            by = "" if measure is None else f" by {show_expr(measure, game)}"
            return f"{myth}ends within {calls} calls of {procedure}{by}"
        case ir.Secret(_, things):
            return f"{myth}secret {', '.join(things)}"
        case ir.OddsPromise(_, odds, value):
            return f"{myth}{show_expr(odds, game)} = {show_expr(value, game)}"
        case ir.Symmetry(name, renamings):
            parts = ", ".join(f"{v.name}: {show_type(v.type)} to {show_expr(e, game)}" for v, e in renamings)
            return f"{myth}symmetry {name}: {parts}"
        case _:
            assert_never(promise)


# ---------------------------------------------------------------------------------------------------------- statements


def _block(body: Iterable[Stmt], game: ir.Game) -> Iterator[str]:
    for stmt in body:
        for line in _statement(stmt, game):
            yield INDENT + line


def _statement(stmt: Stmt, game: ir.Game) -> Iterator[str]:
    match stmt:
        case ir.Branch(test, then, otherwise):
            yield f"if {show_expr(test, game)}"
            yield from _block(then, game)
            if otherwise:
                yield "else"
                yield from _block(otherwise, game)
        case ir.Cases(subject, cases):
            yield f"match {show_expr(subject, game)}"
            for values, body in cases:
                yield INDENT + ", ".join(show_value(value, subject.type, game) for value in values)
                yield from (INDENT + line for line in _block(body, game))
        case ir.ForEach():
            yield _for_each(stmt, game)
            yield from _block(stmt.body, game)
        case ir.Repeat(times, until, body):
            bound = "" if times is None else f" at most {show_expr(times, game)} times"
            yield f"repeat{bound}" + ("" if until is None else f" until {show_expr(until, game)}")
            yield from _block(body, game)
        case ir.Choose():
            yield _choose(stmt, game)
            yield from _block(stmt.body, game)
            if stmt.otherwise is not None:
                yield "otherwise"
                yield from _block(stmt.otherwise, game)
        case ir.AllAtOnce(variable, domain, body):
            yield f"all at once each {variable.name} in {show_expr(domain, game)}"
            yield from _block(body, game)
        case ir.AnyOrder(player, lines):
            yield f"{show_expr(player, game)} in any order"
            for only_if, text, body in lines:
                yield f"{INDENT}{plain(text, game)}" + ("" if only_if is None else f" if {show_expr(only_if, game)}")
                yield from (INDENT + line for line in _block(body, game))
        case _:
            yield _effect(stmt, game)


def _for_each(stmt: ir.ForEach, game: ir.Game) -> str:
    order = "" if stmt.key is None else f" in order of {show_expr(stmt.key[1], game)}"
    start = "" if stmt.start is None else f" in order from {show_expr(stmt.start, game)}"
    where = "" if stmt.test is None else f" where {show_expr(stmt.test, game)}"
    return f"for each {stmt.variable.name} in {show_expr(stmt.domain, game)}{order}{start}{where}"


def _choose(stmt: ir.Choose, game: ir.Game) -> str:
    who = "chance" if stmt.decider is None else show_expr(stmt.decider, game)
    words = (("secretly", stmt.secretly), ("privately", stmt.privately), ("again", stmt.again))
    manner = [word for word, is_so in words if is_so]
    until = "" if stmt.until is None else f" until {show_expr(stmt.until, game)}"
    verb = " ".join([who, "may" if stmt.may else "chooses", *manner])
    return f"{verb} {_offer(stmt.offer, game)}{until}"


def _offer(offer: flow.AnyOffer, game: ir.Game) -> str:
    match offer:
        case ir.OfferActions(alternatives):
            return " or ".join(_alternative(alternative, game) for alternative in alternatives) or "nothing"
        case ir.OfferValues(binders, weights):
            return show_binders(binders, game) + ("" if weights is None else f" weights {show_expr(weights, game)}")
        case ir.OfferSubset(low, high, domain, variable):
            return f"{show_expr(low, game)}..{show_expr(high, game)} of {show_expr(domain, game)} as {variable.name}"
        case ir.OfferShare():
            most = "" if offer.at_most is None else f" at most {show_expr(offer.at_most, game)}"
            total = f"{show_expr(offer.low, game)}..{show_expr(offer.high, game)}"
            among = f"{offer.member.name} in {show_expr(offer.domain, game)}"
            return f"shares {total} among {among}{most} as {offer.gift.name}"
        case flow.OfferLines(left, _, texts):
            return f"a line of {left.name}: " + " / ".join(plain(text, game) for text in texts)
        case _:
            assert_never(offer)


def _alternative(alternative: ir.Alternative, game: ir.Game) -> str:
    given = ", ".join(".." if a is None else show_expr(a, game) for a in alternative.arguments)
    loop = "" if alternative.loop is None else f" for {show_binders((alternative.loop,), game)}"
    return f"{alternative.action}({given}){loop}"


def _effect(stmt: ir.Line, game: ir.Game) -> str:
    """Statements of one line."""
    match stmt:
        case ir.Do(procedure, arguments):
            return f"{procedure}({_listed(arguments, game)})"
        case ir.Let(variable, value):
            return f"let {variable.name} = {show_expr(value, game)}"
        case ir.Assign(state, indices, value):
            return f"{_indexed(state, indices, game)} := {show_expr(value, game)}"
        case ir.Move(cargo, whole, target, put, at):
            what = show_expr(cargo, game) if cargo is not None else f"all of {_target(whole, game)}"
            return f"move {what} {_put(put, at, game)} {_target(target, game)}"
        case ir.MoveSome(some, up_to, kind, origin, target, put, at):
            number = "all" if some is None else ("up to " if up_to else "") + show_expr(some, game)
            where = f"{_put(put, at, game)} {_target(target, game)}"
            return f"move {number} {kind.name} from {_target(origin, game)} {where}"
        case ir.Draw(drawn, up_to, origin, target, named):
            number = ("up to " if up_to else "") + show_expr(drawn, game)
            name = "" if named is None else f" as {named.name}"
            return f"draw {number} from {_target(origin, game)} to {_target(target, game)}{name}"
        case ir.Shuffle(place):
            return f"shuffle {_target(place, game)}"
        case ir.Roll(dice, sides, variable, _, seen):
            return f"roll {show_expr(dice, game)} d{sides} as {variable.name}{_seen(seen, game)}"
        case ir.Throw(chance, arguments, variable):
            return f"throw {chance}({_listed(arguments, game)}) as {variable.name}"
        case ir.Stop(procedure):
            return f"stop {procedure}"
        case ir.Say(text, audience):
            return f'say "{plain(text, game)}"' + ("" if audience is None else f" to {show_expr(audience, game)}")
        case ir.Show(place, to):
            return f"show {_target(place, game)} to {show_expr(to, game)}"
        case ir.End(outcome, players):
            return outcome.value + ("" if players is None else f" for {show_expr(players, game)}")
        case ir.Score(player, values):
            return f"score {player.name}: {' tie by '.join(show_expr(value, game) for value in values)}"
        case ir.DropOut(player):
            return f"{show_expr(player, game)} drops out"
        case _:
            assert_never(stmt)


def _seen(seen: ir.Expr | None, game: ir.Game) -> str:
    return "" if seen is None else f" seen by {show_expr(seen, game)}"


# ---------------------------------------------------------------------------------------------------------------- flow


def _step(step: flow.Step, game: ir.Game) -> Iterator[str]:
    match step:
        case flow.Set(variable, value):
            yield f"{variable.name} := {show_expr(value, game)}"
        case flow.Take(variable, domain, key):
            order = "" if key is None else f" in order of {show_expr(key[1], game)}"
            yield f"{variable.name} := members of {show_expr(domain, game)}{order}"
        case flow.Pop(variable, rest):
            yield f"{variable.name} := first out of {rest.name}"
        case flow.Begin(procedure):
            yield f"begin {procedure}"
        case flow.Finish(procedure):
            yield f"finish {procedure}"
        case flow.Judge(action):
            yield f"judge {action}"
        case flow.Reset(states):
            yield f"reset {', '.join(states)}"
        case flow.Require(test, message):
            yield f"require {show_expr(test, game)}: {message}"
        case flow.Veil(lift, player):
            yield "unveil" if lift else "veil" + ("" if player is None else f" {player.name}")
        case _:
            yield _effect(step, game)


def _exit(exit: flow.Exit, graph: flow.Flow) -> Iterator[str]:
    game = graph.game
    match exit:
        case flow.Goto(target):
            yield f"goto {target}"
        case flow.Test(test, then, otherwise):
            yield f"if {show_expr(test, game)} goto {then} else {otherwise}"
        case flow.Switch(subject, cases, otherwise):
            yield f"switch {show_expr(subject, game)}"
            for values, target in cases:
                yield f"{INDENT}{', '.join(show_value(v, subject.type, game) for v in values)}: goto {target}"
            yield f"{INDENT}else goto {otherwise}"
        case flow.Enter(procedure, back, target):
            yield f"call {procedure} at {target}, back to {graph.routines[procedure].returns[back]} ({back})"
        case flow.Return(procedure, targets):
            yield f"return from {procedure}: {', '.join(map(str, targets))}"
        case flow.Finding(witnesses, test, then, otherwise):
            some = f"some {show_binders(witnesses, game)}: " if witnesses else ""
            yield f"if {some}{show_expr(test, game)} goto {then} else {otherwise}"
        case flow.Decision():
            yield f"decision of {show_expr(exit.decider, game)} at {exit.menu}: {_offer(exit.offer, game)}"
            yield from _leads(exit, {"pass": exit.passing})
        case flow.ChanceNode(offer, seen=seen):
            yield f"chance: {_offer(offer, game)}{_seen(seen, game)}"
            yield from _leads(exit, {})
        case flow.DrawNode(origin, to, _, target, nothing):
            yield f"draw from {_target(origin, game)} to {_target(to, game)}"
            yield f"{INDENT}goto {target}" + ("" if nothing is None else f", nothing: {nothing}")
        case flow.RollNode(number, sides, variable, target, _, seen):
            yield f"roll {show_expr(number, game)} d{sides} as {variable.name}{_seen(seen, game)}, goto {target}"
        case flow.ThrowNode(chance, arguments, variable, target):
            yield f"throw {chance}({_listed(arguments, game)}) as {variable.name}, goto {target}"
        case flow.Over(how):
            yield "over" if how is None else f"over: {_effect(how, game)}"
        case flow.Outside():
            yield "outside"
        case _:
            assert_never(exit)


def _leads(exit: flow.Decision | flow.ChanceNode, more: dict[str, int | None]) -> Iterator[str]:
    for launch in exit.launches:
        yield f"{INDENT}{launch.action}: goto {launch.target}, back {launch.back}"
    for word, target in {"goto": exit.target, **more, "nothing": exit.nothing}.items():
        if target is not None:
            yield f"{INDENT}{word} {target}"


# --------------------------------------------------------------------------------------------------------------- parts


def _listed(exprs: Iterable[Expr], game: ir.Game) -> str:
    return ", ".join(show_expr(expr, game) for expr in exprs)


def _indexed(name: str, indices: Sequence[Expr], game: ir.Game) -> str:
    return f"{name}[{_listed(indices, game)}]" if indices else name


def _target(target: Target | None, game: ir.Game) -> str:
    return "" if target is None else _indexed(target.place, target.indices, game)


def _put(put: ir.Put, at: Expr | None, game: ir.Game) -> str:
    return put.value + ("" if at is None else f" {show_expr(at, game)} of")


def _params(params: Sequence[Variable]) -> str:
    return f"({', '.join(f'{p.name}: {show_type(p.type)}' for p in params)})" if params else ""


def _index(index: Sequence[Variable]) -> str:
    return f"[{', '.join(f'{v.name}: {show_type(v.type)}' for v in index)}]" if index else ""
