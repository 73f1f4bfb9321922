"""Safetensors files by NumPy alone: what the library writes is read, and what nobody should send is refused."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from carnegie_env.agents import tensors

KINDS = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")


def some_arrays() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(1)
    arrays = {kind: (100 * generator.random((3, 4))).astype(kind) for kind in KINDS}
    return arrays | {"one": np.array(7, np.int8), "none": np.zeros((0, 5), np.float32), "ünï/code": np.ones(3)}


def built(header: object, data: bytes = b"") -> bytes:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return struct.pack("<Q", len(text)) + text + data


def test_what_the_library_writes_is_read(tmp_path):
    file, arrays = tmp_path / "x.safetensors", some_arrays()
    file.write_bytes(save(arrays, {"made by": "a test"}))
    found, metadata = tensors.read(file)
    assert metadata == {"made by": "a test"} and set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype and found[name].dtype.isnative
        np.testing.assert_array_equal(found[name], array)
        assert found[name].flags.writeable and found[name].flags.c_contiguous and found[name].flags.aligned
    file.write_bytes(save({}))
    assert tensors.read(file) == ({}, {})


GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
EIGHT = bytes(8)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "0 bytes, too few"),
        (b"\x01" * 7, "7 bytes, too few"),
        (struct.pack("<Q", 2**63), "its header has 9223372036854775808 bytes"),
        (struct.pack("<Q", 3) + b"{}", "its header has 3 bytes"),
        (struct.pack("<Q", 200_000) + b"{}" + b" " * 200_000, "its header has 200000 bytes"),
        (built(b"\xff\xfe"), "utf-8"),
        (built(b"{" * 50), "Expecting"),
        (built(b"[" * 90_000), "recursion"),
        (built(b'{"a": ' + b"9" * 90_000 + b"}"), "integer string conversion|must have dtype"),
        (built([]), "no JSON object"),
        (built({"__metadata__": {"a": 1}}), "__metadata__ must be texts"),
        (built({"__metadata__": []}), "__metadata__ must be texts"),
        (built({"a": 5}), "'a' must have dtype, shape and data_offsets"),
        (built({"a": {**GOOD, "more": 1}}, EIGHT), "'a' must have dtype"),
        (built({"a": {**GOOD, "dtype": "BF16"}}, EIGHT), "type 'BF16'; known are F64, F32"),
        (built({"a": {**GOOD, "dtype": "O"}}, EIGHT), "type 'O'"),
        (built({"a": {**GOOD, "dtype": ["F32"]}}, EIGHT), "numbers of type"),
        (built({"a": {**GOOD, "shape": [True, 2]}}, EIGHT), "shape of 'a'"),
        (built({"a": {**GOOD, "shape": [-2]}}, EIGHT), "shape of 'a'"),
        (built({"a": {**GOOD, "shape": [2.0]}}, EIGHT), "shape of 'a'"),
        (built({"a": {**GOOD, "shape": [2**60, 0]}}, EIGHT), "shape of 'a'"),
        (built({"a": {**GOOD, "shape": [1] * 9}}, EIGHT), "at most 8 sizes"),
        (built({"a": {**GOOD, "shape": 2}}, EIGHT), "shape of 'a'"),
        (built({"a": {**GOOD, "shape": [3]}}, EIGHT), "can't have 8 bytes"),
        (built({"a": {**GOOD, "shape": [2**47, 2**47]}}, EIGHT), "can't have 8 bytes"),
        (built({"a": {**GOOD, "data_offsets": [0, 10**12]}}, EIGHT), "of 8 bytes of data"),
        (built({"a": {**GOOD, "data_offsets": [8, 0]}}, EIGHT), "of 8 bytes of data"),
        (built({"a": {**GOOD, "data_offsets": [-8, 0]}}, EIGHT), "of 8 bytes of data"),
        (built({"a": {**GOOD, "data_offsets": [0]}}, EIGHT), "of 8 bytes of data"),
        (built({"a": GOOD}, EIGHT + b"x"), "9 bytes of data, and arrays of 8"),
        (built({"a": GOOD, "b": GOOD}, EIGHT), "begins at byte 0 of the data, not where"),
        (built({"a": {**GOOD, "data_offsets": [1, 9]}}, EIGHT + b"x"), "begins at byte 1"),
        (built(b'{"a": {"dtype": "F32", "dtype": "I8"}}'), "stands twice"),
        (built(b'{"a": 1, "a": 2}'), "stands twice"),
        (b"PK\x03\x04" + bytes(100), "its header has"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, content, message):
    file = tmp_path / "x.safetensors"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        tensors.read(file)
    assert str(file) in str(error.value) and len(str(error.value)) < 800


def test_files_that_are_not_there_or_too_large(tmp_path):
    with pytest.raises(FileNotFoundError):
        tensors.read(tmp_path / "none")
    with pytest.raises(ValueError, match="directory"):
        tensors.read(tmp_path)
    file = tmp_path / "x.safetensors"
    file.write_bytes(save(some_arrays()))
    with pytest.raises(ValueError, match="more than 100"):
        tensors.read(file, most=100)


CONTENT = save(some_arrays(), {"a": "b"})


@given(st.integers(0, len(CONTENT) - 1), st.binary(min_size=0, max_size=4), st.booleans())
def test_spoilt_bytes_are_read_or_refused_in_words(tmp_path_factory, at, bytes_there, cut):
    file = tmp_path_factory.getbasetemp() / "malformed.safetensors"
    file.write_bytes(CONTENT[:at] + bytes_there + (b"" if cut else CONTENT[at + len(bytes_there) :]))
    try:
        found, _ = tensors.read(file)
    except ValueError as error:
        assert "can't be read as a safetensors file" in str(error)
    else:
        assert all(array.dtype.kind in "fiu" for array in found.values())
