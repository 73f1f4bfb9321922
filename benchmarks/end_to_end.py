"""Speed from the bare rules to training, for this library and two others: `python -m benchmarks.end_to_end`.

Random self-play of two players in four stages, per second of processor time: *bare*, the library's fastest play-outs;
*masks*, masks of the legal actions come to NumPy, and random actions from there; *observations*, observations come as
well; *training*, the loop of PPO (training/ppo_single.py) chooses actions with the same small network and learns. pgx
(`pip install pgx`) plays backgammon, PettingZoo connect four; what is not installed is left out. `--learning` adds
self-play and learning by value (training/value.py), which only this library has. Decisions of the games differ in
number and size: compare the stages within a row, and rows with care.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.batch import sample

Observations = NDArray[np.float32]
Masks = NDArray[np.bool_]


class Games(Protocol):
    """Some games of a library, which restart when they end.

    Args:
        number: of the games.

    Attributes:
        number, features, actions: of the games, of the numbers in an observation, of the actions.
    """

    def __init__(self, number: int) -> None: ...

    number: int
    features: int
    actions: int

    def bare(self, steps: int) -> None:
        """Play random decisions in every game, as fast as the library can."""

    def masks(self) -> Masks:
        """The legal actions, (number, actions)."""

    def observe(self) -> Observations:
        """What the players to move see, (number, features)."""

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in every game: rewards of the players that acted, ends, both (number,)."""


# ---------------------------------------------------------------- the libraries
class Ours:
    """Carnegie with two players."""

    def __init__(self, number: int) -> None:
        from carnegie_env import collection
        from carnegie_env.core import kernels

        game = collection.find(collection.DEFAULT)
        self.number = number
        self._batch = game.batch_class(number, num_players=2, num_threads=1, autoreset=True)
        self._batch.reset(0)
        self.features, self.actions = self._batch.observation_layout.size, self._batch.num_actions
        self._masks, self._seen = self._batch.action_masks(), self._batch.observe()
        self._seeds, self._run = np.arange(number, dtype=np.uint64), kernels.run

    def bare(self, steps: int) -> None:
        self._run(self._batch._games, self._batch._template, self._seeds, steps)
        self._batch.reset(0)

    def masks(self) -> Masks:
        self._batch.action_masks(self._masks)
        return self._masks.astype(bool)

    def observe(self) -> Observations:
        self._batch.observe(self._seen)
        return self._seen.astype(np.float32)

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        movers = self._batch.to_play.copy()
        self._batch.step(actions)
        scores = self._batch.last_scores  # 0 in games that go on
        won = np.sign(2 * scores[np.arange(self.number), movers] - scores.sum(axis=1))
        return won.astype(np.float32), self._batch.last_done.copy()


class Pgx:
    """pgx's backgammon, compiled by JAX for this processor."""

    def __init__(self, number: int) -> None:
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
        import jax
        import pgx
        from pgx.experimental import auto_reset

        env = pgx.make("backgammon")
        self.number, self.actions = number, int(env.num_actions)
        self.features = int(np.prod(env.observation_shape))
        self._jax, self._key = jax, jax.random.PRNGKey(0)
        init, step = jax.jit(jax.vmap(env.init)), jax.vmap(auto_reset(env.step, env.init))
        self._state = init(self._keys())
        self._step = jax.jit(lambda state, action, keys: step(state, action, keys))

        def random_steps(state: Any, keys: Any) -> Any:
            def body(state: Any, key: Any) -> Any:
                logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
                action = jax.random.categorical(key, logits, axis=1)
                return step(state, action, jax.random.split(key, number)), None

            return jax.lax.scan(body, state, keys)[0]

        self._random_steps = jax.jit(random_steps)

    def _keys(self) -> Any:
        self._key, one = self._jax.random.split(self._key)
        return self._jax.random.split(one, self.number)

    def bare(self, steps: int) -> None:
        self._key, one = self._jax.random.split(self._key)
        played = self._random_steps(self._state, self._jax.random.split(one, steps))
        self._jax.block_until_ready(played.current_player)

    def masks(self) -> Masks:
        return np.array(self._state.legal_action_mask)

    def observe(self) -> Observations:
        return np.asarray(self._state.observation, np.float32).reshape(self.number, -1)

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        before = np.asarray(self._state.current_player)
        self._state = self._step(self._state, actions, self._keys())
        rewards = np.asarray(self._state.rewards, np.float32)
        return rewards[np.arange(self.number), before], np.asarray(self._state.terminated)


class PettingZoo:
    """PettingZoo's connect four: one environment for each game, stepped from Python."""

    def __init__(self, number: int) -> None:
        from pettingzoo.classic import connect_four_v3

        self.number, self._envs = number, list[Any](connect_four_v3.raw_env() for _ in range(number))
        for env in self._envs:
            env.reset()
        self._last: list[Any] = [env.last() for env in self._envs]
        self.actions, self.features = 7, int(self._last[0][0]["observation"].size)
        self._generator = np.random.default_rng(0)

    def bare(self, steps: int) -> None:
        for _ in range(steps):
            legal = [np.flatnonzero(each[0]["action_mask"]) for each in self._last]
            self.step(np.array([self._generator.choice(each) for each in legal]))

    def masks(self) -> Masks:
        return np.array([each[0]["action_mask"] for each in self._last], np.bool_)

    def observe(self) -> Observations:
        return np.array([each[0]["observation"].ravel() for each in self._last], np.float32)

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        rewards, ended = np.zeros(self.number, np.float32), np.zeros(self.number, bool)
        for k, (env, action) in enumerate(zip(self._envs, actions, strict=True)):
            mover = env.agent_selection
            env.step(int(action))
            rewards[k], ended[k] = env.rewards[mover], any(env.terminations.values())
            if ended[k]:
                env.reset()
            self._last[k] = env.last()
        return rewards, ended


# name, package, games, games at once: many where that is faster, few where each has a Python object
LIBRARIES: tuple[tuple[str, str, Callable[[int], Games], int], ...] = (
    ("carnegie_env, Carnegie", "carnegie_env", Ours, 1024),
    ("pgx, backgammon", "pgx", Pgx, 1024),
    ("PettingZoo, connect four", "pettingzoo", PettingZoo, 64),
)


# ---------------------------------------------------------------- the stages
def stages(games: Games, seconds: float) -> Iterator[float]:
    """Decisions a second in each stage, training only with torch; the time to sample actions does not count."""
    generator = np.random.default_rng(0)

    def outside(observed: bool) -> float:
        spent = 0.0
        masks = games.masks()
        for _ in range(20):
            actions = sample(masks.view(np.int8), generator)
            start = time.process_time()
            games.step(actions)
            masks = games.masks()
            if observed:
                games.observe()
            spent += time.process_time() - start
        return spent

    yield _rate(games, lambda: _timed(lambda: games.bare(200)), 200, seconds)  # whole games
    yield _rate(games, lambda: outside(False), 20, seconds)
    yield _rate(games, lambda: outside(True), 20, seconds)
    if importlib.util.find_spec("torch") is not None:
        yield training_rate(games, seconds)


def _timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _rate(games: Games, spent: Callable[[], float], steps: int, seconds: float) -> float:
    """Decisions a second in the fastest of the repetitions that fit into some seconds, after one to warm up."""
    spent()
    started, best = time.monotonic(), float("inf")
    while best == float("inf") or time.monotonic() - started < seconds:
        best = min(best, spent())
    return games.number * steps / best


def training_rate(games: Games, seconds: float) -> float:
    """Decisions a second of PPO in 64 of the games: choosing, playing and learning."""
    import torch

    from training import ppo_single
    from training.single import Net

    torch.set_num_threads(1)
    few = type(games)(64)

    class Run:
        interface = {"features": few.features, "actions": few.actions}
        net = Net(few.features, few.actions, 256)
        optimizer = torch.optim.Adam(net.parameters(), 1e-4)

        def masks(self) -> Masks:
            return few.masks()

        def step(self, actions: NDArray[np.int64]) -> tuple[Observations, NDArray[np.float32], NDArray[np.bool_]]:
            rewards, ended = few.step(actions)
            return few.observe(), rewards, ended

    run: Any = Run()
    observed = torch.from_numpy(few.observe())
    return _rate(few, lambda: _timed(lambda: ppo_single.update(run, observed)), ppo_single.STEPS, seconds)


def value_rate(seconds: float) -> float:
    """Decisions a second of value learning in one thread: playing with the network and learning."""
    from carnegie_env import collection
    from training.value_players import Threads
    from training.value_settings import Settings
    from training.value_trainer import Trainer

    game = collection.find(collection.DEFAULT)
    options = game.options.from_dict({"num_players": 2})
    trainer = Trainer(game, [options], Settings(round_games=32), 0, lambda course: Threads(course, 1))
    trainer.compile()
    trainer.round(0.0)
    decisions, started, before = 0.0, time.monotonic(), time.process_time()
    while time.monotonic() - started < seconds:
        decisions += 32 * trainer.round(0.0)["decisions_per_game"]
    trainer.close()
    return decisions / (time.process_time() - before)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.end_to_end", description="Speed in four stages.")
    parser.add_argument(
        "--seconds", type=float, default=5.0, metavar="S", help="seconds for each figure (default: %(default)g)"
    )
    parser.add_argument("--learning", action="store_true", help="also value learning")
    given = parser.parse_args(arguments)
    print("decisions per second of processor time")
    print(f"{'':26}{'bare':>13}{'masks':>13}{'observations':>14}{'training':>12}")
    for name, package, make, number in LIBRARIES:
        if importlib.util.find_spec(package) is None:
            print(f"{name:26}  not installed")
            continue
        bare, masks, observations, *learned = (f"{each:,.0f}" for each in stages(make(number), given.seconds))
        print(f"{name:26}{bare:>13}{masks:>13}{observations:>14}{''.join(learned) or '-':>12}", flush=True)
    if given.learning:
        print(f"{'carnegie_env, value learning':>66}{value_rate(given.seconds):>12,.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
