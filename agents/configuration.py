"""The configuration beside an agent's weights: a JSON file from an untrusted source, so it is checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONFIG_FILE = "config.json"  # in a run folder
LARGEST_CONFIG = 1_000_000  # bytes


def read_object(file: Path, most: int = LARGEST_CONFIG) -> dict[str, Any]:
    """A JSON object from a file; a FileNotFoundError if there is none, a ValueError for other content."""
    try:
        with file.open("rb") as opened:
            content = opened.read(most + 1)
        if len(content) > most:
            raise ValueError(f"it has more than {most} bytes")
        value = json.loads(content)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        wrong = error.strerror if isinstance(error, OSError) else str(error) or type(error).__name__
        raise ValueError(f"{file} is damaged: {wrong if not _is_empty(file) else 'it is empty'}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{file} is damaged: it holds no JSON object")
    return value


def _is_empty(file: Path) -> bool:
    return file.is_file() and file.stat().st_size == 0
