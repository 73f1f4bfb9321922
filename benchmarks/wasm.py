"""The speed of the WebAssembly module, compared with the C library of the same loops: `python -m benchmarks.wasm`.

Both are measured alternately in Node and in this process, on one core:

- `play-out`: decisions a second in games with random actions, played to the end;
- `rating`: decisions a second that the value network's best action takes, from the deal to the end of a game.

`make c-library wasm` builds both.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from carnegie_env.agents import value

ROOT = Path(__file__).resolve().parents[1]
LIBRARY, MODULE = ROOT / "build" / "c" / "libcarnegie.so", ROOT / "build" / "wasm" / "carnegie.mjs"
TABLES = (("carnegie", "num_players=2", "carnegie-2"), ("steel_driver", "num_players=4", "steel_driver-4"))
NODE = """
import { readFile } from "node:fs/promises"
import readline from "node:readline"
const [module, name, options, weights] = process.argv.slice(1)
const { load } = await import(module)
const table = (await load()).table(name, Object.fromEntries([options.split("=")]))
const network = table.network(await readFile(weights))
const plays = {
  "play-out": (seed) => table.start(seed).playOut(seed),
  rating: (seed) => {
    const game = table.start(seed)
    let number = 0
    for (; !game.finished; number++) game.step(game.rate(network).action)
    return number
  },
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [kind, games] = JSON.parse(line)
  const begun = process.cpuUsage()
  let number = 0
  for (let seed = 0; seed < games; seed++) number += plays[kind](seed)
  const used = process.cpuUsage(begun)
  console.log(JSON.stringify(number / (used.user + used.system) * 1e6))
}
"""
GAMES = {"play-out": 1000, "rating": 3}


def native(number: int, options: str, weights: bytes) -> Callable[[str, int], float]:
    """A function that plays some games by the C library and returns decisions a second."""
    c = ctypes.CDLL(str(LIBRARY))
    table, record = ctypes.create_string_buffer(4096), (ctypes.c_uint64 * 1024)()
    if c.carnegie_table_set(table, number, options.encode(), None, 0) != 0:
        raise ValueError(f"the C library refuses the options {options!r}")
    network = (ctypes.c_uint64 * (len(weights) // 2))()
    c.carnegie_network_read(table, weights, ctypes.c_size_t(len(weights)), network, ctypes.sizeof(network), None, 0)
    size = c.carnegie_workspace_bytes(table, network, 0)
    room, values = (ctypes.c_uint64 * (size // 8 + 1))(), (ctypes.c_double * 4096)()
    rate, seed_zero, room_bytes = c.carnegie_value, ctypes.c_uint64(0), ctypes.c_size_t(ctypes.sizeof(room))

    def play(kind: str, games: int) -> float:
        decisions, begun = 0, time.process_time()
        for seed in range(games):
            c.carnegie_start(table, record, ctypes.c_uint64(seed))
            if kind == "play-out":
                decisions += c.carnegie_play_out(table, record, ctypes.c_uint64(seed))
                continue
            while c.carnegie_to_play(table, record) >= 0:
                action = rate(table, record, network, 0, seed_zero, room, room_bytes, values)
                c.carnegie_step(table, record, action)
                decisions += 1
        return decisions / (time.process_time() - begun)

    return play


def node(name: str, options: str, weights: Path) -> tuple[Callable[[str, int], float], subprocess.Popen[str]]:
    """The same by the WebAssembly module in Node, and its process."""
    command = ["node", "--input-type=module", "-e", NODE, str(MODULE), name, options, str(weights)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def play(kind: str, games: int) -> float:
        assert process.stdin is not None and process.stdout is not None
        print(json.dumps([kind, games]), file=process.stdin, flush=True)
        return float(json.loads(process.stdout.readline()))

    return play, process


def compare(rounds: int) -> Iterator[str]:
    """A line for each game and kind of play: the best of some rounds by the C library and by WebAssembly, the ratio."""
    for number, (name, options, network) in enumerate(TABLES):
        file = value.FOLDER / f"{network}.safetensors"
        here = native(number, options, file.read_bytes())
        there, process = node(name, options, file)
        try:
            for kind, games in GAMES.items():
                there(kind, games)  # so that Node compiles its code
                pairs = [(here(kind, games), there(kind, games)) for _ in range(rounds)]
                native_best, wasm_best = (max(speeds) for speeds in zip(*pairs, strict=True))
                yield f"{name:14}{kind:10}{native_best:12,.0f}{wasm_best:12,.0f}{wasm_best / native_best:8.2f}"
        finally:
            process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wasm", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each (default: %(default)s)")
    given = parser.parse_args()
    for file in (LIBRARY, MODULE):
        if not file.exists():
            parser.error(f"{file} is missing: make c-library wasm")
    for line in compare(given.rounds):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
