"""The arena: matches between agents that say who is better, with intervals. docs/arena.md explains it.

schedule    who sits where on each deal
worker      a process in which agents play
pool        the worker processes; one that hangs or dies is replaced
nodes       the same on the nodes of a cluster
lines       the contents of the arena's file
journal     the file, which survives a crash of the program
match       plays deals until all are played or a question is answered
standings   the games as arrays: shares, ranks, margins, times, comparisons deal by deal
sequential  is A better than B? a test that stops early
ratings     all agents on one scale
report      tables
plot        ratings and scores as a picture
suites      fixed deals and opponents, their results and the leaderboard
"""
