"""What a page must know of a game beside its module: names, where things stand in a position, the sentences.

Nothing here decides anything: who may do what, what then happens, who sees it, is asked of the module. A sentence is a
list: texts, and the numbers of the questions (backends/native/shown/asking.py) whose answers stand between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from seaspec.analysis.reads import reads
from seaspec.backends.interpreter.effects import Effects
from seaspec.backends.native.errors import LIMITS
from seaspec.backends.native.expressions.emitter import MOST_TRACED
from seaspec.backends.native.shown.asking import Key, always_seen, sides
from seaspec.backends.native.values.layout import FrameKind, Layout
from seaspec.backends.native.values.unit import Context
from seaspec.backends.native.webassembly import ShownModule
from seaspec.bots.guesses import has_secrets
from seaspec.core import flow, ir, types
from seaspec.core.ir import PlaceOrder
from seaspec.core.show import in_general, show_expr, show_kind
from seaspec.core.walk import substitute
from seaspec.game import Game
from seaspec.web.scene import scene
from seaspec.web.values import Data, Types

HERE, THERE = "\ue000", "\ue001"
"""What stands around the number of a name in a text whose names are filled in later."""


def describe(game: Game, module: ShownModule, pages: Mapping[str, str]) -> Data:
    """All of it. `pages`: where the book shows what has a name, by that name: an action, `clause ID`."""
    return _Described(game, module, pages).data()


class _Described:
    def __init__(self, game: Game, module: ShownModule, pages: Mapping[str, str]) -> None:
        self.game = game
        self.rules = game.rules
        self.module = module
        self.pages = pages
        self.layout = Layout(game.flow)
        self.types = Types(game.rules)
        self.effects: Effects = game.machine.effects

    def data(self) -> Data:
        game, rules = self.game, self.rules
        found: Data = {
            "name": game.name,
            "title": game.title,
            "players": list(game.players),
            "rules": {
                "name": game.name,
                "stack": list(game.stack),
                "options": game.options,
                "digest": game.digest,
                "texts": dict(game.texts),
            },
            "memory": self._memory(),
            "pieces": [piece.title for piece in rules.pieces],
            "twins": self._twins(),
            "boards": {name: list(board.names) for name, board in rules.boards.items()},
            "places": [self._place(place) for place in rules.places.values()],
            "states": [self._state(state) for state in rules.states.values()],
            "holding": self._holding(),
            "actions": {name: self._action(action) for name, action in rules.actions.items()},
            "nodes": {str(number): self._node(number) for number in self._resting()},
            "said": [self._said(text) for text in self.module.said],
            "answers": self._answers(),
            "scene": scene(rules),
            "secrets": has_secrets(game.flow),
        }
        found["types"] = self.types.listed
        return found

    def _memory(self) -> Data:
        """Where things stand: in the memory of the module, and in a state."""
        facts, layout = self.module.facts, self.layout
        return {
            "constants": self.module.constants, "context": facts.context_size, "rows": facts.rows_size,
            "state": len(facts.initial) // 2, "initial": facts.initial, "veiled": self.module.veiled,
            "trace": facts.trace, "mostTraced": MOST_TRACED, "totals": facts.totals,
            "words": {str(block): words for block, words in facts.words.items()},
            "taken": {str(block): place for block, place in facts.taken.items()},
            "messages": facts.messages, "limits": list(LIMITS),
            "rowsWord": Context.ROWS, "chosen": Context.CHOSEN, "error": Context.ERROR,
            "alternative": Context.ALTERNATIVE, "fuel": Context.FUEL, "left": Context.LEFT, "seed": Context.SEED,
            "over": layout.OVER, "scored": layout.SCORED, "winners": layout.WINNERS, "losers": layout.LOSERS,
            "out": layout.OUT, "scores": layout.scores, "terms": layout.terms, "where": layout.where,
            "whereSize": layout.where_bits // 8, "order": layout.order, "orderSize": layout.order_bits // 8,
            "end": layout.end,
        }  # fmt: skip

    # ------------------------------------------------------------------------------------------------------ things

    def _things(self) -> list[ir.Place | ir.State]:
        return [*self.rules.places.values(), *self.rules.states.values()]

    def _twins(self) -> list[int | None]:
        """By piece: the number that pieces like it share; None if there is none like it."""
        twins = self.game.machine.layout.twins
        return [None if alone else twin for alone, twin in zip(twins.alone, twins.twin, strict=True)]

    def _place(self, place: ir.Place) -> Data:
        held = self.layout.places[place.name]
        family = self.game.machine.layout.places[place.name]
        data: Data = {
            "name": place.name,
            "order": {PlaceOrder.ROW: "row", PlaceOrder.PILE: "pile"}.get(place.order, "set"),
            "slot": held.slot,
            "names": [self.effects.slot_name(slot) for slot in family.all_slots],
            "sight": self._sight(place),
        }
        if place.uncounted:
            data["uncounted"] = True
        if place.name == ir.BOX:
            data["box"] = True
        if place.order is PlaceOrder.ROW:
            cell = held.cell
            data |= {"offset": held.offset, "stride": held.stride, "size": cell.size, "shift": cell.shift}
        return data

    def _sight(self, thing: ir.Place | ir.State) -> Any:
        """Who sees it: all, nobody, by instance, or a question with the values of the index of each instance."""
        if thing.sight.all:
            return "all"
        if thing.sight.by is None:
            return "nobody"
        number = self.module.asked.numbers.get(("sight", thing.name))
        if number is None:
            return "nobody"
        families = self.game.machine.layout
        family = (families.places if isinstance(thing, ir.Place) else families.states)[thing.name]
        kinds = [self.types.number(variable.type) for variable in thing.index]
        return {"ask": number, "types": kinds, "keys": [list(map(_number, key)) for key in family.keys]}

    def _state(self, state: ir.State) -> Data:
        held = self.layout.states[state.name]
        family = self.game.machine.layout.states[state.name]
        data: Data = {
            "name": state.name,
            "names": [self.effects.slot_name(slot) for slot in family.all_slots],
            "type": self.types.number(state.type),
            "offset": held.offset,
            "stride": held.stride,
            "sight": self._sight(state),
        }
        if held.packed is not None:
            data |= {"shift": held.packed.shift, "optional": held.packed.optional}
        if held.maps is not None:
            maps = held.maps
            form = maps.packed
            data["maps"] = {
                "words": maps.words, "keys": maps.keys, "size": form.size, "shift": form.shift,
                "optional": form.optional,
            }  # fmt: skip
        if state.track:
            data["track"] = True
        if state.while_in is not None and len(state.index) == 1:
            data["kept"] = list(types.pieces_of(state.index[0].type))
        if any(types.pieces_of(variable.type) for variable in state.index):
            indices = [
                [value for value, ty in zip(key, family.index, strict=True) if isinstance(ty, types.Pieces)]
                for key in family.keys
            ]
            data["pieces"] = indices
        return data

    def _holding(self) -> list[Data]:
        """Variables that may name pieces that are not told apart by what they are."""
        common = {piece for piece, twin in enumerate(self._twins()) if twin is not None}
        found = []
        for variable, held in self.layout.frame.items():
            if held.kind is FrameKind.SINGLE and common & types.pieces_of(variable.type):
                found.append({"offset": held.offset, "size": held.packed.size, "shift": held.packed.shift})
        return found

    # --------------------------------------------------------------------------------------------------- sentences

    def _answers(self) -> list[Data]:
        """By question: the types of its values, and how many words they take."""
        asked = self.module.asked
        return [
            {"words": words, "types": [self.types.number(value.type) for value in question.values]}
            for question, words in zip(asked.questions, asked.words, strict=True)
        ]

    def _sentence(self, key: Key, text: ir.Text | None) -> Data | None:
        """A sentence with the questions between its texts. `open`: all may know what it reads of a position."""
        if text is None:
            return None
        parts: list[str | int] = []
        is_whole = True
        for place, part in enumerate(text.parts):
            number = None if isinstance(part, str) else self.module.asked.numbers.get((*key, str(place)))
            is_whole &= isinstance(part, str) or number is not None
            parts.append(part if isinstance(part, str) else show_expr(part, self.rules) if number is None else number)
        written = ["" if isinstance(part, str) else show_expr(part, self.rules) for part in text.parts]
        return {"parts": parts, "written": written, "open": all(map(self._is_open, text.parts)), "whole": is_whole}

    def _is_open(self, part: str | ir.Expr) -> bool:
        return isinstance(part, str) or self._reads_open_things(part)

    def _reads_open_things(self, *exprs: ir.Expr) -> bool:
        found = reads(self.rules, *exprs)
        sights = [thing.sight for thing in self._things() if thing.name in found.places | found.states]
        return not found.others and all(sight.all for sight in sights)

    def _said(self, text: ir.Text) -> list[str | Data]:
        return [part if isinstance(part, str) else {"type": self.types.number(part.type)} for part in text.parts]

    def _source(self, source: ir.Source) -> Data:
        """Where it stands, and which clauses it is."""
        data: Data = {}
        if source.cites:
            data["cites"] = [{"id": id, "href": self.pages.get(f"clause {id}")} for id in source.cites]
        if source.span.file.name:
            data["at"] = f"{source.span.file.name.rpartition('/')[2]}:{source.span.file.position(source.span.start)[0]}"
        return data

    # ----------------------------------------------------------------------------------------------------- actions

    def _action(self, action: ir.Action) -> Data:
        names = [param.variable for param in action.params]
        data: Data = {
            "params": [self._param(action, number) for number in range(len(action.params))],
            "asks": action.asks,
            "sentence": self._sentence(("sentence", action.name), action.source.sentence),
            "general": "" if action.source.sentence is None else in_general(action.source.sentence, self.rules),
            "guards": [self._guard(action, number, names) for number in range(len(action.guards))],
            "href": self.pages.get(action.name),
        }
        return data | self._source(action.source)

    def _param(self, action: ir.Action, number: int) -> Data:
        param, numbers = action.params[number], self.module.asked.numbers
        ty = param.variable.type
        data: Data = {"name": param.variable.name, "type": self.types.number(ty)}
        if not isinstance(ty, types.SetOf | types.Map | types.Fraction):
            data["values"] = [_number(value) for value in types.values(ty)]
        if param.domain is not None:
            data["domain"] = numbers.get(("domain", action.name, str(number)))
            data["of"] = self._written(param.domain, action)
        if param.test is not None:
            data["test"] = numbers.get(("test", action.name, str(number)))
            data["where"] = self._written(param.test, action)
        known = [param.variable for param in action.params[: number + 1]]
        data["see"] = self._seen(("see param", action.name, str(number)), (param.domain, param.test), known)
        return data

    def _seen(self, key: Key, parts: Sequence[object], names: Sequence[ir.Variable]) -> bool | int:
        """Whether a player sees what is read there: so of all, or the number of a question."""
        said = always_seen(self.rules, parts, names)
        return self.module.asked.numbers.get(key, False) if said is None else said

    def _guard(self, action: ir.Action, number: int, names: Sequence[ir.Variable]) -> Data:
        guard, key = action.guards[number], (action.name, str(number))
        numbers = self.module.asked.numbers
        told = []
        for place, side in enumerate(sides(guard.test, names)):
            asked = numbers.get(("side", *key, str(place)))
            is_name = isinstance(side, ir.Local)
            if asked is not None:
                name = side.variable.name if isinstance(side, ir.Local) else self._written(side, action)
                told.append({"ask": asked, "name": name, "is_name": is_name})
        data: Data = {
            "name": guard.name,
            "ask": numbers.get(("guard", *key)),
            "sentence": self._sentence(("refusal", *key), guard.source.sentence),
            "sides": told,
            "see": self._seen(("see guard", *key), (guard.test, *(test for test, _ in guard.exceptions)), names),
        }
        if data["sentence"] is not None and guard.source.sentence is not None:
            data["sentence"]["see"] = [
                isinstance(part, str) or self._seen(("see refusal", *key, str(place)), (part,), names)
                for place, part in enumerate(guard.source.sentence.parts)
            ]
        return data | self._source(guard.source)

    def _written(self, expr: ir.Expr, action: ir.Action) -> str:
        """An expression as it is written, the arguments of an action to be filled in."""
        names: dict[ir.Variable, ir.Expr] = {
            param.variable: ir.Local(ir.Variable(f"{HERE}{number}{THERE}", param.variable.type))
            for number, param in enumerate(action.params)
        }
        return show_expr(substitute(expr, names), self.rules)

    # ------------------------------------------------------------------------------------------------------- nodes

    def _resting(self) -> Iterator[int]:
        return (number for number, block in enumerate(self.game.flow.blocks) if flow.is_node(block.exit))

    def _node(self, number: int) -> Data:
        block = self.game.flow.blocks[number]
        node = block.exit
        match node:
            case flow.Decision():
                data: Data = {"kind": "decision", "menu": node.menu, "passing": node.passing is not None}
                data |= {"secretly": node.secretly, "hidden": node.secretly or node.privately}
                data["question"] = self._sentence(("question", str(number)), node.source.sentence)
                data["about"] = self._about(node)
                return data | self._offer(number, node.offer) | self._source(node.source)
            case flow.ChanceNode():
                return {"kind": "chance", **self._seer(number, node.seen), **self._offer(number, node.offer)}
            case flow.DrawNode(origin, to):
                places = (self.rules.places[origin.place], self.rules.places[to.place])
                return {"kind": "draw", "uncounted": all(place.uncounted for place in places)}
            case flow.RollNode():
                return {"kind": "roll", **self._seer(number, node.seen)}
            case flow.ThrowNode(chance):
                rolls = [step for step in self.rules.chances[chance].body if isinstance(step, ir.Roll)]
                return {"kind": "throw", "rolls": len(rolls)}
            case flow.Over(how):
                source = ir.Source() if how is None else how.source
                return {"kind": "over", "why": self._sentence(("end", str(number)), source.sentence),
                        **self._source(source)}  # fmt: skip
            case (
                flow.Outside() | flow.Goto() | flow.Test() | flow.Switch() | flow.Enter() | flow.Return()
                | flow.Finding()
            ):  # fmt: skip
                return {"kind": "outside"}
            case _:
                assert_never(node)

    def _about(self, node: flow.Decision) -> str:
        """What a question is about, where it has no sentence of its own: that of its menu or procedure, or a name."""
        thing = self.rules.menus.get(node.menu) or self.rules.procedures.get(node.menu)
        sentence = None if thing is None else thing.source.sentence
        if sentence is not None and all(isinstance(part, str) for part in sentence.parts):
            return "".join(map(str, sentence.parts))
        return node.menu.removeprefix("to ").replace("_", " ")

    def _seer(self, number: int, seen: ir.Expr | None) -> Data:
        return {} if seen is None else {"seer": self.module.asked.numbers.get(("seer", str(number)))}

    def _offer(self, number: int, offer: flow.AnyOffer) -> Data:
        variables = [
            {"name": v.name, "type": self.types.number(v.type), "kind": show_kind(v, self.rules)}
            for v in flow.offer_variables(offer)
        ]
        match offer:
            case ir.OfferActions(alternatives):
                return {"offer": "actions", "actions": [alternative.action for alternative in alternatives]}
            case ir.OfferValues():
                return {"offer": "values", "variables": variables}
            case ir.OfferSubset():
                return {"offer": "subset", "variables": variables}
            case ir.OfferShare():
                return {"offer": "share", "variables": variables}
            case flow.OfferLines():
                texts = [self._sentence(("line", str(number), str(n)), text) for n, text in enumerate(offer.texts)]
                return {"offer": "lines", "variables": variables, "lines": texts}
            case _:
                assert_never(offer)


def _number(value: object) -> int | None:
    assert value is None or isinstance(value, int), value
    return None if value is None else int(value)
