"""Bots: players that are single files and may be untrusted. They play in sandboxed processes (docs/bots.md).

agent     the agent `bot:FILE`
sandbox   starts a program without network, files and other processes, with limits
runner    the program inside the sandbox: limits itself, then loads a Python bot or becomes another program
"""
