# SPDX-License-Identifier: Apache-2.0
"""What a host has when a run has ended, put together by hand: registers, memories, events."""

import struct

from plexor.protocol.frames import (
    MAX_WORDS,
    SOURCES,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
    event_word,
)
from plexor.protocol.memory import HISTOGRAM_SPACES
from plexor.protocol.registers import StopReason, address, register
from plexor.wire.decode.batch import batch_of
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.register_image import RegisterImage

from .scenario import START_TICKS


def set_register(image, block, name, value, copy=0):
    """Set a register of an image, word by word."""
    for offset in range(register(block, name).words):
        word = value >> 32 * offset & 0xFFFFFFFF
        image.words[address(block, name, copy) + offset] = word


def image_of(*values):
    """Return an image that holds (block, copy, name, value) and nothing else."""
    image = RegisterImage()
    for block, copy, name, value in values:
        set_register(image, block, name, value, copy)
    return image


def dump(space, bank, words):
    """Return the frames of one bank of one space, sent after the end of a run."""
    kind = FrameType.HISTOGRAM if space in HISTOGRAM_SPACES else FrameType.STATISTICS
    frames = []
    for start in range(0, len(words), MAX_WORDS):
        piece = words[start : start + MAX_WORDS]
        flags = space | MemoryFlag.FINAL | MemoryFlag.BANK * bank
        flags |= MemoryFlag.LAST * (start + MAX_WORDS >= len(words))
        frames.append(Frame(kind, flags, 0, 0, start, 0, struct.pack(f"<{len(piece)}I", *piece)))
    return frames


def events_frame(index, base_ticks, *events):
    """Return an EVENTS frame of (ticks after the base, source, polarity)."""
    words = [event_word(*event) for event in events]
    payload = struct.pack(f"<{len(words)}I", *words)
    return Frame(FrameType.EVENTS, 0, 0, 0, index, base_ticks, payload)


def started(geometry, *, keep_events=True):
    """Return a collector of a run that has started at START_TICKS."""
    collector = Collector(geometry, keep_events)
    collector.take(Frame(FrameType.LOG, 0, LogCode.STARTED, 0, 0, START_TICKS))
    return collector


def collected(scenario, *, without=()):
    """Return a collector that has all of a run, save the spaces that never came."""
    collector = started(scenario.geometry)
    for first in range(0, len(scenario.events), MAX_WORDS):
        events = scenario.events[first : first + MAX_WORDS]
        base = events[0][0]
        rows = [(time - base, source, polarity) for time, source, polarity in events]
        collector.take(batch_of([events_frame(first, base, *rows)]))
    for (space, bank), words in scenario.memories().items():
        if space not in without:
            for frame in dump(space, bank, words):
                collector.take(frame)
    return collector


def end(image, scenario, **status):
    """Set the registers that are read after a run: what the scenario did, save `status`."""
    done = {
        "stop_reason": StopReason.STRIKES,
        "flags": 0,
        "start_ticks": START_TICKS,
        "end_ticks": scenario.end_ticks,
        "events": len(scenario.events),
        "upload_dropped": 0,
        "trigger_index": 0,
        "trigger_ticks": 0,
        "step": 0,
        "link_dropped": 0,
    }
    for name, value in (done | status).items():
        set_register(image, "status", name, value)
    for channel in range(scenario.geometry.channels):
        set_register(image, "channel_status", "pending", 0, channel)
    for source in range(SOURCES):
        edges = sum(event[1] == source for event in scenario.events)
        set_register(image, "source", "generated", edges, source)
        set_register(image, "source", "dropped", 0, source)
