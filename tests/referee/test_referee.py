"""The referee by itself: the neutral disks, by an example worked out by hand.

The rulebook's examples are scenarios (tests/scenarios), and the lock-step tests play whole games.
"""

from tests.referee import setup
from tests.referee.components import CARDS


def test_neutral_disks() -> None:
    cells, spaces = setup.place_neutral_disks(["N01", "N02", "A01", "N05"], 10)
    # A01 names a cell and two small cities that are already taken: all three are skipped, not used up
    assert cells == ["education_human_resources", "education_management", "health_midwest"]
    cities = ("salt_lake_city", "reno", "st_louis", "chicago", "san_francisco", "santa_fe")
    assert spaces == [(city, 0) for city in cities]
    assert setup.place_neutral_disks(["N12", "N16"], 4)[1] == [("new_york", 0), ("chicago", 0), ("new_orleans", 0)]
    every_card = setup.place_neutral_disks(list(CARDS), 18)
    assert len(every_card[0]) + len(every_card[1]) == 18
    filled_from_the_left = setup.place_neutral_disks(["N05", "N06", "N20"], 9)[1][::2]
    assert filled_from_the_left == [("san_francisco", k) for k in range(3)]
