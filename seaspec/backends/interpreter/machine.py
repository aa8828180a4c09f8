"""The machine: runs the flow graph from node to node.

`Machine.begin` is the first position, `step` the one after an answer or outcome; both run jumps and steps until the
next node is reached. `options` and `outcomes` say what a node offers. Everything is compiled when the machine is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any, Protocol, assert_never

from seaspec.backends.interpreter.chance import Chances, Drawn, Outcome, Outcomes, Rolled, Rolls, Thrown, Throws
from seaspec.backends.interpreter.choices import Act, Choice, Line, Options, Pass, Share, Subset, Values
from seaspec.backends.interpreter.effects import Effect, Effects
from seaspec.backends.interpreter.errors import ChoiceError, RuleError
from seaspec.backends.interpreter.expressions import Program
from seaspec.backends.interpreter.log import Answered, Event, Happened, Moved
from seaspec.backends.interpreter.look import Look
from seaspec.backends.interpreter.offers import Offers
from seaspec.backends.interpreter.state import OUT, PC, RESULT, Layout, State
from seaspec.core import flow, ir, types
from seaspec.core.flow import Flow
from seaspec.core.ir import BOX, PlaceOrder
from seaspec.source import NOWHERE, Span

JUMPS = 1_000_000
"""So many blocks may be run between two nodes before the run is given up."""

Answer = Choice | Outcome
Follow = Callable[[Look], int]
"""From a position to the block that comes next; below 0: the game rests here."""
REST = -1


class Watch(Protocol):
    """Told when procedures begin and end; for promises that name them."""

    def begin(self, procedure: str, look: Look) -> None: ...
    def finish(self, procedure: str, look: Look) -> None: ...


class Machine:
    """A compiled game."""

    def __init__(self, graph: Flow) -> None:
        self.flow = graph
        self.game = graph.game
        self.layout = Layout(graph)
        self.program = Program(self.game, self.layout)
        self.offers = Offers(self.program, self.flow.alike)
        self.chances = Chances(self.program, self.offers)
        self.effects = Effects(graph, self.program, self.offers)
        self.identity = self.offers.identity
        self.program.asked = self._asked
        frame = range(self.layout.frame_start, self.layout.size)
        self._cleared = [None] * len(frame)
        self._live = [tuple(self.layout.frame[variable] for variable in block.live) for block in graph.blocks]
        self._sources: dict[int, Span] = {}
        self._offers: dict[int, Callable[[Look], Options]] = {}
        self._outcomes: dict[int, Callable[[Look], Outcomes | None]] = {}
        self._setters: dict[int, Callable[[Look, Answer], None]] = {}
        self._draw_targets: dict[int, Callable[[Look], int]] = {}
        self.evaluated: dict[tuple[int, tuple[ir.Variable, ...]], tuple[ir.Expr, Callable[..., Any]]] = {}
        self._nodes: dict[int, flow.Node] = {}
        """The exits at which a play may rest, by block: this is asked for more often than all else."""
        self.blocks: list[tuple[tuple[Effect, ...], Follow]] = []
        for number, block in enumerate(graph.blocks):
            self.blocks.append((tuple(self._step(step) for step in block.steps), self._exit(number, block.exit)))
            if flow.is_node(block.exit):
                self._nodes[number] = block.exit  # type: ignore[assignment]

    # ---------------------------------------------------------------------------------------------------- running

    def begin(self, events: list[Event] | None = None, watch: Watch | None = None) -> State:
        """The first node, before anything is chosen or drawn."""
        return self.run(self.first_look(), self.flow.start, events, watch)

    def first_look(self) -> Look:
        """The position before anything has happened: all pieces at home, states at their first values."""
        slots: list[Any] = [None] * self.layout.size
        slots[OUT] = ()
        slots[3] = ()
        for slot in self.layout.place_slots:
            slots[slot] = ()
        for slot, value in self.effects.initial.items():
            slots[slot] = value
        where = [0] * len(self.game.pieces)
        for piece in self.game.pieces:
            where[piece.id] = self.layout.places[piece.home].base
        for slot in self.layout.place_slots:
            lying = tuple(piece for piece, place in enumerate(where) if place == slot)
            piled = self.effects.order[slot] is PlaceOrder.PILE
            slots[slot] = ((lying,) if lying else ()) if piled else lying
        return Look(self.program, slots, where)

    def step(
        self, state: State, answer: Answer, events: list[Event] | None = None, watch: Watch | None = None
    ) -> State:
        """The next node after an answer or outcome. It must be one of the options; any identical pieces will do."""
        look = Look(self.program, list(state.slots), list(state.where))
        look.events = events
        look.watch = watch
        start = 0 if events is None else len(events)
        try:
            number = self.answer(look, state, answer)
        except RuleError as error:
            raise error.at(self._sources.get(id(self.blocks[state.block][1]), NOWHERE)) from None
        found = self.run(look, number, events, watch)
        if events is not None:
            _show_what_moved(events, start)
        return found

    def run(self, look: Look, number: int, events: list[Event] | None = None, watch: Watch | None = None) -> State:
        """Run from a block to the next node."""
        look.events = events
        look.watch = watch
        blocks = self.blocks
        current: Any = None
        try:
            for _ in range(JUMPS):
                steps, follow = blocks[number]
                for current in steps:
                    current(look)
                current = follow
                onward = follow(look)
                if onward < 0:
                    return self._frozen(look)
                number = onward
        except RuleError as error:
            raise error.at(self._sources.get(id(current), NOWHERE)) from None
        raise RuleError("the rules run on without ever coming to a choice", self._span_of(number))

    def rest(self, look: Look, number: int) -> State:
        """The position at a node as a state; the look stays with it."""
        self._arrive(look, number)
        return self._frozen(look)

    def _frozen(self, look: Look) -> State:
        look.s = tuple(look.s)
        look.w = tuple(look.w)
        look.events = look.watch = None
        return State(look.s, look.w, look)

    def _arrive(self, look: Look, number: int) -> None:
        """A node is reached: variables that are not live are cleared."""
        slots = look.s
        slots[PC] = number
        frame = self._cleared.copy()
        start = self.layout.frame_start
        for slot in self._live[number]:
            frame[slot - start] = slots[slot]
        slots[start:] = frame
        look.__dict__.pop("named", None)  # what variables point at

    def look(self, state: State) -> Look:
        """The look at a state, with whatever was computed about it."""
        if state._look is None:
            state._look = Look(self.program, state.slots, state.where)
        return state._look

    # ------------------------------------------------------------------------------------------------------ nodes

    def node(self, state: State) -> flow.Node:
        """The node at which a state rests."""
        return self._nodes[state.slots[PC]]

    def options(self, state: State) -> Options:
        """The options of a decision."""
        look = self.look(state)
        options: Options | None = look.__dict__.get("options")
        if options is None:
            options = look.__dict__["options"] = self._offers[state.block](look)
        return options

    def outcomes(self, state: State) -> Outcomes:
        """What may happen at a chance node."""
        found = self._outcomes[state.block](self.look(state))
        assert found is not None
        return found

    def decider(self, state: State) -> int | None:
        """The seat that is asked; None where chance or nobody is."""
        node = self.node(state)
        if not isinstance(node, flow.Decision):
            return None
        return self.effects.value(self.look(state), node.decider)  # type: ignore[no-any-return]

    def is_chance(self, state: State) -> bool:
        return isinstance(self.node(state), flow.ChanceNode | flow.DrawNode | flow.RollNode | flow.ThrowNode)

    def canonical(self, state: State) -> tuple[Any, ...]:
        """A key of the position in which pieces that are alike are interchangeable."""
        return self.identity.canonical(self.look(state))

    def play_out(self, state: State, random: Random, limit: int = 1_000_000) -> Iterator[State]:
        """The states of a random play from here, this one not included."""
        for _ in range(limit):
            node = self.node(state)
            if isinstance(node, flow.Decision):
                state = self.step(state, self.options(state).random(random))
            elif self.is_chance(state):
                state = self.step(state, self.outcomes(state).sample(random))
            else:
                return
            yield state

    # ---------------------------------------------------------------------------------------------------- compile

    def _step(self, step: flow.Step) -> Effect:
        effect = self.effects.step(step)
        source = getattr(step, "source", None)
        if isinstance(source, ir.Source):
            self._sources[id(effect)] = source.span
        return effect

    def _exit(self, number: int, exit: flow.Exit) -> Follow:
        follow = self._follow(number, exit)
        if flow.is_node(exit):
            follow = self._at_node(number, follow)
        source = getattr(exit, "source", None)
        if isinstance(source, ir.Source):
            self._sources[id(follow)] = source.span
        return follow

    def _at_node(self, number: int, follow: Follow) -> Follow:
        def arrive(look: Look) -> int:
            self._arrive(look, number)
            return follow(look)

        return arrive

    def _follow(self, number: int, exit: flow.Exit) -> Follow:
        match exit:
            case flow.Goto(target):
                return lambda look: target
            case flow.Test(test, then, otherwise):
                holds = self.program.compile(test, name="test")
                return lambda look: then if holds(look) else otherwise
            case flow.Switch(subject, cases, otherwise):
                subject_of = self.program.compile(subject, name="subject")
                table = {value: block for values, block in cases for value in values}
                return lambda look: table.get(subject_of(look), otherwise)
            case flow.Enter(procedure, back, target):
                return self._enter(procedure, back, target)
            case flow.Return(procedure, targets):
                return self._return(procedure, targets)
            case flow.Finding():
                return self._finding(exit)
            case flow.Decision():
                return self._decision(number, exit)
            case flow.ChanceNode():
                self._setters[number] = self._chosen_values(exit.offer)
                found = self._outcomes[number] = self.chances.chosen(exit)
                return self._chance(found, exit.nothing, "chance has nothing to choose from")
            case flow.DrawNode():
                self._draw_targets[number] = self.effects.slot_of(exit.to)
                found = self._outcomes[number] = self._draw(exit)
                return self._chance(found, exit.nothing, f"there is nothing left to draw in {exit.origin.place}")
            case flow.RollNode(dice, sides):
                number_of = self.program.compile(dice, name="dice")
                self._outcomes[number] = lambda look: Rolls(max(0, number_of(look)), sides)
                return lambda look: REST
            case flow.ThrowNode(chance, arguments):
                values = [self.program.compile(argument, name=chance) for argument in arguments]
                rule = self.chances.rules[chance]
                self._outcomes[number] = lambda look: Throws(rule, look, [value(look) for value in values])
                return lambda look: REST
            case flow.Over(how):
                return self._over(how)
            case flow.Outside():
                return lambda look: REST
            case _:
                assert_never(exit)

    def _enter(self, procedure: str, back: int, target: int) -> Follow:
        slot = self.layout.frame[self.flow.routines[procedure].back]

        def follow(look: Look) -> int:
            if look.s[slot] is not None:
                raise RuleError(f"{procedure} runs inside itself")
            look.s[slot] = back
            return target

        return follow

    def _return(self, procedure: str, targets: tuple[int, ...]) -> Follow:
        routine = self.flow.routines[procedure]
        slot = self.layout.frame[routine.back]
        frame = self.layout.frame
        own = [frame[variable] for variable in routine.locals if variable in frame]

        def follow(look: Look) -> int:
            s = look.s
            target: int = targets[s[slot]]
            s[slot] = None
            for variable in own:
                s[variable] = None
            return target

        return follow

    def _finding(self, exit: flow.Finding) -> Follow:
        if not exit.witnesses:
            holds = self.program.compile(exit.test, name="whenever")
            return lambda look: exit.then if holds(look) else exit.otherwise
        witnesses = [binder.variable for binder in exit.witnesses]
        every = self.offers.every(exit.witnesses)
        holds = self.program.compile(exit.test, witnesses, name="whenever")
        slots = [self.layout.frame[variable] for variable in witnesses]

        def follow(look: Look) -> int:
            for values in every(look):
                if holds(look, *values):
                    for slot, value in zip(slots, values, strict=True):
                        look.s[slot] = value
                    return exit.then
            return exit.otherwise

        return follow

    def _decision(self, number: int, exit: flow.Decision) -> Follow:
        inner = self.offers.options(exit.offer)
        may = exit.passing is not None
        decider = self.program.compile(exit.decider, name="decider")
        somebody = not isinstance(exit.decider.type, types.Optional)
        self._offers[number] = lambda look: Options(look, inner(look), may)
        make = self._offers[number]
        self._setters[number] = self._chosen_values(exit.offer)
        lone = self._setters[number] if exit.alone else None

        def follow(look: Look) -> int:
            if not somebody and decider(look) is None:
                raise RuleError("there is nobody to choose")
            options = make(look)
            if not options.any:
                if exit.nothing is None:
                    raise RuleError(self._stuck(look, exit))
                return exit.nothing
            if lone is not None and len(options) == 1 and exit.target is not None:
                lone(look, options[0])
                return exit.target
            look.__dict__["options"] = options
            return REST

        return follow

    def _stuck(self, look: Look, exit: flow.Decision) -> str:
        who = self.effects.value(look, exit.decider)
        name = "nobody" if who is None else self.game.players[who]
        return f"stuck: {name} must choose ({exit.menu}), and there is no option"

    def _draw(self, exit: flow.DrawNode) -> Callable[[Look], Outcomes | None]:
        slot_of = self.effects.slot_of(exit.origin)
        place = self.game.places[exit.origin.place]
        fits = self.effects.holds[exit.to.place] if place.name == BOX else None
        return lambda look: self.chances.drawn(look, slot_of(look), place.order, fits)

    def _chance(self, found: Callable[[Look], Outcomes | None], nothing: int | None, message: str) -> Follow:
        def follow(look: Look) -> int:
            if found(look) is None:
                if nothing is None:
                    raise RuleError(message)
                return nothing
            return REST

        return follow

    def _over(self, how: ir.End | ir.Score | None) -> Follow:
        seats = tuple(self.effects.seats)

        def over(look: Look, winners: tuple[int, ...], losers: tuple[int, ...], scores: Any = None) -> int:
            look.s[RESULT] = winners, losers, scores
            look.forget()
            return REST

        match how:
            case ir.End(outcome, players):
                players_of = self.effects.players(players)

                def end(look: Look) -> int:
                    if outcome is ir.Outcome.NOBODY:
                        return over(look, (), ())
                    named = tuple(sorted(players_of(look)))
                    if outcome is ir.Outcome.WIN:
                        return over(look, named, tuple(q for q in seats if q not in named))
                    others = tuple(q for q in seats if q not in named and q not in look.s[OUT])
                    return over(look, others, tuple(q for q in seats if q not in others))

                return end
            case ir.Score(player, values):
                terms = [self.program.compile(value, (player,), "score") for value in values]

                def score(look: Look) -> int:
                    scores = tuple(None if q in look.s[OUT] else tuple(term(look, q) for term in terms) for q in seats)
                    best = max((found for found in scores if found is not None), default=None)
                    winners = tuple(q for q in seats if best is not None and scores[q] == best)
                    return over(look, winners, tuple(q for q in seats if q not in winners), scores)

                return score
            case None:
                return lambda look: over(look, (), ())
            case _:
                assert_never(how)

    # ---------------------------------------------------------------------------------------------------- answers

    def answer(self, look: Look, state: State, answer: Answer) -> int:
        """Work an answer in: set what was chosen, move what was drawn; the block that comes next."""
        exit = self.node(state)
        if isinstance(exit, flow.Decision):
            if look.events is not None:
                look.events.append(self._answered(state, exit, answer))  # type: ignore[arg-type]
            if isinstance(answer, Pass):
                if exit.passing is None:
                    raise ChoiceError("one may not pass here")
                return exit.passing
            return self._chosen(look, state.block, exit, answer)
        if isinstance(exit, flow.ChanceNode):
            self._happened(look, state, answer)
            return self._chosen(look, state.block, exit, answer)
        match exit, answer:
            case flow.DrawNode(), Drawn(piece):
                if exit.variable is not None:
                    look.s[self.layout.frame[exit.variable]] = piece
                self.effects.move(look, (piece,), self._draw_targets[state.block](look), blind=True)
                return exit.target
            case flow.RollNode(), Rolled(total):
                look.s[self.layout.frame[exit.variable]] = total
                self._happened(look, state, answer)
                return exit.target
            case flow.ThrowNode(), Thrown(_, value):
                look.s[self.layout.frame[exit.variable]] = value
                self._happened(look, state, answer)
                return exit.target
            case _:  # cautious: any other answer is refused
                raise ChoiceError("that is no answer here")

    def _chosen(self, look: Look, block: int, exit: flow.Decision | flow.ChanceNode, answer: Answer) -> int:
        if isinstance(answer, Act):
            for launch in exit.launches:
                if launch.action == answer.action:
                    routine = self.flow.routines[launch.action]
                    for variable, value in zip(routine.params, answer.arguments, strict=True):
                        look.s[self.layout.frame[variable]] = value
                    look.s[self.layout.frame[routine.back]] = launch.back
                    return launch.target
            raise ChoiceError(f"{answer.action} is not on the menu here")
        if exit.target is None:
            raise ChoiceError("an action is to be chosen here")
        self._setters[block](look, answer)
        return exit.target

    def _chosen_values(self, offer: flow.AnyOffer) -> Callable[[Look, Answer], None]:
        slots = [self.layout.frame[variable] for variable in flow.offer_variables(offer)]

        def chosen(look: Look, answer: Answer) -> None:
            match answer:
                case Values(values) if len(values) == len(slots) and isinstance(offer, ir.OfferValues):
                    for slot, value in zip(slots, values, strict=True):
                        look.s[slot] = value
                case Subset(members) if isinstance(offer, ir.OfferSubset):
                    look.s[slots[0]] = types.as_set(members)
                case Share(gift) if isinstance(offer, ir.OfferShare):
                    look.s[slots[0]] = gift
                case Line(number) if isinstance(offer, flow.OfferLines):
                    look.s[slots[0]] = number
                case _:
                    raise ChoiceError("that is no answer here")

        return chosen

    def _answered(self, state: State, exit: flow.Decision, answer: Choice) -> Answered:
        decider = self.decider(state)
        assert decider is not None
        hidden = exit.privately or exit.secretly
        return Answered(decider, answer, state.block, hidden, exit.secretly, self.shown(state, answer))

    def _happened(self, look: Look, state: State, outcome: Answer) -> None:
        if look.events is not None:
            look.events.append(Happened(outcome, state.block, self.shown(state, outcome), self.seer(state)))

    def seer(self, state: State) -> int | None:
        """Who alone sees what comes at a chance node; None: all do, or there is none."""
        match self.node(state):
            case flow.RollNode(seen=seen) | flow.ChanceNode(seen=seen) if seen is not None:
                return self.effects.value(self.look(state), seen)  # type: ignore[no-any-return]
            case _:  # cautious: a draw is seen as its places are, and a named throw by all
                return None

    def shown(self, state: State, answer: Answer) -> tuple[frozenset[int], ...]:
        """For each seat: the pieces in an answer that it sees where they lie now."""
        look = self.look(state)
        pieces = self.pieces_in(state, answer)
        seers = {piece: frozenset(self.effects.sight[look.w[piece]](look)) for piece in pieces}
        return tuple(frozenset(p for p in pieces if seat in seers[p]) for seat in self.effects.seats)

    def pieces_in(self, state: State, answer: Answer) -> list[int]:
        """The pieces that an answer names."""
        exit = self.node(state)
        kinds: tuple[types.Type, ...] = ()
        values: tuple[Any, ...] = ()
        match answer:
            case Act(action, arguments):
                kinds, values = self.offers.kinds[action], arguments
            case Values(chosen) if isinstance(exit, flow.Decision | flow.ChanceNode):
                kinds, values = tuple(v.type for v in flow.offer_variables(exit.offer)), chosen
            case Subset(members) if isinstance(exit, flow.Decision | flow.ChanceNode):
                (variable,) = flow.offer_variables(exit.offer)
                assert isinstance(variable.type, types.SetOf)
                kinds, values = (variable.type.of,) * len(members), members
            case Share(gift) if isinstance(exit, flow.Decision | flow.ChanceNode):
                (variable,) = flow.offer_variables(exit.offer)
                assert isinstance(variable.type, types.Map)
                keys = tuple(types.values(variable.type.keys))
                values = tuple(key for key, number in zip(keys, gift, strict=True) if number)
                kinds = (variable.type.keys,) * len(values)
        return [value for value, ty in zip(values, kinds, strict=True) if _is_piece(value, ty)]

    def _asked(self, look: Look, player: int, menu: str | None) -> bool:
        if look.s[PC] is None:
            return False
        exit = self.flow.blocks[look.s[PC]].exit
        if not isinstance(exit, flow.Decision) or self.effects.value(look, exit.decider) != player:
            return False
        return menu is None or exit.menu == menu

    def _span_of(self, number: int) -> Span:
        owner = self.flow.blocks[number].owner
        procedure = self.game.procedures.get(owner)
        return NOWHERE if procedure is None else procedure.source.span


def _show_what_moved(events: list[Event], start: int) -> None:
    """An answer shows a piece also to those who saw it move before the next node was reached."""
    if start < len(events) and isinstance(events[start], Answered | Happened):
        answer = events[start]
        assert isinstance(answer, Answered | Happened)
        shown = list(answer.shown)
        for event in events[start:]:
            if isinstance(event, Moved):
                for seat in event.seen_leaving | event.seen_coming:
                    shown[seat] |= frozenset(event.pieces)
        events[start] = replace(answer, shown=tuple(shown))


def _is_piece(value: Any, ty: types.Type) -> bool:
    inner = ty.of if isinstance(ty, types.Optional) else ty
    return isinstance(inner, types.Pieces) and value is not None
