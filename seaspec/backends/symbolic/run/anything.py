"""What has no encoding here, or is left out of a proof: anything may be so, and all ways are followed.

A proof that needs to know more fails; one that does not is as good as any other.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import assert_never

from seaspec.backends.symbolic.errors import Unsupported
from seaspec.backends.symbolic.logic.formulas import forall
from seaspec.backends.symbolic.logic.terms import Function, Sort, Term, bound, flag, or_
from seaspec.backends.symbolic.run.firsts import first_values
from seaspec.backends.symbolic.run.moving import NOTHING, Moved, forgetful, moved_by, somewhere_else
from seaspec.backends.symbolic.run.runs import Run
from seaspec.backends.symbolic.values.places import anywhere
from seaspec.backends.symbolic.values.position import Entries, Family, Mapped
from seaspec.backends.symbolic.values.sets import NONE, Value, choose
from seaspec.backends.symbolic.values.world import World, bounds, is_in
from seaspec.core import flow, ir, types
from seaspec.core.ir import Variable


def any_value(run: Run, variable: Variable) -> Value | None:
    """Any value that a variable may have; None if such values can not be said."""
    try:
        return run.world.free(variable.name, variable.type, run.told)
    except Unsupported:
        return None


def set_to_anything(run: Run, variable: Variable) -> None:
    """A variable of the frame has some value. Where much is left out it has none that can be read, so that ways that
    differ only in what is left out are one; but where each procedure is looked at for itself, ways are few."""
    is_left_out = run.world.sight is not None and run.world.apart is None
    value = None if is_left_out else any_value(run, variable)
    if value is None:
        run.position = run.position.without_frame((variable,))
    else:
        run.position = run.position.with_frame({variable: value})


def change_somehow(run: Run, step: flow.Step) -> None:
    """A step of which it is not known what it does."""
    run.exact = False
    match step:
        case flow.Set(variable) | flow.Take(variable):
            set_to_anything(run, variable)
        case flow.Pop(variable, rest):
            value = any_value(run, variable)
            run.position = run.position.without_frame((variable, rest))
            if value is not None:
                run.position = run.position.with_frame({variable: value})
        case ir.Assign(state):
            try:
                _assign_somehow(run, step)
            except Unsupported:
                _any_state(run, state)
        case flow.Reset(states):
            for state in states:
                _any_state(run, state)
        case ir.Move() | ir.MoveSome():
            _any_places(run, step)
        case ir.DropOut():
            out = tuple(or_(was, flag(run.world.name("out"))) for was in run.position.out)
            run.position = replace(run.position, out=out)
        case (
            flow.Begin() | flow.Finish() | flow.Judge() | flow.Require() | flow.Veil() | ir.Shuffle() | ir.Say()
            | ir.Show()
        ):  # fmt: skip
            pass
        case _:
            assert_never(step)


def _assign_somehow(run: Run, step: ir.Assign) -> None:
    """Some value is given, or some instances of a state perhaps get what is given."""
    family, world = run.position.states[step.state], run.world
    reader = run.reader()
    try:
        args: tuple[Term, ...] | None = reader.indices(step.indices)
    except Unsupported:
        args = None
    if args is not None:
        found = world.free(f"any.{step.state}", world.game.states[step.state].type, run.told)
        run.position = run.position.with_state(step.state, family.write(args, found))
        return
    given = reader.value(step.value)
    perhaps = Function(world.name(f"perhaps.{step.state}"), len(step.indices), Sort.BOOL)
    changed = family.change(lambda at, old: choose(perhaps(*at), given, old))
    run.position = run.position.with_state(step.state, changed)


def _any_state(run: Run, state: str) -> None:
    if run.world.keeps_state(state):
        run.position = run.position.with_state(state, free_family(run.world, f"any.{state}", state, run.told))


def _any_places(run: Run, step: ir.Move | ir.MoveSome) -> None:
    """What a step moves lies anywhere; if it is one piece that is known, that one alone."""
    world = run.world
    moved = moved_by(world.game, step)
    if not world.keeps_places or moved is None:
        return
    any_of, named = moved, list[tuple[Term, Moved]]()
    if isinstance(step, ir.Move) and step.cargo is not None and isinstance(step.cargo.type, types.Pieces):
        with suppress(Unsupported):
            any_of, named = NOTHING, [(run.reader().number(step.cargo), moved)]
    found = somewhere_else(run.position.places, anywhere(world, "any", run.told), any_of, named)
    run.position = replace(run.position, places=found)
    forget_somehow(run, moved)


def forget_somehow(run: Run, moved: Moved | None) -> None:
    """Some of these pieces move, and it is not known which: of any of them something may be forgotten."""
    for name in forgetful(run.world.game, moved):
        if run.world.keeps_state(name):
            run.position = run.position.with_state(name, _perhaps_forgotten(run, name))


def _perhaps_forgotten(run: Run, name: str) -> Family:
    """Any instance of a state has its first value again, or keeps the one that it has."""
    try:
        first = first_values(run.world, name)
    except Unsupported:
        return free_family(run.world, f"any.{name}", name, run.told)
    perhaps = Function(run.world.name(f"forgotten.{name}"), 1, Sort.BOOL)
    return run.position.states[name].change(lambda at, old: choose(perhaps(at[0]), first.read(at), old))


def free_family(world: World, word: str, name: str, told: list[Term]) -> Family:
    """A state with any values."""
    rules = world.game.states[name]
    instances = world.states[name]
    ty = rules.type
    try:
        if not world.keeps_state(name):
            raise Unsupported(f"{name}, which is left out")
        if world.wide(len(instances.keys)) and not isinstance(ty, types.SetOf | types.Map):
            return _free_function(world, word, name, told)
        values: dict[tuple[int, ...], Value] = {}
        for key in instances.keys:
            values[key] = world.free(f"{word}.{'.'.join(map(str, key))}" if key else word, ty, told)
        return Entries(values)
    except Unsupported as found:
        what = found.what

        def unread(args: tuple[Term, ...]) -> Value:
            raise Unsupported(what, rules.source)

        return Mapped(unread)


def _free_function(world: World, word: str, name: str, told: list[Term]) -> Family:
    instances, ty = world.states[name], world.game.states[name].type
    inner = ty.of if isinstance(ty, types.Optional) else ty
    if isinstance(ty, types.Bool):
        holds = Function(world.name(word), len(instances.index), Sort.BOOL)
        return Mapped(lambda args: holds(*args))
    low, high = bounds(inner)
    function = Function(world.name(word), len(instances.index), Sort.INT, NONE.value if inner is not ty else low, high)
    columns = range(len(instances.index))
    ends = [[key[column] for key in instances.keys] for column in columns]
    names = [bound(min(column), max(column)) for column in ends]
    value = function(*names)
    told.append(forall(names, is_in(value, ty)))
    return Mapped(lambda args: function(*args))
