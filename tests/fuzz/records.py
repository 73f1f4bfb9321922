"""Malformed record files."""

import functools
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from carnegie_env.core.game import Game
from carnegie_env.core.record import GameRecord, RecordError
from tests import players, walks
from tests.fuzz.answers import Wrong, answer
from tests.fuzz.texts import as_bytes, scramble

Records = Callable[[], list[GameRecord[Any]]]


@functools.cache
def texts_of(records: Records) -> list[str]:
    return [record.to_text() for record in records()]


def carnegie_records() -> list[GameRecord[Any]]:
    """Records of all modes."""
    found = []
    for k, mode in enumerate(walks.ALL_MODES):
        options = mode | {"timeline_tiles": ["columns", "rows"][k % 2], "show_forced": k % 3 == 0}
        for length in (1, 12, 45, 10**6 if k in (1, 4, 8) else 90):
            found.append(players.record_of(options, k, length))
    return found


def record_case(game: Game, records: Records, rng: random.Random) -> str:
    """Record files of a game with changed lines and characters, made from beginnings of games and whole games."""
    texts = [rng.choice(texts_of(records)) for _ in range(2)]
    if rng.random() < 0.5:
        lines, others = (text.split("\n") for text in texts)
        for _ in range(rng.choice((1, 1, 2, 4))):
            change_lines(lines, others, rng, game.texts)
        text = "\n".join(lines)
    else:
        text = scramble(texts[0], rng, texts[1])
    if rng.random() < 0.3:
        return check_record(game.record_class, as_bytes(text, rng))
    return check_record(game.record_class, text)


def change_lines(lines: list[str], others: list[str], rng: random.Random, texts: Sequence[str]) -> None:
    if not lines:
        lines.append("")
    at, another = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[another])
        case 2:
            lines[at], lines[another] = lines[another], lines[at]
        case 3:
            lines[at] = rng.choice(others)
        case 4:
            words = lines[at].split("  ")
            lines[at] = "  ".join([*words[:-1], rng.choice(texts)])
        case 5:
            lines[at] = re.sub(r"\d+", lambda m: str(int(m[0]) + rng.choice((-1, 0, 1))), lines[at][:100])
        case 6:
            del lines[rng.randrange(len(lines)) :]


def check_record(kind: type[GameRecord[Any]], content: str | bytes) -> str:
    """Read a record from text, or bytes from a file; accepted records must have been read completely."""
    if isinstance(content, str):
        found = answer(lambda: kind.from_text(content, "game.txt"), RecordError)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "game.txt")
            file.write_bytes(content)
            found = answer(lambda: kind.load(file), RecordError)
    if isinstance(found, RecordError):
        if "game.txt" not in str(found) or not 0 <= found.line <= len(content) + 1:
            raise Wrong(f"the message doesn't give the place: {found}")
        return "refused"
    text = found.to_text()
    if kind.from_text(text) != found:
        raise Wrong(f"writing and reading changes the record: {content!r:.2000}")
    said = content if isinstance(content, str) else content.decode()
    kept = [" ".join(line.split()) for line in said.split("\n") if line.strip() and not line.strip().startswith("#")]
    meant = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
    if sorted(kept[-1:]) != sorted(meant[-1:]) or len(kept) > len(meant):
        raise Wrong(f"read as something else: {content!r:.2000}")
    return "accepted"
