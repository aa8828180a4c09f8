"""From one choice to the next: the ways through the flow graph, one by one, steps executed one after the other.

A way is followed until the game rests. Where a test is not known, both ways are followed, but for what a solver says
can not be. Calls are gone through as they are; a member of a set that a loop comes to is each that may be the next.

What steps owe is not supposed, but that a number which goes into a state lies in its range: at that very step the
interpreter refuses another one. What is answered is any value that it may be chosen from: perhaps more than the rules
allow, never less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from seaspec.certify import values as v
from seaspec.certify.position import Position, World
from seaspec.certify.reading import Reader, ways_of
from seaspec.certify.solving import is_possible
from seaspec.certify.values import Bool, Group, Number, TooLarge, Value, and_, implies, not_, or_
from seaspec.core import flow, ir, types
from seaspec.core.definedness import BOOL, YES, at_most, both, either, is_in, number, size
from seaspec.core.ir import BOX, Binder, Expr, FoldKind, PlaceOrder, Variable
from seaspec.core.ops import Op

MOST_WAYS = 400
MOST_BLOCKS = 6_000
MOST_ROUNDS = 80
"""So many ways lead from a place; so many blocks are gone through, and each so often on one way."""
MOST_SPLIT = 24
"""So many ways to choose an action are gone through one by one."""
MANY = 10_000
"""More than there are pieces."""
NUMBER = types.Int(0, 0)
"""Any number: where one is made up, nothing is said of its range."""


@dataclass(frozen=True, eq=False)
class Moment:
    """Something happens on a way, after so many tests: a procedure begins or ends, or (`procedure` None) the game rests
    in passing, at a block. `falls`: of each `ends within` with a measure, whether it has fallen as it should."""

    tests: int
    position: Position
    procedure: str | None = None
    ends: bool = False
    block: int = -1
    falls: Mapping[str, Bool] = field(default_factory=dict)


@dataclass(eq=False)
class Run:
    """A way so far. `block`: where it is."""

    position: Position
    block: int
    tests: list[Bool] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    visits: Counter[int] = field(default_factory=Counter)

    def fork(self, test: Bool = True, frame: Mapping[Variable, Value] | None = None, block: int | None = None) -> Run:
        """The same way, where a test holds; names have got values, and it goes on at a block."""
        position = self.position if frame is None else self.position.with_frame(frame)
        onward = self.block if block is None else block
        tests = list(self.tests) if test is True else [*self.tests, test]
        return Run(position, onward, tests, list(self.moments), Counter(self.visits))


class Walker:
    """Goes through the flow graph. `passed`: where ways do not end though the game rests; `watched`: procedures whose
    first position is kept until they end; `measures`: of each `ends within` its promise, by procedure. `trusted`: what
    the encoding has supposed on any way; it must be shown."""

    def __init__(self, world: World, passed: frozenset[int], watched: frozenset[str]) -> None:
        self.world = world
        self.graph = world.graph
        self.game = world.game
        self.passed = passed
        self.watched = watched
        self.trusted: list[Bool] = []
        self.measures: dict[str, list[ir.EndsWithin]] = {}
        for promise in self.game.promises:
            if isinstance(promise, ir.EndsWithin) and promise.measure is not None:
                self.measures.setdefault(promise.procedure, []).append(promise)

    def begin(self) -> Iterator[Run]:
        """The ways from the very beginning."""
        yield from self._walk([Run(self.world.beginning(), self.graph.start)])

    def from_node(self, position: Position, block: int) -> Iterator[Run]:
        """The ways from a place where the game rests."""
        yield from self._walk(list(self.answers(Run(position, block))))

    def _trust(self, run: Run, reader: Reader) -> None:
        self.trusted += [implies(and_(*run.tests), test) for test in reader.trusted]
        reader.trusted.clear()

    def _walk(self, waiting: list[Run]) -> Iterator[Run]:
        blocks = ways = 0
        while waiting:
            run = waiting.pop()
            blocks += 1
            run.visits[run.block] += 1
            if blocks > MOST_BLOCKS or run.visits[run.block] > MOST_ROUNDS or ways > MOST_WAYS:
                raise TooLarge(f"the ways from one choice to the next are too long or too many: {self.line(run.block)}")
            runs = [run]
            for step in self.graph.blocks[run.block].steps:
                runs = [after for one in runs for after in self._step(one, step)]
            for one in runs:
                for found, rests in self._exit(one):
                    if rests:
                        ways += 1
                        yield found
                    else:
                        waiting.append(found)

    def line(self, number: int) -> str:
        block = self.graph.blocks[number]
        source = getattr(block.exit, "source", None)
        return str(source.span) if isinstance(source, ir.Source) else f"the end ({block.owner})"

    # -------------------------------------------------------------------------------------------------------- steps

    def _step(self, run: Run, step: flow.Step) -> Sequence[Run]:
        reader = Reader(self.world, run.position)
        match step:
            case flow.Set(variable, value):
                run.position = run.position.with_frame({variable: reader.value(value)})
            case flow.Take(variable, domain, key):
                run.position = run.position.with_frame({variable: _taken(reader, domain, key)})
            case flow.Pop(variable, rest):
                members = v.group(run.position.frame[rest])
                return list(_popped(run, variable, rest, members))
            case flow.Begin(procedure):
                self._begins(run, procedure)
            case flow.Finish(procedure):
                run.moments.append(Moment(len(run.tests), run.position, procedure, ends=True))
                begun = {name: one for name, one in run.position.begun.items() if name != procedure}
                run.position = replace(run.position, begun=begun)
            case flow.Reset(states):
                run.position = run.position.with_states(self.world.firsts(states))
            case flow.Require(test):
                holds = reader.value(test)
                self._trust(run, reader)
                return [] if holds is False else [run]
            case ir.Assign():
                test = self._assign(run, reader, step)
                self._trust(run, reader)
                return [] if test is False else [run.fork(test)]
            case ir.Move() | ir.MoveSome():
                self._move(run, reader, step)
            case ir.DropOut(player):
                who = dict(v.cases(reader.value(player), player.type))
                out = tuple(or_(test, who.get(seat, False)) for seat, test in enumerate(run.position.out))
                run.position = replace(run.position, out=out)
            case flow.Judge() | flow.Veil() | ir.Shuffle() | ir.Say() | ir.Show():
                pass  # they change nothing that is looked at here, and what they owe is not supposed
            case _:
                assert_never(step)
        self._trust(run, reader)
        return [run]

    def _begins(self, run: Run, procedure: str) -> None:
        position, falls = run.position, {}
        for promise in self.measures.get(procedure, ()):
            assert promise.measure is not None
            reader = Reader(self.world, position)
            now, before = reader.value(promise.measure), position.measured[promise.name]
            falls[promise.name] = and_(now >= 1, now < before, *reader.owed)
            self._trust(run, reader)
            position = replace(position, measured={**position.measured, promise.name: now})
        run.moments.append(Moment(len(run.tests), run.position, procedure, falls=falls))
        if procedure in self.watched:
            position = replace(position, begun={**position.begun, procedure: replace(position, begun={})})
        run.position = position

    def _assign(self, run: Run, reader: Reader, step: ir.Assign) -> Bool:
        """A state gets a value; that this lies in its range."""
        state = self.game.states[step.state]
        value, entries, in_range = reader.value(step.value), {}, []
        for key, test in reader.matching(step.indices, [variable.type for variable in state.index]).items():
            before = run.position.states.get((step.state, key))
            entries[step.state, key] = v.choose(test, value, before, state.type)
            if isinstance(state.type, types.Int):
                low, high = state.type.low, state.type.high
                if state.bound is not None:
                    reader.env.update(zip(state.index, key, strict=True))
                    low, high = map(reader.value, state.bound)
                in_range.append(implies(test, and_(low <= value, value <= high)))
        run.position = run.position.with_states(entries)
        return and_(*in_range)

    def _move(self, run: Run, reader: Reader, step: ir.Move | ir.MoveSome) -> None:
        """Pieces go to a place: those of a row, or of a set that has an order, one after the other."""
        world, place = self.world, step.target
        order: dict[int, Number] | None = None
        if isinstance(step, ir.MoveSome):
            who = self._some_of_a_kind(run, reader, step)
        else:
            if step.whole is not None:
                cargo = v.group(reader.lying(step.whole.place, reader.slots_of(step.whole.place, step.whole.indices)))
                one_by_one = self.game.places[step.whole.place].order is PlaceOrder.ROW
            else:
                assert step.cargo is not None
                cargo = reader.domain(step.cargo)
                one_by_one = isinstance(step.cargo.type, types.SetOf) and step.cargo.type.ordered
            who = dict(cargo.members)
            if one_by_one:
                ranks = cargo.ranks or range(len(cargo.members))
                order = dict(zip((piece for piece, _ in cargo.members), ranks, strict=True))
        at = None if step.at is None else reader.value(step.at)
        target = reader.slots_of(place.place, place.indices)
        if isinstance(step, ir.Move) and step.whole is not None and step.whole.place == place.place:
            stays = reader.slots_of(step.whole.place, step.whole.indices)  # nothing goes to where it lies
            same = or_(*(and_(test, stays.get(slot, False)) for slot, test in target.items()))
            who = {piece: and_(test, not_(same)) for piece, test in who.items()}
        run.position = world.moved(run.position, who, target, at, order)

    def _some_of_a_kind(self, run: Run, reader: Reader, step: ir.MoveSome) -> dict[int, Bool]:
        """Which pieces are taken, of those of a kind: of a pile, any of them."""
        origin = step.origin
        lying = v.group(reader.lying(origin.place, reader.slots_of(origin.place, origin.indices)))
        kept = [place for place, (piece, _) in enumerate(lying.members) if piece in set(step.kind.members)]
        there = Group(
            tuple(lying.members[place] for place in kept),
            None if lying.ranks is None else tuple(lying.ranks[place] for place in kept),
        )
        if step.amount is None:
            return dict(there.members)
        amount = reader.value(step.amount)
        if self.game.places[origin.place].order is not PlaceOrder.PILE:
            return {one: and_(t, there.rank(place) <= amount) for place, (one, t) in enumerate(there.members)}
        taken = {one: and_(t, self.world.names.value(f"taken {one}", BOOL)) for one, t in there.members}
        every = v.ones(t for _, t in there.members)
        wanted = v.pick(amount < 0, 0, v.pick(every < amount, every, amount))
        self._trust(run, reader)
        run.tests.append(v.equal(v.ones(taken.values()), wanted))
        return taken

    # -------------------------------------------------------------------------------------------------------- exits

    def _exit(self, run: Run) -> Iterator[tuple[Run, bool]]:
        """The ways on; with whether the game rests there."""
        exit = self.graph.blocks[run.block].exit
        reader = Reader(self.world, run.position)
        match exit:
            case flow.Goto(target):
                run.block = target
                yield run, False
            case flow.Test(test, then, otherwise):
                holds = reader.value(test)
                self._trust(run, reader)
                yield from _parted(run, ((holds, then), (not_(holds), otherwise)))
            case flow.Switch(subject, cases, otherwise):
                value = reader.value(subject)
                self._trust(run, reader)
                tests = [(or_(*(v.same(value, one, subject.type) for one in among)), to) for among, to in cases]
                yield from _parted(run, (*tests, (not_(or_(*(test for test, _ in tests))), otherwise)))
            case flow.Enter(procedure, back, target):
                slot = self.graph.routines[procedure].back
                if run.position.frame.get(slot) is None:
                    yield run.fork(frame={slot: back}, block=target), False
            case flow.Return(procedure, targets):
                routine = self.graph.routines[procedure]
                comes = run.position.frame.get(routine.back)
                if not isinstance(comes, int):
                    raise TooLarge(f"to where {procedure} comes back")
                gone = {routine.back, *routine.locals}
                frame = {name: value for name, value in run.position.frame.items() if name not in gone}
                run.position = replace(run.position, frame=frame)
                yield run.fork(block=targets[comes]), False
            case flow.Finding():
                yield from self._finding(run, reader, exit)
            case _ if flow.is_node(exit):
                yield from self._arrive(run, exit)
            case _:  # cautious: a jump of a kind that is not known leads anywhere
                raise TooLarge("a jump")

    def _finding(self, run: Run, reader: Reader, exit: flow.Finding) -> Iterator[tuple[Run, bool]]:
        ways: list[tuple[Bool, Mapping[Variable, Value]]] = []

        def note(test: Bool, _: object) -> None:
            found = {binder.variable: reader.env[binder.variable] for binder in exit.witnesses}
            ways.append((and_(test, reader.value(exit.test)), found))

        reader.each(exit.witnesses, note)
        self._trust(run, reader)
        found = [run.fork(test, frame, exit.then) for test, frame in ways]  # which is the first is left open
        found.append(run.fork(not_(or_(*(test for test, _ in ways))), block=exit.otherwise))
        yield from ((way, False) for way in found if is_possible(way.tests))

    def _arrive(self, run: Run, exit: flow.Exit) -> Iterator[tuple[Run, bool]]:
        """The game rests, if there is something to wait for."""
        if isinstance(exit, flow.Over):
            run.position = self._over(Reader(self.world, run.position), exit.how)
            yield run, True
            return
        live = {name: run.position.frame.get(name) for name in self.graph.blocks[run.block].live}
        run.position = replace(run.position, frame={n: one for n, one in live.items() if one is not None})
        nothing = getattr(exit, "nothing", None)
        if nothing is not None:
            reader = Reader(self.world, run.position)
            some = some_option(self.game, exit)
            there = None if some is None else reader.value(some)
            known = there is not None and not reader.trusted
            yield from _parted(run, ((not_(there) if known else True, nothing),))
            if there is False:
                return
            run = run.fork(there if known else True)
        if isinstance(exit, flow.Decision) and exit.alone:
            yield from ((after, False) for after in self.answers(run))
        if run.block in self.passed:
            run.moments.append(Moment(len(run.tests), run.position, block=run.block))
            yield from ((after, False) for after in self.answers(run))
        else:
            yield run, True

    def _over(self, reader: Reader, how: ir.End | ir.Score | None) -> Position:
        """The position when the game is over."""
        position, seats = reader.position, self.world.seats
        won: list[Bool] = [False for _ in seats]
        lost: list[Bool] = [False for _ in seats]
        match how:
            case ir.End(ir.Outcome.NOBODY) | None:
                pass
            case ir.End(outcome, players):
                who = dict.fromkeys(seats, True) if players is None else dict(reader.domain(players).members)
                named = [who.get(seat, False) for seat in seats]
                is_win = outcome is ir.Outcome.WIN
                won = [test if is_win else not_(or_(test, position.out[seat])) for seat, test in enumerate(named)]
                lost = [not_(test) for test in won]
            case ir.Score(player, values):
                scores = []
                for seat in seats:
                    reader.env[player] = seat
                    scores.append([reader.value(value) for value in values])
                for seat in seats:
                    best = [or_(position.out[other], _no_less(scores[seat], scores[other])) for other in seats]
                    won[seat] = and_(not_(position.out[seat]), *best)
                    lost[seat] = not_(won[seat])
            case _:
                assert_never(how)
        return replace(position, frame={}, over=True, won=tuple(won), lost=tuple(lost))

    # ------------------------------------------------------------------------------------------------------ answers

    def answers(self, run: Run) -> Iterator[Run]:
        """The ways on from a place where the game rests: what is answered is worked in."""
        exit = self.graph.blocks[run.block].exit
        if isinstance(exit, flow.Decision) and exit.passing is not None:
            yield run.fork(block=exit.passing)
        for after in self._answered(run, exit):
            if is_possible(after.tests):
                yield after

    def _answered(self, run: Run, exit: flow.Exit) -> Iterator[Run]:
        reader, names = Reader(self.world, run.position), self.world.names
        target: int | None = getattr(exit, "target", None)
        tests: list[Bool] = []
        frame: dict[Variable, Value] = {}
        match exit:
            case flow.Decision(offer=ir.OfferActions(ways)) | flow.ChanceNode(offer=ir.OfferActions(ways)):
                for alternative, launch in zip(ways, exit.launches, strict=True):
                    yield from self._acted(run, alternative, launch)
                return
            case (
                flow.Decision(offer=ir.OfferValues(binders, weights))
                | flow.ChanceNode(offer=ir.OfferValues(binders, weights))
            ):
                for after, bound in self.bound(run, reader, binders):
                    heavy = True if weights is None else bound.value(weights) > 0
                    self._trust(after, bound)
                    yield after.fork(heavy, {one.variable: bound.env[one.variable] for one in binders}, target)
                return
            case flow.Decision(offer=flow.OfferLines(left, lines, _, line)):
                for one, there in v.group(run.position.frame[left]).members:
                    test = and_(there, reader.value(lines[one] or YES))
                    self._trust(run, reader)
                    yield run.fork(test, {line: one}, target)
                return
            case (
                flow.Decision(offer=ir.OfferSubset(low, high, domain, variable))
                | flow.ChanceNode(offer=ir.OfferSubset(low, high, domain, variable))
            ):
                chosen = {m: and_(t, names.value(f"chosen {m}", BOOL)) for m, t in reader.domain(domain).members}
                count = v.ones(chosen.values())
                tests = [reader.value(low) <= count, count <= reader.value(high)]
                frame = {variable: v.tidy((one, chosen[one]) for one in types.as_set(chosen))}
            case flow.Decision(offer=ir.OfferShare(low, high, member, domain, most, gift)):
                there = dict(reader.domain(domain).members)
                shares = {key: names.value(f"gift {key}", NUMBER) for key in v.listed(member.type)}
                for key, amount in shares.items():
                    reader.env[member] = key
                    gets = there.get(key, False)
                    tests += [amount >= 0, or_(gets, v.equal(amount, 0))]
                    tests += [] if most is None or gets is False else [implies(gets, amount <= reader.value(most))]
                total = v.add(*shares.values())
                tests += [reader.value(low) <= total, total <= reader.value(high)]
                frame = {gift: tuple(shares.values())}
            case flow.DrawNode(origin, to, variable):  # in which layer of a pile it lies is left open
                held = self.game.places[origin.place].holds
                piece = names.value("drawn", held)
                lying = v.group(reader.lying(origin.place, reader.slots_of(origin.place, origin.indices))).members
                fits = held.members if origin.place != BOX else self.game.places[to.place].holds.members
                who = {one: and_(t, v.table(piece)[one]) for one, t in lying if one in fits}
                after = run.fork(or_(*who.values()), {} if variable is None else {variable: piece}, target)
                after.position = self.world.moved(after.position, who, reader.slots_of(to.place, to.indices))
                yield after
                return
            case flow.RollNode(dice, sides, variable):
                frame = {variable: self._rolled(tests, reader, dice, sides)}
            case flow.ThrowNode(chance, arguments, variable):
                rule = self.game.chances[chance]
                reader.env.update(zip(rule.params, list(map(reader.value, arguments)), strict=True))
                for stmt in rule.body:
                    if isinstance(stmt, ir.Roll):
                        reader.env[stmt.variable] = self._rolled(tests, reader, stmt.number, stmt.sides)
                    else:
                        reader.env[stmt.variable] = reader.value(stmt.value)
                tests += [not_(reader.value(test)) for test in rule.again]
                frame = {variable: reader.value(rule.gives)}
            case _:  # cautious: it is over, or no place to rest
                return
        self._trust(run, reader)
        yield run.fork(and_(*tests), frame, target)

    def _rolled(self, tests: list[Bool], reader: Reader, dice: Expr, sides: int) -> Number:
        total, count = self.world.names.value("rolled", NUMBER), reader.value(dice)
        least = v.pick(count < 0, 0, count)
        tests += [least <= total, total <= least * sides]
        return total

    def _acted(self, run: Run, alternative: ir.Alternative, launch: flow.Launch) -> Iterator[Run]:
        """An action is chosen: its parameters may be anything that they are chosen from, where its guards allow it."""
        rules, routine = self.game.actions[alternative.action], self.graph.routines[alternative.action]
        given = list(zip(rules.params, alternative.arguments, strict=True))
        tests, binders = ways_of(rules, [argument is not None for argument in alternative.arguments])
        loops = () if alternative.loop is None else (alternative.loop,)
        for looped, reader in self.bound(run, Reader(self.world, run.position), loops):
            reader.env |= {param.variable: reader.value(one) for param, one in given if one is not None}
            test = and_(*map(reader.value, tests))
            self._trust(looped, reader)
            for after, bound in self.bound(looped.fork(test), reader, binders):
                values = [bound.env[param.variable] for param in rules.params]
                frame = dict(zip(routine.params, values, strict=True))
                yield after.fork(frame={**frame, routine.back: launch.back}, block=launch.target)

    def bound(
        self, run: Run, reader: Reader, binders: Sequence[Binder], split: int = MOST_SPLIT
    ) -> Iterator[tuple[Run, Reader]]:
        """Any values that names may be bound to: few are gone through one by one."""
        self._trust(run, reader)
        if not binders:
            yield run, reader
            return
        binder, *rest = binders
        ways = reader.domain(binder.domain).members
        self._trust(run, reader)
        if len(ways) > split:
            value = self.world.names.value(binder.variable.name, binder.variable.type)
            ways = ((value, or_(*(and_(t, v.same(value, m, binder.variable.type)) for m, t in ways))),)
        for value, test in ways:
            bound = Reader(self.world, run.position)
            bound.env = {**reader.env, binder.variable: value}
            after = run.fork(test)
            tested = bound.value(binder.test) if binder.test and not binder.prefix else True
            self._trust(after, bound)
            after.tests.append(tested)
            if is_possible(after.tests):
                yield from self.bound(after, bound, rest, split // max(1, len(ways)))


def some_option(game: ir.Game, exit: flow.Exit) -> Expr | None:
    """That there is something to choose or draw, as an expression; None where that is not worked out."""
    match exit:
        case flow.DrawNode(origin, to):
            held = game.places[origin.place].holds
            piece = Variable("piece", held)
            lying = ir.PlaceRead(types.SetOf(held), origin.place, origin.indices)
            fits = is_in(ir.Local(piece), ir.Const(types.SetOf(held), game.places[to.place].holds.members))
            return ir.Fold(BOOL, FoldKind.SOME, (Binder(piece, lying),), fits if origin.place == BOX else YES)
        case flow.Decision(offer=flow.OfferLines(left, tests)):
            lines = (both((is_in(number(one), ir.Local(left)), test or YES)) for one, test in enumerate(tests))
            return either(lines)
        case flow.Decision(offer=ir.OfferActions(alternatives)) | flow.ChanceNode(offer=ir.OfferActions(alternatives)):
            ways = [(one.loop, ir.Can(BOOL, one.action, one.arguments)) for one in alternatives]
            return either(ir.Fold(BOOL, FoldKind.SOME, (loop,), can) if loop else can for loop, can in ways)
        case (
            flow.Decision(offer=ir.OfferValues(binders, weights))
            | flow.ChanceNode(offer=ir.OfferValues(binders, weights))
        ):
            heavy = YES if weights is None else ir.Apply(BOOL, Op.MORE, (weights, number(0)))
            return ir.Fold(BOOL, FoldKind.SOME, binders, heavy)
        case flow.Decision(offer=ir.OfferSubset(low, high, domain)) if isinstance(domain.type, types.SetOf):
            return both((at_most(low, size(domain)), at_most(low, high), at_most(number(0), high)))
        case _:  # cautious: not worked out
            return None


def _taken(reader: Reader, domain: Expr, key: tuple[Variable, Expr] | None) -> Value:
    """The members of a set, sorted by a key if there is one."""
    members = reader.domain(domain)
    if key is None:
        return v.tidy(members.members, members.ranks)
    ranks = []
    for place, (member, _) in enumerate(members.members):
        reader.env[key[0]] = member
        found, ty = reader.value(key[1]), key[1].type
        if not isinstance(ty, types.Int):
            found = v.gather(((test, int(one)) for one, test in v.cases(found, ty)), types.Int(0, 0))
        ranks.append(found * MANY + (place if members.ranks is None else members.ranks[place]))
    return v.tidy(members.members, ranks)


def _popped(run: Run, variable: Variable, rest: Variable, members: Group) -> Iterator[Run]:
    """Each member may be the first."""
    for place, (member, _) in enumerate(members.members):
        others = [one for number, one in enumerate(members.members) if number != place]
        ranks = None if members.ranks is None else [r for number, r in enumerate(members.ranks) if number != place]
        after = run.fork(members.first(place), {variable: member, rest: v.tidy(others, ranks)})
        if is_possible(after.tests):
            yield after


def _parted(run: Run, ways: Sequence[tuple[Bool, int]]) -> Iterator[tuple[Run, bool]]:
    """Each way that can be gone."""
    for test, target in ways:
        after = run.fork(test, block=target)
        if test is True or is_possible(after.tests):
            yield after, False


def _no_less(a: Sequence[Number], b: Sequence[Number]) -> Bool:
    """Whether scores are at least as high as others: the first that differs tells."""
    if not a:
        return True
    return or_(b[0] < a[0], and_(v.equal(a[0], b[0]), _no_less(a[1:], b[1:])))
