"""A scripted stand-in for a language model: it answers a prompt with one of the listed legal actions."""

import random

ILLEGAL = "I would like to fly to the moon."


def answer_to(prompt: str, generator: random.Random) -> str:
    """A chatty answer."""
    listed = prompt.split("Your legal actions:\n")[1].split("\n\n")[0].replace(" | ", "\n")
    return f"I have thought about it.\n\n**Action:** {generator.choice(listed.splitlines())}\n"
