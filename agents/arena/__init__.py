"""The arena: matches between agents that say who is better, and how sure that is. docs/arena.md explains it.

schedule    who sits where on each deal
worker      a process in which agents play
crew        the processes: games are handed out, what hangs or dies is replaced
posts       the same on the nodes of a cluster
lines       what the arena's file holds
journal     the file, which survives whatever ends the program
match       a match: plays deals until all are played or a question is answered
standings   the games as arrays: shares, ranks, margins, times, comparisons deal by deal
sequential  is A better than B? a test that stops early
ratings     all agents on one scale
report      tables
picture     a picture of them
suites      fixed deals and opponents, their results and the leaderboard
"""
