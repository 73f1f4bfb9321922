"""Reads safetensors files with NumPy alone. Files may come from an untrusted source.

The format (https://github.com/huggingface/safetensors, section Format): 8 bytes with the length of the header as a
little-endian integer; the header, a JSON object with the `dtype`, `shape` and `data_offsets` (begin and end) of each
array, and texts by name under `__metadata__`; then the arrays' values, little-endian, without gaps. Everything is
checked before an array is made.
"""

from __future__ import annotations

import json
import math
import os
import reprlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_FILE = 64 * 2**20  # bytes, by default
LARGEST_HEADER = 100_000  # bytes
MOST_DIMENSIONS = 8
METADATA = "__metadata__"
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1",
}  # fmt: skip


def read(file: Path, most: int = LARGEST_FILE) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays of a safetensors file by name, and its metadata.

    Args:
        file: the file.
        most: bytes; larger files are refused without reading them.

    Returns:
        Copies in native byte order, of floats (16 to 64 bits) or integers (8 to 64 bits), and texts by name.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is too large, truncated or malformed, or has values of another type.
    """
    try:
        if (size := os.path.getsize(file)) > most:
            raise ValueError(f"it has {size} bytes, more than {most}")
        with open(file, "rb") as opened:
            content = opened.read(most + 1)  # the file may have grown
        return _parsed(content)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        wrong = error.strerror if isinstance(error, OSError) else str(error)[:300]
        raise ValueError(f"{file} can't be read as a safetensors file: {wrong}") from None


def _parsed(content: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    if len(content) < 8:
        raise ValueError(f"it has {len(content)} bytes, too few for the length of a header")
    length = int.from_bytes(content[:8], "little")
    if length > min(len(content) - 8, LARGEST_HEADER):
        raise ValueError(
            f"the length of its header, {length} bytes, is more than the file has or more than {LARGEST_HEADER}"
        )
    header = json.loads(content[8 : 8 + length].decode("utf-8"), object_pairs_hook=_without_duplicates)
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError(f"{METADATA} must be texts by name")
    data = memoryview(content)[8 + length :]
    spans = {name: _span(name, said, len(data)) for name, said in header.items()}
    end = 0
    for name, (begin, behind, _, _) in sorted(spans.items(), key=lambda item: item[1][:2]):
        if begin != end:
            raise ValueError(f"{_shown(name)} begins at byte {begin} of the data, but the previous array ends at {end}")
        end = behind
    if end != len(data):
        raise ValueError(f"there are {len(data)} bytes of data, but the arrays have {end}")
    arrays = {}
    for name, (begin, behind, dtype, shape) in spans.items():
        flat = np.frombuffer(data[begin:behind], dtype)
        arrays[name] = flat.astype(dtype.newbyteorder("="), copy=True).reshape(shape)
    return arrays, metadata


def _span(name: str, said: Any, size: int) -> tuple[int, int, np.dtype[Any], tuple[int, ...]]:
    """The begin and end of an array in the data, its dtype and its shape."""
    if not isinstance(said, dict) or set(said) != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{_shown(name)} must have dtype, shape and data_offsets")
    kind, shape, offsets = said["dtype"], said["shape"], said["data_offsets"]
    if not isinstance(kind, str) or kind not in DTYPES:
        raise ValueError(f"{_shown(name)} has values of type {_shown(kind)}; the known types are {', '.join(DTYPES)}")
    if not _whole(shape) or len(shape) > MOST_DIMENSIONS:
        raise ValueError(f"the shape of {_shown(name)} must be at most {MOST_DIMENSIONS} sizes, not {_shown(shape)}")
    if not _whole(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= size:
        raise ValueError(f"the data_offsets of {_shown(name)}, {_shown(offsets)}, are not in the {size} bytes of data")
    dtype = np.dtype(DTYPES[kind])
    if math.prod(shape) * dtype.itemsize != offsets[1] - offsets[0]:
        raise ValueError(f"{_shown(name)}, {kind} {_shown(shape)}, can't have {offsets[1] - offsets[0]} bytes")
    return offsets[0], offsets[1], dtype, tuple(shape)


def _whole(values: Any) -> bool:
    """Whether it is a list of whole numbers that are possible sizes."""
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2**48 for value in values)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in its header")
    return found


def _shown(value: Any) -> str:
    return reprlib.repr(value)
