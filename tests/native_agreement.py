"""Plays of two back ends side by side: one stream of choices and outcomes, compared ply by ply.

At each node: the position (the native state decoded, against the slots of the interpreter's), who is asked, how many
options there are and which, what chance may give and with what probability; with a native machine that traces, what
happened on the way, as the log has it, and what each player sees (native_views.py). Options are matched by meaning,
never by number. An obligation that is not met must not be met on both sides, in the same statement.

The two sides may take different ones of identical pieces. So the pieces of a native state are renamed before it is
compared (native_pieces.py): two pieces of one kind stand for each other where all that a position says of them is the
same. What stands twice in a native state must say the same (native_whole.py).

Things are compared the cheap way first, where both sides say the same in the same order and with the same numbers of
pieces, and by meaning where that fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from native_pieces import Names, Pieces, Slots
from native_views import MANY_OPTIONS, Traced, Views
from native_whole import Disagreement, Whole

from seaspec.backends.interpreter import errors
from seaspec.backends.interpreter.chance import Drawn, Rolled, Thrown
from seaspec.backends.interpreter.choices import PASS, Act, Line, Listed, Options, Share, Subset, Values
from seaspec.backends.interpreter.log import Event, Moved, Out, Said, ShownPlace, Unveiled, Veiled
from seaspec.backends.interpreter.state import FIRST, OUT, PC, RESULT, State
from seaspec.backends.native.errors import RuleError
from seaspec.backends.native.expressions.emitter import Happening
from seaspec.backends.native.machine import Machine, Option, Totals
from seaspec.core import flow, ir
from seaspec.game import Game
from seaspec.sampling.turns import Turns
from seaspec.source import NOWHERE
from seaspec.translating import Translator

MANY = 400
"""Of more options than this only some are told one by one."""
SAMPLE = 40
LONG = 20_000
"""So many plies native code goes ahead of the interpreter, at most."""
ENDLESS = "without ever coming to a choice"


@dataclass
class Tally:
    """What was compared."""

    plays: int = 0
    plies: int = 0
    options: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Obligations that were not met, in both back ends."""
    visits: dict[int, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        self.plays += other.plays
        self.plies += other.plies
        self.options += other.options
        for mine, theirs in ((self.failures, other.failures), (self.visits, other.visits)):
            for key, count in theirs.items():  # type: ignore[attr-defined]
                mine[key] = mine.get(key, 0) + count  # type: ignore[index, attr-defined]


class Comparison:
    """A game in both back ends. `views_every`: at one of so many nodes the views of all players are compared."""

    def __init__(self, game: Game, native: Machine, views_every: int = 1) -> None:
        self.game = game
        self.native = native
        self.machine = game.machine
        self.layout = game.machine.layout
        self.rules = game.rules
        self.pieces = Pieces(game)
        self.whole = Whole(native)
        self.views = Views(game, views_every)
        self.unnamed = range(len(game.rules.pieces))
        """Pieces that have the same numbers on both sides."""
        families = (self.layout.places[name] for name in native.layout.places)
        self.slots = [slot for family in families for slot in family.all_slots]
        """For each native slot the interpreter's."""

    def plies(self, plies: int, seed: int, midway: bool = False) -> Tally:
        """Random plays, until so many plies have been compared; raises `Disagreement` at the first difference.

        `midway`: each play begins at a position to which native code has come alone, the interpreter joining there; so
        the late part of long plays is compared, too.
        """
        tally = Tally()
        while tally.plies < plies:
            before = tally.plies
            random = Random(f"{seed} {tally.plays}")
            self._play(random, tally, plies, self._midway(random, seed, tally.plays) if midway else None)
            tally.plays += 1
            if tally.plies == before:  # a play that is over, or fails, before anything is chosen
                break
        return tally

    def from_state(self, state: State, plies: int, random: Random, tally: Tally) -> None:
        """A random play from a position that the interpreter has made up."""
        self.native.memory.put(self.native.facts.trace, 0)
        start = Translator(self.machine, self.native.layout).native(state)
        self._play(random, tally, tally.plies + plies, start)

    def _midway(self, random: Random, seed: int, play: int) -> bytes | None:
        """A position of a random play of native code; None if it has none."""
        states: list[bytes] = []
        with suppress(RuleError):  # what comes before is good to begin at
            states.extend(state for state, _ in islice(self.native.record(seed, play), LONG))
        return random.choice(states) if states else None

    def recorded(self, seed: int, play: int) -> Totals:
        """A random play of native code, followed by the interpreter; its totals, as the interpreter has them."""
        turns = Turns()
        ours = self.machine.begin(watch=turns)
        totals = Totals(plays=1)
        for state, option in self.native.record(seed, play):
            self._same_slots(state)
            names = self._same_position(ours, state)
            node = self.machine.node(ours)
            if isinstance(node, flow.Decision):
                answer = self._choice(option, node, names)
                options = self.machine.options(ours)
                options.position(answer)
                totals.choices += options.size > 1
                totals.asked[ours.block] += 1
                totals.offered[ours.block] += options.size
                turns.ask(self.machine.decider(ours))
            else:
                answer = self._outcome(option, node, names)
                self.machine.outcomes(ours).canonical(answer)
            ours = self.machine.step(ours, answer, watch=turns)
            totals.plies += 1
        if ours.result is None:
            raise Disagreement("only the native play is over")
        winners, losers, scores = ours.result
        totals.endings[ours.block, winners, losers] += 1
        for seat, nth in enumerate(turns.order(len(self.machine.game.players))):
            totals.turns[seat, nth] += 1
            if seat in winners:
                totals.won[seat, nth] += 1
            for term, value in enumerate(() if scores is None else scores[seat] or ()):
                totals.scores[seat, nth, term, value] += 1
        totals.lengths[totals.asked.total()] += 1
        totals.begun.update(turns.begun)
        return totals

    def _play(self, random: Random, tally: Tally, most_plies: int, start: bytes | None) -> None:
        events: list[Event] = []
        self.views.begin()
        ours: Any = _attempt(lambda: self.machine.begin(events)) if start is None else self._state(start)
        theirs: Any = _attempt(self.native.begin) if start is None else start
        if not isinstance(theirs, RuleError):
            self._same_slots(theirs)
        while tally.plies < most_plies and not self._same_failure(self._if_listed(ours, theirs), theirs, tally):
            names = self._same_position(ours, theirs)
            traced = self._traced() if self.native.traces else None
            if traced is not None:
                self._same_happenings(events, traced)
                self._same_views(ours, events, theirs, traced)
            node = self.machine.node(ours)
            tally.visits[ours.block] = tally.visits.get(ours.block, 0) + 1
            if isinstance(node, flow.Over):
                if not self.native.is_over(theirs):
                    raise Disagreement("only the interpreter's play is over")
                return
            state = ours
            listed: Any = _attempt(lambda s=state: self._listed(s))
            told: Any = _attempt(lambda t=theirs: self.native.count(t))
            if self._same_failure(listed, told, tally) or self._same_failure(*self._asked(ours, theirs), tally):
                return
            matched = self._matched_options if isinstance(node, flow.Decision) else self._matched_outcomes
            chosen, answer = matched(listed, told, ours, theirs, node, names, random, tally)
            if traced is not None:
                self._note_answer(node, ours, theirs, chosen)
            events.clear()
            ours = _attempt(lambda s=state, a=answer: self.machine.step(s, a, events))
            theirs = _attempt(lambda t=theirs, n=chosen: self.native.step(t, n))
            tally.plies += 1

    def _listed(self, state: State) -> Any:
        """The options, or the outcomes, of the interpreter, worked out."""
        if self.machine.is_chance(state):
            outcomes = self.machine.outcomes(state)
            return outcomes, outcomes.weighted()
        if isinstance(self.machine.node(state), flow.Over):
            return None, 0
        options = self.machine.options(state)
        return options, options.size

    def _asked(self, ours: State, theirs: bytes) -> tuple[Any, Any]:
        """Who is asked, on both sides."""
        seats = _attempt(lambda: self.machine.decider(ours)), _attempt(lambda: self.native.decider(theirs))
        if seats[0] != seats[1] and not any(isinstance(seat, errors.RuleError | RuleError) for seat in seats):
            raise Disagreement(f"{seats[0]} is asked, or {seats[1]} is")
        return seats

    def _if_listed(self, ours: Any, theirs: Any) -> Any:
        """Native code lists all options as it comes to a choice; the interpreter only when it is asked for them."""
        if not isinstance(theirs, RuleError) or isinstance(ours, errors.RuleError) or ours.result is not None:
            return ours
        listed = _attempt(lambda: self._listed(ours))
        return listed if isinstance(listed, errors.RuleError) else ours

    def _same_failure(self, ours: Any, theirs: Any, tally: Tally) -> bool:
        """Whether both fail; a disagreement if one does."""
        if not isinstance(ours, errors.RuleError) and not isinstance(theirs, RuleError):
            return False
        if not isinstance(ours, errors.RuleError) or not isinstance(theirs, RuleError):
            raise Disagreement(f"only one side fails: interpreter {ours!s:.300}; native {theirs!s:.300}")
        tally.failures[theirs.message] = tally.failures.get(theirs.message, 0) + 1
        if ENDLESS in ours.message and ENDLESS in theirs.message:  # it is given up somewhere in a circle
            return True
        if ours.span is not NOWHERE and str(ours.span) != str(theirs.span):
            raise Disagreement(
                f"both fail, but elsewhere: {ours.span}: {ours.message}; {theirs.span}: {theirs.message}"
            )
        return True

    # ---------------------------------------------------------------------------------------------------- events

    def _traced(self) -> Traced:
        """What native code noted on the way to this node."""
        return [
            (happening, (values[0], self.slots[values[1]], self.slots[values[2]]))
            if happening is Happening.MOVED
            else (happening, values[: happening is Happening.OUT])
            for happening, values in self.native.traced()
        ]

    def _same_happenings(self, events: list[Event], traced: Traced) -> None:
        """What happened on the way to this node: what was told in order, and the moves between."""
        ours, theirs = _Happenings(), _Happenings()
        for event in events:
            match event:
                case Moved(pieces, origin, target):
                    for piece in pieces:
                        ours.moved(self.pieces.kind_of(piece), origin, target)
                case Out(player):
                    ours.told(Happening.OUT, player)
                case _ if type(event) in TOLD:
                    ours.told(TOLD[type(event)])
        for happening, values in traced:
            if happening is Happening.MOVED:
                piece, origin, target = values
                theirs.moved(self.pieces.kind_of(piece), origin, target)
            else:
                theirs.told(happening, *values)
        if ours.parts != theirs.parts:
            raise Disagreement(f"what happened: {ours.parts}, or {theirs.parts}")

    def _same_views(self, ours: State, events: list[Event], theirs: bytes, traced: Traced) -> None:
        """What each player sees, from the native position with its own numbers of pieces."""
        node = self.machine.node(ours)
        if isinstance(_attempt(lambda: self._listed(ours)), errors.RuleError):
            return  # the play ends here, if it does on both sides
        position = self._state(theirs)
        compared = self.views.arrive(ours, events, position, traced)
        if compared and isinstance(node, flow.Decision):
            options, count = self.machine.options(ours), self.native.count(theirs)
            if options.size == count <= MANY_OPTIONS:
                offered = [self._choice(option, node, self.unnamed) for option in self.native.options(theirs)]
                self.views.same_offer(ours, options, position, offered)

    def _note_answer(self, node: Any, ours: State, theirs: bytes, chosen: int) -> None:
        """The views of what comes next tell this answer."""
        (option,) = self.native.options(theirs, [chosen])
        answer = (self._choice if isinstance(node, flow.Decision) else self._outcome)(option, node, self.unnamed)
        self.views.answer = node, answer, self.native.decider(theirs)

    def _state(self, state: bytes) -> State:
        """A native state as one of the interpreter, with the native numbers of pieces."""
        where = [0] * len(self.rules.pieces)
        for slot, pieces in zip(self.slots, self.native.decoder.lying(state), strict=True):
            for piece in pieces:
                where[piece] = slot
        return State(self._slots(state), tuple(where))

    # ------------------------------------------------------------------------------------------------- positions

    def _same_position(self, ours: State, theirs: bytes) -> Names:
        """Compare the positions; what native pieces are called on the other side."""
        self.whole.check(theirs)
        found = self._slots(theirs)
        wanted = ours.slots
        if wanted == found:
            return self.unnamed
        names = self.pieces.renaming(found, wanted)
        found = self.pieces.renamed(found, names)
        if wanted == found:
            return names
        slot_names: dict[int, str] = {PC: "block", RESULT: "result", OUT: "out"}
        for families in (self.layout.places, self.layout.states):
            for name, family in families.items():
                slot_names |= {slot: f"{name}{list(key)}" for key, slot in family.slots.items()}
        slot_names |= {slot: f"variable {v.name}" for v, slot in self.layout.frame.items()}
        pairs = enumerate(zip(wanted, found, strict=True))
        wrong = [f"{slot_names.get(i)}: {a!r} != {b!r}" for i, (a, b) in pairs if a != b]
        raise Disagreement(f"at block {ours.block}: " + "; ".join(wrong))

    def _same_slots(self, state: bytes) -> None:
        """Both sides list the instances of places and the entries of states in the same order."""
        position = self.native.position(state)
        for families, values in ((self.layout.places, position.places), (self.layout.states, position.states)):
            for name, family in families.items():
                assert tuple(values[name]) == family.keys, name

    def _slots(self, state: bytes) -> Slots:
        """A native state as the slots of the interpreter's."""
        layout = self.layout
        position = self.native.position(state)
        slots: list[Any] = [None] * layout.size
        slots[PC], slots[RESULT], slots[OUT] = position.block, position.result, position.out
        slots[FIRST - 1] = ()
        for families, values in ((layout.places, position.places), (layout.states, position.states)):
            for name, family in families.items():
                slots[family.base : family.end] = values[name].values()
        for variable, slot in layout.frame.items():
            slots[slot] = position.frame.get(variable)
        return tuple(slots)

    # --------------------------------------------------------------------------------------------------- answers

    def _matched_options(
        self, listed: Any, count: int, ours: State, theirs: bytes, node: Any, names: Names, random: Random, tally: Tally
    ) -> tuple[int, Any]:
        """Compare what both sides offer; an option that both have: its native number, and the interpreter's choice."""
        options, size = listed
        if size != count:
            shown = [str(options[i]) for i in range(min(30, size))]
            told = [str(o) for o in self.native.options(theirs, range(min(30, count)))]
            raise Disagreement(f"{size} options at block {ours.block} ({node.menu}), or {count}\n{shown}\n{told}")
        numbers = range(count) if count <= MANY else sorted({random.randrange(count) for _ in range(SAMPLE)})
        choices = [self._choice(option, node, names) for option in self.native.options(theirs, numbers)]
        places = self._places_of(options, choices)
        tally.options += len(numbers)
        place = random.choice(sorted(places))
        chosen = places.index(place)
        return numbers[chosen], choices[chosen]

    def _places_of(self, options: Options, choices: list[Any]) -> Sequence[int]:
        """The interpreter's numbers of what native code offers."""
        if isinstance(options.inner, Listed) and choices == [*options.inner.all(), *[PASS] * options.passing]:
            return range(len(choices))
        places = []
        for choice in choices:
            try:
                places.append(options.position(choice))
            except errors.ChoiceError as error:
                raise Disagreement(f"{choice} is no option of the interpreter: {error}") from None
        if len(set(places)) != len(choices):
            raise Disagreement(f"{len(choices)} options are only {len(set(places))} different ones")
        return places

    def _matched_outcomes(
        self, listed: Any, count: int, ours: State, theirs: bytes, node: Any, names: Names, random: Random, tally: Tally
    ) -> tuple[int, Any]:
        """The same where chance chooses; the probabilities must be equal."""
        outcomes, weighted = listed
        if len(weighted) != count:
            raise Disagreement(f"chance has {len(weighted)} outcomes, or {count}")
        numbers = range(count) if count <= MANY else sorted({random.randrange(count) for _ in range(SAMPLE)})
        told = self.native.options(theirs, numbers)
        answers = [self._outcome(option, node, names) for option in told]
        keys = [outcome for outcome, _ in weighted]
        weights = [weight for _, weight in weighted]
        if answers != keys:
            places = [self._place_among(keys, outcomes, answer) for answer in answers]
            if len(set(places)) != len(places):
                raise Disagreement(f"an outcome is listed twice: {answers}")
            weights = [weights[place] for place in places]
        if count <= MANY:
            total, native_total = sum(weights), sum(option.weight for option in told)
            for answer, weight, option in zip(answers, weights, told, strict=True):
                if weight * native_total != option.weight * total:
                    raise Disagreement(f"{answer} has the odds {weight}/{total}, or {option.weight}/{native_total}")
        tally.options += len(told)
        chosen = random.randrange(len(told))
        return numbers[chosen], answers[chosen]

    def _place_among(self, keys: list[Any], outcomes: Any, answer: Any) -> int:
        try:
            return keys.index(answer if answer in keys else outcomes.canonical(answer))
        except errors.ChoiceError as error:
            raise Disagreement(f"{answer} can not happen in the interpreter: {error}") from None

    def _choice(self, option: Option, node: Any, names: Names) -> Any:
        if option.is_pass:
            return PASS
        if option.action is not None:
            if names is self.unnamed:
                return Act(option.action, option.values)
            kinds = [param.variable.type for param in self.rules.actions[option.action].params]
            return Act(option.action, self.pieces.named_all(option.values, kinds, names))
        kinds = [variable.type for variable in flow.offer_variables(node.offer)]
        values = option.values if names is self.unnamed else self.pieces.named_all(option.values, kinds, names)
        match node.offer:
            case ir.OfferValues():
                return Values(values)
            case ir.OfferSubset():
                return Subset(values[0])
            case ir.OfferShare():
                return Share(values[0])
            case flow.OfferLines():
                return Line(values[0])
        raise AssertionError(node.offer)

    def _outcome(self, option: Option, node: Any, names: Names) -> Any:
        match node:
            case flow.ChanceNode():
                return self._choice(option, node, names)
            case flow.DrawNode():
                (piece,) = option.values
                assert isinstance(piece, int)
                return Drawn(names[piece])
            case flow.RollNode():
                return Rolled(option.values[0])  # type: ignore[arg-type]
            case flow.ThrowNode():
                return Thrown(option.values[:-1], option.values[-1])  # type: ignore[arg-type]
        raise AssertionError(node)


TOLD: dict[type, Happening] = {
    Said: Happening.SAID,
    ShownPlace: Happening.SHOWN,
    Veiled: Happening.VEILED,
    Unveiled: Happening.UNVEILED,
}


class _Happenings:
    """What was told, and before, between and after it: for each sort of pieces and way, how many went it."""

    def __init__(self) -> None:
        self.parts: list[Any] = [Counter()]

    def moved(self, piece: Any, origin: int, target: int) -> None:
        self.parts[-1][piece, origin, target] += 1

    def told(self, happening: Happening, *values: int) -> None:
        self.parts += [(happening, *values), Counter()]


def _attempt(run: Any) -> Any:
    try:
        return run()
    except (errors.RuleError, RuleError) as error:
        return error
