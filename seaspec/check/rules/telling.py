"""What effects may tell: what somebody sees after a step may depend on what is hidden from them before it.

Rules may read secrets in effects, that is no error; but then a promise that secrets are kept is not shown by the rule
of who may know (knowledge.py) alone. Here it is asked of each effect, with what decides whether it is reached:

- A state that somebody sees is written: what is read for it, these players see.
- Pieces move or are drawn: whether, how many, from where and to where, all may know. Which pieces they were is told to
  those who see one of the ends, and that is meant; what is said or shown is meant, too, and what is told `openly`.
- Dice and other chance: all see what comes out, so all may know whether and how it is thrown for.
- A hidden state is written: what is written there nobody has been told. (A roll that all see is no secret.)
- In a joint choice nobody sees what the others have done so far (joint.py).
- How a game ends, and who has won, is told: then there is nothing more to hide.

What is not plainly so may tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from seaspec.check.rules.elsewhere import Whereabouts
from seaspec.check.rules.joint import told_in_joint
from seaspec.check.rules.knowledge import check_knowledge, declared
from seaspec.check.rules.reading import (
    HIDDEN,
    Answer,
    Known,
    Read,
    Walk,
    hidden_names,
    hidden_reads,
    in_order,
    nodes,
    open_reads,
    put_in_a_place,
    reads,
    resolved,
    sees,
    shown,
    sight_of,
)
from seaspec.core import ir, types
from seaspec.core.ir import BOX, Expr, Target
from seaspec.core.ops import Op
from seaspec.core.walk import children
from seaspec.diagnostics.codes import Code
from seaspec.diagnostics.model import Label, Report
from seaspec.source import Span

OPENLY = "say `openly` where it may be known"
UNSEEN = "all see the choice or throw that it comes from: let it be made `privately`, or `seen by` a player"
ELSEWHERE = "where pieces come from depends on where they lie, which not all players see"
UNKNOWN = "the rule of who may know is not kept, or there are too many calls to see it"


@dataclass(frozen=True, slots=True)
class Telling:
    """Something that may tell a secret: what, and where. `labels`: other places that have to do with it; `hint`: what
    to do, where it is plain that it is told."""

    what: str
    source: ir.Source
    labels: tuple[Label, ...] = ()
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Effects:
    """What may tell what is hidden, beside offers; names of what not all know: ever, and where somebody is asked."""

    found: tuple[Telling, ...]
    unknown: frozenset[ir.Variable]
    asked: Mapping[Span, Collection[ir.Variable]] = field(default_factory=dict)


def check_telling(game: ir.Game, report: Report) -> None:
    """Warn of effects that show what is hidden, and do not say so."""
    for telling in told_by_effects(game, plain=True).found:
        if telling.hint is not None:
            report.add(Code.TELLS, telling.source.span, telling.what, labels=telling.labels, hint=telling.hint)


def told_by_effects(game: ir.Game, *, plain: bool = False) -> Effects:
    """Look at all effects of a game. `plain`: what is not plainly told is left out, as far as that is known before."""
    effects = _Effects(game, plain, None if plain else Whereabouts(game))
    effects.note_names()
    effects.note_records()
    report = Report()
    if not check_knowledge(game, report, effects.look) or report.failed:
        named = (node.variable for node in nodes(game) if isinstance(node, ir.Local))
        return Effects((Telling(UNKNOWN, ir.Source()),), frozenset(named))
    effects.forgotten()
    return Effects(tuple(effects.found), frozenset(effects.unknown), effects.asked)


@dataclass(slots=True)
class _Effects:
    game: ir.Game
    plain: bool
    where: Whereabouts | None
    found: list[Telling] = field(default_factory=list)
    begun: bool = False
    """Somebody has been asked, or something has been left to chance: plays are no longer all alike."""
    unknown: set[ir.Variable] = field(default_factory=set)
    asked: dict[Span, set[ir.Variable]] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    """Moves that show a piece, whichever way a test goes that reads it."""
    chosen: set[ir.Variable] = field(default_factory=set)
    """Names of sets that somebody has chosen: how many they are is told by whoever has chosen."""
    unseen: set[ir.Variable] = field(default_factory=set)
    """Those of them that were chosen unseen: that is told by what happens before anything else is asked or thrown."""
    resting: dict[str, bool] = field(default_factory=dict)
    """Whether something is asked or thrown in a procedure."""
    read_tracks: set[str] = field(default_factory=set)
    """The records by which hooks do more than to keep records: these have to be of what all know."""
    given: dict[ir.Variable, list[Expr | None]] = field(default_factory=dict)
    """What names of pieces stand for, or among which they are chosen; None: among all of their type."""
    seen: set[ir.Variable] = field(default_factory=set)
    """Names of what is rolled, or chosen, for all to see."""
    placed: set[ir.Variable] = field(default_factory=set)
    """Names of pieces that a guard says to lie in a certain place."""
    looked: dict[ir.Variable, Known] = field(default_factory=dict)
    """What names were read from when it was looked last which of them not all know."""

    def look(self, walk: Walk, statement: ir.Stmt, context: Known) -> None:
        """What a statement may tell. `context`: what decides whether it is reached."""
        self._judge(walk, statement, context)
        if self.where is not None:
            for pieces in self.where.given_away(statement) if self.begun else ():
                if self._lies_anywhere(walk, pieces):
                    self._tell(ELSEWHERE, statement.source)
            self.where.after(statement)

    def _judge(self, walk: Walk, statement: ir.Stmt, context: Known) -> None:
        source = statement.source
        if not self.begun:
            self.begun = not self._is_plain(statement)
            if self.begun:
                walk.forget()  # what was called up to here has to be looked at when it is called again
            if not self.begun or isinstance(statement, ir.Draw):
                return  # up to here all plays are one, and all know it
        if walk.reads != self.looked:
            self.looked = dict(walk.reads)
            self.unknown |= hidden_names(walk)
        if isinstance(statement, ir.Choose):
            self.asked.setdefault(source.span, set()).update(hidden_names(walk))
        if self._rests(statement):
            self.chosen -= self.unseen
        match statement:
            case ir.Assign():
                self._assign(walk, statement, context)
            case ir.Branch(_, then, otherwise):
                self._shown_either_way((then, otherwise))
            case ir.Move(ir.Local(piece)) if id(statement) in self.shown:
                before, walk.reads[piece] = walk.reads.get(piece, NONE), NONE
                self._public(walk, context, source, "whether pieces move")
                self._ends(walk, (statement.target,), source)
                walk.reads[piece] = before
                self._cargo(walk, ir.Local(piece), source)
            case ir.Move():
                self._public(walk, context, source, "whether pieces move")
                self._ends(walk, (statement.target, statement.whole), source)
                if statement.cargo is not None:
                    self._cargo(walk, statement.cargo, source)
                if statement.at is not None:
                    self._spot(walk, statement.target, statement.at, source)
            case ir.MoveSome():
                self._public(walk, context, source, "whether pieces move")
                self._ends(walk, (statement.target, statement.origin), source)
                self._amount(walk, statement, source)
                if statement.at is not None:
                    self._spot(walk, statement.target, statement.at, source)
            case ir.Draw(amount, up_to, origin, target):
                self._public(walk, context, source, "whether pieces are drawn")
                self._ends(walk, (target, origin), source)
                self._public(walk, reads(walk, amount), source, "how many pieces are drawn")
                if (up_to and not self._holds(origin) <= self._holds(target)) or self.game.places[
                    origin.place
                ].uncounted:
                    self._seen(walk, origin, source, "how many pieces are drawn")
            case ir.Roll(number):
                self._public(walk, context | reads(walk, number), source, "whether and how dice are thrown")
            case ir.Throw(chance, arguments):
                rule = self.game.chances[chance]
                known = context.union(*(reads(walk, argument) for argument in arguments))
                for node in (*rule.body, *rule.again, rule.gives):
                    known |= frozenset[Read | Answer | ir.Variable]().union(*_parts(walk, node))
                inner = {variable for node in rule.body for variable in _bound(node)} | set(rule.params)
                known = frozenset(item for item in known if item not in inner)
                self._public(walk, known, source, "whether and how dice are thrown")
            case ir.Choose():
                self._choose(walk, statement, context)
            case ir.AllAtOnce(variable, _, body):
                for what in () if self.plain else told_in_joint(self.game, variable, body):
                    self._tell(what, source)
            case ir.Do(procedure):
                clocks = self.game.procedures[procedure].clocks
                if any(self._is_visible(self.game.states[clock].sight) for clock in clocks):
                    self._public(walk, context, source, "whether clocks are reset")
            case ir.Show():
                self._ends(walk, (statement.place,), source)
            case ir.DropOut(player):
                self._public(walk, context | reads(walk, player), source, "who drops out")
            case (
                ir.Let() | ir.Shuffle() | ir.Say() | ir.Stop() | ir.End() | ir.Score() | ir.Cases() | ir.ForEach()
                | ir.Repeat() | ir.AnyOrder()
            ):  # fmt: skip
                pass  # names and layers are not seen; whether it ends is judged in knowledge.py; what is said is meant
            case _:
                assert_never(statement)

    def note_names(self) -> None:
        """What names of pieces stand for."""
        for node in (*self.game.procedures.values(), *self.game.actions.values()):
            for part in nodes(node):
                match part:
                    case (
                        ir.Binder(variable, value) | ir.Let(variable, value)
                        | ir.ForEach(variable, value) | ir.OfferSubset(_, _, value, variable)
                    ):  # fmt: skip
                        self.given.setdefault(variable, []).append(value)
                    case ir.Roll(variable=rolled, seen=None) | ir.Throw(variable=rolled):
                        self.seen.add(rolled)
                    case ir.Choose(offer=ir.OfferValues(binders)) if not (
                        part.privately or part.secretly or part.seen is not None
                    ):
                        self.seen.update(binder.variable for binder in binders)
                    case ir.Draw(variable=drawn) if drawn is not None:
                        self.given.setdefault(drawn, [])
                    case ir.Guard(_, test, ()):
                        parts = test.arguments if isinstance(test, ir.Apply) and test.op is Op.AND else (test,)
                        self.placed.update(put_in_a_place(parts))
                    case ir.Do(name, arguments):
                        for param, value in zip(self.game.procedures[name].params, arguments, strict=True):
                            self.given.setdefault(param, []).append(value)
                    case ir.Alternative(name, arguments):
                        for chosen, argument in zip(self.game.actions[name].params, arguments, strict=True):
                            known = chosen.domain if argument is None else argument
                            self.given.setdefault(chosen.variable, []).append(known)
                    case _:  # cautious: nothing else gives names to pieces but a draw, which says where they lie
                        pass

    def note_records(self) -> None:
        """What hooks read of records, but for other records by which nothing goes."""
        before = len(self.read_tracks)
        waiting: list[object] = [*self.game.procedures.values()]
        called: set[str] = set()
        while waiting:
            match node := waiting.pop():
                case ir.Source() | ir.Text():
                    continue
                case ir.Assign(state) if self.game.states[state].track and state not in self.read_tracks:
                    continue
                case ir.StateRead(_, state) if self.game.states[state].track:
                    self.read_tracks.add(state)
                case ir.Call(_, name) if name not in called:
                    called.add(name)
                    waiting.append(self.game.functions[name].body)
                case _:  # cautious: it reads what its parts read
                    pass
            waiting += children(node)
        if len(self.read_tracks) > before:
            self.note_records()

    def _rests(self, statement: object) -> bool:
        """Whether something is asked or thrown, there or in what is called."""
        match statement:
            case ir.Choose() | ir.Roll() | ir.Throw() | ir.Draw() | ir.AnyOrder() | ir.AllAtOnce():
                return True
            case ir.Do(name):
                if name not in self.resting:
                    self.resting[name] = any(map(self._rests, nodes(self.game.procedures[name])))
                return self.resting[name]
            case _:  # cautious: what stands in it is looked at for itself
                return False

    def _is_plain(self, statement: ir.Stmt) -> bool:
        """Whether it leads on in one way only, as far as it goes by itself: nothing is chosen, or left to chance."""
        return isinstance(statement, ir.Assign | ir.Move | ir.MoveSome | ir.Let | ir.Shuffle | ir.Do)

    def forgotten(self) -> None:
        """States that pieces carry along are forgotten when these leave: that tells which have left."""
        for state in self.game.states.values():
            if state.while_in is not None and not state.track and self._is_visible(state.sight):
                if not self.game.places[state.while_in].sight.all:
                    self._tell(f"{state.name} is forgotten when a piece leaves {state.while_in} unseen", state.source)

    # ------------------------------------------------------------------------------------------------------ states

    def _assign(self, walk: Walk, step: ir.Assign, context: Known) -> None:
        state, source = self.game.states[step.state], step.source
        if state.track and state.name not in self.read_tracks:
            return
        value = reads(walk, step.value)
        known = context | value
        for index in step.indices:
            known |= reads(walk, index)
        what = f"what {state.name} becomes"
        if state.sight.all:
            self._public(walk, known, source, what, Label(state.source.span, "all see it"))
            return
        if self._is_told(walk, step.value, value | context):
            plain = resolved(walk, step.value)
            is_plain = isinstance(plain, ir.Local) and plain.variable in self.seen
            labels = [Label(state.source.span, "not all see it")] if is_plain else []
            self._tell(f"{what} has been told before", source, labels, UNSEEN)
        by = state.sight.by
        if by is None:
            return
        given = Read(state.name, tuple(resolved(walk, index) for index in step.indices))
        for read in in_order(open_reads(walk, known)):
            if not self._seen_by_all_who_see(walk, read, given, by):
                self._tell(
                    f"{what} depends on {shown(walk, read)}, which not all see who see {state.name}",
                    source,
                    [declared(walk, read), Label(state.source.span, "declared here")],
                )

    def _seen_by_all_who_see(self, walk: Walk, read: Read | Answer, given: Read, by: Expr) -> bool:
        """Whether those who see an entry see what is read for it. Of several who see it, all must see that."""
        if isinstance(read, Read) and sight_of(walk, read.thing).all:
            return True
        if not isinstance(by.type, types.Enum) or not isinstance(by, ir.Local):
            return False
        index = self.game.states[given.thing].index
        viewer = given.indices[index.index(by.variable)]
        return viewer is not None and self._is_sure_to_see(walk, read, viewer)

    def _is_sure_to_see(self, walk: Walk, read: Read | Answer, viewer: Expr) -> bool:
        """Of those who see a thing, as a set that is worked out, it is not known who is among them."""
        by = None if isinstance(read, Answer) else sight_of(walk, read.thing).by
        return sees(walk, read, viewer) and (by is None or isinstance(by.type, types.Enum))

    def _is_told(self, walk: Walk, value: Expr, known: Known) -> bool:
        """Whether all know what is written: it is worked out of what all have been told."""
        if hidden_reads(walk, known):
            return False
        return any(isinstance(node, ir.Local | ir.StateRead | ir.PlaceRead) for node in nodes(resolved(walk, value)))

    # ------------------------------------------------------------------------------------------------------ pieces

    def _ends(self, walk: Walk, ends: Iterable[Target | None], source: ir.Source) -> None:
        for end in ends:
            for index in () if end is None else end.indices:
                self._public(walk, reads(walk, index), source, "where pieces come from or go to")

    def _shown_either_way(self, bodies: Iterable[tuple[ir.Stmt, ...]]) -> None:
        """Where either way begins with showing a piece, the piece itself tells which way it is."""
        moves = [body[0] if body else None for body in bodies]
        pieces = {
            move.cargo
            for move in moves
            if isinstance(move, ir.Move) and move.at is None and self.game.places[move.target.place].sight.all
        }
        if len(pieces) == 1 and all(isinstance(move, ir.Move) and move.cargo in pieces for move in moves):
            self.shown.update(map(id, moves))

    def _cargo(self, walk: Walk, cargo: Expr, source: ir.Source) -> None:
        """What is moved. Of one piece: where it comes from; of several: how many there are, too."""
        inner = cargo
        while isinstance(inner, ir.Apply) and inner.op in (Op.KNOWN, Op.CHECK):
            inner = inner.arguments[0]
        is_named = isinstance(inner, ir.Local) and (
            isinstance(inner.type, types.Pieces)
            or (inner.variable in self.chosen and isinstance(inner.type, types.SetOf))
        )
        if isinstance(inner, ir.PlaceRead) and not self.game.places[inner.place].uncounted:
            self._ends(walk, (Target(inner.place, inner.indices),), source)
            return
        if self._lies_anywhere(walk, inner):
            self._tell(ELSEWHERE, source)
        hidden = hidden_reads(walk, reads(walk, cargo))
        places = {r for r in hidden if isinstance(r, Read) and r.thing in self.game.places}
        one_place = len(places) <= 1 and all(None not in r.indices for r in places)
        answers = [r for r in hidden if isinstance(r, Answer)]
        is_plain = is_named and len(places) + len(answers) == len(hidden)
        is_plain = is_plain or (isinstance(cargo.type, types.Pieces) and len(places) == len(hidden))
        if not (one_place and is_plain):
            self._public(walk, reads(walk, cargo), source, "how many pieces move, and from where,")

    def _lies_anywhere(self, walk: Walk, cargo: Expr) -> bool:
        """Whether pieces are named and not looked for, and there is more than one place in which they may lie unseen;
        or may have gone since they were looked for.
        Where there is one, they lie there if they are not to be seen."""
        if not self._is_of_a_type(cargo, frozenset()) and not (self.where and self.where.may_be_elsewhere(cargo)):
            return False
        pieces = types.pieces_in(cargo.type)
        unseen = [place for place in self.game.places.values() if not sight_of(walk, place.name).all]
        holding = [place for place in unseen if pieces & set(place.holds.members)]
        return len(holding) > 1 or any(place.index for place in holding)

    def _is_of_a_type(self, cargo: Expr, seen: frozenset[ir.Variable | str]) -> bool:
        """Whether pieces are, or may be, named by their type or by a state, and not by the place in which they lie."""
        match cargo:
            case ir.Const() | ir.StateRead() | ir.Lookup():
                return True
            case ir.Local(variable):
                if variable in seen or variable in self.placed:
                    return False
                named = self.given.get(variable, [None])
                return any(one is None or self._is_of_a_type(one, seen | {variable}) for one in named)
            case ir.Select(_, binder) | ir.PickOne(_, _, binder):
                is_looked_for = any(isinstance(node, ir.PlaceRead | ir.Everywhere) for node in nodes(cargo))
                return not is_looked_for and self._is_of_a_type(binder.domain, seen)
            case ir.Apply(_, _, arguments):
                return any(self._is_of_a_type(one, seen) for one in arguments if types.pieces_in(one.type))
            case ir.If(_, _, then, otherwise):
                return self._is_of_a_type(then, seen) or self._is_of_a_type(otherwise, seen)
            case ir.PlaceRead() | ir.Everywhere():
                return False
            case ir.Call(_, function, arguments):
                called = self.game.functions[function]
                inside = arguments if function in seen else (called.body, *arguments)
                seen = seen | {function, *called.params}
                return any(self._is_of_a_type(one, seen) for one in inside if types.pieces_in(one.type))
            case ir.LetIn(_, value, body):
                return any(self._is_of_a_type(one, seen) for one in (value, body) if types.pieces_in(one.type))
            case _:  # cautious: they may be named, then it is asked what is told
                return True

    def _amount(self, walk: Walk, step: ir.MoveSome, source: ir.Source) -> None:
        if step.amount is not None:
            self._public(walk, reads(walk, step.amount), source, "how many pieces move")
        all_kinds = self._holds(step.origin) <= set(step.kind.members)
        as_many_as_there_are = step.amount is None or step.up_to
        if as_many_as_there_are and (not all_kinds or self.game.places[step.origin.place].uncounted):
            self._seen(walk, step.origin, source, "how many pieces move")

    def _holds(self, place: Target) -> set[int]:
        return set(self.game.places[place.place].holds.members)

    def _seen(self, walk: Walk, place: Target, source: ir.Source, what: str) -> None:
        """All must see what lies there. Of the box that is so before anything is drawn from it unseen."""
        sight = HIDDEN if place.place == BOX and walk.blind_draw is not None else self.game.places[place.place].sight
        if not sight.all:
            self._tell(f"{what} depends on what lies in '{place.place}', which not all players see", source)

    def _spot(self, walk: Walk, target: Target, at: Expr, source: ir.Source) -> None:
        if self._is_visible(self.game.places[target.place].sight):
            self._public(walk, reads(walk, at), source, "at which spot pieces lie")

    # ----------------------------------------------------------------------------------------------------- choices

    def _choose(self, walk: Walk, statement: ir.Choose, context: Known) -> None:
        source = statement.source
        if statement.decider is not None:
            if isinstance(statement.offer, ir.OfferSubset):
                self.chosen.add(statement.offer.variable)
                if statement.privately or statement.secretly:
                    self.unseen.add(statement.offer.variable)
            return
        what = "what chance may bring"
        self._public(walk, context, source, what)
        known = NONE if statement.until is None else reads(walk, statement.until)
        match statement.offer:
            case ir.OfferValues(binders, weights):
                for binder in binders:
                    is_piece = isinstance(binder.variable.type, types.Pieces)
                    if not is_piece or binder.test is not None or len(binders) > 1:
                        known |= reads(walk, binder.domain)
                    if binder.test is not None:
                        known |= reads(walk, binder.test)
                known |= NONE if weights is None else reads(walk, weights)
                known -= {binder.variable for binder in binders}
            case ir.OfferSubset(low, high, domain):
                known |= reads(walk, low) | reads(walk, high)
                if not (isinstance(domain.type, types.SetOf) and isinstance(domain.type.of, types.Pieces)):
                    known |= reads(walk, domain)
            case ir.OfferActions() | ir.OfferShare():
                for part in children(statement.offer):
                    known |= frozenset[Read | Answer | ir.Variable]().union(*_parts(walk, part))
            case _:
                assert_never(statement.offer)
        if statement.seen is not None and statement.otherwise is None:  # others do not see among what it is
            viewer = resolved(walk, walk.named(statement, statement.seen))
            unseen = (one for one in open_reads(walk, known) if not self._is_sure_to_see(walk, one, viewer))
            known = frozenset(unseen)
        self._public(walk, known, source, what)

    # ----------------------------------------------------------------------------------------------------- verdict

    def _is_visible(self, sight: ir.Sight) -> bool:
        return sight.all or sight.by is not None

    def _public(self, walk: Walk, known: Known, source: ir.Source, what: str, seen: Label | None = None) -> None:
        for read in hidden_reads(walk, known)[:1]:
            labels = [declared(walk, read)] if seen is None else [declared(walk, read), seen]
            self._tell(f"{what} depends on {shown(walk, read)}, which not all players see", source, labels)

    def _tell(self, what: str, source: ir.Source, labels: Sequence[Label] = (), hint: str = "") -> None:
        """`labels`, if it is plain."""
        telling = Telling(what, source, tuple(labels), hint or OPENLY if labels else None)
        if telling not in self.found:
            self.found.append(telling)


NONE: Known = frozenset()


def _parts(walk: Walk, node: object) -> Iterator[Known]:
    if isinstance(node, ir.Expr):
        yield reads(walk, node)
    elif not isinstance(node, ir.Source):
        for part in children(node):
            yield from _parts(walk, part)


def _bound(node: object) -> Iterator[ir.Variable]:
    match node:
        case ir.Roll(_, _, variable) | ir.Let(variable):
            yield variable
        case _:  # cautious: it binds no name of a throw
            return
