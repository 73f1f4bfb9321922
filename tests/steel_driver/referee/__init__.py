"""The referee of Steel Driver: a second implementation of the rules, in plain Python, to check the engine.

It is written from the rulebook and the rulings 47 to 55, not from the engine; of ``carnegie_env`` it reads the
component file and imports nothing. Numbers that the rulebook prints (cubes a round, bonuses, values of sets) are
repeated here, so that a wrong number in the file shows as a difference. One module per chapter:

====================  ===================================================
components.py         what is in the box (the component file)
position.py           one game: its objects, and its dictionary
auctions.py           phases 1 and 2: investment cubes, control markers
building.py           phase 3: building links
transcontinental.py   the special rule of phase 3
final.py              the final phase: goods, sets, shares
game.py               the order of play; the ``Referee``
play.py               no rules: players for the tests
====================  ===================================================

Nothing is hidden, and there is no chance: the same actions give the same game.
"""

from .game import Referee

__all__ = ["Referee"]
