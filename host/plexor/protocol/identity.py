# SPDX-License-Identifier: Apache-2.0
"""The registers of the identity: what an instrument is."""

from __future__ import annotations

from plexor.protocol.register_kinds import Access, Block, Register

_R = Access.READ

IDENTITY = Block(
    "identity",
    "What the instrument is; the first thing a host reads.",
    (
        Register("magic", 32, _R, "", '"PLXR"'),
        Register("protocol_version", 32, _R, "", "major << 16 | minor; majors must agree"),
        Register(
            "gateware_hash", 64, _R, "", "first 64 bits of a SHA-256 over sources and geometry"
        ),
        Register("board", 64, _R, "", "ASCII, first character in the lowest byte, zero padded"),
        Register("channels", 32, _R, "", "response channels"),
        Register("strikes", 32, _R, "", "strike outputs"),
        Register("samples", 32, _R, "", "W: samples of a pin per core clock"),
        Register("tick_fs", 32, _R, "fs", "length of a tick"),
        Register("features", 32, _R, "", "bits of Feature"),
        Register("latency_mantissa_bits", 32, _R, "bits", "m of the log-linear rise latency bins"),
        Register("interval_mantissa_bits", 32, _R, "bits", "m of the log-linear interval bins"),
        Register("zoom_bits", 32, _R, "bits", "a zoom window has 2**zoom_bits bins"),
        Register("queue_depth", 32, _R, "strikes", "maximum outstanding per channel"),
        Register("word_fifo_depth", 32, _R, "words", "words with edges that a source holds"),
        Register("upload_depth", 32, _R, "events", "events that can wait for the link"),
        Register("ring_depth", 32, _R, "events", "events kept around a trigger"),
        Register("phases", 32, _R, "samples", "period of the sampling instants"),
        Register(
            "deep_depth", 32, _R, "events", "capacity of the deep memory; 0: there is none", since=1
        ),
        Register(
            "build_id",
            64,
            _R,
            "",
            "names a placement: gateware, seed and tools; 0: not known; bit 63: a bitstream",
            since=2,
        ),
        Register(
            "fall_mantissa_bits",
            32,
            _R,
            "bits",
            "m of the log-linear fall latency bins; before 2.2 those of rises",
            since=2,
        ),
        Register("table_steps", 32, _R, "steps", "size of the sweep table; before 2.2 64", since=2),
        Register("code_bits", 32, _R, "bits", "pins of the code port; 0: there is none", since=3),
        Register("timecode_bits", 32, _R, "bits", "pins of the timecode; 0: none", since=4),
        Register("lamps", 32, _R, "lamps", "lamps of the board; 0: none", since=4),
    ),
)
