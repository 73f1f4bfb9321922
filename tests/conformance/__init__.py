"""What every game must pass: those of the collection and the toy game of tests/toy, at every table they declare.

Nothing here names a game or a rule: what is asked of a game follows from what it declares. CONFORMANCE=10 in the
environment tries ten times as much.
"""
