"""The referee: a second implementation of the base game, the solo game and expansion 1, in plain Python, to check the
engine.

It is written from the rulebook and the rulings, not from the engine. Of ``carnegie_env`` it only reads the component
tables; numbers that the rulebook prints as text (effects of departments, payments of donations, the course of a round)
are repeated here, so that a wrong number in a table shows as a difference. One module per chapter:

=============  ==========================================================
components.py  rulebook 1.2: what is in the box (the fact tables)
position.py    one game: its objects, and its dictionary
setup.py       rulebook 1.3: the neutral disks, and the decisions of set-up
lots.py        chance during play, by docs/design.md
sheets.py      expansion 1, chapter 1: the sheets of a new start
company.py     rulebook 1.4: employees, workstations, lobbies, payments
timeline.py    rulebook 2.1: rows, markers and events
events.py      rulebook 2.2: incomes and donations
turn.py        rulebook 2.3 and 3.3: using the departments
building.py    rulebook 2.3.3: projects in cities
research.py    rulebook 2.3.4 and 3.1: research points
donations.py   rulebook 3.2; expansion 1, chapters 3 and 4: VP of donations
scoring.py     rulebook 2.5: links, the final score
andrew.py      rulebook 4: the solo game
game.py        rulebook 2: the order of play; the ``Referee``
play.py        no rules: helpers of the tests
=============  ==========================================================

The rules of expansion 1's department tiles (its chapter 2) are in the module of their kind: activation in company.py,
spaces and transport incomes in building.py, tracks in research.py, uses in turn.py, final effects in scoring.py.
"""

from .game import Referee

__all__ = ["Referee"]
