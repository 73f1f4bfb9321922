"""The referee: the base and solo rules written a second time, as plain Python objects, to check the engine against.

Written from the rulebook and the rulings, not from the engine. It reads the packaged component tables and nothing else
of ``carnegie_env``; what the rules print as text (what a department does, what a donation pays, how a round runs) is
written out here once more, so that a wrong number in a table shows as a difference. One module per chapter:

=============  ==========================================================
components.py  rulebook 1.2: what is in the box (the fact tables)
position.py    one game: its objects, and its dictionary
setup.py       rulebook 1.3: the set-up, its chance and its decisions
company.py     rulebook 1.4: employees, workstations, lobbies, payments
timeline.py    rulebook 2.1: rows, markers and events
events.py      rulebook 2.2: incomes and donations
turn.py        rulebook 2.3 and 3.3: using the departments
building.py    rulebook 2.3.3: projects in cities
research.py    rulebook 2.3.4 and 3.1: research points
scoring.py     rulebook 2.5 and 3.2: links, donations, the final score
andrew.py      rulebook 4: the solo game
game.py        rulebook 2: the order of play; the ``Referee``
play.py        no rules: helpers of the tests
=============  ==========================================================
"""

from .game import Referee

__all__ = ["Referee"]
