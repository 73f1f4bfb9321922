"""The benchmark: tasks with fixed deals and opponents, results as files, the leaderboard (docs/benchmark.md).

`python -m carnegie_env.benchmark --help` lists the commands.

tasks        the tasks, and the pool of opponents
playing      an agent plays a task
results      the result of an agent in a task, as a file
summary      the mean of several trainings: interquartile means with bootstrap intervals
page         the leaderboard
cards        the published dataset, and its Croissant metadata
sensitivity  the same agents with other values of the reconstructed components
"""
