"""Texts and bytes with random changes, regardless of their meaning."""

import random
import re

TOKENS = (
    "null", "true", "-1", "0", "1e999", "-0", "1E5", "00", "NaN", "Infinity", "9" * 400, "1" * 5000, "0.1", '"', "\\",
    "\\u0000", "\\ud800", "{", "}", "[", "]", ",", ":", "\n", "\r\n", "\t", "\x00", "\ufeff", "é", "𝕏", "#", "'",
    "../", "%s", "${HOME}", "__import__('os').system('true')", "!!python/object/apply:os.system ['true']",
    "cos\nsystem\n(S'true'\ntR.", "player_0", "player_9", "pass", "end:", "option", "seed 1", " " * 300, "[" * 3000,
    '{"a":' * 3000, "a" * 20_000,
)  # fmt: skip


def scramble(text: str, rng: random.Random, other: str) -> str:
    """A text with parts removed, doubled, or replaced by unusual text."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + rng.choice((0, 1, 5, 40, 10**9)))
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:end] + text[end:]
            case 2:
                text = text[:at] + rng.choice(TOKENS) + text[end:]
            case 3:
                text = text[:at] + rng.choice(TOKENS) + text[at:]
            case 4:
                text = text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[at + 1 :]
            case 5:
                text = text[:at] + other[rng.randrange(len(other)) :][: rng.randrange(200)] + text[end:]
            case 6:  # another number
                numbers = list(re.finditer(r"-?\d+", text))
                if numbers:
                    found = rng.choice(numbers)
                    other_number = str(rng.choice((-1, 0, 1, 2, 7, 99, 2**63, 2**64)))
                    text = text[: found.start()] + other_number + text[found.end() :]
    return text


def as_bytes(text: str, rng: random.Random) -> bytes:
    """A text in UTF-8 or another encoding, with a few random bytes."""
    data = bytearray(text.encode(rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "latin-1")), "replace"))
    for _ in range(rng.choice((0, 0, 1, 3))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
