"""In which order the members of a set are gone through: the proofs say what the interpreter does, for every way to make
a set; or they say that they do not know. Read at a position of which nothing is known, then compared with positions of
plays. Native code goes through them as the interpreter does."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import native_agreement
import pytest
from small_games import game_of
from symbolic_agreement import Comparison

from seaspec.backends.interpreter.state import State
from seaspec.backends.native.machine import Machine
from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import substitute
from seaspec.backends.symbolic.logic.terms import YES, Term, and_
from seaspec.backends.symbolic.read.expressions import Reader
from seaspec.backends.symbolic.values.sets import ascending
from seaspec.core import ir, types
from seaspec.core.ops import Op
from seaspec.core.walk import walk
from seaspec.game import Game

SETS = {
    "in_line": "ray(here, dir)",
    "short_ray": "ray(here, dir, low)",
    "stored": "kept",
    "range_of": "low..high",
    "literal": "{here, there}",
    "numbers": "{high, low, 2}",
    "union": "ray(here, w) + ray(there, dir)",
    "union_left": "{} + ray(here, w)",
    "union_right": "ray(here, w) + {}",
    "union_kept": "kept + ray(here, w)",
    "union_perhaps": "(if flag then ray(here, w) else {}) + {}",
    "difference": "ray(here, w) - kept",
    "difference_kept": "kept - {here}",
    "first_ones": "{c in ray(here, w) while c is not there}",
    "select": "{c in ray(here, w) where c in kept}",
    "select_kept": "{c in kept where c is not here}",
    "nearest": "{c in ray(here, w) with least distance(c, there)}",
    "most_kept": "{c in kept with most distance(c, there)}",
    "collect": "{c.column for c in ray(here, w)}",
    "collect_numbers": "{(5 - n) mod 3 for n in low..high}",
    "one_or_other": "if flag then ray(here, w) else ray(there, e)",
    "ordered_or_not": "if flag then ray(here, w) else {there, here}",
    "not_or_ordered": "if flag then {there, here} else ray(here, w)",
    "ordered_or_empty": "if flag then ray(here, w) else {}",
    "cases": "match dir\n    n: ray(here, w)\n    e, s, w: ray(there, w)",
    "cases_kept": "match dir\n    n: ray(here, w)\n    e, s, w: kept",
    "given": "same(ray(here, w))",
    "given_back": "in_order(w)",
    "reached": "reach from {here} by a to b where b in beside(a) and b in kept",
    "lying": "heap",
    "in_row": "line",
    "in_pile": "deck",
    "best_in_row": "{c in line with most c.rank}",
    "row_sorted": "line + {}",
    "one_of_rows": "if flag then line else heap",
    "row_or_slot": "if flag then line else slot",
    "sorted_or_slot": "line + slot",
    "anywhere": "afloat",
    "without_one": "heap - slot",
    "others": "{p in Player where p is not first_one}",
}
GAME = """
game Orders "Sets in all orders"
const players = 3
type Dir = ring of n, e, s, w
board M: grid 3 by 2 towards Dir
component Card(rank: 1..2)
  Card times 2 each
place heap set of Card open
place line row of Card open
place deck pile of Card open
place slot at most 1 Card open
place afloat[cell: M] set of Card open
state here: M = C1
state there: M = A2
state dir: Dir = w
state low: 0..4 = 1
state high: 0..4 = 3
state flag: yes or no = no
state first_one: Player = seat(1)
state kept: set of M = {}
define same(among: set of M) = among
define in_order(d: Dir) = {c in ray(here, d) where c is not there}
action look(p: Player, a: M, b: M) "look"
  here := a
  there := b
action turn_it(p: Player, d: Dir, i: 0..4, j: 0..4) "turn"
  dir := d
  low := i
  high := j
  flag := not flag
  first_one := next(first_one)
action keep(p: Player) "keep"
  p chooses any of M as cells
  kept := cells
action lay(p: Player, c: Card) "lay": move c to line
action heap_up(p: Player, c: Card) "heap": move c to heap
action pile_up(p: Player, c: Card) "pile": move c to deck
action sail(p: Player, c: Card, m: M) "sail": move c to afloat[m]
action fill(p: Player, c: Card) "fill"
  needs free: slot is empty
  move c to slot
to play
  repeat 40 times
    seat(1) chooses look or turn_it or keep or lay or heap_up or pile_up or sail or fill
"""


@cache
def orders() -> Game:
    defines = (f"define {n}\n  {t}\n" if "\n" in t else f"define {n} = {t}\n" for n, t in SETS.items())
    return game_of(GAME + "".join(defines))


@cache
def comparison(counted: bool) -> Comparison:
    return Comparison(orders(), counted=counted)


def positions(found: Comparison) -> list[State]:
    random, machine = Random(7), found.machine
    return [state for _ in range(4) for state in [*machine.play_out(machine.begin(), random)][::6]]


def gone_through(found: Comparison, name: str, state: State) -> list[Any] | None:
    """In which order a set is gone through in proofs, at a position; None if it is not known."""
    path = next(path for path in found.paths.paths if path.source is not None)
    reader = Reader(found.world, path.start)
    function = found.machine.game.functions[name]
    try:
        items = ascending(reader.set(function.body))
    except Unsupported:
        return None
    known = found.bindings(path.start, state)
    members: list[Any] = []
    for there, value in items:
        assert isinstance(value, Term)
        is_there, member = substitute(and_(there), known), substitute(value, known)
        assert is_there.is_const, "not settled by the position"
        if is_there is YES:
            assert member.is_const
            members.append(member.value)
    return members


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("name", SETS)
def test_sets_are_gone_through_as_in_a_play(name: str, counted: bool) -> None:
    found = comparison(counted)
    function = found.machine.game.functions[name]
    for state in positions(found):
        members = gone_through(found, name, state)
        if members is None:
            assert name in UNKNOWN
            return
        expected = found.machine.effects.value(found.machine.look(state), function.body)
        assert members == [int(one) for one in expected], name


UNKNOWN = {"in_row", "best_in_row", "one_of_rows", "row_or_slot"}
"""The order of a row is not known in proofs, nor of what is taken out of one."""


def test_every_way_to_make_a_set_is_compared() -> None:
    functions = orders().rules.functions
    nodes = [node for name in SETS if name in functions for node in walk(functions[name].body)]
    made = [node for node in nodes if isinstance(getattr(node, "type", None), types.SetOf)]
    assert {node.op for node in made if isinstance(node, ir.Apply)} >= {
        Op.SET, Op.UNION, Op.DIFFERENCE, Op.RANGE, Op.PREFIX,
    }  # fmt: skip
    assert {type(node) for node in made} >= {
        ir.Const, ir.StateRead, ir.PlaceRead, ir.Everywhere, ir.Lookup, ir.Apply, ir.Call, ir.If, ir.Switch,
        ir.Select, ir.Collect, ir.Reach,
    }  # fmt: skip


FIRST = {
    "stored": "first c in kept otherwise D1",
    "given": "nearest(ray(D1, w))",
    "one_or_other": "first c in (if up then ray(D1, w) else {B1, C1}) otherwise D1",
    "one_or_none": "first c in (if up then ray(D1, w) else {}) otherwise D1",
    "union": "first c in ({} + ray(D1, w)) otherwise D1",
    "union_kept": "first c in (ray(D1, w) + kept) otherwise D1",
    "difference": "first c in (ray(D1, w) - kept) otherwise D1",
    "best": "first c in {x in ray(D1, w) with least 1} otherwise D1",
}
KEPT = """
game Kept "Order is lost where a set is kept"
const players = 1
type Dir = ring of n, e, s, w
board M: grid 4 by 1 towards Dir
state kept: set of M = {{}}
state up: yes or no = no
define nearest(among: set of M): M = first c in among otherwise D1
action store(p: Player) "store": kept := ray(D1, w)
action drop(p: Player, c: M) "drop": kept := kept - {{c}}
action take(p: Player) "take"
  up := not up
{takes}
to play
  repeat 20 times
    seat(1) chooses store or take or drop
{states}
"""


def test_native_code_goes_through_them_in_the_same_order() -> None:
    takes = "\n".join(f"  {name} := {text}" for name, text in FIRST.items())
    game = game_of(KEPT.format(takes=takes, states="\n".join(f"state {name}: M = D1" for name in FIRST)))
    assert native_agreement.Comparison(game, Machine(game.flow)).plies(200, seed=1).plies == 200
