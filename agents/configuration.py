"""Reads the configuration of an agent's weights: a JSON file that may come from an untrusted source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONFIG_FILE = "config.json"  # in a run folder
LARGEST_CONFIG = 1_000_000  # bytes


def read_object(file: Path) -> dict[str, Any]:
    """Read a JSON object; a FileNotFoundError if there is no file, a ValueError for anything else."""
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_CONFIG + 1)
        if len(content) > LARGEST_CONFIG:
            raise ValueError(f"it has more than {LARGEST_CONFIG} bytes")
        value = json.loads(content)
    except FileNotFoundError:
        raise
    except NotADirectoryError:
        raise ValueError(f"{file.parent} is not a folder") from None
    except (OSError, ValueError, RecursionError) as error:
        wrong = error.strerror if isinstance(error, OSError) else str(error) or type(error).__name__
        empty = file.is_file() and file.stat().st_size == 0
        raise ValueError(f"{file} is damaged: {'it is empty' if empty else wrong}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{file} is damaged: it is not a JSON object")
    return value
