# SPDX-License-Identifier: Apache-2.0
"""Frames, records and words against golden vectors and against code that shares nothing with them.

The vectors were made once, by `crc32`, `stuffed`, `struct` and shifts as below. A change to them is
a change of the protocol's version.
"""

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.protocol import frames, geometry, memory, registers

VECTORS = json.loads((Path(__file__).parent / "golden" / "vectors.json").read_text())


def crc32(data):
    """CRC-32 of ISO 3309, a bit at a time."""
    crc = 0xFFFFFFFF
    for octet in data:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def stuffed(data):
    """COBS a byte at a time: a code byte, then code - 1 bytes, then a zero unless code is 255."""
    out, run = bytearray(), bytearray()
    for octet in data:
        if octet:
            run.append(octet)
        if not octet or len(run) == 254:
            out += bytes([len(run) + 1]) + run
            run.clear()
    return bytes(out) + bytes([len(run) + 1]) + bytes(run)


def header(frame):
    """Return a frame's header as two bytes, a half-word, a word and two double words."""
    names = ("type", "flags", "tag", "sequence", "index", "base_ticks")
    return struct.pack("<BBHIQQ", *(frame[name] for name in names))


def test_the_independent_crc_is_that_of_the_standard():
    assert crc32(b"123456789") == 0xCBF43926


def test_the_vectors_are_of_this_protocol_version():
    assert VECTORS["protocol_version"] == geometry.PROTOCOL_VERSION


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=lambda vector: vector["name"])
def test_a_frame_encodes_and_decodes_as_its_vector(vector):
    fields = {name: vector[name] for name in frames.HEADER.unpack(bytes(24))}
    payload = b"".join(struct.pack("<I", word) for word in vector["words"])
    frame = frames.Frame(**fields, payload=payload)
    encoded = bytes.fromhex(vector["hex"])
    body = header(vector) + payload
    assert encoded == body + struct.pack("<I", crc32(body))
    assert frame.encode() == encoded
    assert frames.Frame.decode(encoded) == frame
    stream = bytes.fromhex(vector["stream_hex"])
    assert stream == stuffed(encoded) + b"\0"
    assert frames.to_stream(frame) == stream
    assert frames.cobs_decode(stream[:-1]) == encoded


@pytest.mark.parametrize("vector", VECTORS["event_words"], ids=str)
def test_an_event_word_is_as_its_vector(vector):
    fields = (vector["delta_ticks"], vector["source"], vector["polarity"])
    word = int(vector["hex"], 16)
    assert word == fields[0] + fields[1] * 2**26 + fields[2] * 2**31
    assert frames.event_word(*fields) == word
    assert frames.split_event_word(word) == fields


@pytest.mark.parametrize("vector", VECTORS["operations"], ids=lambda vector: vector["register"])
def test_an_operation_is_as_its_vector(vector):
    names = ("address", "code", "status", "value")
    encoded = bytes.fromhex(vector["hex"])
    assert encoded == struct.pack("<HBBI", *(vector[name] for name in names))
    assert frames.OPERATION.pack({name: vector[name] for name in names}) == encoded
    block, copy, name = vector["register"].split()
    assert registers.address(block, name, int(copy)) == vector["address"]


@pytest.mark.parametrize("vector", VECTORS["statistics"], ids=lambda vector: vector["name"])
def test_a_statistics_record_is_as_its_vector(vector):
    encoded = bytes.fromhex(vector["hex"])
    assert encoded == struct.pack("<QqQQqqQQQQ", *vector["values"].values())
    assert memory.STATISTICS.pack(vector["values"]) == encoded
    assert memory.STATISTICS.unpack(encoded) == vector["values"]


@pytest.mark.parametrize("vector", VECTORS["bins"], ids=str)
def test_a_bin_is_as_its_vector(vector):
    assert memory.bin_of(vector["value_ticks"], vector["mantissa_bits"]) == vector["bin"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", "01"),
        ("00", "0101"),
        ("0000", "010101"),
        ("11220033", "0311220233"),
        ("11223344", "0511223344"),
        ("11000000", "0211010101"),
        ("aa" * 253, "fe" + "aa" * 253),
        ("aa" * 254, "ff" + "aa" * 254 + "01"),
        ("aa" * 254 + "00", "ff" + "aa" * 254 + "0101"),
        ("aa" * 255, "ff" + "aa" * 254 + "02aa"),
    ],
)
def test_cobs_is_as_worked_by_hand(data, expected):
    assert frames.cobs_encode(bytes.fromhex(data)).hex() == expected
    assert frames.cobs_decode(bytes.fromhex(expected)).hex() == data


def test_a_full_last_block_decodes_with_and_without_its_closing_code():
    block = bytes([255]) + bytes([7]) * 254
    assert frames.cobs_decode(block) == frames.cobs_decode(block + b"\1") == bytes([7]) * 254


@given(
    st.lists(
        st.one_of(st.just(b"\0"), st.binary(max_size=5), st.just(b"\1" * 254), st.just(b"\1" * 90))
    ).map(b"".join)
)
@settings(max_examples=200)
def test_cobs_agrees_with_byte_by_byte_stuffing(data):
    encoded = frames.cobs_encode(data)
    assert encoded == stuffed(data)
    assert 0 not in encoded
    assert frames.cobs_decode(encoded) == data


@pytest.mark.parametrize("data", ["00", "05aabb", "03aa00", "02"])
def test_what_is_no_cobs_is_refused(data):
    with pytest.raises(ValueError, match="COBS code"):
        frames.cobs_decode(bytes.fromhex(data))


@pytest.mark.parametrize("bit", range(0, 8 * 36, 7))
def test_a_flipped_bit_is_refused(bit):
    encoded = bytearray(frames.Frame(1, 0, 0, 5, 6, 7, bytes(8)).encode())
    encoded[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ValueError, match="CRC"):
        frames.Frame.decode(bytes(encoded))


@pytest.mark.parametrize("length", [0, 27, 29, 24 + 4 * 251 + 4])
def test_a_frame_of_a_wrong_length_is_refused(length):
    body = bytes(max(length - 4, 0))
    with pytest.raises(ValueError, match=f"frame of {length} bytes"):
        frames.Frame.decode((body + struct.pack("<I", crc32(body)))[:length])


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ((1 << 26, 0, 0), "delta_ticks"),
        ((-1, 0, 0), "delta_ticks"),
        ((0, frames.SOURCES, 0), "source"),
    ],
)
def test_an_event_that_does_not_fit_its_word_is_refused(fields, wrong):
    with pytest.raises(ValueError, match=wrong):
        frames.event_word(*fields)
