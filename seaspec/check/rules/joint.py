"""What a joint choice may tell before it is over: nobody sees what the others have done so far.

- A part reads nothing that another part may have written, and nothing that rules which settle of themselves may have.
- Whoever waits notices whether a part goes on. So it does not depend on what is answered, thrown or written there
  whether more is asked or thrown in the same part, of whom, how many dice there are and how likely what is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from seaspec.check.rules.reading import nodes
from seaspec.core import ir
from seaspec.core.ir import Expr
from seaspec.core.ops import Op

GOES_ON = "in a joint choice it may tell what was done whether, or what, is asked or thrown next"


def told_in_joint(game: ir.Game, variable: ir.Variable, body: tuple[ir.Stmt, ...]) -> Iterator[str]:
    """What may tell something, in words. `variable`: the player whose part it is."""
    joint = _Joint(game, variable, body)
    yield from joint.told_to_others()
    yield from joint.goes_on(body, False)


class _Joint:
    def __init__(self, game: ir.Game, variable: ir.Variable, body: tuple[ir.Stmt, ...]) -> None:
        self.game = game
        self.inside = inside = list(self._within(body))
        settling = list(self._within(step for rule in game.whenevers for step in rule.body))
        self.own = _Own(self._own_names(variable, inside))
        self.moved, self.moved_by_rules = self._touched(inside), self._touched(settling)
        self.written, self.written_by_rules = self._written(inside), self._written(settling)
        self.drops = [node.player for node in (*inside, *settling) if isinstance(node, ir.DropOut)]
        self.others_drop = any(isinstance(node, ir.DropOut) for node in settling) or not all(
            self.own.is_own((player,)) for player in self.drops
        )
        self.answers = self._answers()
        self.asked = False
        """Something may have been asked or thrown in this part."""
        self.left = False
        """A procedure may have been left, for a reason that others do not know."""

    # ------------------------------------------------------------------------------------------- what others have done

    def told_to_others(self) -> Iterator[str]:
        """In a joint choice each part reads only what no other part writes: entries of its own player. What settles of
        itself between the parts is nobody's own."""
        own = self.own
        for node in self.inside:
            match node:
                case ir.StateRead(_, state, indices) if state in self.written_by_rules or (
                    state in self.written and not own.is_own(indices)
                ):
                    yield f"in a joint choice {state} is read, which others may have written"
                case ir.Assign(state, indices) if not own.is_own(indices) and self._is_read(state):
                    yield f"in a joint choice {state} is written, which others may read"
                case ir.PlaceRead(_, place, indices) if place in self.moved_by_rules or (
                    place in self.moved and not own.is_own(indices)
                ):
                    yield f"in a joint choice {place} is read, and pieces move"
                case ir.Everywhere(_, place) | ir.WhereIs(_, place) if place in self.moved | self.moved_by_rules:
                    yield f"in a joint choice {place} is read, and pieces move"
                case ir.Apply(_, Op.SPOT) if self._rows_change():
                    yield "in a joint choice it is asked for the spot of a piece, and pieces move in rows"
                case ir.MoveSome(_, _, _, origin) | ir.Draw(_, _, origin) if (
                    origin.place in self.moved_by_rules or not own.is_own(origin.indices)
                ):
                    yield f"in a joint choice pieces leave {origin.place}, and others may take of them"
                case ir.Apply(_, Op.IS_OUT, players) if self.others_drop or (self.drops and not own.is_own(players)):
                    yield "in a joint choice it is asked who is out, and others may drop out"
                case ir.ForEach(start=start) if start is not None and self.drops:
                    yield "in a joint choice a round leaves out who is out, and others may drop out"
                case _:  # cautious: what else is read is seen, or told where it stands
                    pass

    def _written(self, inside: Sequence[object]) -> set[str]:
        """The states that may change. What pieces carry along is forgotten where they leave."""
        moved = self._touched(inside)
        found = {node.state for node in inside if isinstance(node, ir.Assign)}
        return found | {state.name for state in self.game.states.values() if state.while_in in moved}

    def _rows_change(self) -> bool:
        rows = {name for name, place in self.game.places.items() if place.order is ir.PlaceOrder.ROW}
        return not rows.isdisjoint(self.moved | self.moved_by_rules)

    # ------------------------------------------------------------------------------------------- whether a part goes on

    def goes_on(self, steps: Iterable[ir.Stmt], depends: bool) -> Iterator[str]:
        """What shows by itself that a part goes on. `depends`: whether steps are come to depends on what was done in
        the joint choice."""
        for step in steps:
            match step:
                case ir.Do(name):
                    rules = self.game.procedures[name]
                    yield from self.goes_on((*rules.before, *rules.body, *rules.after), depends)
                case ir.Branch(test, then, otherwise):
                    yield from self._one_of((then, otherwise), depends or self._depends(test))
                case ir.Cases(subject, cases):
                    yield from self._one_of((block for _, block in cases), depends or self._depends(subject))
                case ir.ForEach(_, domain, key, start, test, body):
                    order = None if key is None else key[1]
                    yield from self._again(body, depends or self._depends(domain, order, start, test))
                case ir.Repeat(times, until, body):
                    yield from self._again(body, depends or self._depends(times, until))
                case ir.AllAtOnce(_, domain, body):
                    yield from self._again(body, depends or self._depends(domain))
                case ir.AnyOrder(player, lines):
                    tests = [test for test, _, _ in lines]
                    yield from self._rests(depends or self._depends(player) or any(map(self._depends, tests)))
                    yield from self._one_of((block for _, _, block in lines), depends or len(lines) > 1)
                case ir.Choose():
                    yield from self._chosen(step, depends)
                case ir.Roll(number):
                    yield from self._rests(depends or self._depends(number))
                case ir.Throw(chance, arguments):
                    rule = self.game.chances[chance]
                    reads = self._depends(*arguments) or self._reads_changed((*rule.body, *rule.again, rule.gives))
                    yield from self._rests(depends or reads)
                case ir.Draw(amount, up_to, origin):
                    as_many = up_to and origin.place in self.moved
                    yield from self._rests(depends or as_many or self._depends(amount, *origin.indices))
                case ir.Stop():
                    self.left |= depends
                case (
                    ir.Let() | ir.Assign() | ir.Move() | ir.MoveSome() | ir.Shuffle() | ir.Say() | ir.Show()
                    | ir.DropOut() | ir.End() | ir.Score()
                ):  # fmt: skip
                    pass  # nothing is asked; that the game is over is told
                case never:
                    assert_never(never)

    def _rests(self, depends: bool) -> Iterator[str]:
        """Something is asked or thrown. What comes first in a part is known before."""
        if self.asked and (depends or self.left):
            yield GOES_ON
        self.asked = True

    def _one_of(self, blocks: Iterable[Sequence[ir.Stmt]], depends: bool) -> Iterator[str]:
        before = after = self.asked
        for block in blocks:
            self.asked = before
            yield from self.goes_on(block, depends)
            after |= self.asked
        self.asked = after

    def _again(self, body: Sequence[ir.Stmt], depends: bool) -> Iterator[str]:
        for _ in range(2):
            yield from self.goes_on(body, depends)

    def _chosen(self, step: ir.Choose, depends: bool) -> Iterator[str]:
        offered = self._offered(step.offer)
        by_offer = self._depends(step.decider, step.until, *offered)
        is_sure = step.decider is not None and not step.may and step.otherwise is None
        whether = self._depends(step.decider) if is_sure and not isinstance(step.offer, ir.OfferSubset) else by_offer
        if not step.secretly:
            yield from self._rests(depends or whether)
            if step.again:
                yield GOES_ON
        inner = depends or step.may or (step.otherwise is not None and by_offer)
        actions = step.offer.alternatives if isinstance(step.offer, ir.OfferActions) else ()
        blocks: list[Sequence[ir.Stmt]] = [step.otherwise or ()]
        for action in actions:
            rules = self.game.procedures[action.action]
            blocks.append((*rules.before, *rules.body, *rules.after))
        yield from self._one_of(blocks, inner or len(actions) > 1)
        yield from self.goes_on(step.body, inner)

    def _offered(self, offer: ir.Offer) -> Iterator[Expr | None]:
        """What says what there is to choose."""
        match offer:
            case ir.OfferActions(alternatives):
                for alternative in alternatives:
                    action = self.game.actions[alternative.action]
                    yield from alternative.arguments
                    yield None if alternative.loop is None else alternative.loop.domain
                    yield None if alternative.loop is None else alternative.loop.test
                    for param in action.params:
                        yield from (param.domain, param.test)
                    for guard in action.guards:
                        yield from (guard.test, *(test for test, _ in guard.exceptions))
            case ir.OfferValues(binders, weights):
                for binder in binders:
                    yield from (binder.domain, binder.test)
                yield weights
            case ir.OfferSubset(low, high, domain):
                yield from (low, high, domain)
            case ir.OfferShare(low, high, _, domain, at_most):
                yield from (low, high, domain, at_most)
            case never:
                assert_never(never)

    def _depends(self, *exprs: Expr | None) -> bool:
        """Whether values depend on what is answered, thrown or written in the joint choice."""
        given = [expr for expr in exprs if expr is not None]
        names = (node.variable for expr in given for node in nodes(expr) if isinstance(node, ir.Local))
        return not self.answers.isdisjoint(names) or self._reads_changed(given)

    def _reads_changed(self, exprs: Iterable[object]) -> bool:
        return any(map(self._is_changed, self._within(exprs)))

    def _is_changed(self, node: object) -> bool:
        """Whether something is read that the joint choice may change."""
        match node:
            case ir.StateRead(_, state):
                return state in self.written | self.written_by_rules
            case ir.PlaceRead(_, place) | ir.Everywhere(_, place) | ir.WhereIs(_, place):
                return place in self.moved | self.moved_by_rules
            case ir.Apply(_, Op.SPOT):
                return self._rows_change()
            case ir.Apply(_, Op.IS_OUT):
                return bool(self.drops)
            case _:  # cautious: nothing else of a position changes, but who has won, when it is over
                return False

    def _answers(self) -> set[ir.Variable]:
        """The names of what is answered or thrown, and of what is worked out from that."""
        found: set[ir.Variable] = set()
        made: list[tuple[ir.Variable, Expr | None]] = []
        for node in self.inside:
            match node:
                case ir.Choose(offer=ir.OfferValues(binders)):
                    found.update(binder.variable for binder in binders)
                case ir.Choose(offer=ir.OfferSubset(variable=variable) | ir.OfferShare(gift=variable)):
                    found.add(variable)
                case ir.Roll(variable=variable) | ir.Throw(variable=variable):
                    found.add(variable)
                case ir.Draw(variable=variable) if variable is not None:
                    found.add(variable)
                case ir.Let(variable, value) | ir.Binder(variable, value) | ir.ForEach(variable, value):
                    made.append((variable, value))
                case ir.Alternative(name, arguments):
                    params = self.game.procedures[name].params
                    found.update(param for param, value in zip(params, arguments, strict=True) if value is None)
                    made += zip(params, arguments, strict=True)
                case ir.Do(name, arguments):
                    made += zip(self.game.procedures[name].params, arguments, strict=True)
                case _:  # cautious: it gives no name to a statement; names within expressions are in what is read
                    pass
        rolled = {v for rule in self.game.chances.values() for node in nodes(rule) for v in _rolled(node)}
        found -= rolled  # names of a throw, which have no value behind it
        while more := {
            v for v, value in made if v not in found | rolled and value is not None and self._comes_of(value, found)
        }:
            found |= more
        return found

    def _comes_of(self, value: Expr, names: set[ir.Variable]) -> bool:
        used = (node.variable for node in nodes(value) if isinstance(node, ir.Local))
        return not names.isdisjoint(used) or self._reads_changed((value,))

    # ----------------------------------------------------------------------------------------------- what is in a part

    def _own_names(self, variable: ir.Variable, inside: Iterable[object]) -> frozenset[ir.Variable]:
        """Names that stand for the player whose part it is: those parameters that are always given this player."""
        given: dict[ir.Variable, list[Expr | None]] = {}
        for node in inside:
            match node:
                case ir.Call(_, name, arguments):
                    params = self.game.functions[name].params
                case ir.Do(name, arguments) | ir.Alternative(name, arguments):
                    params = self.game.procedures[name].params
                case ir.Can(_, name, arguments):
                    params = tuple(param.variable for param in self.game.actions[name].params)
                case ir.Throw(name, arguments):
                    params = self.game.chances[name].params
                case _:  # cautious: it gives nothing to a parameter; a name that is never given is not known to be own
                    continue
            for param, argument in zip(params, arguments, strict=False):
                given.setdefault(param, []).append(argument)
        own = {variable, *given}
        while strangers := {
            param
            for param in own & set(given)
            if any(not (isinstance(argument, ir.Local) and argument.variable in own) for argument in given[param])
        }:
            own -= strangers
        return frozenset(own)

    def _touched(self, inside: Iterable[object]) -> set[str]:
        """The places in which pieces come or go."""
        domains: dict[ir.Variable, Expr] = {}
        ends: list[ir.Target | None] = []
        cargos: list[Expr] = []
        for node in inside:
            match node:
                case ir.OfferSubset(_, _, domain, variable):
                    domains[variable] = domain
                case ir.Binder(variable, domain):
                    domains[variable] = domain
                case ir.Param(variable, domain) if domain is not None:
                    domains[variable] = domain
                case ir.Move(cargo, whole, target):
                    ends += [whole, target]
                    cargos += [] if cargo is None else [cargo]
                case ir.MoveSome(_, _, _, origin, target) | ir.Draw(_, _, origin, target):
                    ends += [origin, target]
                case ir.Shuffle(place):
                    ends.append(place)
                case _:  # cautious: nothing else moves pieces; what does so from where it is not plain moves all
                    pass
        bases = [self._base(cargo, domains) for cargo in cargos]
        if None in bases:
            return set(self.game.places)
        return {end.place for end in ends if end is not None} | {base for base in bases if base is not None}

    def _base(self, members: Expr, domains: dict[ir.Variable, Expr]) -> str | None:
        """The place in which the members of a set, or a piece, lie; None, if that is not plain."""
        match members:
            case ir.PlaceRead(_, place):
                return place
            case ir.Select(_, binder):
                return self._base(binder.domain, domains)
            case ir.Apply(_, Op.DIFFERENCE | Op.KNOWN | Op.CHECK, (first, *_)):
                return self._base(first, domains)
            case ir.Call(_, name) if self.game.functions[name].shrinking is None:
                return self._base(self.game.functions[name].body, {})
            case ir.Local(variable) if variable in domains:
                return self._base(domains[variable], domains)
            case _:  # cautious: it is not plain
                return None

    def _is_read(self, state: str) -> bool:
        return any(isinstance(node, ir.StateRead) and node.state == state for node in self.inside)

    def _within(self, body: Iterable[object]) -> Iterator[object]:
        """All nodes of steps, and of what they call or offer."""
        seen: set[str] = set()
        waiting: list[object] = [*body]
        called: list[object]
        while waiting:
            for node in nodes(waiting.pop()):
                yield node
                match node:
                    case ir.Call(_, name):
                        key, called = f"define {name}", [self.game.functions[name].body]
                    case ir.Do(name) | ir.Alternative(name) | ir.Can(_, name):
                        key, called = f"to {name}", [self.game.procedures[name]]
                        if name in self.game.actions:
                            called += [*self.game.actions[name].params, *self.game.actions[name].guards]
                    case ir.Throw(name):
                        rule = self.game.chances[name]
                        key, called = f"chance {name}", [*rule.body, *rule.again, rule.gives]
                    case _:  # cautious: it calls nothing; what calls is among the nodes of steps and expressions
                        continue
                if key not in seen:
                    seen.add(key)
                    waiting += called


@dataclass(frozen=True, slots=True)
class _Own:
    """Names of the player whose part of a joint choice it is."""

    names: frozenset[ir.Variable]

    def is_own(self, indices: tuple[Expr, ...]) -> bool:
        """Whether an entry is of this player."""
        return any(isinstance(index, ir.Local) and index.variable in self.names for index in indices)


def _rolled(node: object) -> Iterator[ir.Variable]:
    match node:
        case ir.Roll(_, _, variable) | ir.Let(variable):
            yield variable
        case _:  # cautious: it gives no name in a throw
            return
