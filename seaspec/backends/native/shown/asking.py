"""What a page asks of a position: expressions of the rules, each a question with a number.

`ask(state, context, number, arguments, out)` writes the values of a question to `out`, as option words are written
(shown/telling.py has the forms). What can not be worked out leaves an error in the context. The questions:

    a sentence      the values of its parts, over the names that it may use: arguments of an action, an index
    a guard         whether it holds (or one of its exceptions), over the arguments of its action
    what a guard compares
                    the sides of the comparison, of which an answer to "why not?" tells the values
    a domain        which values may be chosen for a parameter, and whether its test holds
    who sees that   whether a player (one more name) sees all that a guard, a domain or a part of a sentence reads
    a sight         who sees an instance of a place or state, over its index

A question that can not be compiled is left out: the page then says less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from seaspec.analysis.eyes import seen_by
from seaspec.backends.native.assembly import Code
from seaspec.backends.native.errors import NotCompiled
from seaspec.backends.native.expressions.emitter import CONTEXT, FRAME_PARAMS, STATE
from seaspec.backends.native.flow.nodes import Writer
from seaspec.backends.native.shown.telling import words_of
from seaspec.backends.native.values.shapes import Entries, Packed, is_single
from seaspec.backends.native.values.unit import Unit
from seaspec.core import flow, ir, types
from seaspec.core.ir import Expr, FoldKind, Text, Variable
from seaspec.core.ops import Op
from seaspec.core.walk import free_variables

Key = tuple[str, ...]
"""What a question is about: `("guard", "lay", "free")`."""
COMPARISONS = {Op.EQUAL, Op.UNEQUAL, Op.LESS, Op.AT_MOST, Op.MORE, Op.AT_LEAST}


@dataclass(frozen=True, slots=True)
class Question:
    """Expressions over some names."""

    names: tuple[Variable, ...]
    values: tuple[Expr, ...]


@dataclass
class Asked:
    """The questions that are compiled, by what they are about: their numbers, and how many words an answer takes."""

    numbers: dict[Key, int] = field(default_factory=dict)
    words: list[int] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def questions(graph: flow.Flow) -> Iterator[tuple[Key, Question]]:
    """All questions about a game."""
    game = graph.game
    for name, action in game.actions.items():
        names = tuple(param.variable for param in action.params)
        yield from _sentence(("sentence", name), action.source.sentence, names)
        for number, param in enumerate(action.params):
            known = names[: number + 1]
            if param.domain is not None:
                yield ("domain", name, str(number)), Question(known, (param.domain,))
            if param.test is not None:
                yield ("test", name, str(number)), Question(known, (param.test,))
            yield from _seen(game, ("see param", name, str(number)), (param.domain, param.test), known)
        for number, guard in enumerate(action.guards):
            key = name, str(number)
            exceptions = tuple(test for test, _ in guard.exceptions)
            holds = guard.test if not exceptions else ir.Apply(types.Bool(), Op.OR, (guard.test, *exceptions))
            yield ("guard", *key), Question(names, (holds,))
            yield from _seen(game, ("see guard", *key), (guard.test, *exceptions), names)
            yield from _sentence(("refusal", *key), guard.source.sentence, names, witnesses=witnesses(guard.test))
            for place, part in enumerate(() if guard.source.sentence is None else guard.source.sentence.parts):
                if not isinstance(part, str):
                    yield from _seen(game, ("see refusal", *key, str(place)), (part,), names)
            for place, side in enumerate(sides(guard.test, names)):
                yield ("side", *key, str(place)), Question(names, (side,))
    for number, block in enumerate(graph.blocks):
        live = tuple(variable for variable in block.live)
        if isinstance(block.exit, flow.Decision):
            yield from _sentence(("question", str(number)), block.exit.source.sentence, (), live)
            if isinstance(block.exit.offer, flow.OfferLines):
                for line, text in enumerate(block.exit.offer.texts):
                    yield from _sentence(("line", str(number), str(line)), text, (), live)
        if isinstance(block.exit, flow.Over) and block.exit.how is not None:
            yield from _sentence(("end", str(number)), block.exit.how.source.sentence, (), live)
        seen = getattr(block.exit, "seen", None)
        if seen is not None:
            yield ("seer", str(number)), Question((), (seen,))
    things: list[ir.Place | ir.State] = [*game.places.values(), *game.states.values()]
    for thing in things:
        if thing.sight.by is not None:
            yield ("sight", thing.name), Question(thing.index, (thing.sight.by,))


def _seen(
    game: ir.Game, key: Key, parts: Sequence[object], names: tuple[Variable, ...]
) -> Iterator[tuple[Key, Question]]:
    """Whether a player sees what is read there; no question, if that can be said of all."""
    test = seen_by(game, parts, names, seat := Variable("seer", types.Enum(types.PLAYER, game.players, True)))
    if not isinstance(test, ir.Const):
        yield key, Question((*names, seat), (test,))


def always_seen(game: ir.Game, parts: Sequence[object], names: Sequence[Variable]) -> bool | None:
    """Whether it can be said of all players that they see it, or that they do not."""
    test = seen_by(game, parts, names, Variable("seer", types.Enum(types.PLAYER, game.players, True)))
    return bool(test.value) if isinstance(test, ir.Const) else None


def _sentence(
    key: Key,
    text: Text | None,
    names: tuple[Variable, ...],
    live: tuple[Variable, ...] = (),
    witnesses: Mapping[Variable, Expr] = MappingProxyType({}),
) -> Iterator[tuple[Key, Question]]:
    """The parts of a sentence, each a question of its own: one that can not be told does not hide the others."""
    for place, part in enumerate(() if text is None else text.parts):
        if isinstance(part, str):
            continue
        for variable, witness in reversed(list(witnesses.items())):
            if variable in free_variables(part):
                part = ir.LetIn(variable, witness, part)
        if set(free_variables(part)) <= {*names, *live}:
            yield (*key, str(place)), Question(names, (part,))


def witnesses(test: Expr) -> dict[Variable, Expr]:
    """What a refusal may name: the first way to bind the names of an `every` that fails, or of the `some` in a `no`."""
    match test:
        case ir.Apply(_, Op.NOT, (ir.Fold(_, FoldKind.SOME, binders, body),)):
            return _first_ways(binders, body)
        case ir.Fold(_, FoldKind.EVERY, binders, body):
            return _first_ways(binders, ir.Apply(types.Bool(), Op.NOT, (body,)))
        case ir.Apply(_, Op.AND, arguments):
            return {variable: way for argument in reversed(arguments) for variable, way in witnesses(argument).items()}
        case ir.LetIn(variable, value, body):
            return {variable: value, **witnesses(body)}
        case ir.Openly(inner):
            return witnesses(inner)
        case _:  # cautious: no name is explained
            return {}


def _first_ways(binders: Sequence[ir.Binder], wanted: Expr) -> dict[Variable, Expr]:
    found: dict[Variable, Expr] = {}
    for number, binder in enumerate(binders):
        if binder.prefix:
            return {}
        rest = tuple(binders[number + 1 :])
        holds = ir.Fold(types.Bool(), FoldKind.SOME, rest, wanted, None) if rest else wanted
        test = holds if binder.test is None else ir.Apply(types.Bool(), Op.AND, (binder.test, holds))
        found[binder.variable] = ir.PickOne(
            binder.variable.type, True, ir.Binder(binder.variable, binder.domain, test, False), None
        )
    return found


def sides(test: Expr, names: Sequence[Variable]) -> list[Expr]:
    """The sides of a comparison whose values say why it fails."""
    match test:
        case ir.LetIn(_, _, inner):
            return sides(inner, names)
        case ir.Apply(_, Op.NOT, (inner,)) | ir.Openly(inner):
            return sides(inner, names)
        case ir.Apply(_, op, arguments) if op in COMPARISONS:
            return [s for s in arguments if not isinstance(s, ir.Const) and set(free_variables(s)) <= set(names)]
        case _:  # cautious: no side is told
            return []


def write_asking(unit: Unit) -> Asked:
    """The function `ask`. Given back: what it can be asked."""
    asked = Asked()
    cases: list[tuple[int, str]] = []
    for key, question in questions(unit.flow):
        try:
            name = _write_question(unit, question)
            words = [words_of(Writer(unit, Code("none", "void", ())), value.type) for value in question.values]
        except NotCompiled:
            unit.give_up()
            continue
        number = asked.numbers[key] = len(cases)
        asked.words.append(sum(words))
        asked.questions.append(question)
        cases.append((number, name))
    params = [*FRAME_PARAMS, ("i64", "%number"), ("ptr", "%given"), ("ptr", "%out")]
    code = Code("ask", "void", params, attributes="")
    none = code.label("none")
    code.switch("%number", none, [(number, f"question.{number}") for number, _ in cases])
    for number, name in cases:
        code.place(f"question.{number}")
        code.call("void", name, [("ptr", STATE), ("ptr", CONTEXT), ("ptr", "%given"), ("ptr", "%out")], rare=True)
        code.give()
    code.place(none)
    code.give()
    unit.add(code)
    return asked


def _write_question(unit: Unit, question: Question) -> str:
    def write(name: str) -> Code:
        code = Code(name, "void", [*FRAME_PARAMS, ("ptr", "%given"), ("ptr", "%out")])
        writer = Writer(unit, code)
        place = 0
        for variable in question.names:
            pointer = code.offset("%given", 8 * place)
            words = words_of(writer, variable.type)
            match variable.type:
                case types.Map():
                    writer.env[variable] = Entries(pointer, Packed(0, 64, False))
                case types.SetOf(_, True):
                    raise NotCompiled(f"asking by the ordered set {variable.name}")
                case _:  # cautious: what is given for it is as many words as its type has
                    kind = "i64" if is_single(variable.type) else f"i{64 * words}"
                    writer.env[variable] = code.load(kind, pointer, "", 8)
            place += words
        offset = 0
        for value in question.values:
            offset += writer.put_value(value, "%out", offset)
        code.give()
        return code

    return unit.function(("question", question), "question", write)
