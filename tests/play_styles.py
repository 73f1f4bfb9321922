"""How players of the referees' tests choose their actions."""

import random
from collections.abc import Callable


def choose(rng: random.Random, legal: set[str], style: str, wish: Callable[[str], float]) -> str:
    """Draw an action. "any": uniformly; "verbs": a verb, then one of its actions; others: weighted by ``wish``."""
    actions = sorted(legal)
    if style == "any":
        return rng.choice(actions)
    if style == "verbs":
        by_verb: dict[str, list[str]] = {}
        for action in actions:
            by_verb.setdefault(action.split()[0], []).append(action)
        return rng.choice(by_verb[rng.choice(sorted(by_verb))])
    return rng.choices(actions, [wish(action) for action in actions])[0]
