"""The long checks of the server.

    python -m tests.web --hostile [--requests 20000] [--seed 0]
    python -m tests.web --load [--tables 200] [--seconds 30] [--thinking 4]

The exit code is 1 if a request was answered wrongly, or 95 % of the answers took more than 200 ms.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from carnegie_env.web.players import Players
from tests.web import hostile, load
from tests.web.served import NO_LIMITS, Here

RAW_SHARE = 5  # every fifth request is bytes on a socket


def send_hostile(requests: int, seed: int) -> bool:
    """All of the hostile requests; says how they were answered."""
    begun, raw = time.monotonic(), requests // RAW_SHARE
    try:
        with tempfile.TemporaryDirectory() as folder:
            with Here(Path(folder), NO_LIMITS, Players(workers=1)) as server:
                targets = hostile.Targets(server)
                first = hostile.attack(targets, range(seed, seed + requests - raw), _say)
                with server.socket() as port:
                    second = hostile.attack_socket(targets, port, range(seed, seed + raw), _say)
    except AssertionError as error:
        print(f"\n{error}")
        return False
    for name, statuses in (("spoilt requests", first), ("bytes on a socket", second)):
        shown = ", ".join(f"{status or 'closed'}: {number}" for status, number in sorted(statuses.items()))
        print(f"{sum(statuses.values())} {name}: {shown}")
    print(f"no exception, no game changed; {time.monotonic() - begun:.0f} s")
    return True


def _say(number: int) -> None:
    print(f"{number} ...", file=sys.stderr)


def main() -> int:
    """What the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.web", description=(__doc__ or "").split("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--hostile", action="store_true", help="send hostile requests")
    what.add_argument("--load", action="store_true", help="measure how fast it answers at many tables")
    parser.add_argument("--requests", type=int, default=20_000, help="default 20,000")
    parser.add_argument("--seed", type=int, default=0, help="of the first request; default 0")
    parser.add_argument("--tables", type=int, default=load.TABLES, help=f"default {load.TABLES}")
    parser.add_argument("--seconds", type=float, default=load.SECONDS, help=f"default {load.SECONDS:g}")
    parser.add_argument("--thinking", type=float, default=load.THINKING, help=f"s; default {load.THINKING:g}")
    given = parser.parse_args()
    if given.hostile:
        return not send_hostile(given.requests, given.seed)
    return not load.main(given.tables, given.seconds, given.thinking)


if __name__ == "__main__":
    sys.exit(main())
