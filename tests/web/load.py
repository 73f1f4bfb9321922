"""Response times of a server with many tables: `python -m tests.web --load`.

A server process, and clients in this process on the same cores. Each client has its own table with random agents at
the other seats, and behaves like the page: it takes a decision, asks for the picture and the view, and then thinks.
Times are from a request to the end of its response, as the client sees them. A second run without thinking measures
how many requests per second the server can answer.
"""

import asyncio
import collections
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.web.served import Process, process

TABLES = 200
SECONDS = 30.0
THINKING = 4.0  # mean time between two decisions of a client in seconds, which varies by half of it
SETTINGS = [
    ("carnegie", 1, {}), ("carnegie", 2, {}), ("carnegie", 4, {"modules": "all"}), ("steel_driver", 4, {}),
]  # fmt: skip
SATURATED = 16  # clients of the run without thinking
Times = dict[str, list[float]]  # in ms, by kind of request


class Client:
    """A page at its own table: one connection, one request at a time. ``times`` collects the response times."""

    def __init__(self, server: Process, number: int, times: Times) -> None:
        self._server, self._times = server, times
        self._generator = random.Random(number)
        self._game, self._seats, self._options = SETTINGS[number % len(SETTINGS)]

    async def ask(self, kind: str, method: str, path: str, key: str, content: Any = None) -> Any:
        """The content of a response, parsed if it is JSON."""
        body = b"" if content is None else json.dumps(content).encode()
        head = f"{method} /api{path} HTTP/1.1\r\nHost: 127.0.0.1:{self._server.port}\r\nAuthorization: Bearer {key}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        begun = time.perf_counter()
        self._writer.write(f"{head}\r\n".encode() + body)
        first = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = next(int(line[15:]) for line in first.split(b"\r\n") if line.startswith(b"content-length:"))
        found = await self._reader.readexactly(length)
        self._times[kind].append(1000 * (time.perf_counter() - begun))
        assert first.split(b" ", 2)[1] in (b"200", b"201"), found
        return json.loads(found) if b"application/json" in first else found

    async def play(self, begin: float, until: float, thinking: float) -> None:
        """Make a table before ``begin``, and play until ``until``."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._server.port, limit=2**22)
        view = await self._new_table()
        await asyncio.sleep(max(begin - time.time(), 0) + self._generator.random() * thinking)
        while time.time() < until:
            if view["is_over"]:
                view = await self._new_table()
            elif not view["your_turn"]:
                view = await self.ask("wait", "GET", f"{self._path}?since={view['version']}&wait=5", self._key)
            else:
                action = self._generator.choice(view["legal"])["action"]
                asked = {"decisions": view["decisions"], "action": action}
                await self.ask("decision", "POST", f"{self._path}/decisions", self._key, asked)
                await self.ask("picture", "GET", f"{self._path}/picture.svg", self._key)
                view = await self.ask("view", "GET", self._path, self._key)
                await asyncio.sleep(thinking * (0.5 + self._generator.random()))
        self._writer.close()

    async def _new_table(self) -> Any:
        seats = [{"kind": "here"}] + [{"kind": "agent", "name": "random"}] * (self._seats - 1)
        asked = {"game": self._game, "seats": seats, "options": self._options, "seed": self._generator.getrandbits(60)}
        made = await self.ask("new table", "POST", "/tables", self._server.key, asked)
        self._path, self._key = f"/tables/{made['table']}", made["key"]
        return await self.ask("new table", "GET", self._path, self._key)


async def measure(server: Process, tables: int, seconds: float, thinking: float) -> Times:
    """The response times of the playing clients; without those of new tables and long polls."""
    times: Times = collections.defaultdict(list)
    begin = time.time() + 3 + tables / 20  # all have their tables by then
    clients = [Client(server, number, times) for number in range(tables)]
    await asyncio.gather(*(client.play(begin, begin + seconds, thinking) for client in clients))
    times.pop("wait", None)
    del times["new table"]
    return times


def report(times: Times, seconds: float, title: str) -> float:
    """Print a table in Markdown; returns the 95th percentile of all times."""
    everything = [one for some in times.values() for one in some]
    print(f"{title}\n\n| request | number | per second | p50 ms | p95 | p99 | max |\n|---|--:|--:|--:|--:|--:|--:|")
    for name, some in {**dict(sorted(times.items())), "all": everything}.items():
        parts = " | ".join(f"{each:.0f}" for each in np.quantile(some, (0.5, 0.95, 0.99, 1.0)))
        print(f"| {name} | {len(some)} | {len(some) / seconds:.0f} | {parts} |")
    print()
    return float(np.quantile(everything, 0.95))


def main(tables: int = TABLES, seconds: float = SECONDS, thinking: float = THINKING) -> bool:
    """Measure and print; whether the 95th percentile is at most 200 ms."""
    with tempfile.TemporaryDirectory() as folder, process(Path(folder, "games.sqlite")) as server:
        times = asyncio.run(measure(server, tables, seconds, thinking))
        p95 = report(times, seconds, f"{tables} tables, each with a client that thinks for {thinking:g} s:")
        saturated = asyncio.run(measure(server, SATURATED, seconds / 2, 0))
        report(saturated, seconds / 2, f"{SATURATED} clients that do not think:")
    return p95 <= 200
