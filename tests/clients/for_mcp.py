"""The server of the Model Context Protocol, with the official SDK's client."""

import asyncio
import contextlib
import os
import random
import socket
import subprocess
import sys
import time
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.clients import ROOT
from tests.clients.stand_in import answer_to

COMMAND = ["-c", "import sys; from carnegie_env.cli import main; sys.exit(main())", "mcp"]
TOOLS = {"games", "rules", "new_game", "look", "legal_actions", "play", "log"}


async def call(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a tool's result."""
    result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content)
    assert not result.is_error, text
    return text


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The message of a tool's error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


def keys_in(text: str) -> dict[int, str]:
    """The keys by seat."""
    lines = [line.split(": ") for line in text.splitlines() if line.startswith("key of player_")]
    return {int(who.removeprefix("key of player_")): key for who, key in lines}


async def play_alone(client: Client) -> None:
    """The solo game to its end, and all errors on the way."""
    assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
    assert "steel_driver" in await call(client, "games")
    assert "Timeline" in await call(client, "rules", options={"num_players": 1})
    new = await call(client, "new_game", options={"num_players": 1}, seed=5)
    key = keys_in(new)[0]
    generator = random.Random(1)
    seen = await call(client, "look", key=key)
    assert "there is no action" in await refused(client, "play", key=key, action="fly")
    assert "there is no game" in await refused(client, "look", key="x")
    while "it is your turn" in seen:
        seen = await call(client, "play", key=key, action=answer_to(seen, generator))
    assert "FINAL SCORE" in seen and "the game is over" in await refused(client, "play", key=key, action="pass")
    assert "player_0:" in await call(client, "log", key=key)


async def play_together(client: Client) -> None:
    """Two games at once: two seats among agents, each with its own key and its own secrets."""
    generator, games = random.Random(2), []
    for seed in (1, 2):
        more = {"options": {"num_players": 3, "modules": "secret_donation"}, "opponents": ["random"]}
        games.append(keys_in(await call(client, "new_game", seats=[0, 2], seed=seed, style="compact", **more)))
    assert len({key for keys in games for key in keys.values()}) == 4
    known = set()
    for _ in range(40):
        for keys in games:
            seen = {seat: await call(client, "look", key=key) for seat, key in keys.items()}
            movers = [seat for seat, text in seen.items() if "it is your turn" in text]
            assert len(movers) == 1 and all(f"You are player_{seat}" in text for seat, text in seen.items())
            known.add(tuple("; secret " in text for text in seen.values()))
            other = keys[2 if movers == [0] else 0]
            assert "not your turn" in await refused(client, "play", key=other, action="pass")
            await call(client, "play", key=keys[movers[0]], action=answer_to(seen[movers[0]], generator))
    assert (True, False) in known or (False, True) in known  # only the seat that has chosen a donation reads it
    assert "there is no agent" in await refused(client, "new_game", opponents=["os:system"])
    assert "there is no agent" in await refused(client, "new_game", opponents=["bot:evil.py"])
    assert "num_players" in await refused(client, "new_game", options={"num_players": 9})


def check_stdio() -> None:
    """Standard input and output: a solo game, and several seats of several games."""
    asyncio.run(_stdio())


async def _stdio() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=COMMAND, cwd=str(ROOT), env=dict(os.environ))
    async with Client(stdio_client(parameters)) as client:
        await play_alone(client)
        await play_together(client)


def check_http() -> None:
    """HTTP: the same, and a second client with another seat's key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, *COMMAND, "--http", str(port)], cwd=ROOT)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        asyncio.run(_http(f"http://127.0.0.1:{port}/mcp"))
    finally:
        server.terminate()
        server.wait(10)


async def _http(address: str) -> None:
    async with Client(address) as client, Client(address) as other:
        await play_alone(client)
        await play_together(other)
        keys = keys_in(await call(client, "new_game", options={"num_players": 2}, seats=[0, 1]))
        assert "You are player_1" in await call(other, "look", key=keys[1])
