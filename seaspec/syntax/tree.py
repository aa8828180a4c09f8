"""The syntax tree: what was written, and nothing about what it means.

All nodes are frozen and carry the span of their text (which does not count when nodes are compared). Expressions,
type expressions, statements and declarations are closed unions, at the end of each section. A block of several
lines where all must hold is one `Binary(AND, ...)` chain; a `let` line in a define is `LetIn`.

It is long because it is a table: every node there is, in the order of the rules of grammar/sea.lark, each with the text
that it stands for. There is no logic in it, and nothing else to look up beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from seaspec.source import Span


class Operator(Enum):
    """Operators as written; their meaning stands in core/ops.py."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "mod"
    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    IN = "in"
    NOT_IN = "not in"
    AND = "and"
    OR = "or"
    IMPLIES = "implies"
    NOT = "not"
    NEGATE = "negative"
    OLD = "old"
    SIZE = "size of"


@dataclass(frozen=True, slots=True)
class Node:
    """What all nodes have: the span of their text."""

    span: Span = field(compare=False, repr=False)


# ---------------------------------------------------------------------------------------------- sentences and sources


@dataclass(frozen=True, slots=True)
class Sentence(Node):
    """A string that people read; the expressions in braces are parsed."""

    parts: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """A clause id after `cites`."""

    id: str


@dataclass(frozen=True, slots=True)
class Tail(Node):
    """What may follow nearly everything: a sentence, `cites` clauses, `assume` readings."""

    sentence: Sentence | None = None
    cites: tuple[Clause, ...] = ()
    assumes: tuple[Sentence, ...] = ()


# --------------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True)
class YesNo(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class NoneValue(Node):
    pass


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name in small letters: variable, const, define, place, state, enumeration value."""

    name: str


@dataclass(frozen=True, slots=True)
class Capital(Node):
    """A capitalised name: type, kind, piece, cell, player, ring value."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`f(x, y)`, `Card(hearts, 3)`, `base(x)`, `beats(3, 1)`; also any call statement."""

    function: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`field[c]`"""

    base: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Dot(Node):
    """`card.number`"""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """NOT, NEGATE, OLD, SIZE."""

    op: Operator
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Node):
    op: Operator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`1..n`"""

    low: Expr
    high: Expr


class Test(Enum):
    """The words after `is`."""

    EMPTY = "empty"
    FILLED = "filled"
    SOME = "some"
    ASKED = "asked"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Is(Node):
    """`x is [not] empty | filled | some [y] | asked [at menu] | value`.

    `binds`: the y of `some y`; `value`: the expression (a kind, a value, `none`); `menu`: after `asked at`.
    """

    subject: Expr
    test: Test
    negated: bool = False
    binds: str | None = None
    value: Expr | None = None
    menu: str | None = None


@dataclass(frozen=True, slots=True)
class Can(Node):
    """`p can play(card)`; arguments not given are None or missing."""

    player: Expr
    action: MenuItem


@dataclass(frozen=True, slots=True)
class Has(Node):
    """`p has won` / `p has lost`"""

    player: Expr
    won: bool


@dataclass(frozen=True, slots=True)
class IfElse(Node):
    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """`where P`, or `while P` (the longest prefix of an ordered set)."""

    test: Expr
    prefix: bool


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """`x in S [where P]`"""

    name: str
    domain: Expr
    filter: Filter | None = None


class Quantity(Enum):
    EVERY = "every"
    SOME = "some"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Quantifier(Node):
    """`every a, b in S where P: Q`: all names range over the same set."""

    quantity: Quantity
    names: tuple[str, ...]
    domain: Expr
    filter: Filter | None
    body: Expr


@dataclass(frozen=True, slots=True)
class SomeKind(Node):
    """`some Joker in hand[p]`, `no Coin in purse[p]`"""

    quantity: Quantity
    kind: Capital
    domain: Expr


@dataclass(frozen=True, slots=True)
class Count(Node):
    """`count x in S where P` (kind is None) or `count Coin in S` (name is None)."""

    name: str | None
    kind: Capital | None
    domain: Expr
    filter: Filter | None


@dataclass(frozen=True, slots=True)
class Sum(Node):
    term: Expr
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Best(Node):
    """`most e for x in S otherwise d`, `least ..`"""

    most: bool
    term: Expr
    bindings: tuple[Binding, ...]
    otherwise: Expr | None


@dataclass(frozen=True, slots=True)
class TheOne(Node):
    """`the x in S where P otherwise d` (exactly one), `first x in S ..`"""

    first: bool
    binding: Binding
    otherwise: Expr | None


@dataclass(frozen=True, slots=True)
class Reach(Node):
    """`reach from S by a to b where P`"""

    start: Expr
    here: str
    there: str
    relation: Expr


@dataclass(frozen=True, slots=True)
class Ways(Node):
    """`ways to give each x in S one of T`"""

    name: str
    domain: Expr
    choices: Expr


@dataclass(frozen=True, slots=True)
class Openly(Node):
    inner: Expr


@dataclass(frozen=True, slots=True)
class Several(Node):
    """`3 Coin`, `5 Man(White)` in a set"""

    number: int
    described: Capital | Apply


@dataclass(frozen=True, slots=True)
class SetLiteral(Node):
    items: tuple[Expr | Several, ...]


@dataclass(frozen=True, slots=True)
class Select(Node):
    """`{x in S where P}`, `.. with least e`; `best` is (most?, expression)."""

    binding: Binding
    best: tuple[bool, Expr] | None


@dataclass(frozen=True, slots=True)
class Collect(Node):
    """`{e for x in S}`"""

    term: Expr
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class MapLiteral(Node):
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class MapFor(Node):
    """`[e for k in 1..7]`"""

    term: Expr
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class LetIn(Node):
    """A `let` line of a define, and the lines below it."""

    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Case(Node):
    """`clubs, spades: e`; patterns are Number (maybe negative), YesNo, Name, Capital or NoneValue."""

    patterns: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Match(Node):
    subject: Expr
    cases: tuple[Case, ...]


Expr = (
    Number | YesNo | NoneValue | Name | Capital | Apply | Index | Dot | Unary | Binary | Range | Is | Can | Has | IfElse
    | Quantifier | SomeKind | Count | Sum | Best | TheOne | Reach | Ways | Openly | SetLiteral | Select | Collect
    | MapLiteral | MapFor | LetIn | Match
)  # fmt: skip

# --------------------------------------------------------------------------------------------------- type expressions


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    name: str


@dataclass(frozen=True, slots=True)
class RangeType(Node):
    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class YesNoType(Node):
    pass


@dataclass(frozen=True, slots=True)
class NoneType(Node):
    pass


@dataclass(frozen=True, slots=True)
class UnionType(Node):
    """`Card or Coin`, `Player or none`"""

    options: tuple[TypeExpr, ...]


@dataclass(frozen=True, slots=True)
class SetType(Node):
    of: TypeExpr


@dataclass(frozen=True, slots=True)
class MapType(Node):
    keys: TypeExpr
    values: TypeExpr


@dataclass(frozen=True, slots=True)
class EnumValue(Node):
    """A value of an enumeration; `drawn`: its letter in pictures. The name may be a number (`one of 2, 3, 4, 6`)."""

    name: str
    drawn: str | None = None


@dataclass(frozen=True, slots=True)
class OneOf(Node):
    """`one of a, b` or, if `ring`, `ring of a, b`."""

    values: tuple[EnumValue, ...]
    ring: bool


TypeExpr = TypeName | RangeType | YesNoType | NoneType | UnionType | SetType | MapType | OneOf

# ---------------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Unless(Node):
    """`unless P` under a guard."""

    test: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Needs(Node):
    """`needs free: P "words"`, or `needs laying(p, s, c)` (a `rules` spliced in: then `name` is None)."""

    name: str | None
    test: Expr
    tail: Tail
    exceptions: tuple[Unless, ...] = ()


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`f(x)`, or `f` alone."""

    call: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`x := e`; `op` is ADD or SUBTRACT for `+=`, `-=`."""

    target: Expr
    op: Operator | None
    value: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Let(Node):
    name: str
    value: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Move(Node):
    """`move X to P [at k]`, `move X under P`"""

    cargo: Expr
    target: Expr
    under: bool
    at: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class MoveSome(Node):
    """`move n T from P to Q`, `all T` (amount None), `up to n T`"""

    amount: Expr | None
    up_to: bool
    kind: Capital
    source: Expr
    target: Expr
    under: bool
    at: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Draw(Node):
    """`draw [up to] n from P to Q [as c]`"""

    amount: Expr
    up_to: bool
    source: Expr
    target: Expr
    name: str | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Shuffle(Node):
    place: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Roll(Node):
    """`roll [n] d6 as total [seen by p]`"""

    number: Expr | None
    sides: int
    name: str
    seen: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Again(Node):
    test: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Gives(Node):
    value: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Stop(Node):
    procedure: str
    tail: Tail


@dataclass(frozen=True, slots=True)
class Say(Node):
    sentence: Sentence
    audience: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Show(Node):
    place: Expr
    audience: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    tail: Tail


@dataclass(frozen=True, slots=True)
class Win(Node):
    players: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Lose(Node):
    players: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class NobodyWins(Node):
    tail: Tail


@dataclass(frozen=True, slots=True)
class DropOut(Node):
    player: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Score(Node):
    """`score p: e tie by f tie by g`"""

    name: str
    value: Expr
    ties: tuple[Expr, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Share(Node):
    """`p shares n among x in S at most e as gift`"""

    player: Expr
    total: Expr
    name: str
    domain: Expr
    at_most: Expr | None
    gift: str
    tail: Tail


class Manner(Enum):
    """How a choice is put to the decider."""

    CHOOSES = "chooses"
    PRIVATELY = "privately chooses"
    REPEATEDLY = "repeatedly chooses"
    MAY = "may"
    MAY_SECRETLY = "may secretly"
    MAY_REPEATEDLY = "may repeatedly"


@dataclass(frozen=True, slots=True)
class MenuItem(Node):
    """An action (or menu) as it is offered: `play`, `steer(s)`, `fight(t) for t in tail(s)`."""

    name: str
    arguments: tuple[Expr, ...] | None = None
    loop: Binding | None = None


@dataclass(frozen=True, slots=True)
class OfferActions(Node):
    items: tuple[MenuItem, ...]
    until: Expr | None


@dataclass(frozen=True, slots=True)
class OfferValues(Node):
    """`x in S where P, y in T weights e`"""

    picks: tuple[Binding, ...]
    weights: Expr | None


@dataclass(frozen=True, slots=True)
class OfferSubset(Node):
    """`k of S`, `up to k of S`, `1..4 of S`, `any of S` as a name; low None = 0 (or exactly high, see `exact`)."""

    low: Expr | None
    high: Expr | None
    exact: bool
    domain: Expr
    where: Expr | None
    name: str


Offer = OfferActions | OfferValues | OfferSubset


@dataclass(frozen=True, slots=True)
class Choose(Node):
    """Any choice. `decider` None is `chance`. `otherwise` None: nothing said; `seen`: who alone sees what comes."""

    decider: Expr | None
    manner: Manner
    offer: Offer
    seen: Expr | None
    tail: Tail
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] | None


@dataclass(frozen=True, slots=True)
class If(Node):
    test: Expr
    tail: Tail
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForEach(Node):
    """`for each x in S [in order of e / from p] [where P]`"""

    name: str
    domain: Expr
    order_of: Expr | None
    order_from: Expr | None
    where: Expr | None
    tail: Tail
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """`repeat n times`, `until P`, `at most n times until P`, or alone."""

    times: Expr | None
    until: Expr | None
    tail: Tail
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class StatementCase(Node):
    patterns: tuple[Expr, ...]
    tail: Tail
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class MatchStatement(Node):
    subject: Expr
    tail: Tail
    cases: tuple[StatementCase, ...]


@dataclass(frozen=True, slots=True)
class AllAtOnce(Node):
    name: str
    domain: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class AnyOrder(Node):
    player: Expr
    tail: Tail
    lines: tuple[Statement, ...]


Statement = (
    Needs | Call | Assign | Let | Move | MoveSome | Draw | Shuffle | Roll | Again | Gives | Stop | Say | Show | Nothing
    | Win | Lose | NobodyWins | DropOut | Score | Share | Choose | If | ForEach | Repeat | MatchStatement | AllAtOnce
    | AnyOrder
)  # fmt: skip

# -------------------------------------------------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True)
class Param(Node):
    """`b: Boat in afloat where P`"""

    name: str
    type: TypeExpr | None
    within: Expr | None = None
    where: Expr | None = None


@dataclass(frozen=True, slots=True)
class Title(Node):
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class TermOf(Node):
    """What something that has a name in the rules is called in a rule book."""

    name: str
    word: str


@dataclass(frozen=True, slots=True)
class Term(Node):
    """`term ru Card "карта"`: words of the rule book in its own language."""

    language: str
    words: tuple[TermOf, ...]


@dataclass(frozen=True, slots=True)
class Rulebook(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Uses(Node):
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Combines(Node):
    """`combines with Long, Short`: stacks that the rule book allows; `never with Rich`: one that it forbids."""

    names: tuple[str, ...]
    allowed: bool
    tail: Tail


@dataclass(frozen=True, slots=True)
class Note(Node):
    tail: Tail


@dataclass(frozen=True, slots=True)
class Option(Node):
    name: str
    type: TypeExpr
    default: Expr | None
    requires: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Const(Node):
    name: str
    value: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class TypeDecl(Node):
    """`type` None: left open."""

    name: str
    type: TypeExpr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Grid(Node):
    """`grid 7 by 6 [from the bottom left] [without C1..D3] [towards Direction]`: columns by rows."""

    columns: Expr
    rows: Expr
    from_top: bool | None
    without: Expr | None
    towards: str | None


@dataclass(frozen=True, slots=True)
class Symbol(Node):
    """A token of a picture or of a table's row: a letter, a word, a number (maybe negative), `.` or `#`."""

    text: str


@dataclass(frozen=True, slots=True)
class Drawing(Node):
    rows: tuple[tuple[Symbol, ...], ...]
    key: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnBoard(Node):
    drawing: Drawing
    towards: str | None


@dataclass(frozen=True, slots=True)
class Board(Node):
    """`form` None: left open."""

    name: str
    form: Grid | DrawnBoard | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Shape(Node):
    name: str
    drawing: Drawing
    tail: Tail


@dataclass(frozen=True, slots=True)
class Art(Node):
    """The lines of a picture as they stand, but for what all of them are indented by."""

    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture(Node):
    """`picture bay of Harbour`: where the cells of a type, or the instances of places and states, are drawn."""

    name: str
    of: tuple[str, ...]
    art: Art
    tail: Tail


class LookSort(Enum):
    """What a word of a look tells."""

    POINTING = "pointing"
    COLOURED = "coloured"
    SHOWING = "showing"
    NUMBERED = "numbered"


@dataclass(frozen=True, slots=True)
class LookName(Node):
    """A name in a look, which is no expression: a kind, a shape, a fact or state of the piece, a colour."""

    name: str


@dataclass(frozen=True, slots=True)
class LookWord(Node):
    """`showing masts, ready`."""

    sort: LookSort
    names: tuple[LookName, ...]


@dataclass(frozen=True, slots=True)
class Look(Node):
    """`look faces of Card: card numbered rank`: how pieces of a kind are drawn."""

    name: str
    of: tuple[LookName, ...]
    shape: LookName
    words: tuple[LookWord, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Table(Node):
    """`params` empty and `of` given: `table of Class: 0..9`. Either a drawing or one value for all."""

    name: str | None
    of: str | None
    params: tuple[Param, ...]
    type: TypeExpr
    drawing: Drawing | None
    value: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Fact(Node):
    """A fact in brackets: declared (`number: Number`) or given (`3`, `p`)."""

    name: str | None
    type: TypeExpr | None
    value: Expr | None


@dataclass(frozen=True, slots=True)
class KindDecl(Node):
    """A kind of a component, or (with `component` above it) a single piece by name.

    `times`: the number, None if not said; `each`: for each value of the facts; `loops`: `for p in Player`.
    """

    name: str
    facts: tuple[Fact, ...]
    times: Expr | None
    each: bool
    loops: tuple[Binding, ...]
    kept_in: str | None
    tail: Tail
    kinds: tuple[KindDecl, ...]


@dataclass(frozen=True, slots=True)
class Component(Node):
    name: str
    facts: tuple[Fact, ...]
    requires: Expr | None
    kinds: tuple[KindDecl, ...]
    left_open: bool
    tail: Tail


class Order(Enum):
    """The order of a place."""

    SET = "set"
    BAG = "bag"
    PILE = "pile"
    ROW = "row"
    SLOT = "at most"


@dataclass(frozen=True, slots=True)
class Seen(Node):
    """`open` (to all), `hidden` (to nobody) or `seen by e`."""

    open: bool
    by: Expr | None


@dataclass(frozen=True, slots=True)
class Place(Node):
    """`capacity`: for `at most n` and `up to n`."""

    name: str
    index: tuple[Param, ...]
    order: Order
    capacity: Expr | None
    holds: tuple[str, ...]
    laid_on: str | None
    seen: Seen | None
    uncounted: bool
    fixed: bool
    tail: Tail


@dataclass(frozen=True, slots=True)
class State(Node):
    """`until`: the procedure of `until end of`; `while_in`: the place; `track`: history for promises only."""

    name: str
    index: tuple[Param, ...]
    type: TypeExpr
    initial: Expr | None
    seen: Seen | None
    fixed: bool
    until: str | None
    while_in: str | None
    track: bool
    tail: Tail


@dataclass(frozen=True, slots=True)
class Define(Node):
    """`params` None: no brackets. `body` None: left open."""

    name: str
    params: tuple[Param, ...]
    result: TypeExpr | None
    shrinking: str | None
    body: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Rules(Node):
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Menu(Node):
    name: str
    params: tuple[Param, ...]
    items: tuple[MenuItem, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Action(Node):
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Procedure(Node):
    """`body` None: left open."""

    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...] | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Chance(Node):
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Whenever(Node):
    name: str | None
    test: Expr
    body: tuple[Statement, ...]
    tail: Tail


# Changes


@dataclass(frozen=True, slots=True)
class ReplaceBody(Node):
    """`replace f(x) = e` (value), or `replace f(x)` with a block (body). `params` None: no brackets were written.

    A block of value lines (define) and a block of statements can not always be told apart by the grammar: the
    parser stores what it found; a block whose lines are all bare expressions is stored as both.
    """

    name: str
    params: tuple[Param, ...] | None
    value: Expr | None
    body: tuple[Statement, ...] | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class ReplaceDeclaration(Node):
    declaration: Board | Component | Table | Menu | Place | State | Picture | Look


@dataclass(frozen=True, slots=True)
class Remove(Node):
    names: tuple[str, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class Forbid(Node):
    name: str
    params: tuple[Param, ...]
    when: Expr
    tail: Tail


@dataclass(frozen=True, slots=True)
class Allow(Node):
    name: str
    params: tuple[Param, ...]
    despite: str
    when: Expr | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class Hook(Node):
    """`before f(x)` / `after f(x)`"""

    before: bool
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class AddItems(Node):
    """`add A, B(t) for t in S to menu(p)`"""

    items: tuple[MenuItem, ...]
    menu: str
    params: tuple[Param, ...]
    tail: Tail


@dataclass(frozen=True, slots=True)
class AddKind(Node):
    """`add Joker times 3 to Card`"""

    kind: KindDecl
    component: str
    tail: Tail


@dataclass(frozen=True, slots=True)
class SetValue(Node):
    """`set x = e`: a constant or option; `set x = e with Rich`: only where this variant is there, too"""

    name: str
    value: Expr
    beside: str | None
    tail: Tail


@dataclass(frozen=True, slots=True)
class SetCapital(Node):
    """`set Rank = 1..4`, `set Water = grid 3 by 4`: a type or a board"""

    name: str
    form: TypeExpr | Grid
    tail: Tail


@dataclass(frozen=True, slots=True)
class Breaks(Node):
    name: str
    because: str
    tail: Tail


@dataclass(frozen=True, slots=True)
class Drops(Node):
    names: tuple[str, ...]
    because: str
    tail: Tail


# Promises


class When(Enum):
    """Where an invariant is claimed."""

    NODES = "nodes"
    AT = "at"
    AT_END = "at end of"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Invariant(Node):
    name: str
    when: When
    procedures: tuple[str, ...]
    property: Expr
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Head(Node):
    """A procedure and names for its arguments: `lay(p, s, c)`"""

    name: str
    params: tuple[Param, ...]


@dataclass(frozen=True, slots=True)
class Always(Node):
    name: str
    after: tuple[Head, ...]
    property: Expr
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Lemma(Node):
    name: str
    params: tuple[Param, ...]
    property: Expr
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Reachable(Node):
    name: str
    property: Expr
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Winnable(Node):
    """`winnable name [only if needed]: P`"""

    name: str
    needed: Expr | None
    property: Expr
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class NeverStuck(Node):
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Ends(Node):
    """`ends within n calls of P [by measure]`"""

    within: Expr
    procedure: str
    measure: Expr | None
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Secret(Node):
    names: tuple[str, ...]
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class OddsPromise(Node):
    """`odds beats(3, 1) = 1261/1276`, or `mean damage(2) = 7/2`"""

    mean: bool
    call: Expr
    value: Expr
    tail: Tail
    myth: bool


@dataclass(frozen=True, slots=True)
class Renaming(Node):
    """`p: Player to rival(p)`"""

    name: str
    type: str
    image: Expr


@dataclass(frozen=True, slots=True)
class Symmetry(Node):
    name: str
    renamings: tuple[Renaming, ...]
    tail: Tail
    myth: bool


# Examples


@dataclass(frozen=True, slots=True)
class ForAny(Node):
    names: tuple[str, ...]
    domain: Expr
    where: Expr | None


@dataclass(frozen=True, slots=True)
class ExampleLet(Node):
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Given(Node):
    facts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class At(Node):
    """`at turn(Ann)`, `at 2nd turn(Ann)`"""

    number: int
    call: Expr


@dataclass(frozen=True, slots=True)
class Step(Node):
    """`when ..`: exactly one of does / chooses / shares / passes / call says what happens.

    `player`: who acts (None for a plain call of a procedure, which is then `call`).
    """

    player: Expr | None
    does: MenuItem | None
    chooses: tuple[Expr, ...] | None
    shares: tuple[tuple[Expr, Expr], ...] | None
    passes: bool
    call: Expr | None
    rolling: tuple[Expr, ...]
    choosing: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Refused(Node):
    """`then refused [by guard]`"""

    guard: str | None


@dataclass(frozen=True, slots=True)
class Then(Node):
    outcomes: tuple[Expr | Refused, ...]
    odds: Expr | None


@dataclass(frozen=True, slots=True)
class Example(Node):
    """Lines in written order. A one-line example (`example x: P`) has one `Then`."""

    name: str
    lines: tuple[ExampleLine, ...]
    tail: Tail
    myth: bool


ExampleLine = ForAny | ExampleLet | Given | At | Step | Then

About = Title | Term | Rulebook | Uses | Combines | Note
Thing = Option | Const | TypeDecl | Board | Shape | Table | Component | Place | State | Picture | Look
Word = Define | Rules | Menu
Flow = Action | Procedure | Chance | Whenever
Change = (
    ReplaceBody | ReplaceDeclaration | Remove | Forbid | Allow | Hook | AddItems | AddKind | SetValue | SetCapital
    | Breaks | Drops
)  # fmt: skip
Promise = (
    Invariant | Always | Lemma | Reachable | Winnable | NeverStuck | Ends | Secret | OddsPromise | Symmetry | Example
)
Declaration = About | Thing | Word | Flow | Change | Promise


class ChapterKind(Enum):
    GAME = "game"
    MODULE = "module"
    VARIANT = "variant"
    WORLD = "world"


@dataclass(frozen=True, slots=True)
class Chapter(Node):
    """A heading and all it owns. `of`: the game of a variant or world; `after`: variants whose changes go first.

    The span is that of the heading alone.
    """

    kind: ChapterKind
    name: str
    of: str | None
    after: tuple[str, ...]
    tail: Tail
    declarations: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class File(Node):
    chapters: tuple[Chapter, ...]
