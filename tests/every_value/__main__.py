"""Changes every value of Carnegie's fact tables and prints those that don't matter, see sweep.py.

NUMBA_DISABLE_JIT=1 python -m tests.every_value [--every N]
"""

import argparse
import os
import sys

from tests.every_value.carnegie import CARNEGIE
from tests.every_value.sweep import ignored


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th value")
    given = parser.parse_args()
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        parser.error("run this with NUMBA_DISABLE_JIT=1: the rules are imported again for every value")
    looked_at, found = ignored(CARNEGIE, given.every)
    for line in found:
        print(f"changes nothing: {line}")
    print(f"{looked_at} values tested, {len(found)} of them change nothing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
