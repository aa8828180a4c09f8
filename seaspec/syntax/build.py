"""The tree builder: what each rule of grammar/sea.lark makes of its children.

`Build.builder(name)` is the function for the rule that has `name` after `->` (or is called so). It is called with the
span of the text and the children that the grammar keeps: nodes, tuples, the texts of tokens, and None for what may be
missing and is. What the grammar lets pass and the language does not is reported here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, assert_never

from seaspec.diagnostics.codes import Code
from seaspec.source import Span
from seaspec.syntax import tree
from seaspec.syntax.build_things import BuildThings, end_of
from seaspec.syntax.build_values import Quantified, Value, both
from seaspec.syntax.tree import (
    Expr,
    Manner,
    Operator,
    Param,
    Statement,
    Tail,
    When,
)

MAX_VALUE_LINES = 100
_Quota = tuple[Expr | None, Expr | None, bool]  # at least, at most; or exactly


class Build(BuildThings):
    """All the functions."""

    def rules(
        self, span: Span, name: str, params: tuple[Param, ...], tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Rules:
        self._check(body)
        return tree.Rules(span, name, params, body, tail)

    def menu(self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, *rest: Any) -> tree.Menu:
        return tree.Menu(span, name, params or (), rest[:-1], self.joined(tail, rest[-1]))

    def menu_item(
        self, span: Span, name: str, arguments: tuple[Expr, ...] | None, loop: str | None, domain: Expr | None
    ) -> tree.MenuItem:
        binding = tree.Binding(domain.span, loop, domain) if loop is not None and domain is not None else None
        return tree.MenuItem(span, name, arguments, binding)

    # --------------------------------------------------------------------------------------- actions and procedures

    def action(
        self, span: Span, name: str, params: tuple[Param, ...], tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Action:
        self._check(body)
        return tree.Action(span, name, params, body, tail)

    def procedure(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Procedure:
        self._check(body)
        return tree.Procedure(span, name, params or (), body, tail)

    def procedure_open(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, more: Tail
    ) -> tree.Procedure:
        return tree.Procedure(span, name, params or (), None, self.joined(tail, more))

    def chance(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Chance:
        self._check(body)
        return tree.Chance(span, name, params or (), body, tail)

    def whenever(
        self, span: Span, name: str | None, test: Expr, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Whenever:
        self._check(body)
        return tree.Whenever(span, name, test, body, tail)

    def one_line(self, span: Span, statement: Statement) -> tuple[Statement, ...]:
        return (statement,)

    def one_choice(self, span: Span, choice: tree.Choose, tail: Tail) -> tuple[Statement, ...]:
        return (self.choice_statement(span, choice, tail, None, None),)

    def needs(self, span: Span, name: str | None, test: Expr, tail: Tail, *unless: tree.Unless) -> tree.Needs:
        return tree.Needs(span, name, test, tail, unless)

    def assign(self, span: Span, target: Expr, value: Expr, tail: Tail) -> tree.Assign:
        return tree.Assign(span, target, None, value, tail)

    def increase(self, span: Span, target: Expr, value: Expr, tail: Tail) -> tree.Assign:
        return tree.Assign(span, target, Operator.ADD, value, tail)

    def decrease(self, span: Span, target: Expr, value: Expr, tail: Tail) -> tree.Assign:
        return tree.Assign(span, target, Operator.SUBTRACT, value, tail)

    def move(self, span: Span, cargo: Expr, destination: tuple[Expr, bool, Expr | None], tail: Tail) -> tree.Move:
        return tree.Move(span, cargo, *destination, tail)

    def move_some(
        self,
        span: Span,
        amount: tuple[Expr | None, bool],
        kind: tree.Capital,
        source: Expr,
        destination: tuple[Expr, bool, Expr | None],
        tail: Tail,
    ) -> tree.MoveSome:
        number, up_to = amount
        target, under, at = destination
        return tree.MoveSome(span, number, up_to, kind, source, target, under, at, tail)

    def amount(self, span: Span, number: Expr) -> tuple[Expr, bool]:
        return number, False

    def amount_up_to(self, span: Span, number: Expr) -> tuple[Expr, bool]:
        return number, True

    def onto(self, span: Span, target: Expr, at: Expr | None) -> tuple[Expr, bool, Expr | None]:
        return target, False, at

    def under(self, span: Span, target: Expr) -> tuple[Expr, bool, Expr | None]:
        return target, True, None

    def draw(self, span: Span, amount: Expr, source: Expr, target: Expr, name: str | None, tail: Tail) -> tree.Draw:
        return tree.Draw(span, amount, False, source, target, name, tail)

    def draw_up_to(
        self, span: Span, amount: Expr, source: Expr, target: Expr, name: str | None, tail: Tail
    ) -> tree.Draw:
        return tree.Draw(span, amount, True, source, target, name, tail)

    def roll(self, span: Span, number: Expr | None, die: str, name: str, seen: Expr | None, tail: Tail) -> tree.Roll:
        return tree.Roll(span, number, self.number(span, die[1:]).value, name, seen, tail)

    def score(self, span: Span, name: str, value: Expr, *rest: Any) -> tree.Score:
        return tree.Score(span, name, value, rest[:-1], rest[-1])

    def choice(
        self, span: Span, decider: Expr | None, manner: Manner, offer: tree.Offer, seen: Expr | None
    ) -> tree.Choose:
        return tree.Choose(span, decider, manner, offer, seen, Tail(end_of(span)), (), None)

    def choice_statement(
        self,
        span: Span,
        choice: tree.Choose,
        tail: Tail,
        body: tuple[Statement, ...] | None,
        otherwise: tuple[Statement, ...] | None,
    ) -> tree.Choose:
        return replace(choice, span=span, tail=tail, body=body or (), otherwise=otherwise)

    def offer_actions(self, span: Span, *parts: Any) -> tree.OfferActions:
        return tree.OfferActions(span, parts[:-1], parts[-1])

    def offer_values(self, span: Span, *parts: Any) -> tree.OfferValues:
        return tree.OfferValues(span, parts[:-1], parts[-1])

    def offer_subset(self, span: Span, quota: _Quota, domain: Expr, where: Expr | None, name: str) -> tree.OfferSubset:
        low, high, exact = quota
        return tree.OfferSubset(span, low, high, exact, domain, where, name)

    def pick(self, span: Span, name: str, domain: Expr, test: Expr | None) -> tree.Binding:
        return tree.Binding(span, name, domain, None if test is None else tree.Filter(test.span, test, False))

    def exactly(self, span: Span, number: Expr) -> _Quota:
        return None, number, True

    def between(self, span: Span, low: Expr, high: Expr) -> _Quota:
        return low, high, False

    def up_to(self, span: Span, high: Expr) -> _Quota:
        return None, high, False

    def if_statement(
        self, span: Span, test: Expr, tail: Tail, then: tuple[Statement, ...], otherwise: tuple[Statement, ...] | None
    ) -> tree.If:
        return tree.If(span, test, tail, then, otherwise or ())

    def else_if(self, span: Span, statement: tree.If) -> tuple[Statement, ...]:
        return (statement,)

    def for_each(
        self,
        span: Span,
        name: str,
        domain: Expr,
        order: tuple[Expr | None, Expr | None] | None,
        where: Expr | None,
        tail: Tail,
        body: tuple[Statement, ...],
    ) -> tree.ForEach:
        return tree.ForEach(span, name, domain, *(order or (None, None)), where, tail, body)

    def order_of(self, span: Span, key: Expr) -> tuple[Expr | None, Expr | None]:
        return key, None

    def order_from(self, span: Span, start: Expr) -> tuple[Expr | None, Expr | None]:
        return None, start

    def repeat(self, span: Span, tail: Tail, body: tuple[Statement, ...]) -> tree.Repeat:
        return tree.Repeat(span, None, None, tail, body)

    def repeat_times(self, span: Span, times: Expr, tail: Tail, body: tuple[Statement, ...]) -> tree.Repeat:
        return tree.Repeat(span, times, None, tail, body)

    def repeat_until(
        self, span: Span, times: Expr | None, until: Expr, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Repeat:
        return tree.Repeat(span, times, until, tail, body)

    def match(self, span: Span, subject: Expr, tail: Tail, *cases: tree.StatementCase) -> tree.MatchStatement:
        return tree.MatchStatement(span, subject, tail, cases)

    # ------------------------------------------------------------------------------------------------------ changes

    def replace_value(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, value: Expr, more: Tail
    ) -> tree.ReplaceBody:
        return tree.ReplaceBody(span, name, params, value, None, self.joined(tail, more))

    def replace_body(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.ReplaceBody:
        value = _as_value(body)
        if value is None or all(_is_call(line) for line in _all_statements(body)):
            self._check(body)
            return tree.ReplaceBody(span, name, params, value, body, tail)
        tails = (line.tail for line in _all_statements(body) if not isinstance(line, tree.AllAtOnce))
        return tree.ReplaceBody(span, name, params, value, None, self.joined(tail, *tails))

    def quantifier_lines(self, span: Span, quantified: Quantified, block: Value) -> tree.Call:
        return tree.Call(span, self.quantifier(span, quantified, block.expr), block.tail)

    def remove(self, span: Span, *parts: Any) -> tree.Remove:
        return tree.Remove(span, parts[:-1], parts[-1])

    def forbid(self, span: Span, name: str, params: tuple[Param, ...] | None, when: Expr, tail: Tail) -> tree.Forbid:
        return tree.Forbid(span, name, params or (), when, tail)

    def allow(
        self, span: Span, name: str, params: tuple[Param, ...] | None, despite: str, when: Expr | None, tail: Tail
    ) -> tree.Allow:
        return tree.Allow(span, name, params or (), despite, when, tail)

    def before(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Hook:
        self._check(body)
        return tree.Hook(span, True, name, params or (), body, tail)

    def after(
        self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, body: tuple[Statement, ...]
    ) -> tree.Hook:
        self._check(body)
        return tree.Hook(span, False, name, params or (), body, tail)

    def add_items(self, span: Span, *parts: Any) -> tree.AddItems:
        *items, head, tail = parts
        return tree.AddItems(span, tuple(items), head.name, head.params, tail)

    def add_kind(self, span: Span, kind: tree.KindDecl, component: str, tail: Tail) -> tree.AddKind:
        return tree.AddKind(span, kind, component, tail)

    def breaks(self, span: Span, name: str, because: str, tail: Tail) -> tree.Breaks:
        return tree.Breaks(span, name, because[1:-1], tail)

    def drops(self, span: Span, *parts: Any) -> tree.Drops:
        *names, because, tail = parts
        return tree.Drops(span, tuple(names), because[1:-1], tail)

    # ----------------------------------------------------------------------------------------------------- promises

    def myth(self, span: Span, claim: tree.Promise) -> tree.Promise:
        return replace(claim, span=span, myth=True)

    def invariant(
        self, span: Span, name: str, claimed: tuple[When, tuple[str, ...]] | None, tail: Tail, claim: Value
    ) -> tree.Invariant:
        when, procedures = claimed or (When.NODES, ())
        return tree.Invariant(span, name, when, procedures, claim.expr, self.joined(tail, claim.tail), False)

    def claimed_at(self, span: Span, name: str) -> tuple[When, tuple[str, ...]]:
        return When.AT, (name,)

    def claimed_at_end(self, span: Span, name: str) -> tuple[When, tuple[str, ...]]:
        return When.AT_END, (name,)

    def claimed_outside(self, span: Span, *names: str) -> tuple[When, tuple[str, ...]]:
        return When.OUTSIDE, names

    def always(
        self, span: Span, name: str, after: tuple[tree.Head, ...] | None, tail: Tail, claim: Value
    ) -> tree.Always:
        return tree.Always(span, name, after or (), claim.expr, self.joined(tail, claim.tail), False)

    def head(self, span: Span, name: str, params: tuple[Param, ...] | None) -> tree.Head:
        return tree.Head(span, name, params or ())

    def lemma(self, span: Span, name: str, params: tuple[Param, ...] | None, tail: Tail, claim: Value) -> tree.Lemma:
        return tree.Lemma(span, name, params or (), claim.expr, self.joined(tail, claim.tail), False)

    def reachable(self, span: Span, name: str, tail: Tail, claim: Value) -> tree.Reachable:
        return tree.Reachable(span, name, claim.expr, self.joined(tail, claim.tail), False)

    def winnable(self, span: Span, name: str, needed: Expr | None, tail: Tail, claim: Value) -> tree.Winnable:
        return tree.Winnable(span, name, needed, claim.expr, self.joined(tail, claim.tail), False)

    def never_stuck(self, span: Span, tail: Tail) -> tree.NeverStuck:
        return tree.NeverStuck(span, tail, False)

    def ends(self, span: Span, within: Expr, procedure: str, measure: Expr | None, tail: Tail) -> tree.Ends:
        return tree.Ends(span, within, procedure, measure, tail, False)

    def secret(self, span: Span, *parts: Any) -> tree.Secret:
        return tree.Secret(span, parts[:-1], parts[-1], False)

    def odds(self, span: Span, call: Expr, value: Expr, tail: Tail) -> tree.OddsPromise:
        return tree.OddsPromise(span, False, call, value, tail, False)

    def mean(self, span: Span, call: Expr, value: Expr, tail: Tail) -> tree.OddsPromise:
        return tree.OddsPromise(span, True, call, value, tail, False)

    def symmetry(self, span: Span, name: str, tail: Tail, *renamings: tree.Renaming) -> tree.Symmetry:
        return tree.Symmetry(span, name, renamings, tail, False)

    def example(self, span: Span, name: str, tail: Tail, *parts: tree.ExampleLine | Tail | None) -> tree.Example:
        lines = tuple(part for part in parts if part is not None and not isinstance(part, Tail))
        tails = (part for part in parts if isinstance(part, Tail))
        return tree.Example(span, name, lines, self.joined(tail, *tails), False)

    def at(self, span: Span, ordinal: str | None, call: Expr) -> tree.At:
        return tree.At(span, 1 if ordinal is None else self.number(span, ordinal[:-2]).value, call)

    def when(
        self, span: Span, step: tree.Step, rolling: tuple[Expr, ...] | None, choosing: tuple[Expr, ...] | None
    ) -> tree.Step:
        return replace(step, span=span, rolling=rolling or (), choosing=choosing or ())

    def step_call(self, span: Span, call: Expr) -> tree.Step:
        return tree.Step(span, None, None, None, None, False, call, (), ())

    def step_does(self, span: Span, player: Expr, item: tree.MenuItem) -> tree.Step:
        return tree.Step(span, player, item, None, None, False, None, (), ())

    def step_chooses(self, span: Span, player: Expr, *values: Expr) -> tree.Step:
        return tree.Step(span, player, None, values, None, False, None, (), ())

    def step_shares(self, span: Span, player: Expr, *portions: tuple[Expr, Expr]) -> tree.Step:
        return tree.Step(span, player, None, None, portions, False, None, (), ())

    def step_passes(self, span: Span, player: Expr) -> tree.Step:
        return tree.Step(span, player, None, None, None, True, None, (), ())

    def then(self, span: Span, *parts: Any) -> tree.Then:
        return tree.Then(span, parts[:-1], parts[-1])

    # --------------------------------------------------------------------------- what only looks like a statement

    def _check(self, body: tuple[Statement, ...]) -> None:
        for statement in _all_statements(body):
            if not isinstance(statement, tree.Call) or _is_call(statement):
                continue
            call = statement.call
            hint = None
            if isinstance(call, tree.Binary) and call.op is Operator.EQUAL:
                hint = "`=` compares; to change a state write `:=`"
            elif re.search(r"<\s*-", call.span.text):
                hint = "to change a state write `:=`"
            elif re.match(r"winners?\b", call.span.text):
                hint = "say `win for p`"
            elif isinstance(call, tree.Binary | tree.Is):
                hint = "what must hold for a choice is said by `needs P`; what is done only if P, by `if P`"
            message = "this line does nothing: an expression is no statement"
            self.report.add(Code.NO_STATEMENT, call.span, message, hint=hint)


def _is_call(statement: Statement) -> bool:
    if not isinstance(statement, tree.Call):
        return True
    call = statement.call
    return isinstance(call.function if isinstance(call, tree.Apply) else call, tree.Name)


def _all_statements(body: tuple[Statement, ...]) -> list[Statement]:
    found: list[Statement] = list(body)
    for statement in found:  # grows as it is read
        match statement:
            case tree.If():
                found += statement.then + statement.otherwise
            case tree.MatchStatement():
                found += [line for case in statement.cases for line in case.body]
            case tree.Choose():
                found += statement.body + (statement.otherwise or ())
            case tree.ForEach() | tree.Repeat() | tree.AllAtOnce():
                found += statement.body
            case tree.AnyOrder():
                found += statement.lines
            case (
                tree.Needs() | tree.Call() | tree.Assign() | tree.Let() | tree.Move() | tree.MoveSome()
                | tree.Draw() | tree.Shuffle() | tree.Roll() | tree.Again() | tree.Gives() | tree.Stop()
                | tree.Say() | tree.Show() | tree.Nothing() | tree.Win() | tree.Lose() | tree.NobodyWins()
                | tree.DropOut() | tree.Score() | tree.Share()
            ):  # fmt: skip
                pass
            case _:
                assert_never(statement)
    return found


def _as_value(body: tuple[Statement, ...]) -> Expr | None:
    """A block of statements read as the value lines of a define, if it can be."""
    lets = [line for line in body if isinstance(line, tree.Let)]
    rest = body[len(lets) :]
    if not rest or len(body) > MAX_VALUE_LINES or any(isinstance(line, tree.Let) for line in rest):
        return None
    value: Expr | None = None
    for line in rest:
        read = _line_as_value(line)
        if read is None:
            return None
        value = read if value is None else both(value, read)
    for let in reversed(lets):
        assert value is not None
        value = tree.LetIn(let.span.to(value.span), let.name, let.value, value)
    return value


def _line_as_value(line: Statement) -> Expr | None:
    if isinstance(line, tree.Call):
        return line.call
    if not isinstance(line, tree.MatchStatement):
        return None
    cases = []
    for case in line.cases:
        value = _as_value(case.body)
        if value is None:
            return None
        cases.append(tree.Case(case.span, case.patterns, value))
    return tree.Match(line.span, line.subject, tuple(cases))
