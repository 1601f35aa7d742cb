# SPDX-License-Identifier: Apache-2.0
"""cocotb side: what arrives is what was sent, less what was counted, frame by frame."""

import os
import random

import cocotb
from clocked import Driver, Monitor, Packing, clocks, start

from plexor.protocol.frames import (
    CRC_BYTES,
    DELIMITER,
    MAX_WORDS,
    WORD_BYTES,
    EventFlag,
    Frame,
    FrameType,
    cobs_decode,
    split_event_word,
)
from plexor_hdl.interfaces import Event
from plexor_hdl.lib.frame_bytes import FrameByte

EVENTS = int(os.environ["EVENTS"])
EVENT, FRAME_BYTE = Packing(Event()), Packing(FrameByte)
OTHERS = {
    "i_answers": FrameType.RESPONSE,
    "i_dump": FrameType.HISTOGRAM,
}


def random_events(rng: random.Random, count: int, jumps: float) -> list[dict[str, int]]:
    """Return events whose times jump and, as often as `jumps`, indices; these have `gap`."""
    time, index, events = rng.getrandbits(40), 0, []
    for _ in range(count):
        time += rng.choice((0, 1, rng.randrange(1000), rng.randrange(1 << rng.randrange(1, 24))))
        missing = rng.randrange(1, 1000) if rng.random() < jumps else 0
        index += missing
        events.append(
            {
                "time_ticks": time,
                "source": rng.randrange(17),
                "polarity": rng.randrange(2),
                "index": index,
                "gap": int(missing > 0),
            }
        )
        index += 1
    return events


def random_frames(rng: random.Random, kind: FrameType, count: int) -> list[Frame]:
    """Return frames with any header and payloads of any length, zeros frequent."""
    return [
        Frame(
            kind,
            rng.getrandbits(8),
            rng.getrandbits(16),
            0,
            rng.getrandbits(48),
            rng.getrandbits(64),
            bytes(
                rng.choice((0, rng.getrandbits(8)))
                for _ in range(WORD_BYTES * rng.choice((0, 1, rng.randrange(MAX_WORDS + 1))))
            ),
        )
        for _ in range(count)
    ]


def beats_of(frames: list[Frame]):
    """Yield the beats that make the packetizer send the frames."""
    for frame in frames:
        for byte in frame.encode()[:-CRC_BYTES]:
            yield FRAME_BYTE.pack({"byte": byte})
        yield FRAME_BYTE.pack({"end": 1})


class Link:
    """Frames out of bytes."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._bytes = bytearray()

    def take(self, byte: int) -> None:
        """Take the next byte."""
        if byte != DELIMITER:
            self._bytes.append(byte)
            return
        frame = Frame.decode(cobs_decode(bytes(self._bytes)))
        self._bytes.clear()
        assert frame.sequence == len(self.frames)
        self.frames.append(frame)


def assert_events(frames: list[Frame], events: list[dict[str, int]]) -> int:
    """Assert that the frames' events are among those sent, in order; return how many came."""
    sent = {event["index"]: event for event in events}
    following = came = 0
    for frame in frames:
        if frame.type != FrameType.EVENTS:
            continue
        assert frame.payload
        assert bool(frame.flags & EventFlag.GAP) == (frame.index != following)
        for number, at in enumerate(range(0, len(frame.payload), WORD_BYTES)):
            word = int.from_bytes(frame.payload[at : at + WORD_BYTES], "little")
            delta, source, polarity = split_event_word(word)
            event = sent[frame.index + number]
            assert (frame.base_ticks + delta, source, polarity) == (
                event["time_ticks"],
                event["source"],
                event["polarity"],
            )
            came += 1
        assert frame.index >= following
        following = frame.index + len(frame.payload) // WORD_BYTES
    return came


async def one_run(
    dut, rng: random.Random, pauses: float, stalls: float, others: int, jumps: float = 0.01
):
    """Send events and other frames; return events sent and dropped."""
    await start(dut)
    link, events = Link(), random_events(rng, EVENTS, jumps)
    frames = {port: random_frames(rng, kind, others) for port, kind in OTHERS.items()}
    drivers = [Driver(dut, "i_events", map(EVENT.pack, events), rng, pauses)]
    drivers += [Driver(dut, port, beats_of(frames[port]), rng, 0.2) for port in OTHERS]
    monitor = Monitor(dut, "o_bytes", link.take, rng, stalls)
    most = 4000 * EVENTS
    await clocks(dut, most, *drivers, monitor, until=lambda: all(d.done for d in drivers))
    monitor.stalls = 0.0
    await clocks(dut, 10_000, monitor)
    for port, kind in OTHERS.items():
        came = [frame for frame in link.frames if frame.type == kind]
        plain = [(f.flags, f.tag, f.index, f.base_ticks, f.payload) for f in came]
        assert plain == [(f.flags, f.tag, f.index, f.base_ticks, f.payload) for f in frames[port]]
    dropped = int(dut.dropped_cnt.value)
    assert assert_events(link.frames, events) == len(events) - dropped
    return len(events), dropped


@cocotb.test()
async def a_fast_link_loses_none(dut):
    # Of two events with marks within MARKS clocks the second would be refused.
    sent, dropped = await one_run(dut, random.Random(1), 0.97, stalls=0.0, others=0, jumps=0.0)
    assert (sent, dropped) == (EVENTS, 0)


@cocotb.test()
async def a_slow_link_loses_events_and_counts_each(dut):
    sent, dropped = await one_run(dut, random.Random(2), pauses=0.9, stalls=0.6, others=5)
    assert 0 < dropped < sent
    dut._log.info("%d events, %d dropped and counted", sent, dropped)


@cocotb.test()
async def bursts_lose_events_and_count_each(dut):
    sent, dropped = await one_run(dut, random.Random(3), pauses=0.05, stalls=0.1, others=5)
    assert 0 < dropped < sent
    dut._log.info("%d events, %d dropped and counted", sent, dropped)
