# SPDX-License-Identifier: Apache-2.0
"""Runs of a simulated instrument with a code port that strikes: what it counts, and why it ends."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import SMALL
from code_port import CLOCK_PS, Link, plant, served

from plexor.protocol.frames import (
    MAX_OPERATIONS,
    OPERATION,
    SOURCE_STRIKE,
    Frame,
    FrameType,
    LogCode,
    OpCode,
    to_stream,
)
from plexor.protocol.memory import Space
from plexor.protocol.registers import Action, CodeMode, StopOn, address, register
from plexor.wire.decode.batch import EventBatch, batch_of
from plexor.wire.decode.memories import Memories

TIMEOUT_TICKS, DEADLINE_TICKS = 60_000, 2500
CHANNEL = 1
"""The channel whose latencies are counted by code."""
DEVICE = "ch1.latency=uniform:500000:4000000,ch1.drop=0.05,ch0.latency=100000"
SPACES = (Space.CLASSES, Space.LATENCY_STATISTICS, Space.CODES)
Settings = Mapping[tuple[str, str, int], int]
"""Values of registers by block, name and copy."""


def tell(link: Link, settings: Settings) -> None:
    """Write registers in commands that are sent at once, so that the run starts soon."""
    operations = [
        {"address": address(block, name, copy) + word, "code": OpCode.WRITE, "status": 0}
        | {"value": value >> 32 * word & 0xFFFFFFFF}
        for (block, name, copy), value in settings.items()
        for word in range(register(block, name).words)
    ]
    data = b""
    for first in range(0, len(operations), MAX_OPERATIONS):
        payload = b"".join(map(OPERATION.pack, operations[first : first + MAX_OPERATIONS]))
        data += to_stream(Frame(FrameType.COMMAND, 0, 0, 1000 + first, 0, 0, payload))
    link.socket.sendall(data)


@dataclass
class Told:
    """What came of a run."""

    memories: Memories
    batch: EventBatch
    status: dict[str, int]


def told_run(options: str, settings: Settings, arguments: Sequence[str] = ()) -> Told:
    """Run with strikes each 3.001 µs that channels 0 and 1 answer, and dump all that is counted."""
    registers = {
        ("stimulus", "enable", 0): 1,
        ("stimulus", "interval_ticks", 0): 3001,
        ("stimulus", "width_ticks", 0): 100,
        ("matcher", "timeout_ticks", 0): TIMEOUT_TICKS,
        ("control", "stop_on", 0): StopOn.TIME,
        ("control", "final_spaces", 0): sum(1 << space for space in SPACES),
        ("code", "mode", 0): CodeMode.CHANGE,
        ("code", "mask", 0): 0xFFFF,
        ("code", "latency_channel", 0): CHANNEL,
    }
    for number in (0, CHANNEL):
        registers |= {
            ("channel", "enable", number): 1,
            ("channel", "reference_source", number): SOURCE_STRIKE,
            ("channel", "reference_polarity", number): 1,
            ("channel", "deadline_ticks", number): DEADLINE_TICKS,
        }
    with served(options, arguments) as server, Link(server.port) as link:
        tell(link, {**registers, **settings, ("control", "action", 0): Action.START})
        while not any(f.type == FrameType.LOG and f.tag == LogCode.DUMPED for f in link.frames):
            link.read()
        names = ("start_ticks", "end_ticks", "stop_reason", "trigger_ticks", "trigger_index")
        status = {name: link.get("status", name) for name in names}
        server.close()
    memories = Memories(SMALL)
    for frame in link.frames:
        if frame.type in (FrameType.HISTOGRAM, FrameType.STATISTICS):
            memories.add(frame)
    events = [frame for frame in link.frames if frame.type == FrameType.EVENTS]
    return Told(memories, batch_of(events), status)


def planted(
    folder: Path, seed: int, count: int, gaps_ps: tuple[int, int]
) -> tuple[str, list[int], list[int]]:
    """Plant codes of 16 bits; return the device's option and their times in ticks and values."""
    rng, time_ps, value, codes = random.Random(seed), 100_000_000, 0, []
    for _ in range(count):
        value ^= rng.choice((0x1001, 0x3100, 0xF02, 0x9200, 0x4083))
        codes.append((time_ps, value))
        time_ps += rng.randint(*gaps_ps)
    path = plant(folder / "codes.txt", codes)
    ticks = [-(-time_ps // CLOCK_PS) * CLOCK_PS // 1000 for time_ps, _ in codes]
    return f"codes={path}", ticks, [value for _, value in codes]
