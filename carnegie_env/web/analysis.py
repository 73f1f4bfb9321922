"""What agents think of positions."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

from carnegie_env.web import messages, views
from carnegie_env.web.players import Question
from carnegie_env.web.tables import Refused, Table

if TYPE_CHECKING:
    from carnegie_env.web.app import Server


async def analyse(server: Server, table: Table, seats: tuple[int, ...], asked: messages.Analyse) -> dict[str, Any]:
    """What an agent expects of the legal actions in a position that a seat sees."""

    def position() -> Any:
        with table.lock:
            return views.variation(table, seats, asked.at, asked.variation)[1]

    found = await server.run(position)
    if found.to_play is None:
        raise Refused(409, "the game is over there: nothing is to be decided")
    try:
        ratings = await asyncio.wrap_future(server.players.rate(Question(asked.agent, 0, found)))
    except ValueError as error:
        raise Refused(422, str(error)) from None
    if ratings is None:
        raise Refused(422, f"{asked.agent} doesn't rate actions")
    legal = set(found.legal_numbers().tolist())
    if any(number not in legal or not math.isfinite(value) for number, value in ratings):
        raise Refused(422, f"{asked.agent} has rated what is not legal, or not with numbers")
    texts = table.game.texts
    values = [{"action": number, "text": texts[number], "value": round(float(value), 3)} for number, value in ratings]
    return {"agent": asked.agent, "seat": found.to_play, "point": table.game.point, "values": values}
