"""Lengths of the texts for language models, in characters: `python -m benchmarks.texts`.

The texts are those before each decision of games between greedy agents. About four characters are a token.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from carnegie_env import collection, text
from carnegie_env.agents.registry import make_agent
from carnegie_env.core import information

HEADER = (
    "| game | players | rules | position, full | position, compact | legal actions, full | legal actions, compact |"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a Markdown table: mean and greatest lengths."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.texts", description=(__doc__ or "").split(":")[0] + ".")
    parser.add_argument("--games", type=int, default=2, metavar="N", help="games at each table (default: 2)")
    parser.add_argument("--game", choices=collection.names(), help="only this game")
    given = parser.parse_args(arguments)
    print(HEADER, "|---" * 7 + "|", sep="\n")
    for name in [given.game] if given.game else collection.names():
        game = collection.find(name)
        for variant in game.variants:
            lengths = np.array([row for seed in range(given.games) for row in _lengths(name, variant, seed)])
            cells = [
                f"{mean:,.0f}, at most {most:,}" for mean, most in zip(lengths.mean(0), lengths.max(0), strict=True)
            ]
            modules = ", all modules" if variant.get("modules") else ""
            options = game.options.from_dict(variant)
            rules = f"{len(text.rules(game, options)):,}"
            print(f"| {game.title}{modules} | {options.num_players} | {rules} | {' | '.join(cells)} |", flush=True)
    return 0


def _lengths(name: str, options: dict[str, object], seed: int) -> list[list[int]]:
    """The lengths at each decision of a game: positions, then legal actions, in both styles."""
    position, agent = collection.find(name).position_class.new(options, seed), make_agent("greedy", seed)
    found = []
    while position.to_play is not None:
        seat = position.to_play
        texts = [text.describe(position, seat, style) for style in text.STYLES]
        texts += [text.legal_actions(position, style) for style in text.STYLES]
        found.append([len(each) for each in texts])
        position.apply(agent.act(information.as_seen(position, seat)))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
