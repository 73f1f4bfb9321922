"""Settings of invented matches."""

from carnegie_env.arena.lines import FORMAT, Header


def header(agents, **changes):
    """The settings of a match of Sixes between these agents."""
    settings = {"arena": FORMAT, "game": "sixes", "options": {"num_players": 2, "rounds": 3}, "tables": None, "seed": 5}
    settings |= {"deals_at_once": 0, "time_limit": 60, "question": None, "signature": 77}
    return Header(agents=agents, versions={"python": "3.11"}, **(settings | changes))
