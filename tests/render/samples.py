"""The pictures in docs/pictures: `python -m tests.render.samples` draws them again."""

from pathlib import Path

from carnegie_env.steel_driver import state
from tests import players
from tests.steel_driver import walks

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
FAR = 0.7  # the share of a game's decisions


def samples() -> dict[str, str]:
    """The pictures by file name."""
    duel = players.whole_game({"num_players": 2}, 3, "busy")
    solo = players.whole_game({"num_players": 1, "difficulty": "normal"}, 1, "busy")
    railways = walks.walk(4, "opener", 3)
    building = walks.at(railways, walks.first(railways, state.BUILD, 30))
    return {
        "carnegie.svg": duel.position(int(FAR * len(duel))).to_svg(),
        "carnegie_solo_dark.svg": solo.position(int(FAR * len(solo))).to_svg(theme="dark"),
        "steel_driver.svg": building.to_svg(),
        "steel_driver_goods_dark.svg": walks.at(railways, walks.first(railways, state.GOODS, 8)).to_svg(theme="dark"),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in samples().items():
        (FOLDER / name).write_text(picture, encoding="utf-8")
