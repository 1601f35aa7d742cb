# SPDX-License-Identifier: Apache-2.0
"""The register map: its blocks, and the meaning of each register.

Register words have 32 bits. A wider register has its low word first. Blocks follow each other in
the order declared. Each is aligned to its own size, rounded up to a power of two. An array of
blocks has a power-of-two stride.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, IntFlag
from functools import cache

from plexor.protocol.frames import MAX_CHANNELS, MAX_STRIKES, SOURCES
from plexor.protocol.geometry import MAX_STEPS
from plexor.protocol.identity import IDENTITY
from plexor.protocol.register_kinds import Access, Block, Register


class Action(IntFlag):
    """Bits written to `control.action`. LOG frames report those that take time."""

    START = 1  # clear every result and counter, then run; ignored while running
    STOP = 2  # end the run as StopReason.COMMAND; ignored while none is under way
    SNAPSHOT = 4  # freeze a coherent snapshot and dump `control.dump_spaces` of it
    DUMP = 8  # dump `control.dump_spaces` of both banks; only after the end of a run
    TRACE = 16  # send the events kept around the trigger; only after the end of a run
    FORGET = 32  # empty the schedule; only while no run is under way; since 2.4


class StopOn(IntFlag):
    """Bits of `control.stop_on`. STOP always ends a run."""

    STRIKES = 1  # every enabled stimulus with a strike count is done and has settled
    TIME = 2  # `control.run_time_ticks` have passed
    LATENCY = 4  # a rise latency above `control.trigger_latency_ticks` on a trigger channel
    MISSED = 8  # a missed strike on a trigger channel
    STALL = 16  # no event of `code.stall_source` for `code.stall_ticks`, with Feature.CODES
    CODE = 32  # the code `code.stop_code`, with Feature.CODES


class Stream(IntEnum):
    """`control.stream`: when events go over the link; 3 acts as LIVE."""

    OFF = 0  # never; they are not queued
    LIVE = 1  # while running
    AFTER = 2  # kept in deep memory, sent after the end of the run; without one acts as OFF


class RunState(IntEnum):
    """`status.state`."""

    IDLE = 0
    CLEARING = 1
    RUNNING = 2
    DRAINING = 3  # capture is off; captured events are still being counted
    DONE = 4


class StopReason(IntEnum):
    """`status.stop_reason`."""

    NONE = 0
    COMMAND = 1
    STRIKES = 2
    TIME = 3
    LATENCY = 4
    MISSED = 5
    STALL = 6
    CODE = 7


class Policy(IntEnum):
    """Which outstanding strike a response answers."""

    OLDEST = 0
    LATEST = 1
    WINDOW = 2


class Trigger(IntEnum):
    """What starts a stimulus."""

    RUN = 0  # the start of the run
    STRIKE = 1  # each strike of stimulus `trigger_source` starts one sequence
    GATE = 2  # runs while the gate input is high, from its phase each time
    CODE = 3  # each code `code.trigger_code` that is not torn starts one sequence; since 2.3
    DUE = 4  # each due time of the schedule starts one sequence, there and then; since 2.4
    LATENCY = 5  # each rise latency over the limit of StopOn.LATENCY starts one sequence; since 2.6
    MISSED = 6  # each missed strike on a trigger channel starts one sequence; since 2.6


class InputSelect(IntEnum):
    """`control.input_select`: what every channel samples, chosen before its flip-flops."""

    PINS = 0
    ASYNCHRONOUS = 1  # an oscillator on the chip, independent of the instrument's clocks
    LOOPBACK = 2  # the pad of strike output `control.loopback_output`, read back
    LOW = 3


MOST_SETTLE_CLOCKS = 8
"""Core clocks that the code port waits at most for a code to settle."""


class CodeMode(IntEnum):
    """`code.mode`: what makes a code."""

    OFF = 0
    CHANGE = 1  # a pin of the port changes; the code is read `code.settle_clocks` later
    STROBED = 2  # a rising edge of channel `code.strobe_channel`


class StatusFlag(IntFlag):
    """Sticky bits of `status.flags`, cleared by START."""

    BIN_SATURATED = 1
    COUNTER_SATURATED = 2
    GAP_SATURATED = 4  # more edges dropped at once than the stream's index can carry
    QUEUE_FULL = 8  # a strike found its channel's queue full and was counted as missed
    TRIGGERED = 16
    CLOCK_LOST = 32  # the PLL was not locked while the run was under way; since 2.2


_R, _S, _W = Access.READ, Access.SETUP, Access.WRITE

CONTROL = Block(
    "control",
    "A run: how it starts, ends and reports.",
    (
        Register("action", 8, _W, "", "Action; reads as 0"),
        Register("stream", 2, _S, "", "Stream"),
        Register("stop_on", 6, _S, "", "StopOn"),
        Register("run_time_ticks", 64, _S, "ticks", "limit of StopOn.TIME; rounded up to a clock"),
        Register("settle_ticks", 48, _S, "ticks", "from the last strike to the end of the run"),
        Register("report_clocks", 32, _S, "clocks", "time between automatic snapshots; 0: none"),
        Register("report_spaces", 16, _S, "", "bit n: space n is dumped in automatic snapshots"),
        Register("final_spaces", 16, _S, "", "bit n: space n is dumped when the run has ended"),
        Register("dump_spaces", 16, _W, "", "bit n: space n is dumped by Action.SNAPSHOT and DUMP"),
        Register(
            *("trigger_latency_ticks", 32, _S, "ticks"),
            "limit of StopOn.LATENCY and Trigger.LATENCY",
            signed=True,
        ),
        Register("trigger_channels", 8, _S, "", "bit n: channel n may trigger"),
        Register("load", 1, _W, "", "level of the load output"),
        Register("uart_divisor", 16, _W, "clocks", "length of a bit; 0: measured from the line"),
        Register("input_select", 2, _S, "", "InputSelect"),
        Register("loopback_output", 3, _S, "", "output read back with InputSelect.LOOPBACK"),
        Register("step_count", 7, _S, "steps", "steps of the sweep table to run; 0: none"),
        Register(
            *("active_only", SOURCES, _S, ""),
            "bit n: trailing edges of source n are no events; without Feature.MATCH; since 2.7",
            since=7,
        ),
    ),
)

MATCHER = Block(
    "matcher",
    "How responses are matched to strikes, on every channel.",
    (
        Register("policy", 2, _S, "", "Policy"),
        Register(
            "timeout_ticks", 31, _S, "ticks", "a strike older than this is missed", reset=1 << 24
        ),
        Register("window_min_ticks", 31, _S, "ticks", "minimum latency with Policy.WINDOW"),
        Register("early_ticks", 31, _S, "ticks", "how long before its strike a response may come"),
    ),
)

CHANNEL = Block(
    "channel",
    "One response channel.",
    (
        Register("enable", 1, _S, "", "0: no edges"),
        Register("invert", 1, _S, "", "1: the active level is low"),
        Register(
            "filter_ticks", 5, _S, "ticks", "pulses shorter than this are removed; 0, 1: none"
        ),
        Register(
            "reference_source", 5, _S, "", "source whose edge is this channel's strike", reset=8
        ),
        Register("reference_polarity", 1, _S, "", "1: its active edge; 0: trailing edge", reset=1),
        Register(
            "deadline_ticks", 32, _S, "ticks", "a latency above this is late", True, (1 << 31) - 1
        ),
        Register("zoom_rise_ticks", 32, _S, "ticks", "first bin of the zoom window", signed=True),
        Register("zoom_fall_ticks", 32, _S, "ticks", "first bin of the zoom window", signed=True),
        Register("zoom_width_ticks", 32, _S, "ticks", "first bin of the zoom window", signed=True),
        Register("zoom_period_ticks", 32, _S, "ticks", "first bin of the zoom window", signed=True),
        Register("either", 1, _S, "", "1: each edge is an active one; since 2.6", since=6),
    ),
    MAX_CHANNELS,
)

STIMULUS = Block(
    "stimulus",
    "One strike output.",
    (
        Register("enable", 1, _S, "", "0: the output stays at its idle level"),
        Register("invert", 1, _S, "", "1: the active level is low"),
        Register("trigger", 3, _S, "", "Trigger"),
        Register("trigger_source", 3, _S, "", "stimulus that triggers, with Trigger.STRIKE"),
        Register("interval_ticks", 48, _S, "ticks", "last strike of a burst to first of the next"),
        Register("interval_fraction", 32, _S, "ticks / 2**32", "added to interval_ticks"),
        Register("width_ticks", 32, _S, "ticks", "active time of a strike"),
        Register("phase_ticks", 48, _S, "ticks", "from the start to the first strike"),
        Register("burst_count", 32, _S, "strikes", "strikes in a burst", reset=1),
        Register("spacing_ticks", 32, _S, "ticks", "from strike to strike inside a burst"),
        Register("strike_count", 48, _S, "strikes", "strikes in a sequence; 0: endless"),
        Register(
            "dither_bits",
            6,
            _S,
            "bits",
            "each interval grows by a uniform random 0 to 2**n - 1 ticks",
        ),
        Register(
            "poisson_threshold", 48, _S, "2**-48", "probability of a strike in a clock; 0: periodic"
        ),
        Register("seed", 64, _S, "", "seed of the random sequence; 0 acts as 1", reset=1),
    ),
    MAX_STRIKES,
)

STATUS = Block(
    "status",
    "The run's state. Registers above 32 bits are exact once the run has ended.",
    (
        Register("state", 32, _R, "", "RunState"),
        Register("stop_reason", 32, _R, "", "StopReason"),
        Register("flags", 32, _R, "", "StatusFlag"),
        Register("snapshot", 32, _R, "", "snapshots taken in this run"),
        Register("time_ticks", 64, _R, "ticks", "current time, at a core clock's first sample"),
        Register("start_ticks", 64, _R, "ticks", "the run's first tick"),
        Register("end_ticks", 64, _R, "ticks", "the tick after the run's last"),
        Register("events", 64, _R, "events", "merged or dropped before the merge; the next index"),
        Register("upload_dropped", 64, _R, "events", "dropped because the link's FIFO was full"),
        Register("trigger_index", 64, _R, "events", "index of the event that triggered"),
        Register("trigger_ticks", 64, _R, "ticks", "time of the event that triggered"),
        Register("command_errors", 32, _R, "frames", "commands rejected since reset"),
        Register("step", 32, _R, "steps", "steps that have ended in this run: Space.STEPS"),
        Register(
            "link_dropped",
            8,
            _R,
            "bytes",
            "bytes that a UART's receiver dropped in this run; 255: 255 or more",
            since=2,
        ),
        Register(
            "masked", 64, _R, "codes", "not sent or numbered, because of code.zone_mask", since=3
        ),
        Register("schedule_waiting", 16, _R, "entries", "of the schedule that wait", since=4),
        Register(
            "schedule_refused",
            16,
            _R,
            "entries",
            "that came while the schedule was full, since FORGET; 65535: 65535 or more",
            since=4,
        ),
        Register(
            "schedule_past",
            16,
            _R,
            "entries",
            "whose time was past or too near in their turn, since FORGET; 65535: or more",
            since=4,
        ),
        Register("schedule_id", 8, _R, "", "id of the last entry that was due", since=4),
        Register(
            "lamp_faults", 9, _R, "", "bit n: lamp n is faulty; bit 8: all have been tried", since=4
        ),
        Register(
            *("mended", 16, _R, "clocks"),
            "in which a swap of neighbouring samples was mended on a channel; 65535: or more",
            since=5,
        ),
    ),
)

CHANNEL_STATUS = Block(
    "channel_status",
    "One response channel's matcher.",
    (Register("pending", 32, _R, "strikes", "outstanding strikes"),),
    MAX_CHANNELS,
)

SOURCE = Block(
    "source",
    "One event source, before any FIFO.",
    (
        Register("generated", 64, _R, "edges", "edges seen in this run"),
        Register("dropped", 64, _R, "edges", "edges lost to a full FIFO before the merge"),
    ),
    SOURCES,
)

STEP = Block(
    "step",
    "One step of the sweep table: the settings of stimulus 0 during the step.",
    (
        Register("interval_ticks", 48, _S, "ticks", "as in stimulus"),
        Register("interval_fraction", 32, _S, "ticks / 2**32", "as in stimulus"),
        Register("width_ticks", 32, _S, "ticks", "as in stimulus"),
        Register("strike_count", 48, _S, "strikes", "strikes in the step; 0: it never ends"),
        Register("guard_ticks", 48, _S, "ticks", "from the last strike to the end of the step"),
    ),
    MAX_STEPS,
)

CODE = Block(
    "code",
    "The code port, with Feature.CODES.",
    (
        Register("mode", 2, _S, "", "CodeMode; 3 acts as OFF"),
        Register("settle_clocks", 4, _S, "clocks", "CHANGE: a change to its code, 1 to 8", reset=3),
        Register(
            "skew_clocks",
            4,
            _S,
            "clocks",
            "with CHANGE: a change that comes later after the first one, before the code, tears it",
        ),
        Register("mask", 16, _S, "", "bit n: pin n belongs to the port; others read 0"),
        Register("strobe_channel", 3, _S, "", "channel whose unfiltered rises are the strobe"),
        Register(
            "zone_mask", 16, _S, "", "bit n: codes of class n, their upper 4 bits, are not sent"
        ),
        Register("latency_channel", 3, _S, "", "channel whose latencies Space.CODES counts"),
        Register("trigger_code", 16, _S, "", "code that starts stimuli with Trigger.CODE"),
        Register("stop_code", 16, _S, "", "code that ends the run with StopOn.CODE"),
        Register("stall_source", 5, _S, "", "source that StopOn.STALL waits for"),
        Register("stall_ticks", 48, _S, "ticks", "limit of StopOn.STALL"),
    ),
)

ENTRY_ID_BITS, ENTRY_NUMBER_BITS = 8, 7

SCHEDULE = Block(
    "schedule",
    "Due times for stimuli with Trigger.DUE, with Feature.SCHEDULE.",
    (
        Register("due_ticks", 64, _W, "ticks", "due time of the next entry, from the run's start"),
        Register(
            *("entry", ENTRY_ID_BITS + ENTRY_NUMBER_BITS, _W, ""),
            "adds the next entry: its id, and above it its number, if that is the next one's",
        ),
        Register("timecode_gray", 1, _S, "", "1: the timecode's pins are a Gray code"),
        Register(
            *("timecode_on", 1, _S, ""), "1: the timecode's pins are driven; since 2.5", since=5
        ),
    ),
)

LONG_FILTER = Block(
    "long_filter",
    "The long glitch filter of one response channel, with Feature.LONG_FILTER.",
    (
        Register(
            *("ticks", 11, _S, "ticks"),
            "in place of channel.filter_ticks, up to 128 clocks - 1 tick; 0: none; since 2.8",
            since=8,
        ),
    ),
    MAX_CHANNELS,
)

LONG_FILTER_STATUS = Block(
    "long_filter_status",
    "What the long glitch filters have done in this run, with Feature.LONG_FILTER.",
    (
        Register(
            *("removed", 64, _R, "edges"),
            "generated and kept, and then removed as too short; since 2.8",
            since=8,
        ),
    ),
)

BLOCKS = (
    *(IDENTITY, CONTROL, MATCHER, CHANNEL, STIMULUS, STATUS, CHANNEL_STATUS, SOURCE, STEP, CODE),
    *(SCHEDULE, LONG_FILTER, LONG_FILTER_STATUS),
)


def _base_addresses() -> dict[str, int]:
    bases: dict[str, int] = {}
    address = 0
    for block in BLOCKS:
        size = 1 << (block.stride_words * block.count - 1).bit_length()
        address = (address + size - 1) // size * size
        bases[block.name] = address
        address += size
    return bases


BASE_ADDRESSES = _base_addresses()
ADDRESS_BITS = max(
    (BASE_ADDRESSES[block.name] + block.stride_words * block.count - 1).bit_length()
    for block in BLOCKS
)
_BY_NAME = {(b.name, r.name): (b, r) for b in BLOCKS for r in b.registers}


def register(block: str, name: str) -> Register:
    """Return a register's declaration; raise KeyError for an unknown one."""
    return _BY_NAME[block, name][1]


@cache
def address(block: str, name: str, index: int = 0) -> int:
    """Return the word address of a register's low word in copy `index` of its block.

    Raises KeyError for an unknown register and ValueError for a copy that is not there.
    """
    owner, _ = _BY_NAME[block, name]
    if not 0 <= index < owner.count:
        raise ValueError(f"{block}[{index}]: must be 0 to {owner.count - 1}")
    offset = 0
    for candidate in owner.registers:
        if candidate.name == name:
            break
        offset += candidate.words
    return BASE_ADDRESSES[block] + index * owner.stride_words + offset


def entry_word(number: int, event_id: int) -> int:
    """Return what `schedule.entry` takes to add the entry `number`, the first since FORGET is 0.

    A command may come twice, because a host repeats one whose answer it did not get. The second
    time the number is not the next one's, and nothing is added.
    """
    return event_id | number % (1 << ENTRY_NUMBER_BITS) << ENTRY_ID_BITS


def registers() -> Iterator[tuple[Block, int, Register, int]]:
    """Yield (block, copy, register, word address) of every register of every copy."""
    for block in BLOCKS:
        for copy in range(block.count):
            for entry in block.registers:
                yield block, copy, entry, address(block.name, entry.name, copy)
