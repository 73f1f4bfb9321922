"""The long checks of the server.

    python -m tests.web --hostile [--requests 20000] [--seed 0]
    python -m tests.web --load [--tables 200] [--seconds 30] [--thinking 4]

The exit code is 1 if a request was answered wrongly, or if the 95th percentile of the response times exceeds 200 ms.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.web import hostile, load
from tests.web.served import Here

RAW_SHARE = 5  # every fifth request is bytes on a socket


def send_hostile(requests: int, seed: int) -> bool:
    """Send all hostile requests and print the statuses."""
    begun, raw = time.monotonic(), requests // RAW_SHARE
    try:
        with tempfile.TemporaryDirectory() as folder, Here(Path(folder)) as server, server.socket() as port:
            targets = hostile.Targets(server)
            first = hostile.attack(targets, range(seed, seed + requests - raw))
            second = hostile.attack_socket(targets, port, range(seed, seed + raw))
    except AssertionError as error:
        print(f"\n{error}")
        return False
    for name, statuses in (("mutated requests", first), ("requests as bytes on a socket", second)):
        shown = ", ".join(f"{status or 'closed'}: {number}" for status, number in sorted(statuses.items()))
        print(f"{sum(statuses.values())} {name}: {shown}")
    print(f"no exception, no game changed; {time.monotonic() - begun:.0f} s")
    return True


def main() -> int:
    """Run the check that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m tests.web", description=(__doc__ or "").split("\n")[0],
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)  # fmt: skip
    check = parser.add_mutually_exclusive_group(required=True)
    check.add_argument("--hostile", action="store_true", help="send hostile requests")
    check.add_argument("--load", action="store_true", help="measure response times with many tables")
    parser.add_argument("--requests", type=int, default=20_000, help="hostile requests")
    parser.add_argument("--seed", type=int, default=0, help="of the first request")
    parser.add_argument("--tables", type=int, default=load.TABLES, help="number of tables")
    parser.add_argument("--seconds", type=float, default=load.SECONDS, help="duration")
    parser.add_argument("--thinking", type=float, default=load.THINKING, help="seconds between a client's decisions")
    given = parser.parse_args()
    if given.hostile:
        return not send_hostile(given.requests, given.seed)
    return not load.main(given.tables, given.seconds, given.thinking)


if __name__ == "__main__":
    sys.exit(main())
