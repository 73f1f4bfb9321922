"""The referee: the rules of the base game, the solo game and expansion 1 written a second time, as plain objects,
to check the engine against.

Written from the rulebook and the rulings, not from the engine. It reads the packaged component tables and nothing else
of ``carnegie_env``; what the rules print as text (what a department does, what a donation pays, how a round runs) is
written out here once more, so that a wrong number in a table shows as a difference. One module per chapter:

=============  ==========================================================
components.py  rulebook 1.2: what is in the box (the fact tables)
position.py    one game: its objects, and its dictionary
setup.py       rulebook 1.3: the set-up, its chance and its decisions
lots.py        chance during play, as docs/design.md says it
sheets.py      expansion 1, chapter 1: the sheets of a new start
company.py     rulebook 1.4: employees, workstations, lobbies, payments
timeline.py    rulebook 2.1: rows, markers and events
events.py      rulebook 2.2: incomes and donations
turn.py        rulebook 2.3 and 3.3: using the departments
building.py    rulebook 2.3.3: projects in cities
research.py    rulebook 2.3.4 and 3.1: research points
donations.py   rulebook 3.2; expansion 1, chapters 3 and 4: what donations pay
scoring.py     rulebook 2.5: links, the final score
andrew.py      rulebook 4: the solo game
game.py        rulebook 2: the order of play; the ``Referee``
play.py        no rules: helpers of the tests
=============  ==========================================================

Expansion 1's department tiles (its chapter 2) stand where their kind of rule does: activation in company.py, spaces and
transport incomes in building.py, tracks in research.py, the uses in turn.py, the final effects in scoring.py.
"""

from .game import Referee

__all__ = ["Referee"]
