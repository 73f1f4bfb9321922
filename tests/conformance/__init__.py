"""Tests that every game must pass, including the toy games of tests/toy, with all its options and numbers of players.

They name no game and no rule; everything follows from a game's declarations. CONFORMANCE=10 in the environment runs ten
times as many cases.
"""
