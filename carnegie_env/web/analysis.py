"""Agents' values of positions."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Any

from carnegie_env.web import messages, views
from carnegie_env.web.players import Players, Question
from carnegie_env.web.tables import Refused, Table


async def analyse(
    run: Callable[..., Awaitable[Any]], players: Players, table: Table, seats: tuple[int, ...], asked: messages.Analyse
) -> dict[str, Any]:
    """An agent's values of the legal actions in a position that a seat sees; ``run`` calls a function in a thread."""

    def position() -> Any:
        with table.lock:
            return views.variation(table, seats, asked.at, asked.variation)[1]

    found = await run(position)
    if found.to_play is None:
        raise Refused(409, "the game is over there: nothing is to be decided")
    try:
        ratings = await asyncio.wrap_future(players.rate(Question(asked.agent, 0, found)))
    except ValueError as error:
        raise Refused(422, str(error)) from None
    if ratings is None:
        raise Refused(422, f"{asked.agent} doesn't rate actions")
    legal = set(found.legal_numbers().tolist())
    if any(number not in legal or not math.isfinite(value) for number, value in ratings):
        raise Refused(422, f"{asked.agent} has rated what is not legal, or not with numbers")
    texts = table.game.texts
    values = [{"action": number, "text": texts[number], "value": round(float(value), 3)} for number, value in ratings]
    return {"agent": asked.agent, "seat": found.to_play, "point": table.game.presentation.point, "values": values}
