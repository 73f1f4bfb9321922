"""Players of Carnegie behind one small interface, `Agent` in :mod:`.base`, and a program that lets them play.

A wheel holds these files as `carnegie_env.agents`, for the top-level name belongs to another distribution. So all that
they import of each other is imported relative, and nothing of the folders that no wheel has (training, benchmarks).
"""
