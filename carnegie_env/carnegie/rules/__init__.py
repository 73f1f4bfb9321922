"""The rules, one module per chapter of the rulebook. Each phase has a ``legal_*`` and an ``apply_*`` function.

What several chapters need is a named function of the component it is about: companies (company.py, lobby.py, tabs.py),
the board (cities.py, transport.py), the timeline's events (event.py), the donation table (donations.py, payments.py).
Checks, observation, drawing and agents call these functions as well, so each rule is stated once.
"""
