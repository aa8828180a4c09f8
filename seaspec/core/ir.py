"""The core: what a game means. Names are resolved, options fixed, every expression typed; no sugar is left.

Back ends read the core alone; so it keeps names, spans, sentences and citations. A `Game` is a valid core if
core/verify.py finds nothing wrong with it. Values are represented as core/types.py says.

Invariants: a `Variable` is bound once (its identity is the object, `name` need not be unique in a game); functions and
procedures are not recursive, except functions that shrink; `box` is the place where every piece is at first, unless
it is kept elsewhere.

It is long because it is a table: every node there is, in sections that end in a closed union, each with what it means.
The sections speak of one another (a choice holds expressions, an expression asks what can be chosen), and who writes a
back end reads all of them; so they stand in one file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from seaspec.core import types
from seaspec.core.ops import Op
from seaspec.core.types import PLAYER, Pieces, Type, Value
from seaspec.source import NOWHERE, Span


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A local name: parameter, `let`, bound by a quantifier or a choice. Compared by identity."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Text:
    """What people read: strings and expressions."""

    parts: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a thing stands in the text, what it says to people, which clauses it stands for."""

    span: Span = field(default=NOWHERE, compare=False)
    sentence: Text | None = None
    cites: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Const:
    type: Type
    value: Value


@dataclass(frozen=True, slots=True)
class Local:
    variable: Variable

    @property
    def type(self) -> Type:
        return self.variable.type


@dataclass(frozen=True, slots=True)
class StateRead:
    """The value of a state; the indices are in its index (else an obligation stands as a CHECK in them)."""

    type: Type
    state: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class PlaceRead:
    """The pieces that lie there, a set (ordered if the place is a row). An index that is none, or outside: empty."""

    type: Type
    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Everywhere:
    """The pieces in all of an indexed place: `every s in water`. Sorted by piece."""

    type: Type
    place: str


@dataclass(frozen=True, slots=True)
class WhereIs:
    """`s.cell`: the index of the instance of `place` that the piece lies in; `position`: which index of several.

    Obligation: the piece lies in that place.
    """

    type: Type
    place: str
    piece: Expr
    position: int


@dataclass(frozen=True, slots=True)
class Lookup:
    """An entry of a table of constants (facts, tables, geometry). Indices are in range."""

    type: Type
    table: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    type: Type
    op: Op
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Call:
    type: Type
    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If:
    type: Type
    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Switch:
    """The case that has the subject's value; all values are covered, each once."""

    type: Type
    subject: Expr
    cases: tuple[tuple[tuple[Value, ...], Expr], ...]


@dataclass(frozen=True, slots=True)
class LetIn:
    variable: Variable
    value: Expr
    body: Expr

    @property
    def type(self) -> Type:
        return self.body.type


@dataclass(frozen=True, slots=True)
class Binder:
    """`x in S where P`; with `prefix`, P is a `while`. A domain of an optional type is a set of at most one."""

    variable: Variable
    domain: Expr
    test: Expr | None = None
    prefix: bool = False


class FoldKind(Enum):
    EVERY = "every"
    SOME = "some"
    COUNT = "count"
    SUM = "sum"
    MOST = "most"
    LEAST = "least"


@dataclass(frozen=True, slots=True)
class Fold:
    """`every`, `some`, `count`, `sum`, `most`, `least` over the binders (later domains may use earlier variables).

    `body` is the test or the term (for COUNT: Const yes). `otherwise`: MOST and LEAST of nothing; without it, that
    there is something is an obligation. (`no` is `not some`.)
    """

    type: Type
    kind: FoldKind
    binders: tuple[Binder, ...]
    body: Expr
    otherwise: Expr | None = None


@dataclass(frozen=True, slots=True)
class Select:
    """`{x in S where P with least e}`; `best`: (most?, e). Keeps the order of S."""

    type: Type
    binder: Binder
    best: tuple[bool, Expr] | None = None


@dataclass(frozen=True, slots=True)
class Collect:
    """`{e for x in S}`, a set; or `[e for k in K]`, a map (the type says which)."""

    type: Type
    term: Expr
    binders: tuple[Binder, ...]


@dataclass(frozen=True, slots=True)
class PickOne:
    """`first x in S ..` or `the x in S ..` (exactly one, obligation); `otherwise` when there is none."""

    type: Type
    first: bool
    binder: Binder
    otherwise: Expr | None


@dataclass(frozen=True, slots=True)
class Reach:
    """All that can be reached from `start` in steps from `here` to `there` for which the relation holds."""

    type: Type
    start: Expr
    here: Variable
    there: Variable
    relation: Expr


@dataclass(frozen=True, slots=True)
class Ways:
    """The set of all maps that give each member of the domain one of its choices; only the domain of a Binder.

    Such a map has all values of the member's type as keys; members that get nothing have None.
    """

    type: Type
    variable: Variable
    domain: Expr
    choices: Expr


@dataclass(frozen=True, slots=True)
class Can:
    """Some choice of the arguments not given (None) is legal now."""

    type: Type
    action: str
    arguments: tuple[Expr | None, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """`p is asked [at menu]`: examples only."""

    type: Type
    player: Expr
    menu: str | None


@dataclass(frozen=True, slots=True)
class Odds:
    """The exact mean of the number that a chance procedure gives, or the probability of its yes: promises only."""

    type: Type
    chance: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Old:
    """The value before: promises only."""

    inner: Expr

    @property
    def type(self) -> Type:
        return self.inner.type


@dataclass(frozen=True, slots=True)
class Openly:
    """The same value, made public on purpose."""

    inner: Expr

    @property
    def type(self) -> Type:
        return self.inner.type


Expr = (
    Const | Local | StateRead | PlaceRead | Everywhere | WhereIs | Lookup | Apply | Call | If | Switch | LetIn | Fold
    | Select | Collect | PickOne | Reach | Ways | Can | Asked | Odds | Old | Openly
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Target:
    """An instance of a place."""

    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Do:
    """Call of a procedure or an action (whose guards then must hold: obligation)."""

    procedure: str
    arguments: tuple[Expr, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Let:
    variable: Variable
    value: Expr
    source: Source


@dataclass(frozen=True, slots=True)
class Assign:
    """The value lies in the type of the state (obligation; a CHECK where it is not plain)."""

    state: str
    indices: tuple[Expr, ...]
    value: Expr
    source: Source


class Put(Enum):
    """Where in a pile or row the pieces go: on top / at the end, under the pile, at a spot."""

    ON = "to"
    UNDER = "under"
    AT = "at"


@dataclass(frozen=True, slots=True)
class Move:
    """Move a piece (or optional piece) or a set of pieces, from wherever they lie.

    `whole`: the cargo is all of that place (the layers of a pile are kept). Moving into a full place: obligation.
    """

    cargo: Expr | None
    whole: Target | None
    target: Target
    put: Put
    at: Expr | None
    source: Source


@dataclass(frozen=True, slots=True)
class MoveSome:
    """Move `amount` (None: all) pieces of a kind; they are identical, or any of them will do if all are moved."""

    amount: Expr | None
    up_to: bool
    kind: Pieces
    origin: Target
    target: Target
    put: Put
    at: Expr | None
    source: Source


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw `amount` pieces one by one: of a pile from the top layer, else at random. Each a chance event.

    From `box`, only pieces that the target can hold are drawn. `variable`: the last piece drawn, only if one is.
    """

    amount: Expr
    up_to: bool
    origin: Target
    target: Target
    variable: Variable | None
    source: Source


@dataclass(frozen=True, slots=True)
class Shuffle:
    """All layers of a pile become one; nothing for other places."""

    place: Target
    source: Source


@dataclass(frozen=True, slots=True)
class Roll:
    """The sum of dice, a chance event. `seen`: the player who alone sees it; None: all do."""

    number: Expr
    sides: int
    variable: Variable
    source: Source
    seen: Expr | None = None


@dataclass(frozen=True, slots=True)
class Throw:
    """A named throw: a chance procedure is run and gives a value. Comes from a call of it in a condition."""

    chance: str
    arguments: tuple[Expr, ...]
    variable: Variable
    source: Source


@dataclass(frozen=True, slots=True)
class Stop:
    procedure: str
    source: Source


@dataclass(frozen=True, slots=True)
class Say:
    text: Text
    audience: Expr | None
    source: Source


@dataclass(frozen=True, slots=True)
class Show:
    place: Target
    audience: Expr
    source: Source


class Outcome(Enum):
    WIN = "win"
    LOSE = "lose"
    NOBODY = "nobody wins"


@dataclass(frozen=True, slots=True)
class End:
    """The game ends at once: these players win, or these lose (the others win unless nobody is left), or nobody."""

    outcome: Outcome
    players: Expr | None
    source: Source


@dataclass(frozen=True, slots=True)
class Score:
    """The game ends at once: the highest wins, then the ties in order, then they share the win."""

    player: Variable
    values: tuple[Expr, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class DropOut:
    player: Expr
    source: Source


@dataclass(frozen=True, slots=True)
class Branch:
    test: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Cases:
    """As Switch; a value that no case covers does nothing."""

    subject: Expr
    cases: tuple[tuple[tuple[Value, ...], tuple[Stmt, ...]], ...]
    source: Source


@dataclass(frozen=True, slots=True)
class ForEach:
    """The set is taken once, before the first step; the test is judged as each member comes up.

    `key`: in order of it (a stable sort). `start`: a ring is walked once round from this value.
    """

    variable: Variable
    domain: Expr
    key: tuple[Variable, Expr] | None
    start: Expr | None
    test: Expr | None
    body: tuple[Stmt, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Repeat:
    """Tested first. `times` None: no bound; `until` None: no test."""

    times: Expr | None
    until: Expr | None
    body: tuple[Stmt, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Alternative:
    """An action that may be chosen; arguments not given (None) are chosen, too. `loop`: once for each member."""

    action: str
    arguments: tuple[Expr | None, ...]
    loop: Binder | None


@dataclass(frozen=True, slots=True)
class OfferActions:
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class OfferValues:
    """One value for each binder (later domains may use earlier variables); `weights`: only for chance."""

    binders: tuple[Binder, ...]
    weights: Expr | None


@dataclass(frozen=True, slots=True)
class OfferSubset:
    """A subset of low..high members. An option is a multiset of identical pieces. If high < low: nothing."""

    low: Expr
    high: Expr
    domain: Expr
    variable: Variable


@dataclass(frozen=True, slots=True)
class OfferShare:
    """Whole numbers for the members with a sum in low..high, each at most `at_most` (over `member`).

    The gift is a map from all values of the member's type; those not in the domain have 0.
    """

    low: Expr
    high: Expr
    member: Variable
    domain: Expr
    at_most: Expr | None
    gift: Variable


Offer = OfferActions | OfferValues | OfferSubset | OfferShare


@dataclass(frozen=True, slots=True)
class Choose:
    """A choice of `decider` (None: chance).

    `may`: may pass, and is asked only if there is an option. `secretly`: nobody else can notice. `privately`: the
    answer is seen by the decider alone. `again`: asked again after each answer, until a pass (if `may`), until
    `until` holds (tested before each time), or until there is no option. `otherwise`: run when there is no option;
    None: that there is one is a promise (`never stuck`). `body` runs with what was chosen (values, subsets).
    `menu`: a name for the choice point: the menu offered, or the procedure it stands in. `seen`: the player who alone
    sees what chance chooses; None: all do.
    """

    decider: Expr | None
    may: bool
    secretly: bool
    privately: bool
    again: bool
    until: Expr | None
    offer: Offer
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] | None
    menu: str
    source: Source
    seen: Expr | None = None


@dataclass(frozen=True, slots=True)
class AllAtOnce:
    """Run one by one; nobody sees another's part until all are done."""

    variable: Variable
    domain: Expr
    body: tuple[Stmt, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """The player picks which line is done next; lines whose test is off drop out; the last is not asked."""

    player: Expr
    lines: tuple[tuple[Expr | None, Text, tuple[Stmt, ...]], ...]
    source: Source


Line = Do | Let | Assign | Move | MoveSome | Draw | Shuffle | Roll | Throw | Stop | Say | Show | End | Score | DropOut
Nest = Branch | Cases | ForEach | Repeat | Choose | AllAtOnce | AnyOrder
Stmt = Line | Nest
"""Statements: those of one line, and those with blocks in them."""

# -------------------------------------------------------------------------------------------------------------- things


@dataclass(frozen=True, slots=True)
class Board:
    """Cells as (column, row), both from 1, row 1 at the side the board counts from; names as people say them.

    `gaps`: cells of the rectangle that are left out are simply not in `cells`. `compass`: the ring of directions, its
    values going round clockwise from the top of the picture (8 of them, or 4). `rows_from_top`: row 1 is the top row.
    `letters`: for drawn boards, the letter of each cell in the picture.
    """

    name: str
    columns: int
    rows: int
    rows_from_top: bool
    cells: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    compass: str | None
    letters: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Piece:
    """`kinds`: from the most particular kind to the component. `facts`: printed, never changing, (value, type).

    `twin`: pieces with the same number are alike in kind and facts. `home`: the place it is in at first.
    `title`: as people call it, `Card 45`.
    """

    id: int
    kinds: tuple[str, ...]
    facts: tuple[tuple[str, Value, Type], ...]
    twin: int
    home: str
    title: str


class PlaceOrder(Enum):
    SET = "set"
    BAG = "bag"
    PILE = "pile"
    ROW = "row"
    SLOT = "at most"


@dataclass(frozen=True, slots=True)
class Sight:
    """Who sees a place or state: all, nobody, or the players (a player or set) of `by`, over the index variables."""

    all: bool
    by: Expr | None


@dataclass(frozen=True, slots=True)
class Place:
    """`capacity` (over the index variables) None: no bound. `laid_on`: a board on which shapes are laid."""

    name: str
    index: tuple[Variable, ...]
    order: PlaceOrder
    capacity: Expr | None
    holds: Pieces
    laid_on: str | None
    sight: Sight
    uncounted: bool
    fixed: bool
    source: Source


@dataclass(frozen=True, slots=True)
class State:
    """`type` may read the index variables only through `bound` (an expression for a dependent upper bound), if any.

    `initial`, over the index variables, may read tables and options only. `until`: the procedure at whose end it gets
    its first value again. `while_in`: the place that its (one) index piece must lie in, else it has its first value.
    """

    name: str
    index: tuple[Variable, ...]
    type: Type
    bound: tuple[Expr, Expr] | None
    initial: Expr
    sight: Sight
    fixed: bool
    until: str | None
    while_in: str | None
    track: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Table:
    """Constants by index, in row-major order of `values` of the index types."""

    name: str
    index: tuple[Type, ...]
    type: Type
    entries: tuple[Value, ...] = field(repr=False)
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Function:
    """A define. `shrinking`: the position of the parameter that falls with each recursive call."""

    name: str
    params: tuple[Variable, ...]
    type: Type
    body: Expr
    shrinking: int | None
    source: Source


@dataclass(frozen=True, slots=True)
class Guard:
    """`test` holds, or one of the exceptions does. `name` as in `refused by name`."""

    name: str
    test: Expr
    exceptions: tuple[tuple[Expr, Source], ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of an action: chosen among the domain (None: its type) where the test holds."""

    variable: Variable
    domain: Expr | None
    test: Expr | None


@dataclass(frozen=True, slots=True)
class Action:
    """A procedure that can be offered. `asks`: its first parameter is the player who is asked.

    Guards are over the parameters (a `let` before them is a LetIn in each guard that needs it).
    """

    name: str
    params: tuple[Param, ...]
    asks: bool
    guards: tuple[Guard, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Procedure:
    """The body of a `to` or of an action of the same name.

    `before`, `body`, `after`: hooks stand round the body; `stop` skips `after`. `clocks`: states that get their first
    value when it ends, however it ends. `counted`: its calls are counted (`ends within`).
    """

    name: str
    params: tuple[Variable, ...]
    before: tuple[Stmt, ...]
    body: tuple[Stmt, ...]
    after: tuple[Stmt, ...]
    clocks: tuple[str, ...]
    is_action: bool
    source: Source


@dataclass(frozen=True, slots=True)
class ChanceRule:
    """A named throw: rolls and lets (`body`), thrown again while one of `again` holds, then gives a value."""

    name: str
    params: tuple[Variable, ...]
    body: tuple[Let | Roll, ...]
    again: tuple[Expr, ...]
    gives: Expr
    source: Source


@dataclass(frozen=True, slots=True)
class Whenever:
    """Settles of itself. `witness`: bound to the first member for which the test holds (then `test` is over it)."""

    name: str
    witnesses: tuple[Binder, ...]
    test: Expr
    body: tuple[Stmt, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Menu:
    """`alternatives`: as they are offered, over the parameters; where the menu is offered, values stand for these."""

    name: str
    actions: tuple[str, ...]
    source: Source
    params: tuple[Variable, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


# ------------------------------------------------------------------------------------------------------------ promises


class Claim(Enum):
    """Where an invariant is claimed."""

    NODES = "at decisions, chance and ends"
    AT = "when the procedure begins"
    AT_END = "when the procedure ends"
    OUTSIDE = "at nodes, not while the procedure runs"


@dataclass(frozen=True, slots=True)
class Invariant:
    name: str
    claim: Claim
    procedures: tuple[str, ...]
    test: Expr
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Always:
    """After one of the procedures (with names for its arguments), or, without, for each step between nodes."""

    name: str
    after: tuple[tuple[str, tuple[Variable, ...], Expr], ...]
    test: Expr
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Lemma:
    name: str
    params: tuple[Param, ...]
    test: Expr
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Reachable:
    name: str
    test: Expr
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Winnable:
    """From each decision of a play some continuation comes to a position where the test holds.

    `needed`: that is not claimed then, but that none does from a decision at which this does not hold.
    """

    name: str
    needed: Expr | None
    test: Expr
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class NeverStuck:
    name: str
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class EndsWithin:
    name: str
    calls: int
    procedure: str
    measure: Expr | None
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Secret:
    """Places and states whose hidden contents never show."""

    name: str
    things: tuple[str, ...]
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class OddsPromise:
    name: str
    odds: Odds
    value: Expr
    myth: bool
    source: Source


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Each value of the type is renamed to the image (over the variable)."""

    name: str
    renamings: tuple[tuple[Variable, Expr], ...]
    myth: bool
    source: Source


Promise = Invariant | Always | Lemma | Reachable | Winnable | NeverStuck | EndsWithin | Secret | OddsPromise | Symmetry


def supposition(promise: Promise) -> Expr | None:
    """Of a promise `a implies b` about positions or steps, the `a`."""
    if isinstance(promise, Invariant) or (isinstance(promise, Always) and not promise.after):
        if isinstance(promise.test, Apply) and promise.test.op is Op.IMPLIES:
            return promise.test.arguments[0]
    return None


# ------------------------------------------------------------------------------------------------------------ examples


@dataclass(frozen=True, slots=True)
class SomePieces:
    """`number` pieces, any of the candidates, a set of pieces (not used elsewhere in the example)."""

    number: int
    candidates: Expr


@dataclass(frozen=True, slots=True)
class GivenPlace:
    """The place holds exactly these pieces (a row: in this order; a pile: in one shuffled layer)."""

    target: Target
    contents: tuple[SomePieces | Expr, ...]


@dataclass(frozen=True, slots=True)
class GivenSize:
    """The place holds that many pieces, or at least / at most so many, of any kind; `op` EQUAL, AT_LEAST or AT_MOST."""

    target: Target
    op: Op
    number: Expr


@dataclass(frozen=True, slots=True)
class GivenState:
    state: str
    indices: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class GivenWhere:
    """`x.cell = B1`: the piece lies there."""

    piece: Expr
    target: Target


@dataclass(frozen=True, slots=True)
class GivenTest:
    """Any other condition: the position must satisfy it as it stands (else the example is at fault)."""

    test: Expr


GivenFact = GivenPlace | GivenSize | GivenState | GivenWhere | GivenTest


@dataclass(frozen=True, slots=True)
class PieceArgument:
    """A piece named by kind and facts in a step: any of the candidates that is an option."""

    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ActionAnswer:
    action: str
    arguments: tuple[Expr | PieceArgument | None, ...]


@dataclass(frozen=True, slots=True)
class SetAnswer:
    """A set of pieces or values."""

    members: tuple[Expr | SomePieces, ...]


@dataclass(frozen=True, slots=True)
class ShareAnswer:
    parts: tuple[tuple[Expr, Expr | PieceArgument], ...]


@dataclass(frozen=True, slots=True)
class PassAnswer:
    pass


AnyAnswer = Expr | PieceArgument | ActionAnswer | SetAnswer | ShareAnswer | PassAnswer


@dataclass(frozen=True, slots=True)
class Step:
    """`when ..`: a player answers (`player` set), or a procedure is run (`call` set); dice, more answers in order."""

    player: Expr | None
    answer: AnyAnswer | None
    call: Do | None
    rolling: tuple[Expr, ...]
    choosing: tuple[AnyAnswer, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Expect:
    """`then ..`: tests that hold (with these odds), or the last step was refused (by that guard)."""

    tests: tuple[Expr, ...]
    refused: bool
    guard: str | None
    odds: Expr | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class At:
    """The `number`-th call of this kind on the way from the beginning."""

    number: int
    call: Do


@dataclass(frozen=True, slots=True)
class Example:
    """`options`: values of options that `given` fixes; they may differ from the game's (then it is built again).

    `any`: run for each tuple. `lets`: names for pieces (any of the candidates, the same throughout).
    `at`: where the flow stands.
    """

    name: str
    options: tuple[tuple[str, Value], ...]
    any: tuple[Binder, ...]
    lets: tuple[tuple[Variable, SomePieces | Expr], ...]
    given: tuple[GivenFact, ...]
    at: At | None
    lines: tuple[Step | Expect, ...]
    myth: bool
    source: Source


# ---------------------------------------------------------------------------------------------------------------- game


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell of a picture: where its name stands, and from where to where there is room for what is there.

    `shows`: the instances of places and states that lie there, by the values of their indices.
    """

    row: int
    column: int
    name: str
    room: tuple[int, int]
    shows: tuple[tuple[str, tuple[Value, ...]], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """How what is no grid is drawn. It has no meaning for the rules.

    `things`: the places and states whose instances the spots show; `standing`: the states whose values are spots, such
    as where somebody stands. `board`: the board that is drawn so, and `compass` its directions.
    """

    name: str
    rows: tuple[str, ...]
    spots: tuple[Spot, ...]
    things: tuple[str, ...]
    standing: tuple[str, ...]
    board: str | None
    compass: str | None
    source: Source


class LookShape(Enum):
    """What a piece can look like."""

    SHIP = "ship"
    CARD = "card"
    DISC = "disc"
    TOKEN = "token"
    PAWN = "pawn"
    DIE = "die"
    FLAG = "flag"
    WALL = "wall"


@dataclass(frozen=True, slots=True)
class Look:
    """How the pieces of some kinds are drawn. It has no meaning for the rules.

    All names are of facts or states of the piece: `pointing` of a direction, `coloured` of a player or of words;
    `showing` of what can change, `numbered` of facts that stand on it. Where there is none, it is drawn as pieces
    without a look are. `colour`: a fixed one.
    """

    name: str
    kinds: tuple[str, ...]
    shape: LookShape
    pointing: str | None
    coloured: str | None
    colour: str | None
    showing: tuple[str, ...]
    numbered: tuple[str, ...]
    source: Source


COLOURS = ("black", "white", "grey", "red", "orange", "yellow", "gold", "green", "blue", "purple", "brown")
"""What a look can be coloured."""


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An option, its value here, and the values that it may have (one alone if a variant fixes it)."""

    name: str
    type: Type
    value: Value
    values: tuple[Value, ...]
    source: Source


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A whole game with its options fixed."""

    name: str
    title: str
    stack: tuple[str, ...]
    options: tuple[OptionValue, ...]
    types: dict[str, Type]
    boards: dict[str, Board]
    pictures: dict[str, Picture]
    looks: dict[str, Look]
    pieces: tuple[Piece, ...]
    places: dict[str, Place]
    states: dict[str, State]
    tables: dict[str, Table]
    functions: dict[str, Function]
    actions: dict[str, Action]
    procedures: dict[str, Procedure]
    chances: dict[str, ChanceRule]
    whenevers: tuple[Whenever, ...]
    menus: dict[str, Menu]
    promises: tuple[Promise, ...]
    examples: tuple[Example, ...]
    breaks: dict[str, str]
    notes: tuple[Source, ...]
    inapplicable: dict[str, str]
    """Examples of a base that do not apply to this stack, and why."""

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the seats."""
        ty = self.types[PLAYER]
        assert isinstance(ty, types.Enum)
        return ty.values


SETUP = "to setup"
"""The key of the procedure that sets the game up (an action may be called `setup`, too)."""
PLAY = "to play"
BOX = "box"
