"""The lowered graph: its invariants on small games, and what can not be lowered."""

from __future__ import annotations

import pytest
from small_games import FRAME, TINY, flow_game, game_of

from seaspec.analysis.control import loop_heads, onward_within
from seaspec.core import flow
from seaspec.core.show_game import show_flow, show_game
from seaspec.core.verify import problems
from seaspec.core.walk import children, closure, free_variables, rewrite, walk
from seaspec.game import Game
from seaspec.passes.lower import LowerError
from seaspec.passes.mark_live import reads_of

EVERYTHING = """
for each p in Player in order from seat(1)
  let n = size of hand[p]
  p may repeatedly take until size of hand[p] = 2
  p in any order
    count_up := n
    if n = 0: light := next(light)
  repeat at most 3 times until count_up = 9: count_up += 1
  draw up to 2 from stock to hand[p] as x
  roll 2 d6 as total
  if total > 7: stop outer
  all at once each q in Player
    q privately chooses any of hand[q] as them
    move them to heap
outer
"""
THINGS = "to outer\n  bump(seat(1))\n  stop outer\nwhenever full: count_up = 9\n  count_up := 0\n"


STOP = "to outer\n  inner(2)\n  count_up := 1\nto inner(n: 0..9)\n  if n = 2: stop outer\n"
GAMES = [
    game_of(TINY),
    flow_game(EVERYTHING.replace("stop outer", "nothing"), THINGS),
    flow_game("outer", STOP),
]


@pytest.mark.parametrize("game", GAMES, ids=["tiny", "everything", "stop"])
def test_the_invariants_of_the_graph(game: Game) -> None:
    graph = game.flow
    frame = set(graph.frame)
    assert graph.blocks[graph.start].live == ()
    for number, block in enumerate(graph.blocks):
        assert all(0 <= target < len(graph.blocks) for target in flow.targets(block.exit)), number
        assert set(block.live) <= frame
        if flow.is_node(block.exit):
            assert block.steps == (), f"{number} is a node with steps"
        for node in (*block.steps, block.exit):
            assert set(reads_of(graph, node)) <= frame
    assert isinstance(graph.blocks[0].exit, flow.Outside)
    for routine in graph.routines.values():
        assert routine.returns[0] == 0


@pytest.mark.parametrize("game", GAMES, ids=["tiny", "everything", "stop"])
def test_cores_are_valid_and_can_be_printed(game: Game) -> None:
    assert problems(game.rules) == []
    core = show_game(game.rules)
    assert core.startswith("game ") and "procedure to play" in core
    graph = show_flow(game.flow)
    assert (graph.count("\n\n") == 1 and "decision of" in graph) or "over" in graph


def test_a_procedure_that_runs_inside_itself_can_not_be_lowered() -> None:
    from seaspec.core import ir

    rules = game_of(TINY).rules
    turn = rules.procedures["turn"]
    again = ir.Do("turn", (ir.Local(turn.params[0]),), turn.source)
    rules.procedures["turn"] = ir.Procedure("turn", turn.params, (), (*turn.body, again), (), (), False, turn.source)
    with pytest.raises(LowerError, match="a procedure runs inside itself: turn -> turn"):
        assert Game(rules).flow


@pytest.mark.parametrize("name", ["start", "settling"])
def test_names_that_the_flow_itself_uses_are_free(name: str) -> None:
    """What runs all, and what tests the `whenever` rules, are kept apart from procedures of the rules."""
    game = game_of(
        'game Names "Names"\nconst players = 2\nstate s: 0..9 = 0\n'
        f"action take(p: Player, n: 1..9): s := n\naction {name}(p: Player)\n  p chooses take\n"
        f"whenever full: s = 9\n  nobody wins\nto play: seat(2) chooses {name}\n"
    )
    play = game.start(seed=1)
    play.do(name)
    assert play.asked == "Ben" and len(play.choices) == 9
    play.do("take(9)")
    assert play.result is not None


def test_the_settling_may_not_ask() -> None:
    from seaspec.core import ir

    rules = game_of(TINY).rules
    turn = rules.procedures["turn"]
    rule = rules.whenevers[0]
    object.__setattr__(rule, "body", (*rule.body, ir.Do("turn", (ir.Const(turn.params[0].type, 0),), rule.source)))
    with pytest.raises(LowerError, match="may not ask, draw or throw"):
        assert Game(rules).flow


def test_a_missing_name_is_found() -> None:
    rules = game_of(TINY).rules
    del rules.functions["rises"]
    assert any("rises is not there" in problem for problem in problems(rules))


def test_walking_and_rewriting() -> None:
    rules = game_of(TINY).rules
    body = rules.functions["rises"].body
    assert {variable.name for variable in free_variables(body)} == {"v", "c"}
    assert rewrite(body, lambda node: node) is body
    assert len(list(walk(body))) == 1 + sum(len(list(walk(child))) for child in children(body))


def test_the_frame_text_is_a_game() -> None:
    assert game_of(FRAME.format(players=2) + "to play: nothing\n").players == ("Ann", "Ben")


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_each_way_round_passes_the_head_of_a_loop(number: int) -> None:
    """Within a procedure; and each head is on such a way."""
    graph = GAMES[number].flow
    heads = loop_heads(graph)

    def comes_back(block: int, past: frozenset[int]) -> bool:
        seen, waiting = set(), list(onward_within(graph, block))
        while waiting:
            here = waiting.pop()
            if here == block:
                return True
            if here not in seen and here not in past:
                seen.add(here)
                waiting += onward_within(graph, here)
        return False

    entered = {graph.start, *(routine.entry for routine in graph.routines.values())}
    reached = {block for entry in entered for block in closure([entry], lambda block: onward_within(graph, block))}
    assert heads <= reached and all(comes_back(head, frozenset()) for head in heads)
    assert not any(comes_back(block, heads) for block in reached - heads)
