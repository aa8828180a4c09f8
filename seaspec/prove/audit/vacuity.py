"""Promises that are proved, and say little; guards that are there, and never forbid anything.

A promise says nothing if it holds in any position, or whatever is done; or if what it supposes is never so. That is
looked for on the same paths as its proof, with what is known to hold there; what can not be shown so is not said.
Positions of plays speak first: what a promise supposes in one of them is not tried to be refuted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.terms import Term, flag
from seaspec.backends.symbolic.paths.paths import Path, anything, free_variable
from seaspec.backends.symbolic.run.offers import come_to
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.position import Position, Result
from seaspec.core import flow, ir, types
from seaspec.core.ir import Claim, Expr, FoldKind
from seaspec.core.ops import Op
from seaspec.core.show import show_expr
from seaspec.prove.entail import Given, Goal
from seaspec.prove.facts import Fact, conjuncts, facts_of, negated, told_with
from seaspec.prove.induction import MOST_WORK, Induction
from seaspec.prove.miners.candidates import Help

ANYWHERE = "says nothing of the rules: it holds in any position"
WHATEVER = "says nothing of the rules: it holds whatever is done"
NEVER_SO = "what it supposes never happens"


def emptiness(induction: Induction, promise: ir.Promise, thorough: bool) -> str:
    """Why a proved promise says nothing, as far as it can be shown; else nothing. `thorough`: with all that helps."""
    if not isinstance(promise, ir.Invariant | ir.Always) or not induction.facts.get(promise.name):
        return ""
    try:
        if holds_anyway(induction, promise):
            return ANYWHERE if isinstance(promise, ir.Invariant) else WHATEVER
        never = (so for so, contrary in contraries(induction.game, promise) if is_never(induction, contrary, thorough))
        return next((f"{NEVER_SO}: {_said(induction.game, supposed)}" for supposed in never), "")
    except Unsupported:
        return ""


# ------------------------------------------------------------------------------------------------------- any position


def holds_anyway(induction: Induction, promise: ir.Invariant | ir.Always) -> bool:
    """Whether a promise holds in any position that the types of the game allow; whatever was before, and is then."""
    for fact in induction.facts[promise.name]:
        told: list[Term] = []
        position = _any_position(induction, told, fact, "")
        old = _any_position(induction, told, fact, "old.") if isinstance(promise, ir.Always) else None
        read = induction.known.read(fact, position, old)
        if read is None:
            return False
        given: Given = [*((term, None) for term in told), *told_with([read])]
        if induction.hold([Goal(given, read.goal, _nowhere(induction, position), None)])[0] is None:
            return False
    return True


def _any_position(induction: Induction, told: list[Term], fact: Fact, word: str) -> Position:
    """Any position, where a game may be over and any procedure that a fact names may begin."""
    world = induction.world
    result = Result(*(tuple(flag(world.name(f"{word}{how}")) for _ in world.seats) for how in ("wins", "loses")))
    params = () if fact.after is None else induction.graph.routines[fact.after].params
    frame = {variable: free_variable(world, variable, told, word) for variable in params}
    return replace(anything(world, told, word), result=result, frame=frame)


def _nowhere(induction: Induction, position: Position) -> Path:
    return Path(None, "any position", position, Run(induction.world, position), None)


# --------------------------------------------------------------------------------------------------- what is supposed


def contraries(game: ir.Game, promise: ir.Invariant | ir.Always) -> Iterator[tuple[Expr, ir.Invariant | ir.Always]]:
    """What the parts of a promise suppose, and the promise that this is never so where it is claimed."""
    numbers = count(1)

    def never(test: Expr) -> Iterator[tuple[Expr, Expr, str]]:
        for supposed in _supposed(game, test):
            for part in dict.fromkeys((*conjuncts(supposed), supposed)):  # a part is enough, and sooner shown
                yield part, negated(part), f"{promise.name}, what it supposes, {next(numbers)}"

    if isinstance(promise, ir.Always) and promise.after:
        for procedure, names, test in promise.after:
            for so, contrary, name in never(test):
                yield so, replace(promise, name=name, after=((procedure, names, contrary),))
    else:
        for so, contrary, name in never(promise.test):
            yield so, replace(promise, name=name, test=contrary)


def _supposed(game: ir.Game, test: Expr) -> Iterator[Expr]:
    """That what a test supposes is so; of each of its parts that supposes something."""
    match test:
        case ir.Apply(_, Op.AND, parts):
            for part in parts:
                yield from _supposed(game, part)
        case ir.Apply(ty, Op.IMPLIES, (first, second)):
            inner = list(_supposed(game, second))
            yield from (ir.Apply(ty, Op.AND, (first, more)) for more in inner)
            if not inner:
                yield first
        case ir.Call(_, function, ()) if game.functions[function].shrinking is None:
            yield from _supposed(game, game.functions[function].body)
        case ir.Fold(ty, FoldKind.EVERY, binders, body):
            inner = list(_supposed(game, body))
            if not inner and any(binder.test is not None for binder in binders):
                inner = [ir.Const(types.Bool(), True)]
            yield from (ir.Fold(ty, FoldKind.SOME, binders, more) for more in inner)
        case _:  # cautious: nothing is known to be supposed; then nothing is complained of
            return


def _said(game: ir.Game, supposed: Expr) -> str:
    """What is supposed, in words."""
    text = show_expr(supposed, game)
    return text[1:-1].removesuffix(": yes") if isinstance(supposed, ir.Apply | ir.Fold) and text[0] == "(" else text


def is_never(induction: Induction, contrary: ir.Invariant | ir.Always, thorough: bool) -> bool:
    """Whether a promise that something is never so can be proved. `thorough`: with all that helps."""
    facts = list(facts_of(induction.game, contrary))
    if isinstance(contrary, ir.Invariant) and contrary.claim is Claim.NODES:
        places = [place for place in induction.paths.locations if not induction.is_cut(place)]
        if any(induction.seen.speaks_against(fact, place) for fact in facts for place in places):
            return False
    induction.facts[contrary.name] = facts
    if isinstance(contrary, ir.Invariant) or contrary.after:  # it is about one moment
        induction.lasting += facts
    for help in (Help.NONE, Help.NEAR, Help.FAR) if thorough else (Help.NONE,):
        induction.loop.help = help
        induction.suppose(contrary)
        induction.decide(contrary, induction.found, induction.is_proved)
        if induction.found[contrary.name].proved:
            return True
        induction.loop.forget(facts)
    induction.lasting[:] = [fact for fact in induction.lasting if fact not in facts]
    return False


# ------------------------------------------------------------------------------------------------------------- guards


def never_forbids(induction: Induction, action: str, guard: ir.Guard) -> bool:
    """Whether a guard holds wherever the action is offered, as far as the guards before it allow it."""
    offered = False
    try:
        for goals in _where_offered(induction, action, guard):
            offered |= bool(goals)
            if any(used is None for used in induction.hold(goals)):
                return False
    except Unsupported:
        return False
    return offered


def _where_offered(induction: Induction, action: str, guard: ir.Guard) -> Iterator[list[Goal]]:
    """That a guard holds at each place where an action is offered."""
    induction.world.limit_work(MOST_WORK)
    for number, run in induction.known.first.items():
        block = induction.paths.locations[number].block
        yield list(_at_offer(induction, run, block, action, guard, induction.known.known_at(number, run.position)))
    for path in induction.paths.paths:
        for rest in path.run.rests:
            if not isinstance(rest.location, int):
                continue  # dice or a draw: nobody is offered anything
            run = path.run.fork()
            run.position, run.assumed = rest.position, run.assumed[: rest.assumed]
            run.known = set(run.assumed)
            known = [] if path.source is None else induction.known.known_at(path.source, path.start)
            block = induction.paths.locations[rest.location].block
            yield list(_at_offer(induction, run, block, action, guard, known))


def _at_offer(induction: Induction, run: Run, block: int, action: str, guard: ir.Guard, known: Given) -> Iterator[Goal]:
    exit = induction.graph.blocks[block].exit
    if not isinstance(exit, flow.Decision | flow.ChanceNode) or not isinstance(exit.offer, ir.OfferActions):
        return
    for alternative in exit.offer.alternatives:
        if alternative.action == action:
            for after, holds in come_to(run.fork(), alternative, guard, exit.source):
                given: Given = [*((term, None) for term in after.hypothesis()), *known]
                yield Goal(given, holds, _nowhere(induction, after.position), None)
