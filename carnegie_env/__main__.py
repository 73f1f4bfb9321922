"""`python -m carnegie_env`: the command `carnegie-env` without its script."""

from __future__ import annotations

import sys

from carnegie_env.cli import main

if __name__ == "__main__":
    sys.exit(main())
