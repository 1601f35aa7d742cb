# SPDX-License-Identifier: Apache-2.0
"""The parameters of a build of the instrument: what its identity tells the host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

from plexor.protocol.frames import (
    CODE_BITS,
    MAX_CHANNELS,
    MAX_STRIKES,
    SOURCE_CHANNEL,
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    SOURCE_LOAD,
    SOURCE_STEP,
    SOURCE_STRIKE,
)

MAGIC = 0x52584C50  # "PLXR", little-endian
PROTOCOL_MAJOR = 2
PROTOCOL_MINOR = 8
PROTOCOL_VERSION = PROTOCOL_MAJOR << 16 | PROTOCOL_MINOR

PLACED = 1 << 63
"""Bit of `identity.build_id`: the build is a bitstream, and no simulation."""

WORD_SAMPLES = (4, 8, 16)
MOST_TICK_FS = (1 << 32) - 1
BOARD_BYTES = 8
TRIGGER_CLOCKS = 19
"""Core clocks from the start of a run, a trigger strike or the gate to phase 0 of a stimulus."""
CODE_TRIGGER_CLOCKS = 13
"""Core clocks, besides the time to settle, from a code to what acts as a trigger strike."""
MAX_STEPS = 64
"""Steps that the sweep table of a build has at most."""
MAX_TIMECODE_BITS = 16
SCHEDULE_ENTRIES = 128
"""Due times that wait in the schedule at most."""
DUE_CLOCKS = 80
"""Core clocks, at least, by which a due time must be ahead when its turn comes."""
MAX_LAMPS = 8
STEP_CLOCKS = 1024
"""Core clocks from the end of a step of the sweep table to phase 0 of the next one."""
LONG_FILTER_CLOCKS = 128
"""A long glitch filter is shorter than this many core clocks."""
LEAST_HOLD_CLOCKS, HOLD_STEP_CLOCKS = 24, 16
"""A long glitch filter holds all events back: see `hold_clocks`."""


class Feature(IntFlag):
    """Optional features of a build. What is absent reads as zero."""

    SIMULATED = 1  # the instrument is a simulation
    FALL = 2  # fall latency on the chip
    INTERVALS = 4  # on-width and period on the chip
    ZOOM = 8  # windows of one-tick bins
    SUM_SQUARES = 16  # sum of squares on the chip
    EXTREMES = 32  # index and time of minimum and maximum
    SNAPSHOT = 64  # two banks of results: coherent snapshots while running
    FILTER = 128  # glitch filter
    EARLY = 256  # responses before their strike (signed latency)
    POISSON = 512  # random intervals
    RING = 1024  # the events around a trigger are kept
    BURST = 2048  # several strikes per period, and periods below a clock
    DITHER = 4096  # random dither of the period
    SWEEP = 8192  # a table of rate steps, with results for each step; needs SNAPSHOT
    EVENTS = 16384  # events over the link; without it `control.stream` does nothing; since 2.1
    CODES = 32768  # a code port: pins that say what the device does; needs EVENTS; since 2.3
    SCHEDULE = 65536  # due times that stimuli strike at, and a timecode; since 2.4
    MEND = 131072  # samples of neighbouring phases that were exchanged are mended; since 2.5
    MATCH = 262144  # strikes are matched and counted on the chip, else by the host; since 2.7
    LONG_FILTER = 524288  # glitch filter of up to 127 clocks; needs FILTER, MATCH; since 2.8


ALL_FEATURES = Feature(sum(Feature)) & ~Feature.CODES
"""All features but CODES, which needs pins."""
DECISIONS_SINCE = 6
"""Minor of the protocol: from it on a decision starts strikes, in builds with several outputs."""
EVENTS_SINCE = 1
"""Minor of the protocol: before it every build had Feature.EVENTS, and did not say so."""
MATCH_SINCE = 7
"""Minor of the protocol: before it every build had Feature.MATCH, and did not say so."""


def hold_clocks(filter_clocks: int) -> int:
    """Return for how many core clocks events are held back before the merge; 0: for none.

    `filter_clocks` are the whole clocks of the lengths of all enabled channels' long glitch
    filters, joined by OR. It is as long as each filter and a few clocks more.
    """
    return LEAST_HOLD_CLOCKS + filter_clocks // HOLD_STEP_CLOCKS * HOLD_STEP_CLOCKS


@dataclass(frozen=True, slots=True)
class Geometry:
    """Parameters of one build. Raises ValueError, with the name, for a value out of range."""

    channels: int = 4
    """Response channels, 1 to 8."""
    strikes: int = 2
    """Strike outputs, 1 to 8."""
    samples: int = 8
    """W: samples of each pin per core clock; 4, 8 or 16."""
    tick_fs: int = 1_000_000
    """Time of one sample, in femtoseconds. The core clock's period is `samples` ticks."""
    latency_mantissa_bits: int = 6
    """m: a log-linear bin of rise latencies is 2**-m of its value wide."""
    fall_mantissa_bits: int = 0
    """The same for fall latencies; 0: as for rise latencies."""
    interval_mantissa_bits: int = 6
    """The same for on-widths and periods."""
    zoom_bits: int = 10
    """A zoom window has 2**zoom_bits bins. The first is for values below it, the last for above."""
    queue_depth: int = 64
    """Maximum outstanding strikes of a channel; a power of two."""
    word_fifo_depth: int = 32
    """Sample words with edges that a source can hold before the merge; a power of two."""
    upload_depth: int = 1024
    """Events that can wait for the link; a power of two."""
    ring_depth: int = 512
    """Events kept around a trigger; a power of two."""
    phases: int = 4
    """Samples after which the sampling instants repeat: a channel's flip-flops. Divides W."""
    deep_depth: int = 0
    """Events that the deep memory keeps for after a run, three fewer for each change of a frame's
    base; a power of two. 0: no deep memory."""
    table_steps: int = MAX_STEPS
    """Maximum steps of the sweep table; a power of two. 0: MAX_STEPS."""
    code_bits: int = 0
    """Pins of the code port, 1 to 16 with Feature.CODES. 0: no code port."""
    timecode_bits: int = 0
    """Pins of the timecode, up to 16 with Feature.SCHEDULE. 0: no timecode."""
    lamps: int = 0
    """Lamps of the board, up to 8."""
    features: Feature = ALL_FEATURES
    board: str = "sim"
    """Name of the board: up to eight ASCII characters."""

    def __post_init__(self) -> None:
        if not self.fall_mantissa_bits:
            object.__setattr__(self, "fall_mantissa_bits", self.latency_mantissa_bits)
        if not self.table_steps:
            object.__setattr__(self, "table_steps", MAX_STEPS)
        ranges = {
            "channels": (1, MAX_CHANNELS),
            "strikes": (1, MAX_STRIKES),
            "tick_fs": (1000, MOST_TICK_FS),
            "latency_mantissa_bits": (2, 8),
            "fall_mantissa_bits": (2, 8),
            "interval_mantissa_bits": (2, 8),
            "zoom_bits": (4, 12),
            "lamps": (0, MAX_LAMPS),
        }
        for name, (least, most) in ranges.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name}: {getattr(self, name)}; must be {least} to {most}")
        if self.samples not in WORD_SAMPLES:
            raise ValueError(f"samples: {self.samples}; must be one of {WORD_SAMPLES}")
        if not 1 <= self.phases <= self.samples or self.samples % self.phases:
            raise ValueError(f"phases: {self.phases}; must divide the {self.samples} samples")
        for name, least, most in (
            ("queue_depth", 4, 4096),
            ("word_fifo_depth", 4, 512),
            ("upload_depth", 16, 65536),
            ("ring_depth", 16, 4096),
            ("deep_depth", 256, 1 << 30),
            ("table_steps", 2, MAX_STEPS),
        ):
            depth = getattr(self, name)
            if name == "deep_depth" and not depth:
                continue
            if depth & (depth - 1) or not least <= depth <= most:
                raise ValueError(f"{name}: {depth}; must be a power of two, {least} to {most}")
        least, most = (1, CODE_BITS) if Feature.CODES in self.features else (0, 0)
        if not least <= self.code_bits <= most:
            raise ValueError(f"code_bits: {self.code_bits}; must be {least} to {most}")
        most = MAX_TIMECODE_BITS if Feature.SCHEDULE in self.features else 0
        if not 0 <= self.timecode_bits <= most:
            raise ValueError(f"timecode_bits: {self.timecode_bits}; must be 0 to {most}")
        if not (self.board.isascii() and len(self.board) <= BOARD_BYTES):
            raise ValueError(f"board: {self.board!r}; must be up to {BOARD_BYTES} ASCII characters")

    @property
    def indexed(self) -> bool:
        """Whether events are numbered: where they go over the link, or some are kept."""
        return bool(self.features & (Feature.EVENTS | Feature.EXTREMES | Feature.RING))

    @property
    def key_bits(self) -> int:
        """Bits of a channel number inside a memory key."""
        return (self.channels - 1).bit_length()

    @property
    def sources(self) -> tuple[int, ...]:
        """Event sources this build has, in the order in which one tick's events are sent."""
        return (
            *range(SOURCE_STRIKE, SOURCE_STRIKE + self.strikes),
            *range(SOURCE_CHANNEL, SOURCE_CHANNEL + self.channels),
            SOURCE_LOAD,
            *((SOURCE_STEP,) if Feature.SWEEP in self.features else ()),
            *((SOURCE_CODE, SOURCE_CODE_VALUE) if Feature.CODES in self.features else ()),
        )

    @property
    def merged(self) -> tuple[int, ...]:
        """Event sources that are merged: all but values of codes, which are with their codes."""
        return tuple(source for source in self.sources if source != SOURCE_CODE_VALUE)

    @property
    def levels(self) -> tuple[int, ...]:
        """Event sources that are edges of a level: all but codes."""
        return tuple(source for source in self.sources if source < SOURCE_CODE)
