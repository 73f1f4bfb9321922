"""Play games between agents and print the results: `python -m carnegie_env.arena.play --agents random greedy`.

The seats rotate: in game i, seat s belongs to agent (s + i) modulo the number of agents. In games without chance the
first decisions are random, because all games would otherwise be the same. A single agent plays the solo game:
`python -m carnegie_env.arena.play --agents greedy --difficulty expert`.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.agents import registry
from carnegie_env.agents.base import Agent
from carnegie_env.agents.random_agent import RandomAgent
from carnegie_env.arena import statistics
from carnegie_env.core import rewards
from carnegie_env.core.arguments import EACH_AGENT, add_options, check_least, given_options
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game
from carnegie_env.core.validation import whole_number
from carnegie_env.render.text import number_of

AT_ONCE = 1024  # games played side by side
OPENING = 4  # random decisions at the start of games without chance


@dataclasses.dataclass(frozen=True)
class Results:
    """The results of several games.

    Args:
        agents: index of the agent on each seat: int (games, seats).
        results: the values that rank the sides, the automatic opponent last: int (games, sides, keys).
        opponent: name of the automatic opponent; None if it did not play.
        decisions: the number of decisions in all games.
        seconds: wall time.
    """

    agents: NDArray[np.int64]
    results: NDArray[np.int64]
    opponent: str | None
    decisions: int
    seconds: float

    @property
    def sides(self) -> NDArray[np.int64]:
        """Scores of all sides: (games, sides)."""
        return self.results[:, :, 0]

    @property
    def scores(self) -> NDArray[np.int64]:
        """Final scores of the seats: (games, seats)."""
        return self.sides[:, : self.agents.shape[1]]

    @property
    def wins(self) -> NDArray[np.float64]:
        """Each seat's win share, equal parts for ties: (games, seats)."""
        return rewards.win_shares(self.results)[:, : self.agents.shape[1]]

    @property
    def ranks(self) -> NDArray[np.float64]:
        """Each seat's rank from 1; tied seats share the mean of their ranks: (games, seats)."""
        places = rewards.places(self.results)
        level = (places[:, :, None] == places[:, None, :]).sum(axis=2)
        return np.asarray(1 + places + (level - 1) / 2, np.float64)[:, : self.agents.shape[1]]

    @property
    def margins(self) -> NDArray[np.float64]:
        """Each seat's score minus the best other score: (games, seats); zeros without another side."""
        return best_margins(self.sides)[:, : self.agents.shape[1]]

    def by_game(self, agent: int, values: NDArray[Any]) -> NDArray[np.float64]:
        """The mean of the seats' values (games, seats) over the agent's seats, in each game in which it has some."""
        own = self.agents == agent
        seats = own.sum(axis=1)
        return np.asarray((values * own).sum(axis=1)[seats > 0] / seats[seats > 0], np.float64)


def best_margins(scores: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each side's score minus the best other one: (games, sides); zeros without another side."""
    games, sides = scores.shape
    if sides == 1:
        return np.zeros((games, 1))
    others = [np.delete(scores, side, axis=1).max(axis=1) for side in range(sides)]
    return np.asarray(scores - np.stack(others, axis=1), np.float64)


def play(
    agents: Sequence[Agent],
    games: int,
    *,
    game: str | Game = collection.DEFAULT,
    seed: int = 0,
    num_players: int | None = None,
    **options: Any,
) -> Results:
    """Play games between agents, with rotating seats.

    Args:
        agents: the agents; fewer agents than seats take several seats each.
        games: the number of games; game i is dealt from ``seed + i`` and begins with :func:`begin`.
        game: the game or its name.
        seed: of the first game.
        num_players: seats; None: one for each agent, or as many as the game needs.
        **options: the game's other options.

    Raises:
        ValueError: fewer than one game, more agents than players, a wrong option, or an agent that does not play this
            game.
    """
    games = whole_number("games", games, 1)
    game = collection.find(game)
    num_players = max(len(agents), game.seats[0]) if num_players is None else num_players
    if not 1 <= len(agents) <= num_players:
        raise ValueError(f"{len(agents)} agents do not fit {num_players} seats: at least one, at most one per seat")
    chosen = game.options.from_dict({"num_players": num_players} | options)
    for agent in agents:
        agent.check_plays(game, chosen)
    started = time.perf_counter()
    seats = (np.arange(games)[:, None] + np.arange(num_players)) % len(agents)
    results, decisions = [], 0
    for first in range(0, games, AT_ONCE):
        here = seats[first : first + AT_ONCE]
        batch = game.batch_class(len(here), num_players=num_players, **options)
        begin(batch, seed + first)
        play_out(batch, here, lambda index, rows: agents[index].act_batch(batch, rows))  # noqa: B023  (called at once)
        results.append(batch.results())
        decisions += int(batch.games["decisions"].sum())
    return Results(
        agents=seats,
        results=np.concatenate(results),
        opponent=game.opponent if num_players == 1 else None,
        decisions=decisions,
        seconds=time.perf_counter() - started,
    )


def opening(game: Game) -> int:
    """The number of random decisions at the start of a game; 0 in games with chance, which do not repeat."""
    return 0 if game.has_chance else OPENING


def begin(batch: Batch[Any], seed: int | NDArray[np.uint64]) -> list[NDArray[np.int64]]:
    """Deal games, from seeds as in :meth:`Batch.reset`, and play the :func:`opening`.

    Returns:
        The actions of each decision of the opening, int64 (N,); -1 in a game that was over.
    """
    batch.reset(seed)
    agent = RandomAgent()
    actions = []
    for _ in range(opening(batch.game)):
        actions.append(agent.act_batch(batch))
        batch.step(actions[-1])
    return actions


def play_out(
    batch: Batch[Any], seats: NDArray[np.int64], ask: Callable[[int, NDArray[np.int64]], NDArray[np.int64]]
) -> None:
    """Play all games of a batch to their ends. An agent decides all games in which it is to move in one call.

    Args:
        batch: the games.
        seats: index of the agent on each seat: int (games, seats).
        ask: called with the index of an agent and the rows in which it is to move; returns an action for each row.

    Raises:
        ValueError: an action is illegal.
    """
    rows = np.arange(batch.num_games)
    while not batch.done.all():
        actions = np.full(batch.num_games, -1, np.int64)
        mover = np.where(batch.done, -1, seats[rows, batch.to_play])
        for index in np.unique(mover[mover >= 0]):
            waiting = np.flatnonzero(mover == index)
            actions[waiting] = ask(int(index), waiting)
        batch.step(actions)


def table(names: Sequence[str], results: Results) -> str:
    """The results of agents as text: score, margin, win rate and rank with 95 % intervals."""
    width = max(len(name) for name in (*names, results.opponent or "agent"))
    lines = [f"{'agent':{width}}  {'score':>14}  {'margin':>15}  {'win rate':>22}  {'rank':>13}"]
    for index, name in enumerate(names):
        score, margin, rank = (
            statistics.mean(results.by_game(index, values))
            for values in (results.scores, results.margins, results.ranks)
        )
        several = (results.agents == index).sum(axis=1).max() > 1
        wins = (statistics.share_of_groups if several else statistics.share)(results.by_game(index, results.wins))
        columns = f"{score.text():>14}  {margin.text():>15}  {wins.percent():>22}  {rank.text(2):>13}"
        lines.append(f"{name:{width}}  {columns}")
    if results.opponent is not None:
        lines.append(f"{results.opponent:{width}}  {statistics.mean(results.sides[:, -1]).text():>14}")
    games = len(results.scores)
    lines.append(
        f"{number_of(games, 'games')}, {results.decisions / games:.0f} decisions per game, {results.seconds:.1f} s, "
        f"{games / results.seconds:.0f} games/s"
    )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    from carnegie_env.cli.parser import Parser

    program = f"python -m {__package__}.play"
    first = Parser(prog=program, add_help=False)
    first.add_argument(
        "--game", choices=collection.names(), default=collection.DEFAULT, help="the game (default: %(default)s)"
    )
    kind = collection.options(first.parse_known_args(arguments)[0].game)
    parser = Parser(prog=program, description="Play games between agents and print the results.", parents=[first])
    parser.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help=f"the agents: {registry.names()}")
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="number of games (default: %(default)s)")
    add_options(parser, kind, num_players=EACH_AGENT)
    text = "seed of the first game; game i has seed + i (default: %(default)s)"
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=text)
    given = parser.parse_args(arguments)
    options = given_options(given, kind)
    try:
        check_least(given, games=1)
        agents = [registry.make_agent(name, seed=given.seed + index) for index, name in enumerate(given.agents)]
        play(agents, 1, game=given.game, seed=given.seed, **options)  # compiles, so that the time below does not
        results = play(agents, given.games, game=given.game, seed=given.seed, **options)
    except ValueError as error:
        parser.error(str(error))
    print(table([agent.name for agent in agents], results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
