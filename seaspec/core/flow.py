"""The flow graph: the last form of the core, made by passes/lower.py, read by every back end that runs or proves.

A game is a list of blocks. A block is a straight line of steps and one exit. Exits are of two sorts: *jumps* lead on
at once; *nodes* (Decision, DrawNode, RollNode, ThrowNode, ChanceNode, Over) are where the game rests: it needs an
answer, an outcome, or is over. A state is: the number of the node's block, the places, the states, and the *frame*.

The frame: no procedure is active twice, so each parameter, `let` and loop has a fixed slot, a `Variable`. Each
procedure has a return slot, too, named after it: None while it does not run, else an index into the `targets` of its
`Return`.

Invariants:
- a block whose exit is a node has no steps, so a node is rests-at-able by its block alone;
- at a node, every frame variable that is not in the block's `live` is None: equal positions are equal states;
- expressions read frame variables as `Local`s; they are set before they are read;
- the pseudo-procedure `the settling` tests the `whenever` rules; it and what it calls have no node but Over, and do not
  enter it;
- where a node is reached, all is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from seaspec.core import ir
from seaspec.core.ir import Expr, Source, Variable
from seaspec.core.types import Value

Block = int
"""The index of a block."""
MOST_OPTIONS = 1_000_000
"""So many options are listed one by one, at most; of sets and shares there may be any number."""
MOST_TRIED = 20_000_000
"""So many ways of filling in an action are tried at a position, at most."""

# --------------------------------------------------------------------------------------------------------------- steps


@dataclass(frozen=True, slots=True)
class Set:
    """A variable of the frame gets a value."""

    variable: Variable
    value: Expr
    source: Source


@dataclass(frozen=True, slots=True)
class Take:
    """A variable of the frame gets the members of a set as they are now, sorted by `key` (stable) if there is one."""

    variable: Variable
    domain: Expr
    key: tuple[Variable, Expr] | None
    source: Source


@dataclass(frozen=True, slots=True)
class Pop:
    """The first member is taken out of `rest` (not empty; the least, if its type is not ordered)."""

    variable: Variable
    rest: Variable


@dataclass(frozen=True, slots=True)
class Begin:
    """A procedure begins; its parameters have their values. For promises that name procedures; changes nothing."""

    procedure: str


@dataclass(frozen=True, slots=True)
class Finish:
    """A procedure has ended, its clocks are reset; only its return slot still says that it ran. Changes nothing."""

    procedure: str


@dataclass(frozen=True, slots=True)
class Judge:
    """The arguments of an action that was called, not chosen, are in its domains and its guards hold (obligation)."""

    action: str
    source: Source


@dataclass(frozen=True, slots=True)
class Reset:
    """Clocks: all entries of these states get their first value again."""

    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Require:
    """The test holds, else the run ends with this message as an error of the rules."""

    test: Expr
    message: str
    source: Source


@dataclass(frozen=True, slots=True)
class Veil:
    """From here (`lift`: up to here) what happens is seen by `player` alone, until the veil is lifted."""

    lift: bool
    player: Variable | None
    source: Source


Step = (
    Set | Take | Pop | Begin | Finish | Judge | Reset | Require | Veil
    | ir.Assign | ir.Move | ir.MoveSome | ir.Shuffle | ir.Say | ir.Show | ir.DropOut
)  # fmt: skip

# --------------------------------------------------------------------------------------------------------------- jumps


@dataclass(frozen=True, slots=True)
class Goto:
    target: Block


@dataclass(frozen=True, slots=True)
class Test:
    test: Expr
    then: Block
    otherwise: Block
    source: Source


@dataclass(frozen=True, slots=True)
class Switch:
    subject: Expr
    cases: tuple[tuple[tuple[Value, ...], Block], ...]
    otherwise: Block
    source: Source


@dataclass(frozen=True, slots=True)
class Enter:
    """Call: the return slot is set, the procedure entered. The parameters were set before."""

    procedure: str
    back: int
    target: Block


@dataclass(frozen=True, slots=True)
class Return:
    """To the block that the return slot of the procedure picks; the slot and all its variables are cleared."""

    procedure: str
    targets: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """The first way to bind the witnesses for which the test holds: they are set, on to `then`; else `otherwise`."""

    witnesses: tuple[ir.Binder, ...]
    test: Expr
    then: Block
    otherwise: Block
    source: Source


# --------------------------------------------------------------------------------------------------------------- nodes


@dataclass(frozen=True, slots=True)
class OfferLines:
    """`in any order`: the lines, of those in `left`, whose test holds. An option is the index of a line."""

    left: Variable
    tests: tuple[Expr | None, ...]
    texts: tuple[ir.Text, ...]
    line: Variable


AnyOffer = ir.Offer | OfferLines


@dataclass(frozen=True, slots=True)
class Launch:
    """How a chosen action begins: its block, and the return slot's value."""

    action: str
    back: int
    target: Block


@dataclass(frozen=True, slots=True)
class Decision:
    """`decider` is asked. Without an option the flow goes to `nothing` and nobody is asked (None: a broken promise).

    `passing`: where a pass leads, if one may pass. Actions: `launches`, one an alternative; else the chosen values are
    set in the variables of the offer and the flow goes to `target`. `alone`: a single option is taken unasked.
    """

    decider: Expr
    offer: AnyOffer
    launches: tuple[Launch, ...]
    target: Block | None
    passing: Block | None
    nothing: Block | None
    alone: bool
    secretly: bool
    privately: bool
    menu: str
    source: Source


@dataclass(frozen=True, slots=True)
class ChanceNode:
    """`chance chooses`: as a decision, by weights (uniform without). `seen`: the player who alone sees what comes."""

    offer: ir.Offer
    launches: tuple[Launch, ...]
    target: Block | None
    nothing: Block | None
    source: Source
    seen: Expr | None = None


@dataclass(frozen=True, slots=True)
class DrawNode:
    """One piece is drawn; `nothing`: there is none to draw (None: a short draw is an error)."""

    origin: ir.Target
    to: ir.Target
    variable: Variable | None
    target: Block
    nothing: Block | None
    source: Source


@dataclass(frozen=True, slots=True)
class RollNode:
    """`seen`: the player who alone sees what comes."""

    number: Expr
    sides: int
    variable: Variable
    target: Block
    source: Source
    seen: Expr | None = None


@dataclass(frozen=True, slots=True)
class ThrowNode:
    """A named throw. Its outcome is the sums rolled, in order, in the throw that counts (not thrown again)."""

    chance: str
    arguments: tuple[Expr, ...]
    variable: Variable
    target: Block
    source: Source


@dataclass(frozen=True, slots=True)
class Over:
    """The game is over. `how` None: `play` has come to its end."""

    how: ir.End | ir.Score | None


@dataclass(frozen=True, slots=True)
class Outside:
    """A procedure that was run for itself, by an example, has come back. Return slot 0 of each leads here."""


Jump = Goto | Test | Switch | Enter | Return | Finding
Chance = ChanceNode | DrawNode | RollNode | ThrowNode
Node = Decision | Chance | Over | Outside
Exit = Jump | Node


# --------------------------------------------------------------------------------------------------------------- graph


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """`live`: the frame variables that may still be read when the block begins. `owner`: the procedure it is in."""

    steps: tuple[Step, ...]
    exit: Exit
    live: tuple[Variable, ...]
    owner: str


@dataclass(frozen=True, slots=True)
class Routine:
    """A procedure in the graph. `back`: its return slot; `locals`: all variables it sets, and its parameters."""

    name: str
    entry: Block
    params: tuple[Variable, ...]
    back: Variable
    returns: tuple[Block, ...]
    locals: tuple[Variable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """`frame`: all frame variables, each with a fixed slot, return slots among them. `alike`: the pieces of which those
    of one kind and facts stand for one another; positions that differ by them alone have the same future."""

    game: ir.Game
    blocks: tuple[BasicBlock, ...]
    start: Block
    frame: tuple[Variable, ...]
    routines: dict[str, Routine]
    alike: tuple[int, ...] = ()


SETTLING = "the settling"
START = "the start"
"""The owner of the blocks that run `setup`, then `play`. No procedure has a name with a blank in it."""


def targets(exit: Exit) -> Iterator[Block]:
    """The blocks an exit can lead to (a call: its entry; where it comes back to is a target of the Return).

    >>> list(targets(Goto(3)))
    [3]
    """
    match exit:
        case Goto(target) | Enter(_, _, target):
            yield target
        case Test(_, then, otherwise, _) | Finding(_, _, then, otherwise, _):
            yield from (then, otherwise)
        case Switch(_, cases, otherwise, _):
            yield from (target for _, target in cases)
            yield otherwise
        case Return(_, blocks):
            yield from blocks
        case Decision() | ChanceNode():
            yield from (launch.target for launch in exit.launches)
            passing = exit.passing if isinstance(exit, Decision) else None
            yield from (block for block in (exit.target, passing, exit.nothing) if block is not None)
        case DrawNode():
            yield exit.target
            if exit.nothing is not None:
                yield exit.nothing
        case RollNode() | ThrowNode():
            yield exit.target
        case Over() | Outside():
            return
        case _:
            assert_never(exit)


def with_targets(exit: Exit, to: Callable[[Block], Block]) -> Exit:
    """The exit with other numbers for the blocks it leads to.

    >>> with_targets(Goto(3), lambda block: block + 1)
    Goto(target=4)
    """

    def maybe(block: Block | None) -> Block | None:
        return None if block is None else to(block)

    match exit:
        case Goto() | Enter() | RollNode() | ThrowNode():
            return replace(exit, target=to(exit.target))
        case DrawNode():
            return replace(exit, target=to(exit.target), nothing=maybe(exit.nothing))
        case Test() | Finding():
            return replace(exit, then=to(exit.then), otherwise=to(exit.otherwise))
        case Switch():
            cases = tuple((values, to(block)) for values, block in exit.cases)
            return replace(exit, cases=cases, otherwise=to(exit.otherwise))
        case Return():
            return replace(exit, targets=tuple(to(block) for block in exit.targets))
        case Decision() | ChanceNode():
            if isinstance(exit, Decision):
                exit = replace(exit, passing=maybe(exit.passing))
            launches = tuple(replace(launch, target=to(launch.target)) for launch in exit.launches)
            return replace(exit, launches=launches, target=maybe(exit.target), nothing=maybe(exit.nothing))
        case Over() | Outside():
            return exit
        case _:
            assert_never(exit)


def is_unseen(exit: Exit) -> bool:
    """Whether somebody alone sees what is answered, or comes, here."""
    match exit:
        case Decision():
            return exit.privately or exit.secretly
        case ChanceNode(seen=seen) | RollNode(seen=seen):
            return seen is not None
        case _:  # cautious: of others all see it, or what the places show
            return False


def is_node(exit: Exit) -> bool:
    """Whether the game rests there.

    >>> is_node(Over(None)), is_node(Goto(3))
    (True, False)
    """
    return isinstance(exit, Decision | ChanceNode | DrawNode | RollNode | ThrowNode | Over | Outside)


def offer_variables(offer: AnyOffer) -> tuple[Variable, ...]:
    """The frame variables that the chosen values are set in."""
    match offer:
        case ir.OfferValues(binders, _):
            return tuple(binder.variable for binder in binders)
        case ir.OfferSubset():
            return (offer.variable,)
        case ir.OfferShare():
            return (offer.gift,)
        case OfferLines():
            return (offer.line,)
        case ir.OfferActions():
            return ()
        case _:
            assert_never(offer)


def ways_to_roll(number: int, sides: int) -> list[int]:
    """In how many ways some dice come to each sum, from the least one on.

    >>> ways_to_roll(2, 3)
    [1, 2, 3, 2, 1]
    """
    found = [1]
    for _ in range(number):
        more, last = [], 0
        for place in range(len(found) + sides - 1):  # each is the sum of as many before it as there are sides
            last += found[place] if place < len(found) else 0
            last -= found[place - sides] if place >= sides else 0
            more.append(last)
        found = more
    return found
