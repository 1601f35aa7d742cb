# SPDX-License-Identifier: Apache-2.0
"""The on-chip result memories: spaces, their entries, and the bins of histograms.

A space is an array of entries of 32-bit words, dumped in HISTOGRAM or STATISTICS frames. Counts and
statistics have up to two banks (Feature.SNAPSHOT). The value of an entry is the sum over the banks;
for statistics it is the sum over banks and interleaved sets, and minimum and maximum are combined
in the same way. Bins, steps and tables of codes have only bank 0, so a dump has their totals.
"""

from __future__ import annotations

from enum import IntEnum

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.records import Field, Record

VALUE_BITS = 32
"""Bits of a signed latency or interval in ticks."""
VALUE_MOST = (1 << (VALUE_BITS - 1)) - 1
"""The greatest value; intervals and fall latencies above it are taken as this."""
STATISTICS_SETS = 1
"""Interleaved sets of statistics: sample n of an engine goes to set n modulo this."""


class Space(IntEnum):
    """Memory spaces, by their bit in `dump_spaces`."""

    CLASSES = 0  # entry: channel * 8 + ResponseClass, 64-bit count
    EDGES = 1  # entry: source * 2 + polarity, 64-bit count of merged events; codes: 0
    UPLOAD_DROPS = 2  # entry: source, 64-bit count
    LATENCY_STATISTICS = 3  # entry: (set, key), STATISTICS record
    INTERVAL_STATISTICS = 4  # the same
    LATENCY_BINS = 5  # entry: bins of each key, keys in order, 32-bit count
    INTERVAL_BINS = 6  # the same
    LATENCY_ZOOM = 7  # entry: (key, bin), 32-bit count
    INTERVAL_ZOOM = 8  # the same
    STEPS = 9  # entry: step << key bits | channel, STEP record; only in bank 0
    CODES = 10  # entry: table * codes + code_place, CODE_FIGURES record; dumped after a run only


HISTOGRAM_SPACES = (
    Space.LATENCY_BINS,
    Space.INTERVAL_BINS,
    Space.LATENCY_ZOOM,
    Space.INTERVAL_ZOOM,
)


class ResponseClass(IntEnum):
    """Entries of Space.CLASSES for each channel."""

    ANSWERED = 0
    LATE = 1
    MISSED = 2
    DUPLICATE = 3
    SPURIOUS = 4
    EARLY = 5  # those ANSWERED or LATE whose response came before the strike
    QUEUE_FULL = 6  # those MISSED because the queue was full
    STRIKES = 7  # reference edges seen


CLASSES = 8
UNBOUNDED_CLASSES = (ResponseClass.DUPLICATE, ResponseClass.SPURIOUS)
"""A strike may have any number of them; of every other one at most."""


class LatencyKind(IntEnum):
    """First part of a latency key."""

    RISE = 0  # strike to active edge
    FALL = 1  # strike to trailing edge


class IntervalKind(IntEnum):
    """First part of an interval key."""

    WIDTH = 0  # active edge to trailing edge
    PERIOD = 1  # active edge to the next active edge


KINDS = 2

_SQUARES_LOW = "sum of squares, low half; with Feature.SUM_SQUARES"
_SQUARES_HIGH = "sum of squares, high half; with Feature.SUM_SQUARES"
_EXTREMES = "with Feature.EXTREMES"

STATISTICS = Record(
    "statistics",
    "Statistics of one key in one interleaved set. Without samples all fields are 0.",
    (
        Field("count", 64, "samples", "number of samples"),
        Field("sum_ticks", 64, "ticks", "sum of the samples", signed=True),
        Field("sum_sq_low_ticks2", 64, "ticks squared", _SQUARES_LOW),
        Field("sum_sq_high_ticks2", 64, "ticks squared", _SQUARES_HIGH),
        Field("min_ticks", 64, "ticks", "minimum", signed=True),
        Field("max_ticks", 64, "ticks", "maximum", signed=True),
        Field("min_index", 64, "events", f"index of the first minimum sample; {_EXTREMES}"),
        Field("max_index", 64, "events", f"index of the first maximum sample; {_EXTREMES}"),
        Field("min_time_ticks", 64, "ticks", f"time of the event of min_index; {_EXTREMES}"),
        Field("max_time_ticks", 64, "ticks", f"time of the event of max_index; {_EXTREMES}"),
    ),
)


STEP = Record(
    "step",
    "One channel at the end of one step of the sweep table; all 0 if the step has not ended. "
    "Classes, count and sums are since the start of the run.",
    (
        *(Field(kind.name.lower(), 64, "events", "as in ResponseClass") for kind in ResponseClass),
        Field("count", 64, "samples", "number of rise latencies"),
        Field("sum_ticks", 64, "ticks", "sum of rise latencies", signed=True),
        Field("sum_sq_low_ticks2", 64, "ticks squared", _SQUARES_LOW),
        Field("sum_sq_high_ticks2", 64, "ticks squared", _SQUARES_HIGH),
        Field("min_ticks", 64, "ticks", "minimum in this step; 0 without samples", signed=True),
        Field("max_ticks", 64, "ticks", "maximum in this step; 0 without samples", signed=True),
        Field("pending", 64, "strikes", "outstanding strikes at the end of the step"),
        Field("end_ticks", 64, "ticks", "the tick after the step's last"),
    ),
)

CODE_FIGURES = Record(
    "code figures",
    "Figures of one code, without those that the next code or an answer has not ended. Without "
    "samples all fields are 0.",
    (
        Field("count", 64, "samples", "number of samples"),
        Field("sum_ticks", 64, "ticks", "sum of the samples", signed=True),
        Field("min_ticks", 64, "ticks", "minimum", signed=True),
        Field("max_ticks", 64, "ticks", "maximum", signed=True),
    ),
)
CODE_TABLE_BITS = 8
"""Bits of a code that tables tell apart. Of a longer code they are the upper ones: its class, and
the upper bits of its id."""


class ByCode(IntEnum):
    """Tables in Space.CODES."""

    TIMES = 0  # times from each code to the next one
    LATENCY = 1  # rise latencies of one channel, by the code at the strike


def table_bits(geometry: Geometry) -> int:
    """Return the bits of an entry's number in a table of codes."""
    return min(geometry.code_bits, CODE_TABLE_BITS)


def code_place(geometry: Geometry, code: int) -> int:
    """Return the entry of a code in the tables of codes; before the first code 0 is in force."""
    return code >> geometry.code_bits - table_bits(geometry)


def key(geometry: Geometry, kind: int, channel: int) -> int:
    """Return the memory key of a kind and channel."""
    return kind << geometry.key_bits | channel


def bin_bits(mantissa_bits: int) -> int:
    """Return the address bits of the log-linear bins of one key."""
    return mantissa_bits + 5


def under_bin(mantissa_bits: int) -> int:
    """Return the bin of negative values."""
    return (1 << bin_bits(mantissa_bits)) - 1


def over_bin(mantissa_bits: int) -> int:
    """Return the bin of VALUE_MOST, which stands for itself and every greater value."""
    return (1 << bin_bits(mantissa_bits)) - 2


def bin_of(value_ticks: int, mantissa_bits: int) -> int:
    """Return the log-linear bin of a value in ticks.

    Values below 2**m have a bin each; from there every octave has 2**m bins.
    """
    if value_ticks < 0:
        return under_bin(mantissa_bits)
    if value_ticks >= VALUE_MOST:
        return over_bin(mantissa_bits)
    shift = max(value_ticks.bit_length() - mantissa_bits - 1, 0)
    return (shift << mantissa_bits) + (value_ticks >> shift)


def bin_bounds(number: int, mantissa_bits: int) -> tuple[int, int]:
    """Return the least value of a log-linear bin and the least above it, in ticks.

    Raises ValueError for the under and over bins and for numbers that no value has.
    """
    octave = number >> mantissa_bits
    shift = max(octave - 1, 0)
    if number < 0 or shift + mantissa_bits >= VALUE_BITS - 1:
        raise ValueError(
            f"bin {number} holds no value; must be 0 to {bin_count(mantissa_bits) - 1}"
        )
    low = (number - (shift << mantissa_bits)) << shift
    return low, min(low + (1 << shift), VALUE_MOST)


def bin_count(mantissa_bits: int) -> int:
    """Return how many log-linear bins hold values, under and over not counted."""
    return bin_of(VALUE_MOST - 1, mantissa_bits) + 1


def mantissa_bits(geometry: Geometry, space: Space, kind: int) -> int:
    """Return the mantissa bits of a kind's log-linear bins, of LATENCY_BINS or INTERVAL_BINS."""
    if space == Space.INTERVAL_BINS:
        return geometry.interval_mantissa_bits
    if kind == LatencyKind.FALL:
        return geometry.fall_mantissa_bits
    return geometry.latency_mantissa_bits


def width_bits(geometry: Geometry, space: Space, kind: int) -> int:
    """Return the address bits of the bins of one key, in a space of bins or of zoom windows."""
    if space in (Space.LATENCY_ZOOM, Space.INTERVAL_ZOOM):
        return geometry.zoom_bits
    return bin_bits(mantissa_bits(geometry, space, kind))


def first_bin(geometry: Geometry, space: Space, kind: int, channel: int) -> int:
    """Return the entry of a key's first bin, in a space of bins or of zoom windows.

    With `kind` KINDS and channel 0 it is the end of the space.
    """
    before = sum(1 << width_bits(geometry, space, k) for k in range(kind)) << geometry.key_bits
    return before + (channel << width_bits(geometry, space, kind) if channel else 0)


def banks(geometry: Geometry, space: Space) -> int:
    """Return how many banks a space has."""
    single = space in (*HISTOGRAM_SPACES, Space.STEPS, Space.CODES)
    return 1 if single or Feature.SNAPSHOT not in geometry.features else 2


def entry_words(space: Space) -> int:
    """Return the 32-bit words of one entry."""
    if space in HISTOGRAM_SPACES:
        return 1
    if space in (Space.LATENCY_STATISTICS, Space.INTERVAL_STATISTICS):
        return STATISTICS.size_bytes // 4
    if space == Space.STEPS:
        return STEP.size_bytes // 4
    if space == Space.CODES:
        return CODE_FIGURES.size_bytes // 4
    return 2


def entries(geometry: Geometry, space: Space) -> int:
    """Return how many entries a space has; 0 where the build leaves it out."""
    if Feature.MATCH not in geometry.features:
        return 0
    keys = KINDS << geometry.key_bits
    intervals = Feature.INTERVALS in geometry.features
    zoom = Feature.ZOOM in geometry.features
    swept = Feature.SWEEP in geometry.features
    sources = max(geometry.sources) + 1
    codes = 1 << table_bits(geometry) if Feature.CODES in geometry.features else 0
    return {
        Space.CLASSES: geometry.channels * CLASSES,
        Space.EDGES: sources * 2,
        Space.UPLOAD_DROPS: sources,
        Space.LATENCY_STATISTICS: keys * STATISTICS_SETS,
        Space.INTERVAL_STATISTICS: intervals * keys * STATISTICS_SETS,
        Space.LATENCY_BINS: first_bin(geometry, Space.LATENCY_BINS, KINDS, 0),
        Space.INTERVAL_BINS: intervals * first_bin(geometry, Space.INTERVAL_BINS, KINDS, 0),
        Space.LATENCY_ZOOM: zoom * first_bin(geometry, Space.LATENCY_ZOOM, KINDS, 0),
        Space.INTERVAL_ZOOM: zoom * intervals * first_bin(geometry, Space.INTERVAL_ZOOM, KINDS, 0),
        Space.STEPS: geometry.table_steps << geometry.key_bits if swept else 0,
        Space.CODES: codes * len(ByCode),
    }[space]
