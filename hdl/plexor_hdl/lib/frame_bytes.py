# SPDX-License-Identifier: Apache-2.0
"""Frames on their way to the packetizer: bytes, from the header to an end beat."""

from amaranth.lib import data

from plexor.protocol.frames import HEADER


class FrameByte(data.Struct):
    """One byte of a frame; a beat with `end` carries no byte and ends the frame."""

    byte: 8
    end: 1


def header_bytes(name: str) -> range:
    """Return the places of a header field's bytes. Raises KeyError for an unknown field."""
    start = 0
    for entry in HEADER.fields:
        size = entry.bits // 8
        if entry.name == name:
            return range(start, start + size)
        start += size
    raise KeyError(name)


HEADER_BYTES = HEADER.size_bytes
TYPE, FLAGS = header_bytes("type")[0], header_bytes("flags")[0]
TAG, SEQUENCE = header_bytes("tag"), header_bytes("sequence")
INDEX, BASE_TICKS = header_bytes("index"), header_bytes("base_ticks")
