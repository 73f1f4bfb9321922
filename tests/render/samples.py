"""The pictures of games in docs/pictures: `python -m tests.render.samples` draws them again."""

from functools import partial
from typing import Any

from carnegie_env.steel_driver import state
from tests import players
from tests.paths import ROOT
from tests.steel_driver import walks

FOLDER = ROOT / "docs" / "pictures"


def carnegie(options: dict[str, Any], seed: int, theme: str = "light") -> str:
    """Late in a game."""
    game = players.whole_game(options, seed, "busy")
    return game.position(int(0.7 * len(game))).to_svg(theme=theme)


def steel_driver(phase: int, skip: int, theme: str = "light") -> str:
    """After some decisions of a phase."""
    records = walks.walk(4, "opener", 3)
    return walks.at(records, walks.first(records, phase, skip)).to_svg(theme=theme)


PICTURES = {
    FOLDER / "carnegie.svg": partial(carnegie, {"num_players": 2}, 3),
    FOLDER / "carnegie_solo_dark.svg": partial(carnegie, {"num_players": 1, "difficulty": "normal"}, 1, "dark"),
    FOLDER / "steel_driver.svg": partial(steel_driver, state.BUILD, 30),
    FOLDER / "steel_driver_goods_dark.svg": partial(steel_driver, state.GOODS, 8, "dark"),
}


if __name__ == "__main__":
    for file, draw in PICTURES.items():
        file.write_text(draw(), encoding="utf-8")
