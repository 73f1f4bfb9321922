"""How fast a server answers when many tables are played at: `python -m tests.web --load`.

A real server process, and clients in processes of their own on the same cores. Each client has a table of its own with
random agents at the other seats, and plays as a page does: it takes a decision, then asks for the picture and, as a
page that polls, for the view; then it thinks for a while. All that is measured is the time from a request to the end of
its answer, as the client sees it. Afterwards the same without thinking: how many requests a second there can be.
"""

import asyncio
import dataclasses
import json
import multiprocessing
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.web.served import process

TABLES = 200
SECONDS = 30.0
THINKING = 4.0  # s between two decisions of a client, on the average; from half of it to one and a half
SETTINGS = [
    ("carnegie", ["here"], {}),
    ("carnegie", ["here", "random"], {}),
    ("carnegie", ["here", "random", "random", "random"], {"modules": "all"}),
    ("steel_driver", ["here", "random", "random", "random"], {}),
]
SATURATED = 16  # clients that don't think, for the closed loop


@dataclasses.dataclass
class Measured:
    """What was measured.

    Args:
        seconds: it took.
        times: of the answers by kind, in ms.
        failed: requests that were not answered with 200.
    """

    seconds: float = 0.0
    times: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    failed: int = 0

    def all(self) -> list[float]:
        return sorted(t for times in self.times.values() for t in times)

    def line(self, name: str) -> str:
        """A row of a table."""
        times = self.all() if name == "all" else sorted(self.times[name])
        parts = " | ".join(f"{percentile(times, share):.0f}" for share in (0.5, 0.95, 0.99, 1.0))
        return f"| {name} | {len(times)} | {len(times) / self.seconds:.0f} | {parts} |"


def percentile(times: list[float], share: float) -> float:
    """The time below which that share of sorted times is."""
    return times[min(int(share * len(times)), len(times) - 1)]


class Client:
    """One page at a table of its own: one connection, requests one after the other."""

    def __init__(self, port: int, host: str, number: int, measured: Measured) -> None:
        self._port, self._host, self._measured = port, host, measured
        self._generator = random.Random(number)
        self._game, self._seats, self._options = SETTINGS[number % len(SETTINGS)]

    async def ask(self, kind: str, method: str, path: str, key: str, content: Any = None) -> bytes:
        """The content of an answer; the time it took is noted."""
        body = b"" if content is None else json.dumps(content).encode()
        head = f"{method} /api{path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAuthorization: Bearer {key}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        begun = time.perf_counter()
        self._writer.write(f"{head}\r\n".encode() + body)
        first = await self._reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in first.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        found = await self._reader.readexactly(length)
        self._measured.times.setdefault(kind, []).append(1000 * (time.perf_counter() - begun))
        if first.split(b" ", 2)[1] not in (b"200", b"201"):
            self._measured.failed += 1
        return found

    async def play(self, begin: float, until: float, thinking: float) -> None:
        """Make a table before ``begin``, and play until ``until``."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)
        view = await self._new_table()
        self._measured.times.clear()
        await asyncio.sleep(max(begin - time.time(), 0) + self._generator.random() * thinking)
        while time.time() < until:
            if view["is_over"]:
                view = await self._new_table()
            path = f"/tables/{self._table}"
            if not view["your_turn"]:
                found = await self.ask("view", "GET", f"{path}?since={view['version']}&wait=5", self._key)
                self._measured.times["view"].pop()  # that was waiting for others, on purpose
                view = json.loads(found)
                continue
            asked = {"decisions": view["decisions"], "action": self._generator.choice(view["legal"])["action"]}
            found = await self.ask("decision", "POST", f"{path}/decisions", self._key, asked)
            await self.ask("picture", "GET", f"{path}/picture.svg", self._key)
            view = json.loads(await self.ask("view", "GET", path, self._key))
            await asyncio.sleep(thinking * (0.5 + self._generator.random()))
        self._writer.close()

    async def _new_table(self) -> Any:
        seats = [{"kind": "here"} if seat == "here" else {"kind": "agent", "name": seat} for seat in self._seats]
        asked = {"game": self._game, "seats": seats, "options": self._options, "seed": self._generator.getrandbits(60)}
        made = json.loads(await self.ask("new table", "POST", "/tables", self._host, asked))
        self._table, self._key = made["table"], made["key"]
        return json.loads(await self.ask("view", "GET", f"/tables/{self._table}", self._key))


def _clients(port: int, host: str, numbers: range, begin: float, until: float, thinking: float, pipe: Any) -> None:
    """Some clients, in a process."""
    measured = Measured()

    async def all_of_them() -> None:
        clients = [Client(port, host, number, measured) for number in numbers]
        await asyncio.gather(*(client.play(begin, until, thinking) for client in clients))

    asyncio.run(all_of_them())
    pipe.send(measured)


def measure(port: int, host: str, tables: int, seconds: float, thinking: float, processes: int = 1) -> Measured:
    """Have so many clients play; what was measured."""
    context, found = multiprocessing.get_context("spawn"), Measured(seconds)
    begin = time.time() + 3 + tables / 20  # all have their tables by then
    pipes = []
    for k in range(processes):
        mine, theirs = context.Pipe(False)
        numbers = range(k * tables // processes, (k + 1) * tables // processes)
        arguments = (port, host, numbers, begin, begin + seconds, thinking, theirs)
        context.Process(target=_clients, args=arguments, daemon=True).start()
        theirs.close()  # so that one that fails is heard of
        pipes.append(mine)
    for pipe in pipes:
        part = pipe.recv()
        found.failed += part.failed
        for kind, times in part.times.items():
            found.times.setdefault(kind, []).extend(times)
    return found


def report(measured: Measured, title: str) -> str:
    """A table in Markdown."""
    head = ["| request | number | a second | p50 ms | p95 | p99 | most |", "|---|--:|--:|--:|--:|--:|--:|"]
    rows = [measured.line(name) for name in (*sorted(measured.times), "all")]
    return "\n".join([title, "", *head, *rows, "", f"not answered with 200: {measured.failed}", ""])


def main(tables: int = TABLES, seconds: float = SECONDS, thinking: float = THINKING) -> bool:
    """Measure and print; whether 95 % of the answers took 200 ms at most."""
    with tempfile.TemporaryDirectory() as folder, process(Path(folder, "games.sqlite")) as server:
        open_loop = measure(server.port, server.key, tables, seconds, thinking)
        print(report(open_loop, f"{tables} tables, each with a client that thinks {thinking:g} s between decisions:"))
        closed = measure(server.port, server.key, SATURATED, seconds / 2, 0)
        print(report(closed, f"{SATURATED} clients that don't think (the most there can be, as they share the cores):"))
    return percentile(open_loop.all(), 0.95) <= 200 and not open_loop.failed
