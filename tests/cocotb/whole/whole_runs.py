# SPDX-License-Identifier: Apache-2.0
"""cocotb side: commands in, frames out, and all they tell is the golden model's."""

import os
import random

import cocotb
import numpy as np
from clocked import Driver, Monitor, clocks, start
from pins import Device
from plan import geometry_of, random_settings, with_table

from plexor.protocol.frames import (
    DELIMITER,
    MAX_OPERATIONS,
    OPERATION,
    SPACE_MASK,
    WORD_BYTES,
    EventFlag,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
    OpCode,
    OpStatus,
    cobs_decode,
    split_event_word,
    split_place,
    to_stream,
)
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, banks, entries
from plexor.protocol.registers import Action, StopReason, address, register
from plexor_sim.golden import memory
from plexor_sim.golden.ending import planned_end_ticks
from plexor_sim.golden.instrument import Results, measure
from plexor_sim.golden.settings import Settings

STRIKES, RUNS, SAMPLES = (int(os.environ[name]) for name in ("STRIKES", "RUNS", "SAMPLES"))
STEPS = [int(steps) for steps in os.environ["STEPS"].split()]
GEOMETRY = geometry_of(SAMPLES)
SPACES = tuple(space for space in Space if entries(GEOMETRY, space))
STATISTICS_SPACES = (Space.LATENCY_STATISTICS, Space.INTERVAL_STATISTICS)
ANSWER_CLOCKS = 200_000
RUN_CLOCKS = 2_000_000


class Host:
    """The other end of the link: sends commands, keeps frames, in the instrument's order."""

    def __init__(self, dut, rng: random.Random, stalls: float) -> None:
        self.dut, self.rng = dut, rng
        self.device = Device(dut, GEOMETRY, rng)
        self.monitor = Monitor(dut, "tx", self._take, rng, stalls)
        self.frames: list[Frame] = []
        self._bytes = bytearray()
        self._commands = self._received = 0

    def _take(self, byte: int) -> None:
        if byte != DELIMITER:
            self._bytes.append(byte)
            return
        frame = Frame.decode(cobs_decode(bytes(self._bytes)))
        self._bytes.clear()
        assert frame.sequence == self._received
        self._received += 1
        self.frames.append(frame)

    async def send(self, data: bytes, until, most: int = ANSWER_CLOCKS) -> None:
        """Send bytes, and wait until `until()`."""
        driver = Driver(self.dut, "rx", data, self.rng, pauses=0.2)
        await clocks(
            self.dut,
            most,
            *(driver, self.monitor, self.device),
            until=lambda: driver.done and until(),
        )

    async def operate(self, operations: list[tuple[OpCode, int, int]]) -> list[int]:
        """Execute operations; return their values."""
        values = []
        for first in range(0, len(operations), MAX_OPERATIONS):
            group = operations[first : first + MAX_OPERATIONS]
            payload = b"".join(
                OPERATION.pack({"address": where, "code": code, "status": 0, "value": value})
                for code, where, value in group
            )
            number = self._commands
            self._commands += 1
            command = Frame(FrameType.COMMAND, 0, 0, number, 0, 0, payload)
            await self.send(to_stream(command), lambda number=number: self._answer(number))
            answer = self._answer(number).payload
            for at in range(0, len(answer), OPERATION.size_bytes):
                result = OPERATION.unpack(answer[at : at + OPERATION.size_bytes])
                assert result["status"] == OpStatus.OK, result
                values.append(result["value"])
        return values

    def _answer(self, number: int) -> Frame | None:
        found = (f for f in self.frames if f.type == FrameType.RESPONSE and f.index == number)
        return next(found, None)

    async def write(self, block: str, name: str, value: int, copy: int = 0) -> None:
        """Write one register."""
        await self.write_all({(block, copy, name): value})

    async def write_all(self, values) -> None:
        """Write registers."""
        operations = []
        for (block, copy, name), value in values.items():
            bits = register(block, name).check(value)
            for word in range(register(block, name).words):
                where = address(block, name, copy) + word
                operations.append((OpCode.WRITE, where, bits >> 32 * word & 0xFFFF_FFFF))
        await self.operate(operations)

    async def read(self, block: str, name: str, copy: int = 0) -> int:
        """Read one register."""
        where = address(block, name, copy)
        words = [(OpCode.READ, where + n, 0) for n in range(register(block, name).words)]
        return sum(word << 32 * n for n, word in enumerate(await self.operate(words)))

    def logged(self, code: LogCode) -> list[Frame]:
        """Return the LOG frames with a code."""
        return [f for f in self.frames if f.type == FrameType.LOG and f.tag == code]

    def dumped(self) -> bool:
        """Tell whether every bank of every space of the build has come after the end of the run."""
        last = {
            (f.flags & SPACE_MASK, f.flags & MemoryFlag.BANK)
            for f in self.frames
            if f.type in (FrameType.HISTOGRAM, FrameType.STATISTICS)
            and f.flags & MemoryFlag.FINAL
            and f.flags & MemoryFlag.LAST
        }
        return len(last) == sum(banks(GEOMETRY, space) for space in SPACES)


def images(frames: list[Frame]) -> dict[Space, list[bytes]]:
    """Return the banks of each space as dumped after the end."""
    found = {space: [bytearray() for _ in range(banks(GEOMETRY, space))] for space in SPACES}
    for frame in frames:
        if frame.type not in (FrameType.HISTOGRAM, FrameType.STATISTICS):
            continue
        if frame.flags & MemoryFlag.FINAL:
            bank = found[Space(frame.flags & SPACE_MASK)][bool(frame.flags & MemoryFlag.BANK)]
            offset, zeros = split_place(frame.index)
            assert (offset - zeros) * WORD_BYTES == len(bank)
            bank += bytes(zeros * WORD_BYTES) + frame.payload
    return {space: list(map(bytes, each)) for space, each in found.items()}


def total(space: Space, each: list[bytes]) -> bytes:
    """Return the banks of a space folded into one."""
    if space in STATISTICS_SPACES:
        rows = [memory.statistics_of_space(GEOMETRY, space, bank) for bank in each]
        folded = [memory.folded(parts) for parts in zip(*rows, strict=True)]
        return b"".join(memory.pack_statistics(each) for each in folded)
    kind = "<u4" if space in HISTOGRAM_SPACES else "<u8"
    return sum(np.frombuffer(bank, kind) for bank in each).tobytes()


def events_of(frames: list[Frame]):
    """Yield (index, time, source, polarity) of every event that came, and check the gaps."""
    following = 0
    for frame in frames:
        if frame.type != FrameType.EVENTS:
            continue
        assert bool(frame.flags & EventFlag.GAP) == (frame.index != following)
        for number, word in enumerate(np.frombuffer(frame.payload, "<u4").tolist()):
            delta, source, polarity = split_event_word(word)
            yield frame.index + number, frame.base_ticks + delta, source, polarity
        following = frame.index + len(frame.payload) // WORD_BYTES


async def one_run(host: Host, settings: Settings, stalls: float, snapshots: int) -> int:
    """Run once; assert that all is the golden model's; return the events lost to the link."""
    host.frames.clear()
    await host.write_all(settings.values)
    seen = [len(rises) for rises in host.device.rises]
    host.monitor.stalls = stalls
    await host.write("control", "action", Action.START)
    await host.send(b"", lambda: bool(host.logged(LogCode.STARTED)))
    for _ in range(snapshots):
        await host.write("control", "action", Action.SNAPSHOT)
    await host.send(b"", lambda: bool(host.logged(LogCode.STOPPED)), RUN_CLOCKS)
    host.monitor.stalls = 0.0
    await host.send(b"", host.dumped, RUN_CLOCKS)
    start = host.logged(LogCode.STARTED)[0].base_ticks
    (stopped,) = host.logged(LogCode.STOPPED)
    end = stopped.base_ticks
    assert stopped.index == StopReason.STRIKES
    assert end == planned_end_ticks(GEOMETRY, settings, start)
    truth = measure(GEOMETRY, settings, start, end, host.device.pins())
    for output, rises in enumerate(host.device.rises):
        strikes = truth.events.chosen(
            (truth.events.source == 8 + output) & truth.events.polarity
        ).time_ticks
        # The end of a table leaves another output no time to end its sequence.
        assert [rise for rise in rises[seen[output] :] if rise < end] == strikes.tolist()
    return await compare(host, truth)


async def compare(host: Host, truth: Results) -> int:
    """Assert that registers, memories and events are the truth's; return the events lost."""
    for source in GEOMETRY.sources:
        assert await host.read("source", "generated", source) == truth.generated[source]
        assert await host.read("source", "dropped", source) == 0, source
    for channel in range(GEOMETRY.channels):
        assert await host.read("channel_status", "pending", channel) == truth.pending[channel]
    assert await host.read("status", "step") == len(truth.steps)
    found = images(host.frames)
    for space, each in found.items():
        if space != Space.UPLOAD_DROPS:
            assert total(space, each) == truth.words(space), space.name
    drops = np.frombuffer(total(Space.UPLOAD_DROPS, found[Space.UPLOAD_DROPS]), "<u8")
    assert len(drops) == entries(GEOMETRY, Space.UPLOAD_DROPS) == max(GEOMETRY.sources) + 1
    events = truth.events
    columns = (events.index, events.time_ticks, events.source, events.polarity)
    expected = list(zip(*(column.tolist() for column in columns), strict=True))
    received = list(events_of(host.frames))
    assert received == [expected[index] for index, *_ in received]
    lost = np.bincount(events.source, minlength=len(drops)) - np.bincount(
        [source for _, _, source, _ in received], minlength=len(drops)
    )
    assert lost.tolist() == drops.tolist()
    return int(lost.sum())


@cocotb.test()
async def every_run_is_the_golden_models(dut):
    dut.gate.value = dut.samples.value = 0
    await start(dut)
    lost = events = 0
    for seed in range(RUNS):
        rng = random.Random(seed)
        if not seed:
            host = Host(dut, rng, 0.0)
        stalls = (0.1, 0.97)[seed % 2]
        settings = random_settings(rng, SAMPLES, STRIKES)
        if STEPS and STEPS[seed % len(STEPS)]:
            settings = with_table(rng, settings, SAMPLES, STEPS[seed % len(STEPS)])
        lost += await one_run(host, settings, stalls, snapshots=seed % 3)
        events += sum(len(f.payload) for f in host.frames if f.type == FrameType.EVENTS) // 4
    assert events
    assert lost, "no run had a link too slow for its events"
    dut._log.info("%d events received, %d lost to the link and counted", events, lost)


@cocotb.test()
async def junk_is_answered_by_rejections_and_changes_nothing(dut):
    rng = random.Random(1)
    await start(dut)
    host = Host(dut, rng, 0.3)
    await host.write("control", "settle_ticks", 12345)
    for _ in range(20):
        good = to_stream(Frame(FrameType.COMMAND, 0, 0, 0, 0, 0, bytes(8)))
        junk = bytearray(good)
        junk[rng.randrange(len(junk) - 1)] ^= 1 << rng.randrange(8)
        if 0 in junk[:-1]:
            continue
        before = len(host.logged(LogCode.REJECTED))
        await host.send(
            bytes(junk), lambda before=before: len(host.logged(LogCode.REJECTED)) > before
        )
    rejected = len(host.logged(LogCode.REJECTED))
    assert rejected > 10
    assert await host.read("status", "command_errors") == rejected
    assert await host.read("control", "settle_ticks") == 12345
