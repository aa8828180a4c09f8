"""Lower a game: procedures become the flow graph of core/flow.py.

In: a valid core without recursion. Out: a `Flow` with the invariants told there. `LowerError` where the core breaks a
rule of the language that only the call graph shows (recursion; a decision or a throw while the game settles).

How it is done. Each procedure is walked once, statement after statement, with a current block at hand. A procedure's
blocks are

    Begin, before hooks, body, after hooks | the action's settling | clocks reset, Finish, Return
                                           ^ `stop` of this procedure leads here

`stop P` in another procedure Q (which P called, perhaps through others) leads to a block `unwind Q to P`: clocks of Q
are reset, and the return slot of Q picks where to go: to P's end, if P is the caller, else to the unwinding of the
caller.

Where `whenever` rules are tested, the pseudo-procedure `the settling` is called; procedures that it calls itself do not
settle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from seaspec.core import flow, ir
from seaspec.core.flow import START, Block
from seaspec.core.ir import Expr, Local, Source, Stmt, Variable
from seaspec.core.ops import Op
from seaspec.core.types import PLAYER, Bool, Enum, Int, Optional, SetOf, Type
from seaspec.core.walk import closure, walk
from seaspec.source import Span

SETTLE_ROUNDS = 10_000
"""So often rules may settle at one point before the run is given up."""


class LowerError(Exception):
    """The game can not be run: a rule of the language is broken that the call graph shows."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span
        self.message = message


def lower(game: ir.Game) -> flow.Flow:
    """The blocks of a game; nothing is marked in them yet."""
    check_calls(game)
    builder = _Builder(game)
    for procedure in game.procedures.values():
        builder.procedure(procedure)
    if game.whenevers:
        builder.settling()
    start = builder.start()
    builder.unwindings()
    return builder.finished(start)


def check_calls(game: ir.Game) -> None:
    """No procedure calls itself, and the settling neither decides nor throws."""
    settled = settled_procedures(game)
    for name in settled:
        for node in walk(game.procedures[name]):
            _no_node_while_settling(node, f"{name}, which a `whenever` rule calls,")
    for rule in game.whenevers:
        for node in walk(rule):
            _no_node_while_settling(node, f"the `whenever` rule {rule.name}")
    finished: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            circle = " -> ".join((*path[path.index(name) :], name))
            raise LowerError(game.procedures[name].source.span, f"a procedure runs inside itself: {circle}")
        if name in finished:
            return
        for callee in _calls(game.procedures[name]):
            visit(callee, (*path, name))
        finished.add(name)

    for name in game.procedures:
        visit(name, ())


def settled_procedures(game: ir.Game) -> tuple[str, ...]:
    """The procedures that `whenever` rules call, directly or not."""
    callees = [callee for rule in game.whenevers for callee in _calls(rule)]
    return tuple(closure(callees, lambda name: _calls(game.procedures[name])))


def _calls(node: ir.Procedure | ir.Whenever) -> Iterable[str]:
    for inner in walk(node):
        if isinstance(inner, ir.Do):
            yield inner.procedure
        elif isinstance(inner, ir.Alternative):
            yield inner.action


def _no_node_while_settling(node: object, who: str) -> None:
    if isinstance(node, ir.Choose | ir.Draw | ir.Roll | ir.Throw | ir.AnyOrder):
        raise LowerError(node.source.span, f"{who} may not ask, draw or throw: it settles of itself")


class _Open:
    """A block while it is built."""

    def __init__(self, owner: str) -> None:
        self.steps: list[flow.Step] = []
        self.exit: flow.Exit | None = None
        self.owner = owner


class _Builder:
    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self.quiet = {*settled_procedures(game), flow.SETTLING}
        self.owner = START
        self.about = Source()
        self.veiled = False
        self.blocks: list[_Open] = []
        self.returns: dict[str, list[tuple[Block, str, bool]]] = {}
        self.entries: dict[str, Block] = {}
        self.exits: dict[str, Block] = {}
        self.unwinds: dict[tuple[str, str], Block] = {}
        self.here = self.new()
        self.finish(flow.Outside())
        names = [*game.procedures, *([flow.SETTLING] if game.whenevers else [])]
        for name in names:
            self.returns[name] = [(0, START, False)]
            self.owner = name
            self.entries[name] = self.new()
            self.exits[name] = self.new()

    # ------------------------------------------------------------------------------------------------- blocks

    def new(self) -> Block:
        self.blocks.append(_Open(self.owner))
        return len(self.blocks) - 1

    def emit(self, step: flow.Step) -> None:
        self.blocks[self.here].steps.append(step)

    def finish(self, exit: flow.Exit, then: Block | None = None) -> None:
        """The current block ends; go on with `then`."""
        self.blocks[self.here].exit = exit
        if then is not None:
            self.here = then

    def goto(self, target: Block) -> None:
        self.finish(flow.Goto(target))

    def node(self, exit: flow.Node, then: Block) -> None:
        """A node has a block of its own."""
        block = self.new()
        self.finish(flow.Goto(block), block)
        self.finish(exit, then)

    def local(self, name: str, ty: Type) -> Variable:
        return Variable(name, ty)

    def call(self, procedure: str, then: Block) -> None:
        back = self.comes_back(procedure, then)
        self.finish(flow.Enter(procedure, back, self.entries[procedure]), then)

    def comes_back(self, procedure: str, to: Block) -> int:
        self.returns[procedure].append((to, self.owner, self.veiled))
        return len(self.returns[procedure]) - 1

    def settle(self) -> None:
        if self.game.whenevers and self.owner not in self.quiet:
            self.call(flow.SETTLING, self.new())

    # --------------------------------------------------------------------------------------------- procedures

    def start(self) -> Block:
        self.owner = START
        first = self.here = self.new()
        for name in (ir.SETUP, ir.PLAY):
            if name in self.game.procedures:
                self.call(name, self.new())
        over = self.new()
        self.goto(over)
        self.here = over
        self.settle()
        self.node(flow.Over(None), self.new())
        return first

    def procedure(self, procedure: ir.Procedure) -> None:
        self.owner = procedure.name
        self.about = procedure.source
        self.here = self.entries[procedure.name]
        self.emit(flow.Begin(procedure.name))
        self.statements(procedure.before)
        self.statements(procedure.body)
        self.statements(procedure.after)
        self.goto(self.exits[procedure.name])
        self.here = self.exits[procedure.name]
        if procedure.is_action:
            self.settle()
        self.leave(procedure.name)

    def leave(self, name: str) -> None:
        """The clocks, and back; the targets are known at the end only."""
        if name != flow.SETTLING:
            clocks = self.game.procedures[name].clocks
            if clocks:
                self.emit(flow.Reset(clocks))
            self.emit(flow.Finish(name))
        self.finish(flow.Return(name, ()))

    def settling(self) -> None:
        self.owner = flow.SETTLING
        self.here = self.entries[flow.SETTLING]
        rounds = self.local("rounds", Int(0, SETTLE_ROUNDS))
        nothing = Source()
        self.emit(flow.Set(rounds, _number(0), nothing))
        top = self.new()
        self.goto(top)
        self.here = top
        again = ir.Apply(Bool(), Op.LESS, (Local(rounds), _number(SETTLE_ROUNDS)))
        self.emit(flow.Require(again, "the `whenever` rules do not come to rest", nothing))
        more = ir.Apply(rounds.type, Op.ADD, (Local(rounds), _number(1)))
        self.emit(flow.Set(rounds, more, nothing))
        for rule in self.game.whenevers:
            self.about = rule.source
            found, otherwise = self.new(), self.new()
            self.finish(flow.Finding(rule.witnesses, rule.test, found, otherwise, rule.source), found)
            self.statements(rule.body)
            self.goto(top)
            self.here = otherwise
        self.goto(self.exits[flow.SETTLING])
        self.here = self.exits[flow.SETTLING]
        self.leave(flow.SETTLING)

    def unwindings(self) -> None:
        """The blocks `unwind (who, stop)`; making one may ask for others."""
        done: set[tuple[str, str]] = set()
        while len(done) < len(self.unwinds):
            for key, block in list(self.unwinds.items()):
                if key not in done:
                    done.add(key)
                    self.unwinding(*key, block)

    def unwinding(self, who: str, stop: str, block: Block) -> None:
        self.owner = self.blocks[block].owner = who
        self.here = block
        if who == START:
            span = self.game.procedures[stop].source
            self.emit(flow.Require(ir.Const(Bool(), False), f"`stop {stop}`, but {stop} does not run", span))
            self.goto(0)
            return
        self.leave(who)
        targets = [self.unwound(caller, stop, veiled) for _, caller, veiled in self.returns[who]]
        self.blocks[block].exit = flow.Return(who, tuple(targets))

    def unwound(self, caller: str, stop: str, veiled: bool) -> Block:
        target = self.exits[stop] if caller == stop else self.unwind(caller, stop)
        if not veiled:
            return target
        self.owner = caller
        block = self.here = self.new()
        self.emit(flow.Veil(True, None, Source()))
        self.goto(target)
        return block

    def unwind(self, who: str, stop: str) -> Block:
        if (who, stop) not in self.unwinds:
            self.unwinds[who, stop] = self.new()
        return self.unwinds[who, stop]

    # --------------------------------------------------------------------------------------------- statements

    def statements(self, body: Iterable[Stmt]) -> None:
        for stmt in body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case ir.Assign() | ir.Move() | ir.MoveSome() | ir.Shuffle() | ir.Say() | ir.Show() | ir.DropOut():
                self.emit(stmt)
            case ir.Let(variable, value, source):
                self.emit(flow.Set(variable, value, source))
            case ir.Do():
                self.do(stmt)
            case ir.Draw():
                self.draw(stmt)
            case ir.Roll(number, sides, variable, source, seen):
                self.settle()
                then = self.new()
                self.node(flow.RollNode(number, sides, variable, then, source, seen), then)
            case ir.Throw(chance, arguments, variable, source):
                self.settle()
                then = self.new()
                self.node(flow.ThrowNode(chance, arguments, variable, then, source), then)
            case ir.Stop(procedure):
                self.stop(procedure)
            case ir.End() | ir.Score():
                self.settle()
                self.node(flow.Over(replace(stmt, source=self.reason(stmt.source))), self.new())
            case ir.Branch():
                self.branch(stmt)
            case ir.Cases():
                self.cases(stmt)
            case ir.ForEach():
                self.for_each(stmt)
            case ir.Repeat():
                self.repeat(stmt)
            case ir.Choose():
                self.choose(stmt)
            case ir.AllAtOnce():
                self.all_at_once(stmt)
            case ir.AnyOrder():
                self.any_order(stmt)
            case _:
                assert_never(stmt)

    def reason(self, source: Source) -> Source:
        """Why the game ends: an end without a sentence has the one of what it stands in."""
        about = self.about
        sentence = source.sentence or about.sentence
        return Source(source.span, sentence, source.cites or about.cites, source.assumes or about.assumes)

    def do(self, stmt: ir.Do) -> None:
        procedure = self.game.procedures[stmt.procedure]
        for variable, argument in zip(procedure.params, stmt.arguments, strict=True):
            self.emit(flow.Set(variable, argument, stmt.source))
        if procedure.is_action:
            self.emit(flow.Judge(stmt.procedure, stmt.source))
        self.call(stmt.procedure, self.new())

    def draw(self, stmt: ir.Draw) -> None:
        left = self.local("left_to_draw", stmt.amount.type)
        head, go, drawn, end = self.new(), self.new(), self.new(), self.new()
        self.emit(flow.Set(left, stmt.amount, stmt.source))
        if stmt.variable is not None:
            self.emit(flow.Set(stmt.variable, ir.Const(Optional(stmt.variable.type), None), stmt.source))
        self.goto(head)
        self.here = head
        some = ir.Apply(Bool(), Op.MORE, (Local(left), _number(0)))
        self.finish(flow.Test(some, go, end, stmt.source), go)
        self.settle()
        nothing = end if stmt.up_to else None
        node = flow.DrawNode(stmt.origin, stmt.target, stmt.variable, drawn, nothing, stmt.source)
        self.node(node, drawn)
        self.count_down(left, stmt.source)
        self.goto(head)
        self.here = end

    def count_down(self, left: Variable, source: Source) -> None:
        less = ir.Apply(left.type, Op.SUBTRACT, (Local(left), _number(1)))
        self.emit(flow.Set(left, less, source))

    def stop(self, procedure: str) -> None:
        if self.veiled:
            self.emit(flow.Veil(True, None, Source()))
        here = self.owner == procedure
        self.goto(self.exits[procedure] if here else self.unwind(self.owner, procedure))
        self.here = self.new()

    def branch(self, stmt: ir.Branch) -> None:
        then, otherwise, end = self.new(), self.new(), self.new()
        self.finish(flow.Test(stmt.test, then, otherwise, stmt.source))
        for block, body in ((then, stmt.then), (otherwise, stmt.otherwise)):
            self.here = block
            self.statements(body)
            self.goto(end)
        self.here = end

    def cases(self, stmt: ir.Cases) -> None:
        end = self.new()
        cases = tuple((values, self.new()) for values, _ in stmt.cases)
        self.finish(flow.Switch(stmt.subject, cases, end, stmt.source))
        for (_, block), (_, body) in zip(cases, stmt.cases, strict=True):
            self.here = block
            self.statements(body)
            self.goto(end)
        self.here = end

    def for_each(self, stmt: ir.ForEach, veil: bool = False) -> None:
        key = _round_from(stmt.variable, stmt.start) if stmt.start is not None else stmt.key
        ordered = key is not None or (isinstance(stmt.domain.type, SetOf) and stmt.domain.type.ordered)
        rest = self.local(f"rest_of_{stmt.variable.name}", SetOf(stmt.variable.type, ordered))
        head, body, end = self.new(), self.new(), self.new()
        self.emit(flow.Take(rest, stmt.domain, key, stmt.source))
        self.goto(head)
        self.here = head
        some = ir.Apply(Bool(), Op.MORE, (ir.Apply(Int(0, 1), Op.SIZE, (Local(rest),)), _number(0)))
        self.finish(flow.Test(some, body, end, stmt.source), body)
        self.emit(flow.Pop(stmt.variable, rest))
        for test in _tests(stmt):
            holds = self.new()
            self.finish(flow.Test(test, holds, head, stmt.source), holds)
        if veil:
            self.emit(flow.Veil(False, stmt.variable, stmt.source))
        self.statements(stmt.body)
        self.goto(head)
        self.here = end

    def repeat(self, stmt: ir.Repeat) -> None:
        head, body, end = self.new(), self.new(), self.new()
        left = None
        if stmt.times is not None:
            left = self.local("times_left", stmt.times.type)
            self.emit(flow.Set(left, stmt.times, stmt.source))
        self.goto(head)
        self.here = head
        if left is not None:
            some = ir.Apply(Bool(), Op.MORE, (Local(left), _number(0)))
            more = self.new()
            self.finish(flow.Test(some, more, end, stmt.source), more)
        if stmt.until is not None:
            self.finish(flow.Test(stmt.until, end, body, stmt.source), body)
        else:
            self.goto(body)
            self.here = body
        if left is not None:
            self.count_down(left, stmt.source)
        self.statements(stmt.body)
        self.goto(head)
        self.here = end

    def choose(self, stmt: ir.Choose) -> None:
        head, chosen, end = self.new(), self.new(), self.new()
        nothing = end if stmt.may or stmt.again else None
        if stmt.otherwise is not None:
            nothing = self.new()
        self.goto(head)
        self.here = head
        self.settle()
        if stmt.until is not None:
            ask = self.new()
            self.finish(flow.Test(stmt.until, end, ask, stmt.source), ask)
        if isinstance(stmt.offer, ir.OfferSubset) and not stmt.may:
            self.choose_none(stmt.offer, chosen, stmt.source)
        launches: tuple[flow.Launch, ...] = ()
        if isinstance(stmt.offer, ir.OfferActions):
            actions = [alternative.action for alternative in stmt.offer.alternatives]
            backs = {action: self.comes_back(action, chosen) for action in dict.fromkeys(actions)}
            launches = tuple(flow.Launch(action, backs[action], self.entries[action]) for action in actions)
        target = None if launches else chosen
        if stmt.decider is None:
            self.node(flow.ChanceNode(stmt.offer, launches, target, nothing, stmt.source, stmt.seen), chosen)
        else:
            passing = end if stmt.may else None
            decision = flow.Decision(
                stmt.decider, stmt.offer, launches, target, passing, nothing,
                False, stmt.secretly, stmt.privately, stmt.menu, stmt.source,
            )  # fmt: skip
            self.node(decision, chosen)
        self.statements(stmt.body)
        self.goto(head if stmt.again else end)
        if stmt.otherwise is not None and nothing is not None:
            self.here = nothing
            self.statements(stmt.otherwise)
            self.goto(end)
        self.here = end

    def choose_none(self, offer: ir.OfferSubset, chosen: Block, source: ir.Source) -> None:
        """Nobody is asked to choose nothing: a subset of at most 0 is empty, and the flow goes on."""
        if isinstance(offer.high, ir.Const) and offer.high.value != 0:
            return
        none, some = self.new(), self.new()
        nothing = [ir.Apply(Bool(), Op.EQUAL, (offer.high, _number(0)))]
        if offer.low is not offer.high:
            nothing.append(ir.Apply(Bool(), Op.AT_MOST, (offer.low, _number(0))))
        at_most_none = ir.Apply(Bool(), Op.AND, tuple(nothing))
        self.finish(flow.Test(at_most_none, none, some, source), none)
        self.emit(flow.Set(offer.variable, ir.Const(offer.variable.type, ()), source))
        self.goto(chosen)
        self.here = some

    def all_at_once(self, stmt: ir.AllAtOnce) -> None:
        self.emit(flow.Veil(False, None, stmt.source))
        veiled, self.veiled = self.veiled, True
        each = ir.ForEach(stmt.variable, stmt.domain, None, None, None, stmt.body, stmt.source)
        self.for_each(each, veil=True)
        self.veiled = veiled
        self.emit(flow.Veil(True, None, stmt.source))

    def any_order(self, stmt: ir.AnyOrder) -> None:
        """A loop that asks for a line, does it and strikes it off, until no line is left that can be done."""
        index = Int(0, len(stmt.lines) - 1)
        left = self.local("lines_left", SetOf(index))
        line = self.local("line", index)
        every = ir.Const(left.type, tuple(range(len(stmt.lines))))
        self.emit(flow.Set(left, every, stmt.source))
        head, chosen, end = self.new(), self.new(), self.new()
        self.goto(head)
        self.here = head
        self.settle()
        tests = tuple(test for test, _, _ in stmt.lines)
        texts = tuple(text for _, text, _ in stmt.lines)
        offer = flow.OfferLines(left, tests, texts, line)
        decision = flow.Decision(
            stmt.player, offer, (), chosen, None, end, True, False, False, self.owner, stmt.source
        )  # fmt: skip
        self.node(decision, chosen)
        one = ir.Apply(left.type, Op.SET, (Local(line),))
        self.emit(flow.Set(left, ir.Apply(left.type, Op.DIFFERENCE, (Local(left), one)), stmt.source))
        cases = tuple(((number,), self.new()) for number in range(len(stmt.lines)))
        self.finish(flow.Switch(Local(line), cases, end, stmt.source))
        for (_, block), (_, _, body) in zip(cases, stmt.lines, strict=True):
            self.here = block
            self.statements(body)
            self.goto(head)
        self.here = end

    # ------------------------------------------------------------------------------------------------- result

    def finished(self, start: Block) -> flow.Flow:
        """The graph as data: returns get their targets, detours are cut, what nothing leads to is left out."""
        exits: list[flow.Exit] = []
        for block in self.blocks:
            exit = block.exit or flow.Goto(0)
            if isinstance(exit, flow.Return) and not exit.targets:
                exit = flow.Return(exit.procedure, tuple(to for to, _, _ in self.returns[exit.procedure]))
            exits.append(exit)
        names = list(self.entries)
        order = _reachable(self.blocks, exits, [0, start, *self.entries.values()])
        number = {block: index for index, block in enumerate(order)}

        def renumber(target: Block) -> Block:
            return number[_through(self.blocks, exits, target)]

        blocks = [
            flow.BasicBlock(tuple(old.steps), flow.with_targets(exits[number], renumber), (), old.owner)
            for number, old in ((b, self.blocks[b]) for b in order)
        ]
        routines = {}
        for name in names:
            params = self.game.procedures[name].params if name != flow.SETTLING else ()
            back = Variable(name, Optional(Int(0, len(self.returns[name]) - 1)))
            throughs = [_through(self.blocks, exits, to) for to, _, _ in self.returns[name]]
            returns = tuple(number.get(to, 0) for to in throughs)
            routines[name] = flow.Routine(name, renumber(self.entries[name]), params, back, returns, params)
        return flow.Flow(self.game, tuple(blocks), renumber(start), (), routines)


def _tests(stmt: ir.ForEach) -> list[Expr]:
    """What is asked as each member comes up; who dropped out is skipped in turn order."""
    tests = [] if stmt.test is None else [stmt.test]
    ty = stmt.variable.type
    if stmt.start is not None and isinstance(ty, Enum) and ty.name == PLAYER:
        out = ir.Apply(Bool(), Op.IS_OUT, (Local(stmt.variable),))
        tests.insert(0, ir.Apply(Bool(), Op.NOT, (out,)))
    return tests


def _round_from(variable: Variable, start: Expr) -> tuple[Variable, Expr]:
    """The key that walks a ring (or a range of numbers) once round from a value."""
    member = Variable(variable.name, variable.type)
    ty = variable.type
    if isinstance(ty, Int):
        size = ty.high - ty.low + 1
        distance = ir.Apply(Int(ty.low - ty.high, ty.high - ty.low), Op.SUBTRACT, (Local(member), start))
        return member, ir.Apply(Int(0, size - 1), Op.MODULO, (distance, _number(size)))
    steps = Int(0, len(ty.values) - 1) if isinstance(ty, Enum) else Int(0, 0)
    return member, ir.Apply(steps, Op.TURNS, (start, Local(member)))


def _number(value: int) -> Expr:
    return ir.Const(Int(value, value), value)


def _reachable(blocks: list[_Open], exits: list[flow.Exit], roots: list[Block]) -> list[Block]:
    def through(targets: Iterable[Block]) -> list[Block]:
        return [_through(blocks, exits, target) for target in targets]

    return list(closure(through(roots), lambda block: through(flow.targets(exits[block]))))


def _through(blocks: list[_Open], exits: list[flow.Exit], block: Block) -> Block:
    """Where a jump to a block ends: past blocks that only lead on."""
    seen = set()
    while block not in seen:
        exit = exits[block]
        if blocks[block].steps or not isinstance(exit, flow.Goto):
            return block
        seen.add(block)
        block = exit.target
    return block
