"""Reading safetensors files with NumPy alone: the library's files are read, malicious ones are rejected."""

import contextlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from carnegie_env.agents import tensors, value
from tests.networks import random_weights

KINDS = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")


def some_arrays() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(1)
    arrays = {kind: (100 * generator.random((3, 4))).astype(kind) for kind in KINDS}
    return arrays | {"one": np.array(7, np.int8), "none": np.zeros((0, 5), np.float32), "ünï/code": np.ones(3)}


def built(header: object, data: bytes = b"") -> bytes:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return struct.pack("<Q", len(text)) + text + data


def test_files_of_the_library_are_read(tmp_path):
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
        (struct.pack("<Q", 2**63), "its header, 9223372036854775808 bytes"),
        (struct.pack("<Q", 3) + b"{}", "its header, 3 bytes"),
        (struct.pack("<Q", 200_000) + b"{}" + b" " * 200_000, "its header, 200000 bytes"),
        (built(b"\xff\xfe"), "utf-8"),
        (built(b"{" * 50), "Expecting"),
        (built(b"[" * 90_000), "recursion"),
        (built(b'{"a": ' + b"9" * 90_000 + b"}"), "integer string conversion|must have dtype"),
        (built([]), "not a JSON object"),
        (built({"__metadata__": {"a": 1}}), "__metadata__ must be texts"),
        (built({"__metadata__": []}), "__metadata__ must be texts"),
        (built({"a": 5}), "'a' must have dtype, shape and data_offsets"),
        (built({"a": {**GOOD, "more": 1}}, EIGHT), "'a' must have dtype"),
        (built({"a": {**GOOD, "dtype": "BF16"}}, EIGHT), "type 'BF16'; the known types are F64, F32"),
        (built({"a": {**GOOD, "dtype": "O"}}, EIGHT), "type 'O'"),
        (built({"a": {**GOOD, "dtype": ["F32"]}}, EIGHT), "values of type"),
        *(
            (built({"a": {**GOOD, "shape": shape}}, EIGHT), "shape of 'a'")
            for shape in ([True, 2], [-2], [2.0], [2**60, 0], 2)
        ),
        (built({"a": {**GOOD, "shape": [1] * 9}}, EIGHT), "at most 8 sizes"),
        *((built({"a": {**GOOD, "shape": shape}}, EIGHT), "can't have 8 bytes") for shape in ([3], [2**47, 2**47])),
        *(
            (built({"a": {**GOOD, "data_offsets": place}}, EIGHT), "not in the 8 bytes of data")
            for place in ([0, 10**12], [8, 0], [-8, 0], [0])
        ),
        (built({"a": GOOD}, EIGHT + b"x"), "9 bytes of data, but the arrays have 8"),
        (built({"a": GOOD, "b": GOOD}, EIGHT), "begins at byte 0 of the data, but"),
        (built({"a": {**GOOD, "data_offsets": [1, 9]}}, EIGHT + b"x"), "begins at byte 1"),
        (built(b'{"a": {"dtype": "F32", "dtype": "I8"}}'), "occurs twice"),
        (built(b'{"a": 1, "a": 2}'), "occurs twice"),
        (b"PK\x03\x04" + bytes(100), "the length of its header"),
    ],
)
def test_malformed_files_are_rejected(tmp_path, content, message):
    file = tmp_path / "x.safetensors"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        tensors.read(file)
    assert str(file) in str(error.value) and len(str(error.value)) < 800


def test_missing_and_too_large_files_are_rejected(tmp_path):
    with pytest.raises(FileNotFoundError):
        tensors.read(tmp_path / "none")
    with pytest.raises(ValueError, match="directory"):
        tensors.read(tmp_path)
    file = tmp_path / "x.safetensors"
    file.write_bytes(save(some_arrays()))
    with pytest.raises(ValueError, match="more than 100"):
        tensors.read(file, most=100)


CONTENT = save(some_arrays(), {"a": "b"})
NETWORK = save(random_weights(16, 8, 4)._asdict(), {"game": "x", "inputs": "y", "options": "{}"})


@pytest.mark.parametrize(("content", "read"), [(CONTENT, tensors.read), (NETWORK, value.read)])
@given(st.data())
def test_corrupted_files_are_read_or_rejected_with_a_value_error(tmp_path_factory, content, read, data):
    file, at = tmp_path_factory.getbasetemp() / "malformed.safetensors", data.draw(st.integers(0, len(content) - 1))
    replaced, rest = data.draw(st.binary(max_size=4)), data.draw(st.booleans())
    file.write_bytes(content[:at] + replaced + (content[at + len(replaced) :] if rest else b""))
    with contextlib.suppress(ValueError):
        read(file)
