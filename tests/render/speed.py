"""The speed of drawing: `python -m tests.render.speed` prints the table in docs/pictures.md."""

import random
import time
from collections.abc import Callable
from typing import Any

from carnegie_env import games
from carnegie_env.render import png

GAMES = {
    "Carnegie, solo": ("carnegie", {"num_players": 1}),
    "Carnegie, 2 players": ("carnegie", {"num_players": 2}),
    "Carnegie, 4 players, all modules": ("carnegie", {"num_players": 4, "modules": "all"}),
    "Steel Driver, 4 players": ("steel_driver", {"num_players": 4}),
}
DECISIONS = 100


def pictures_a_second(name: str, options: dict[str, Any], draw: Callable[[str], object]) -> float:
    """Pictures of a random game per second of CPU time, one for each decision, as seen by the player to move."""
    position, chance = games()[name].position_class.new(options, 1), random.Random(1)
    draw(position.to_svg())  # loads fonts
    number, seconds = 0, 0.0
    while number < DECISIONS and not position.is_over:
        position.apply(chance.choice(position.legal_numbers().tolist()))
        begun = time.process_time()
        draw(position.to_svg(position.to_play))
        number, seconds = number + 1, seconds + time.process_time() - begun
    return number / seconds


def main() -> None:
    """Print the table."""
    print("| pictures a second, one core | frames (960 by at most 1,080) | PNG at 1,280 |\n|---|--:|--:|", flush=True)
    for title, (name, options) in GAMES.items():
        frames, files = (pictures_a_second(name, options, draw) for draw in (png.pixels, png.png))
        print(f"| {title} | {frames:.0f} | {files:.0f} |", flush=True)


if __name__ == "__main__":
    main()
