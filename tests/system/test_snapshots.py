# SPDX-License-Identifier: Apache-2.0
"""Snapshots while running: each is whole, of one moment, and they add up to the end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import SMALL, TRUTH, simulator
from wire import (
    ALL_SPACES,
    MEMORY_TYPES,
    Frames,
    await_end,
    await_frames,
    final_words,
    start,
    words,
)

from plexor.model.settings import Channel, RegisterWrite, Settings, Stimulus, TableStep
from plexor.protocol.frames import SOURCE_STEP, SOURCE_STRIKE, LogCode, MemoryFlag
from plexor.protocol.memory import (
    CLASSES,
    STATISTICS,
    IntervalKind,
    LatencyKind,
    ResponseClass,
    Space,
    banks,
    bin_bits,
    entries,
    key,
)
from plexor.protocol.registers import Action
from plexor.run.plan.registers import plan_of
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_sim.golden import instrument as golden
from plexor_sim.golden.edges import pins_of
from plexor_sim.golden.matcher import Samples
from plexor_sim.golden.memory import bins_of
from plexor_sim.golden.settings import Settings as Registers
from plexor_sim.golden.stimulus import Strikes
from plexor_sim.serve import GATEWARE

NS = Fraction(1, 1_000_000_000)
DEVICE = (
    "synthetic:seed=6,latency=lognormal:900ns:0.7,width=uniform:20ns:90ns,service=700ns,"
    "drop=0.05,duplicate=0.05,spurious=20000"
)
CHANNELS = (0, 1)
IN_A_SNAPSHOT = {space for space in Space if entries(SMALL, space)} - {Space.CODES}
"""What is dumped while a run goes on. Tables of codes come only after it."""
MOST_TICKS = 20_000_000
"""Of the instrument's time, for a dump: several times what the link takes for one."""
Words = dict[tuple[Space, int], bytes]


def settings() -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=1000 * NS, width_s=100 * NS, dither_s=128 * NS),),
        channels=(Channel(0, deadline_s=800 * NS), Channel(1, reference="ch0.fall")),
        timeout_s=5000 * NS,
    )


@dataclass(frozen=True)
class Totals:
    """Both banks together."""

    words: Words

    def counts(self, space: Space) -> np.ndarray:
        kind = "<u4" if space >= Space.LATENCY_BINS else "<u8"
        return sum(
            np.frombuffer(image, kind).astype(np.int64)
            for (place, _), image in self.words.items()
            if place == space
        )

    def statistics(self, space: Space, row: int) -> tuple[int, int, int]:
        """Return count, sum and sum of squares."""
        size = STATISTICS.size_bytes
        records = [
            STATISTICS.unpack(image[row * size : (row + 1) * size])
            for (place, _), image in self.words.items()
            if place == space
        ]
        return (
            sum(record["count"] for record in records),
            sum(record["sum_ticks"] for record in records),
            sum(r["sum_sq_low_ticks2"] + (r["sum_sq_high_ticks2"] << 64) for r in records),
        )

    def bins(self, space: Space, row: int) -> np.ndarray:
        width = 1 << bin_bits(SMALL.latency_mantissa_bits)
        return self.counts(space)[row * width : (row + 1) * width]


def snapshots_of(frames: Frames, count: int) -> list[Words]:
    """Return what the memories held at each snapshot.

    Of what has two banks that is the snapshot's, and the other one as last dumped.
    """
    held: Words = {}
    found: list[Words] = []
    dumps = [f for f in frames.frames if f.type in MEMORY_TYPES and not f.flags & MemoryFlag.FINAL]
    for number in range(1, count + 1):
        dumped = words(f for f in dumps if f.tag == number)
        counted = {bank for space, bank in dumped if banks(SMALL, space) == 2}
        assert counted == {1 - number % 2}
        assert not any(bank for space, bank in dumped if banks(SMALL, space) == 1)
        assert {space for space, _ in dumped} == IN_A_SNAPSHOT
        held = held | dumped
        found.append(held)
    return found


def assert_coherent(words: Words, truth: golden.Results) -> int:
    """Assert that a snapshot is the golden model's run up to one event; return its index."""
    totals = Totals(words)
    edges = totals.counts(Space.EDGES).reshape(-1, 2)
    assert len(edges) == max(SMALL.sources) + 1
    many = int(edges.sum())
    events = truth.events
    before = np.bincount(
        events.source[:many] * 2 + events.polarity[:many], minlength=edges.size
    ).reshape(-1, 2)
    assert np.array_equal(edges, before)
    classes = totals.counts(Space.CLASSES).reshape(-1, CLASSES)
    for channel in CHANNELS:
        count = dict(zip(ResponseClass, classes[channel].tolist(), strict=True))
        answered = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
        pending = count[ResponseClass.STRIKES] - answered - count[ResponseClass.MISSED]
        assert 0 <= pending <= SMALL.queue_depth
        unmatched = count[ResponseClass.DUPLICATE] + count[ResponseClass.SPURIOUS]
        assert edges[channel, 1] == answered + unmatched
        for kind in LatencyKind:
            place = (Space.LATENCY_STATISTICS, Space.LATENCY_BINS, key(SMALL, kind, channel))
            assert_samples(totals, place, truth.latency_samples[kind, channel], many)
        for kind in IntervalKind:
            place = (Space.INTERVAL_STATISTICS, Space.INTERVAL_BINS, key(SMALL, kind, channel))
            assert_samples(totals, place, truth.interval_samples[kind, channel], many)
        row = key(SMALL, LatencyKind.RISE, channel)
        assert totals.statistics(Space.LATENCY_STATISTICS, row)[0] == answered
    return many


def assert_samples(
    totals: Totals, place: tuple[Space, Space, int], samples: Samples, many: int
) -> None:
    """Assert that statistics and bins are those of the samples that the first events complete."""
    statistics, bins, row = place
    values = samples.value_ticks[samples.index < many]
    count, total, squares = totals.statistics(statistics, row)
    found = totals.bins(bins, row)
    assert count == len(values) == found.sum()
    assert (total, squares) == (values.sum(), (values * values).sum())
    numbers = bins_of(values, SMALL.latency_mantissa_bits)
    assert np.array_equal(found, np.bincount(numbers, minlength=len(found)))


def asked(device: Device, frames: Frames, count: int) -> None:
    """Ask for snapshots, one after the other."""
    await_frames(device, lambda: bool(frames.logged(LogCode.STARTED)), "no start", MOST_TICKS)
    for number in range(1, count + 1):
        device.write("control", "action", Action.SNAPSHOT)

        def come(number: int = number) -> bool:
            return len(frames.logged(LogCode.DUMPED)) >= number

        await_frames(device, come, "a snapshot does not come", MOST_TICKS)


def golden_of(
    device: Device, asked: Settings, frames: Frames, log: Path, **registers: int
) -> golden.Results:
    """Return what the golden model makes of the pins between the run's first and last tick.

    `registers` are of the block `step`, its last copy, in place of those that are asked.
    """
    pins = np.fromfile(log, TRUTH)
    strike = pins[pins["source"] == SOURCE_STRIKE]
    rises, falls = (strike["time_ps"][strike["level"] == level] // 1000 for level in (1, 0))
    pins = pins[pins["source"] < SOURCE_STRIKE]
    plan = plan_of(asked, device.identity)
    values = {(w.block, w.copy, w.name): w.value for w in plan.registers}
    last = len(asked.table) - 1
    values |= {("step", last, name): value for name, value in registers.items()}
    return golden.measure(
        SMALL,
        Registers(values),
        frames.logged(LogCode.STARTED)[0].base_ticks,
        frames.logged(LogCode.STOPPED)[0].base_ticks,
        pins_of(pins["time_ps"], pins["source"], pins["level"].astype(np.bool_)),
        outputs=[Strikes(rises, falls)],
    )


def ended(device: Device, frames: Frames) -> None:
    device.write("control", "action", Action.STOP)
    await_end(device, frames, MOST_TICKS)


@pytest.mark.parametrize("count", [2, *(pytest.param(n, marks=pytest.mark.full) for n in (6, 100))])
def test_each_snapshot_is_coherent_and_they_add_up(count, tmp_path):
    log = tmp_path / "truth.bin"
    with simulator(DEVICE, SMALL, ("--truth", str(log)), core=GATEWARE) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            frames = start(device, settings(), dump_spaces=ALL_SPACES)
            asked(device, frames, count)
            ended(device, frames)
        server.close()
    truth = golden_of(device, settings(), frames, log)
    found = snapshots_of(frames, count)
    indices = [assert_coherent(held, truth) for held in found]
    assert np.all(np.diff(indices) > 0)
    final = Totals(final_words(frames.frames))
    for space in (Space.CLASSES, Space.EDGES, Space.LATENCY_BINS, Space.INTERVAL_BINS):
        expected = np.frombuffer(
            truth.words(space), "<u4" if space >= Space.LATENCY_BINS else "<u8"
        )
        assert np.array_equal(final.counts(space), expected), space.name


@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.full)])
def test_snapshots_are_coherent_while_steps_end_and_records_while_they_are_dumped(count, tmp_path):
    log = tmp_path / "truth.bin"
    steps = tuple(
        TableStep((900 + 10 * n) * NS, 60, width_s=100 * NS, guard_s=50 * NS) for n in range(64)
    )
    table = replace(settings(), strikes=(Stimulus(),), table=steps)
    with simulator(DEVICE, SMALL, ("--truth", str(log)), core=GATEWARE) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            # The last step goes on until all snapshots have come.
            endless = RegisterWrite("step", 63, "strike_count", 0)
            frames = start(device, table, endless, dump_spaces=ALL_SPACES)
            asked(device, frames, count)
            ended(device, frames)
        server.close()
    truth = golden_of(device, table, frames, log, strike_count=0)
    taken = [assert_coherent(held, truth) for held in snapshots_of(frames, count)]
    ends = np.flatnonzero(truth.events.source == SOURCE_STEP)
    assert len(ends) == 63
    assert taken[0] < ends[-1], "no step ended while a snapshot was dumped"
    dumped = final_words(frames.frames)
    assert dumped[Space.STEPS, 0] == truth.words(Space.STEPS)
