# SPDX-License-Identifier: Apache-2.0
"""What a page gets of a snapshot: one binary message, whose layout is declared here alone.

A message is a header, a record for each channel, and their counts as 64-bit floats, all
little-endian. `layout` says where each field is; the page reads messages by it, so that a field is
typed nowhere else. Counts are trimmed: of each histogram come the cells from `first` on, `cells` of
them, from byte `at` of the message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.model.results import ChannelResult, Kind, SampleResult
from plexor.protocol.memory import VALUE_MOST, ResponseClass, bin_count, over_bin, under_bin
from plexor.scope.interface import Shot

MAGIC = 0x31535850
"""`PXS1`."""
VERSION = 1
SIMULATED, RUNNING, INVALID = 1, 2, 4
"""Flags of a message."""

HEADER = np.dtype(
    [
        ("magic", "<u4"),
        ("version", "<u2"),
        ("channels", "<u2"),
        ("frame", "<u4"),
        ("run", "<u4"),
        ("flags", "<u4"),
        ("snapshot", "<u4"),
        ("taken_unix_s", "<f8"),
        ("tick_fs", "<f8"),
        ("elapsed_s", "<f8"),
        ("wall_s", "<f8"),
        ("strikes", "<f8"),
        ("expected_strikes", "<f8"),
        ("received", "<f8"),
        ("dropped", "<f8"),
        ("lost", "<f8"),
        ("faults", "<f8"),
        ("strike_ticks", "<f8"),
    ]
)
_TRIMMED = [("first", "<u4"), ("cells", "<u4"), ("at", "<u4"), ("mantissa_bits", "<u4")]
CHANNEL = np.dtype(
    [
        ("number", "<u4"),
        ("conserved", "<u4"),
        ("classes", "<f8", (len(ResponseClass),)),
        ("pending", "<f8"),
        ("min_ticks", "<f8"),
        ("max_ticks", "<f8"),
        ("max_at_ticks", "<f8"),
        ("fall_min_ticks", "<f8"),
        ("fall_max_ticks", "<f8"),
        ("width_min_ticks", "<f8"),
        ("width_max_ticks", "<f8"),
        ("rise", _TRIMMED),
        ("fall", _TRIMMED),
    ]
)
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FrameId:
    """Which frame of which run a message is, and whether the run goes on."""

    frame: int
    run: int
    running: bool


def layout() -> dict[str, Any]:
    """Return where a message's fields are, as JSON for the page: name to [type, byte, count]."""
    return {
        "magic": MAGIC,
        "version": VERSION,
        "header": _fields(HEADER),
        "header_bytes": HEADER.itemsize,
        "channel": _fields(CHANNEL),
        "channel_bytes": CHANNEL.itemsize,
        "flags": {"simulated": SIMULATED, "running": RUNNING, "invalid": INVALID},
        "classes": [kind.name.lower() for kind in ResponseClass],
    }


def _fields(
    record: np.dtype[np.void], name: str = "", offset_bytes: int = 0
) -> dict[str, list[Any]]:
    fields: dict[str, list[Any]] = {}
    assert record.fields is not None
    for field, (kind, offset, *_) in record.fields.items():
        full_name = f"{name}{field}"
        if kind.fields is not None:
            fields |= _fields(kind, f"{full_name}_", offset_bytes + offset)
        else:
            count = int(np.prod(kind.shape)) if kind.shape else 1
            fields[full_name] = [kind.base.str[1:], offset_bytes + offset, count]
    return fields


def edges_of(mantissa_bits: int) -> list[int]:
    """Return the bounds of a histogram's cells in ticks: cell i is from bound i to bound i + 1.

    The first cell holds negative values, the last VALUE_MOST and all above.
    """
    numbers = np.arange(bin_count(mantissa_bits), dtype=np.int64)
    shift = np.maximum((numbers >> mantissa_bits) - 1, 0)
    low = (numbers - (shift << mantissa_bits)) << shift
    return [-1, *low.tolist(), VALUE_MOST, VALUE_MOST + 1]


def cells_of(measurement: SampleResult | None) -> Reals:
    """Return the counts of the cells of `edges_of`; an empty array without a measurement."""
    if measurement is None:
        return np.empty(0)
    counts, bits = measurement.bins.counts, measurement.bins.mantissa_bits
    inside = counts[: bin_count(bits)].astype(np.float64)
    ends = counts[[under_bin(bits), over_bin(bits)]].astype(np.float64)
    return np.concatenate([ends[:1], inside, ends[1:]])


def encode(shot: Shot, frame_id: FrameId) -> bytes:
    """Return the message of a snapshot."""
    header = np.zeros((), HEADER)
    progress = shot.progress
    for name, value in (
        ("magic", MAGIC),
        ("version", VERSION),
        ("channels", len(shot.channels)),
        ("frame", frame_id.frame),
        ("run", frame_id.run),
        (
            "flags",
            SIMULATED * shot.simulated + RUNNING * frame_id.running + INVALID * bool(shot.invalid),
        ),
        ("snapshot", shot.number),
        ("taken_unix_s", shot.taken_unix_s),
        ("tick_fs", shot.tick_fs),
        ("elapsed_s", progress.elapsed_s),
        ("wall_s", progress.wall_s),
        ("strikes", progress.strikes),
        ("expected_strikes", progress.expected_strikes or 0),
        ("received", progress.events_received),
        ("dropped", progress.dropped),
        ("lost", progress.frames_lost),
        ("faults", progress.decode_faults),
        ("strike_ticks", np.nan if shot.strike_ticks is None else shot.strike_ticks),
    ):
        header[name] = value
    records = np.zeros(len(shot.channels), CHANNEL)
    counts: list[Reals] = []
    offset_bytes = HEADER.itemsize + records.nbytes
    for record, channel in zip(records, shot.channels, strict=True):
        offset_bytes = _channel(record, channel, shot.start_ticks, counts, offset_bytes)
    return b"".join((header.tobytes(), records.tobytes(), *(block.tobytes() for block in counts)))


def _channel(
    record: Any, channel: ChannelResult, start_ticks: int, counts: list[Reals], offset_bytes: int
) -> int:
    """Fill a channel's record, append its counts, and return where the next ones begin."""
    rise = channel.measurement(Kind.RISE)
    record["number"] = channel.number
    record["conserved"] = channel.conserved
    record["classes"] = [channel.classes.get(kind, 0) for kind in ResponseClass]
    record["pending"] = channel.pending
    fall = channel.measurement(Kind.FALL)
    known = None if rise is None else rise.statistics
    width = channel.measurement(Kind.WIDTH)
    falls = None if fall is None else fall.statistics
    widths = None if width is None else width.statistics
    at_ticks = None if known is None else known.max_time_ticks
    for name, value in (
        ("min_ticks", None if known is None else known.min_ticks),
        ("max_ticks", None if known is None else known.max_ticks),
        ("max_at_ticks", None if at_ticks is None else at_ticks - start_ticks),
        ("fall_min_ticks", None if falls is None else falls.min_ticks),
        ("fall_max_ticks", None if falls is None else falls.max_ticks),
        ("width_min_ticks", None if widths is None else widths.min_ticks),
        ("width_max_ticks", None if widths is None else widths.max_ticks),
    ):
        record[name] = np.nan if value is None else value
    for name, measurement in (("rise", rise), ("fall", fall)):
        cells = cells_of(measurement)
        (filled,) = np.nonzero(cells)
        first, end = (int(filled[0]), int(filled[-1]) + 1) if len(filled) else (0, 0)
        bits = 0 if measurement is None else measurement.bins.mantissa_bits
        record[name] = (first, end - first, offset_bytes, bits)
        counts.append(cells[first:end])
        offset_bytes += (end - first) * 8
    return offset_bytes
