"""The arena: matches that show which agents play better, with confidence intervals (docs/arena.md).

schedule    the seats of the agents on each deal
worker      a process in which agents play
pool        the worker processes; those that hang or die are replaced
nodes       worker processes on the nodes of a cluster
lines       the contents of the arena's file
journal     the file, which survives a crash of the program
match       plays deals until all are played or a sequential test has an answer
standings   results by agent and by deal: win shares, ranks, margins, times
sequential  a test whether A is better than B, which stops early
ratings     all agents on one scale
report      the result of a match as text
plot        ratings and scores as a picture
"""
