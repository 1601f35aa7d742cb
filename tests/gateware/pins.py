# SPDX-License-Identifier: Apache-2.0
"""Runs on what is built for a board, and when the edges at its pins were, in ticks.

`plexor measure` over the board's UART, and of the log of the pins in picoseconds the golden model.
In between are the edges of the PLL's clocks, as the board's file has them: nothing is of the
bitstream or netlist but what it says itself.
"""

import math
from collections import Counter
from fractions import Fraction
from io import BytesIO

import numpy as np
from bench import TRUTH, Outcome, assert_equals_truth, class_counts
from tools.gateware import board as boards
from tools.gateware.build import board_hash, build_id
from tools.gateware.families import FAMILIES
from tools.gateware.run_bitstream import design_of, simulator
from wire import MEMORY_TYPES, frames_of, words

from plexor import cli
from plexor.files.store import run_folder as store
from plexor.model.results import Kind
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_STRIKE, SOURCES, MemoryFlag
from plexor.protocol.memory import ResponseClass, Space
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.front.phases import LOOP_CLOCKS
from plexor_sim.devices import find_device
from plexor_sim.golden.stimulus import Strikes, strikes
from plexor_sim.packages import default_cache
from plexor_sim.server import Server

DEVICE = "synthetic"
FS_PER_PS = 1000
STRIKES = 60
# Of the first run: answers of 1 to 9 us, late ones, none, two, and pulses that nobody asked for; an
# odd width in ticks, and a period of a fraction: edges are of every phase, each with each.
PLANTED = (
    "seed=5,ch0.latency=uniform:1000000:9000000,ch1.after=strike0,ch1.latency=1000000,ch1.drop=0.2,"
    "ch2.after=strike0,ch2.duplicate=0.3,ch3.after=ch0-fall,ch3.spurious=40000"
)
FIRST = (
    *("--rate", "41.3k", "--count", str(STRIKES), "--width", "2.001us", "--load", "on"),
    *("--channel", "late=ch0:deadline=7us", "--channel", "some=ch1", "--channel", "twice=ch2"),
    *("--channel", "chained=ch3:after=ch0.fall"),
)
CHANNELS = ("--channel", "a=ch0:invert", "--channel", "b=ch1", "--channel", "c=ch2:after=ch1")
RUNS = {
    "window": (
        "seed=6,latency=uniform:500000:25000000,ch1.after=strike0,ch2.after=ch1",
        (
            *("--rate", "52.7k", "--count", "80", "--width", "1.1us", "--phase", "5us", *CHANNELS),
            *("--policy", "window", "--window", "2us", "--timeout", "12us", "--mode", "dump"),
        ),
    ),
    "latest": (
        "seed=7,latency=uniform:1000:4000000,width=uniform:2000:90000,ch1.after=strike0,"
        "ch1.spurious=100000,ch2.after=ch1",
        ("--rate", "301k", "--time", "300us", "--width", "0.1us", "--policy", "latest", *CHANNELS),
    ),
    "oldest": (
        "seed=8,latency=uniform:1000:9000000,ch1.after=strike0,ch1.duplicate=0.2,"
        "ch2.after=strike0-fall,ch2.latency=7",
        ("--rate", "501k", "--count", "120", "--width", "0.7us", "--timeout", "9us", *CHANNELS),
    ),
}


class Edges:
    """When the edges of the fast clocks are, in whole ps, from one of phase 0 on."""

    def __init__(self, board, last_ps):
        family = FAMILIES[board.profile.family]
        pll = family.pll(board.clock_mhz, board.fast_mhz)
        period_ps = 10**6 / board.fast_mhz
        phases_ps = [
            Fraction(pll.phase_ps(n)).limit_denominator(1000) for n in range(family.phases)
        ]
        parts = math.lcm(*(time_ps.denominator for time_ps in (period_ps, *phases_ps)))
        starts = np.arange(int(last_ps / period_ps) + 2) * int(period_ps * parts)
        times = [(starts + int(time_ps * parts)) // parts for time_ps in phases_ps]
        self.times_ps = np.stack(times, axis=1).ravel()

    def at(self, times_ps):
        """Return the edges that make an output change then."""
        edges = np.searchsorted(self.times_ps, times_ps)
        assert np.array_equal(self.times_ps[edges], times_ps)
        return edges

    def after(self, times_ps):
        """Return the edges that sample a change: the first that come after it."""
        return np.searchsorted(self.times_ps, times_ps, side="right")


class OnBoard(Outcome):
    """A run on a board, whose log has each edge in the ps of the tick at which it is seen."""

    def pulses(self):
        """Return the strikes seen at the pins."""
        tick_fs = self.result.tick_fs
        return [
            Strikes(
                *(
                    -(-self.edges_ps(SOURCE_STRIKE + number, level) * FS_PER_PS // tick_fs)
                    for level in (1, 0)
                )
            )
            for number in range(self.result.identity.geometry.strikes)
        ]


def seen(result, truth, board):
    """Return the run with its log in the ticks of the instrument.

    Where those begin the first strike says; all others must agree. A board's strikes have the time
    at which a sample could see them, LOOP_CLOCKS after their words.
    """
    edges = Edges(board, int(truth["time_ps"].max()))
    geometry = result.identity.geometry
    made = Outcome(result, truth)
    planned, *_ = strikes(geometry, made.registers, result.start_ticks, result.end_ticks)
    rises = edges.at(made.edges_ps(SOURCE_STRIKE))
    begin = rises[0] - planned.rise_ticks[0] - LOOP_CLOCKS * geometry.samples
    assert np.array_equal(rises - rises[0], planned.rise_ticks - planned.rise_ticks[0])
    driven = truth["source"] >= SOURCE_STRIKE
    ticks = edges.after(truth["time_ps"])
    ticks[driven] = edges.at(truth["time_ps"][driven])
    aligned = truth.copy()
    aligned["time_ps"] = np.maximum(ticks - begin, 0) * geometry.tick_fs // FS_PER_PS
    return OnBoard(result, aligned)


def measured(name, planted, arguments, folder, baud=0):
    """Return a run of `plexor measure` at a board, and what the golden model makes of it."""
    board = boards.load(name)
    device = find_device(DEVICE, default_cache())
    executable = simulator(board, design_of(board), device, default_cache(), baud)
    log, run = folder / "truth", folder / "run"
    with Server(executable, planted, ("--once", "--truth", str(log))) as server:
        where = ("--link", f"tcp://127.0.0.1:{server.port}", "--calibration", "none")
        assert cli.main(["measure", *where, *arguments, "--out", str(run)]) == 0
    result = store.load(run)
    assert result.identity.gateware_hash == board_hash(board)
    assert result.identity.build_id == build_id(board, 1, board_hash(board))
    # The gateware takes itself for a board's.
    assert result.simulated
    return result, assert_equals_truth(seen(result, np.fromfile(log, TRUTH), board))


def assert_planted(result, golden):
    """Assert what was planted in the first run, without the golden model: a fixed latency of 1 us.

    Its response is seen within a tick, and every class is there.
    """
    assert result.strikes == STRIKES
    classes = [class_counts(channel) for channel in result.channels]
    print(classes)
    for name in ("ANSWERED", "LATE", "MISSED", "DUPLICATE", "SPURIOUS"):
        assert any(name in counts for counts in classes)
    some = result.channels[1]
    (rise,) = [entry for entry in some.measurements if entry.kind == Kind.RISE]
    least = 10**9 // result.tick_fs
    assert least <= rise.statistics.min_ticks <= rise.statistics.max_ticks <= least + 2
    assert golden.generated[SOURCE_CHANNEL] == 2 * STRIKES


def stepped(name, planted, settings, folder, baud=0):
    """Return a run of a sweep table at a board, the golden model's, and what came over the link."""
    board = boards.load(name)
    device = find_device(DEVICE, default_cache())
    executable = simulator(board, design_of(board), device, default_cache(), baud)
    log, wire = folder / "truth", BytesIO()
    with (
        Server(executable, planted, ("--once", "--truth", str(log))) as server,
        Device(open_link(f"tcp://127.0.0.1:{server.port}"), wire) as link,
    ):
        result = measure(link, settings)
    golden = assert_equals_truth(seen(result, np.fromfile(log, TRUTH), board))
    return result, golden, wire.getvalue()


def assert_steps(result, golden):
    """Assert that each step of a table has the golden model's classes and rise latencies.

    Its records count from the run's start on, but for the extremes.
    """
    assert len(result.steps) == len(golden.steps) == len(result.settings.table)
    totals = {channel.number: np.zeros(3, object) for channel in result.channels}
    classes = {channel.number: Counter() for channel in result.channels}
    for found, wanted in zip(result.steps, golden.steps, strict=True):
        for channel in found.channels:
            record, rise = wanted[channel.number], channel.rise
            classes[channel.number].update(channel.classes)
            totals[channel.number] += [rise.count, rise.sum_ticks, rise.sum_sq_ticks2]
            assert found.end_ticks == record.end_ticks
            assert channel.pending == record.pending
            so_far = classes[channel.number]
            assert [so_far[kind] for kind in ResponseClass] == list(record.classes)
            expected = record.rise
            assert list(totals[channel.number]) == [
                *(expected.count, expected.sum_ticks, expected.sum_sq_ticks2)
            ]
            if rise.count:
                assert (rise.min_ticks, rise.max_ticks) == (record.min_ticks, record.max_ticks)


def assert_snapshots(wire, golden):
    """Assert that each snapshot that came has counted the first events and no other.

    Return how many there were.
    """
    dumps = [
        frame
        for frame in frames_of(wire)
        if frame.type in MEMORY_TYPES and not frame.flags & MemoryFlag.FINAL
    ]
    numbers, held, before = sorted({frame.tag for frame in dumps}), {}, 0
    for number in numbers:
        held |= words(frame for frame in dumps if frame.tag == number)
        edges = sum(
            np.frombuffer(image, "<u8").astype(np.int64)
            for (space, _), image in held.items()
            if space == Space.EDGES
        )
        events, many = golden.events, int(edges.sum())
        places = events.source[:many] * 2 + events.polarity[:many]
        assert np.array_equal(edges, np.bincount(places, minlength=2 * SOURCES))
        assert many > before
        before = many
    return len(numbers)
