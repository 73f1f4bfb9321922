"""The speed of the value network, compared with the same network in torch: `python -m benchmarks.evaluations`.

The figures are evaluated afterstates per second and core, as in the value agent: each legal action is taken in a copy
of the game, the position's inputs are written, and the network evaluates them. Torch computes the same outputs (which
is checked) from inputs of the same compiled code, on one core and alternately in the same process:

- `by decision`: with all afterstates of a decision as one batch, as an agent with a torch network would;
- `by position`: with each afterstate by itself.

Times are CPU times of the thread, the best of some rounds, because other programs disturb these least.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from carnegie_env import Batch
from carnegie_env.agents import evaluation, inputs, network, value
from carnegie_env.agents.evaluation import EVALUATIONS, Room
from carnegie_env.agents.network import Floats, Weights
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import kernels, masks
from carnegie_env.core.arrays import Records
from carnegie_env.core.jit import jit

TABLES: tuple[dict[str, Any], ...] = (
    {"num_players": 1},
    {"num_players": 2},
    {"num_players": 4},
    {"num_players": 2, "modules": "all"},
)
HIDDEN, MIDDLE = 128, 32  # of a network for options without a shipped one


@jit
def afterstates(
    games: Records, actions: int, first: NDArray[np.int64], room: Room, out: Floats, now: NDArray[np.float64]
) -> None:
    """Write the inputs of all afterstates.

    Args:
        games: (n,), none of them over.
        actions: the number of actions A.
        first: the row of each game's first action, int64 (n,).
        room: see agents/evaluation.py.
        out: the inputs, float32 (rows, F).
        now: the margin if the game ended now, float64 (rows,); NaN where it is over.
    """
    for i in range(games.shape[0]):
        row = first[i]
        seat = games[i].to_play
        evaluation.draw(games[i], seat, 1, np.uint64(0), room)
        for action in range(actions):
            if masks.test(games[i].legal, action):
                room.trials[1] = room.trials[0]
                kernels.advance(room.trials[1], action)
                now[row] = evaluation.write(room.trials[1], seat, room, out[row])
                if room.trials[1].to_play < 0:
                    now[row] = np.nan
                row += 1


def decisions(number: int, table: dict[str, Any]) -> Batch:
    """Random games, each at a random decision."""
    batch = Batch(number, num_threads=1, **table)
    kept = Batch(number, num_threads=1, **table)
    generator = np.random.default_rng(0)
    batch.reset(seed=0)
    lengths = generator.integers(0, 60 * batch.options.num_players, number)
    for k in range(int(lengths.max()) + 1):
        rows = np.flatnonzero((lengths >= k) & ~batch.done)  # a game that ends earlier is kept at its last decision
        if len(rows) == 0:
            break
        kept.load(batch.select(rows), rows=rows)
        batch.step(batch.sample_actions(generator))
    return kept


def torch_network(net: Weights) -> torch.nn.Module:
    """The same network in torch."""
    size, hidden, middle = net.first.shape[0], net.first.shape[1], net.second.shape[0]
    made = torch.nn.Sequential(
        torch.nn.Linear(size, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, middle), torch.nn.ReLU(),
        torch.nn.Linear(middle, network.OUTPUTS),
    )  # fmt: skip
    ours = (net.first.T, net.first_bias, net.second, net.second_bias, net.last, net.last_bias)
    with torch.no_grad():
        for parameter, part in zip(made.parameters(), ours, strict=True):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(part)))
    return made.eval()


def best(rounds: int, runs: Sequence[Callable[[], object]]) -> list[float]:
    """The least CPU seconds of each function in some rounds; they run alternately."""
    least = [float("inf")] * len(runs)
    for _ in range(rounds):
        for k, run in enumerate(runs):
            started = time.thread_time()
            run()
            least[k] = min(least[k], time.thread_time() - started)
    return least


def weights_for(options: Any, hidden: int | None) -> Weights:
    """The shipped network; if there is none, or for other units of the first layer, random weights: as fast."""
    for each in value.shipped():
        if hidden is None and each.serves(CARNEGIE, options):
            return each.weights
    generator = np.random.default_rng(0)
    made = network.initial(inputs.size(CARNEGIE, options), hidden or HIDDEN, MIDDLE, generator)
    made.last[:] = generator.normal(0, 0.1, made.last.shape)
    return made


@torch.inference_mode()
def measure(table: dict[str, Any], number: int, rounds: int, hidden: int | None) -> str:
    """The line of one set of options, from ``number`` decisions; the network's shape is of inputs and layers."""
    batch = decisions(number, table)
    games, options = batch.games.copy(), batch.options
    net = weights_for(options, hidden)
    theirs = torch_network(net)
    draws = value.DRAWS if CARNEGIE.hides(options) else 1
    room, single = (evaluation.room(CARNEGIE, options, net, d) for d in (draws, 1))
    seeds, chosen = np.zeros(len(games), np.uint64), np.zeros(len(games), np.int64)
    values = np.empty((len(games), batch.num_actions))
    counts = batch.action_masks().sum(axis=1)
    edges = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows = int(edges[-1])
    seen, now = np.zeros((rows, net.first.shape[0]), np.float32), np.zeros(rows)
    afterstates(games, batch.num_actions, edges, single, seen, now)

    def ours(room: Room, draws: int) -> None:
        room.used[:] = 0
        evaluation.choose(games, draws, seeds, net, room, values, chosen)

    def by_decision(step: int | None) -> None:
        """In batches of all afterstates of a decision, or of ``step`` afterstates."""
        buffer, after = np.zeros((int(counts.max()), seen.shape[1]), np.float32), np.zeros(int(counts.max()))
        tensor, start = torch.from_numpy(buffer), np.zeros(1, np.int64)
        for i in range(len(games)):
            afterstates(games[i : i + 1], batch.num_actions, start, single, buffer, after)
            for k in range(0, counts[i], step or counts[i]):
                theirs(tensor[k : k + (step or counts[i])])

    _check_alike(games, batch.num_actions, edges, net, single, seen, now, theirs)
    ours(room, draws)
    runs = [lambda: ours(single, 1), lambda: ours(room, draws), lambda: by_decision(None), lambda: by_decision(1)]
    seconds = best(rounds, runs)
    evaluated = [single.used[EVALUATIONS], room.used[EVALUATIONS], rows, rows]
    rates = [float(count / each) for count, each in zip(evaluated, seconds, strict=True)]
    name = f"{options.num_players} players" if options.num_players > 1 else "solo"
    name += ", all modules" if options.modules else ""
    shape = "-".join(map(str, (*net.first.shape, net.second.shape[0])))
    times = "/".join(f"{rates[0] / each:.1f}" for each in rates[2:])
    return line(name, shape, [f"{rate:,.0f}" for rate in rates], times)


def line(name: str, shape: str, rates: Sequence[str], times: str) -> str:
    """A line of the table."""
    one, draws, by_decision, by_position = rates
    return f"{name:30}{shape:>16}{one:>11}{draws:>11}{by_decision:>21}{by_position:>14}{times:>13}"


def _check_alike(
    games: Records, actions: int, edges: NDArray[np.int64], net: Weights, room: Room, seen: Floats,
    now: NDArray[np.float64], theirs: torch.nn.Module,
) -> None:  # fmt: skip
    """Raise an AssertionError if the two networks disagree."""
    expected = now + inputs.margin_unit(CARNEGIE) * theirs(torch.from_numpy(seen)).numpy()[:, 0]
    values, chosen = np.empty((1, actions)), np.zeros(1, np.int64)
    for i in range(len(games)):
        evaluation.choose(games[i : i + 1], 1, np.zeros(1, np.uint64), net, room, values, chosen)
        found, wanted = values[0, values[0] > -np.inf], expected[edges[i] : edges[i + 1]]
        running = ~np.isnan(wanted)
        if not np.allclose(found[running], wanted[running], atol=0.05):
            raise AssertionError(f"torch expects {wanted}, the compiled loop {found}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evaluations", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="fewer sets of options, fewer rounds")
    parser.add_argument("--decisions", type=int, default=200, help="decisions for each set (default: %(default)s)")
    parser.add_argument("--hidden", type=int, help="units of the first layer, of random networks")
    given = parser.parse_args(arguments)
    for name in ("decisions", "hidden"):
        if (number := getattr(given, name)) is not None and number < 1:
            parser.error(f"--{name} must be 1 or more, not {number}")
    torch.set_num_threads(1)
    tables, rounds = (TABLES[:2], 5) if given.quick else (TABLES, 20)
    heads = "1 draw", f"{value.DRAWS} draws", "torch: by decision", "by position"
    print(line("evaluations a second and core", "network", heads, "times"))
    for table in tables:
        print(measure(table, given.decisions, rounds, given.hidden), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
