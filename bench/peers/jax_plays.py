"""Random plays in batches by Pgx or Ludax, with JAX on the processor: the best batch, as JSON.

python jax_plays.py pgx|ludax GAME SECONDS BATCH,BATCH,..

Each batch size gets a share of the seconds, and the quickest one is measured. A play that ends begins anew at once; the
clock runs when as many plays have ended as there are in a batch, so that they are no longer in step.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

warnings.filterwarnings("ignore")
os.environ["JAX_PLATFORMS"] = "cpu"
jax = importlib.import_module("jax")
jnp = importlib.import_module("jax.numpy")

PLIES_OF_A_CALL = 32_768
Step = Callable[[Any, Any, Any], tuple[Any, Any]]
"""From states, actions and a key to the states after them, and which plays have ended."""


def pgx_game(name: str, batch: int) -> tuple[Callable[[Any], Any], Step]:
    """What makes the first states of a batch, and what steps all of them."""
    env = importlib.import_module("pgx").make(name)
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    step = jax.vmap(auto_reset(env.step, env.init))

    def stepped(states: Any, actions: Any, key: Any) -> tuple[Any, Any]:
        after = step(states, actions, jax.random.split(key, batch))
        return after, after.terminated

    return jax.vmap(env.init), stepped


def ludax_game(name: str, batch: int) -> tuple[Callable[[Any], Any], Step]:
    """The same of Ludax, which does not begin anew of itself."""
    games = importlib.import_module("ludax.games")
    env = importlib.import_module("ludax").LudaxEnvironment(game_str=getattr(games, name))
    init, step = jax.vmap(env.init), jax.vmap(env.step)

    def stepped(states: Any, actions: Any, key: Any) -> tuple[Any, Any]:
        after = step(states, actions.astype(jnp.int16))
        ends = after.terminated | after.truncated

        def chosen(new: Any, old: Any) -> Any:
            return jnp.where(ends.reshape((batch,) + (1,) * (old.ndim - 1)), new, old)

        return jax.tree.map(chosen, init(jax.random.split(key, batch)), after), ends

    return init, stepped


class Batch:
    """Plays of a batch, side by side."""

    def __init__(self, library: str, name: str, size: int) -> None:
        init, step = {"pgx": pgx_game, "ludax": ludax_game}[library](name, size)
        length = max(8, PLIES_OF_A_CALL // size)
        self.size, self.plies_of_a_call = size, size * length

        def one(carry: Any, _: Any) -> Any:
            states, key, plays = carry
            key, choice, luck = jax.random.split(key, 3)
            logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
            states, ends = step(states, jax.random.categorical(choice, logits, axis=-1), luck)
            return (states, key, plays + ends.sum()), None

        self.call = jax.jit(lambda states, key: jax.lax.scan(one, (states, key, jnp.int32(0)), None, length=length)[0])
        self.states = jax.jit(init)(jax.random.split(jax.random.PRNGKey(0), size))
        self.key = jax.random.PRNGKey(1)
        self.run(0)  # compiles it

    def run(self, seconds: float, least_plays: int = 0) -> dict[str, float]:
        """Play on for so many seconds at least, and until so many plays have ended."""
        plays = plies = 0
        began = time.process_time()
        while not plies or time.process_time() - began < seconds or plays < least_plays:
            self.states, self.key, ended = jax.block_until_ready(self.call(self.states, self.key))
            plays += int(ended)
            plies += self.plies_of_a_call
        return {"seconds": time.process_time() - began, "plays": plays, "plies": plies, "batch": self.size}


def main() -> None:
    library, name, seconds, sizes = sys.argv[1:]
    batches = [Batch(library, name, int(size)) for size in sizes.split(",")]
    speeds: dict[int, float] = {}
    for batch in batches if len(batches) > 1 else []:
        tried = batch.run(float(seconds) / 4)
        speeds[batch.size] = tried["plies"] / tried["seconds"]
    best = max(batches, key=lambda batch: speeds.get(batch.size, 0.0))
    best.run(0, least_plays=best.size)
    print(json.dumps(best.run(float(seconds))))


if __name__ == "__main__":
    main()
