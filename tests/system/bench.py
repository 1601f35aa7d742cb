# SPDX-License-Identifier: Apache-2.0
"""Runs on a simulated instrument, and what the golden model says of them.

The truth is the simulator's own log of every pin's edges in picoseconds; the golden model makes
events, classes, statistics and bins of it. Nothing of it comes from the gateware.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np
from impair import Impairment, Proxy

from plexor.model.on_host import replaced
from plexor.model.results import ChannelResult, Kind, RunResult
from plexor.model.settings import Settings
from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import IntervalKind, LatencyKind, ResponseClass, Space, key
from plexor.protocol.registers import StopReason, Trigger
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.golden import instrument as golden
from plexor_sim.golden.edges import PinEdges, TickEdges, pins_of, sampled
from plexor_sim.golden.settings import Settings as Registers
from plexor_sim.golden.stimulus import Strikes
from plexor_sim.packages import default_cache
from plexor_sim.serve import CORE, prepare
from plexor_sim.server import Server

SMALL = Geometry(
    latency_mantissa_bits=4,
    interval_mantissa_bits=4,
    zoom_bits=6,
    upload_depth=64,
    code_bits=16,
    features=ALL_FEATURES | Feature.CODES,
)
"""All features with ticks of 1 ns, fewer bins, and an upload FIFO that is soon full."""
PORTLESS = replace(SMALL, code_bits=0, features=ALL_FEATURES)
"""The same without a code port, as a LiteX system has none."""
ICE40 = boards.simulated("hx8k-evn-counts")
"""One with few pins: a calibration takes each of them in turn."""
SILENT = boards.simulated("icebreaker-counts")
"""One that sends no events."""
TRUTH = np.dtype([("time_ps", "<i8"), ("source", "u1"), ("level", "u1"), ("pad", "V6")])
NEEDED = {
    Kind.FALL: Feature.FALL,
    Kind.WIDTH: Feature.INTERVALS,
    Kind.PERIOD: Feature.INTERVALS,
}
"""What a build needs to measure a kind itself."""
PLACES = {
    Kind.RISE: (Space.LATENCY_STATISTICS, Space.LATENCY_BINS, Space.LATENCY_ZOOM, LatencyKind.RISE),
    Kind.FALL: (Space.LATENCY_STATISTICS, Space.LATENCY_BINS, Space.LATENCY_ZOOM, LatencyKind.FALL),
    Kind.WIDTH: (
        Space.INTERVAL_STATISTICS,
        Space.INTERVAL_BINS,
        Space.INTERVAL_ZOOM,
        IntervalKind.WIDTH,
    ),
    Kind.PERIOD: (
        Space.INTERVAL_STATISTICS,
        Space.INTERVAL_BINS,
        Space.INTERVAL_ZOOM,
        IntervalKind.PERIOD,
    ),
}


def whole(geometry: Geometry) -> Geometry:
    """Return an instrument that itself does what the host does for one without matcher."""
    return replace(geometry, features=geometry.features | replaced(geometry) | Feature.MATCH)


@dataclass(frozen=True)
class Outcome:
    """One run: as the host has it, and the truth it was taken from."""

    result: RunResult
    truth: np.ndarray
    wire: bytes = b""
    """What came over the link."""

    @property
    def registers(self) -> Registers:
        """What the instrument was told, for the golden model."""
        return Registers({(w.block, w.copy, w.name): w.value for w in self.result.registers})

    def pins(self) -> dict[int, PinEdges]:
        """Return the response pins in picoseconds."""
        edges = self.truth[self.truth["source"] < SOURCE_STRIKE]
        return pins_of(edges["time_ps"], edges["source"], edges["level"].astype(np.bool_))

    def load(self) -> TickEdges:
        """Return the load output's edges."""
        edges = self.truth[self.truth["source"] == SOURCE_LOAD]
        pin = PinEdges(edges["time_ps"], edges["level"].astype(np.bool_))
        return sampled(pin, self.result.tick_fs)

    def edges_ps(self, source: int, level: int = 1) -> np.ndarray:
        """Return the times of a pin's edges to a level in ps."""
        chosen = (self.truth["source"] == source) & (self.truth["level"] == level)
        return self.truth["time_ps"][chosen]

    def pulses(self) -> list[Strikes] | None:
        """Return the strikes seen at the pins where more than settings decide on them, else None.

        That is where the gate or a decision starts them, or a command or a threshold ends them.
        """
        outputs = range(self.result.identity.geometry.strikes)
        triggers = {self.registers.get("stimulus", "trigger", number) for number in outputs}
        planned = self.result.stop_reason in (StopReason.STRIKES, StopReason.TIME)
        if planned and not triggers & {Trigger.GATE, Trigger.LATENCY, Trigger.MISSED}:
            return None
        tick_ps = self.result.tick_fs // 1000
        return [
            Strikes(*(self.edges_ps(SOURCE_STRIKE + number, level) // tick_ps for level in (1, 0)))
            for number in outputs
        ]

    def golden(self, dropped: np.ndarray | None = None) -> golden.Results:
        """Return what the golden model makes of the pins; `dropped` before the merge.

        For an instrument that leaves the matching to the host it is a chip that has all features.
        """
        result = self.result
        geometry = result.identity.geometry
        return golden.measure(
            geometry if Feature.MATCH in geometry.features else whole(geometry),
            self.registers,
            result.start_ticks,
            result.end_ticks,
            self.pins(),
            outputs=self.pulses(),
            load=self.load(),
            dropped=dropped,
        )


@contextmanager
def simulator(
    dut: str,
    geometry: Geometry | None = None,
    arguments: tuple[str, ...] = (),
    *,
    once: bool = True,
    uart: bool = False,
    core: str = "",
) -> Iterator[Server]:
    """Serve a simulated instrument with `dut` at its pins; `core` is CORE if it is empty."""
    shape = geometry or boards.simulated()
    ready = prepare(dut, shape, default_cache(), uart=uart, core=core or CORE)
    arguments = ("--once", *arguments) if once else arguments
    with Server(ready.executable, ready.options, (*ready.arguments, *arguments)) as server:
        yield server


def run(
    dut: str,
    settings: Settings,
    folder: Path,
    *,
    geometry: Geometry | None = None,
    arguments: tuple[str, ...] = (),
    uart: bool = False,
    down: Impairment | None = None,
    up: Impairment | None = None,
    core: str = "",
) -> Outcome:
    """Measure once and return the result with the truth; `down` and `up` impair the link."""
    log = folder / "truth.bin"
    tap = BytesIO()
    with (
        simulator(dut, geometry, (*arguments, "--truth", str(log)), uart=uart, core=core) as server,
        Proxy(server.port, down, up) as proxy,
    ):
        port = proxy.port if down or up else server.port
        with Device(open_link(f"tcp://127.0.0.1:{port}"), tap) as device:
            result = measure(device, settings)
        server.close()
    return Outcome(result, np.fromfile(log, TRUTH), tap.getvalue())


def class_counts(channel: ChannelResult) -> dict[str, int]:
    """Return the classes of a channel that are not 0, by name."""
    return {ResponseClass(kind).name: count for kind, count in channel.classes.items() if count} | (
        {"PENDING": channel.pending} if channel.pending else {}
    )


def assert_channel_equals(channel: ChannelResult, truth: golden.Results) -> None:
    """Assert that every count, statistic and bin of a channel is the golden model's."""
    number, geometry, features = channel.number, truth.geometry, truth.geometry.features
    classes = [channel.classes[kind] for kind in sorted(channel.classes)]
    assert classes == truth.classes[number].tolist()
    assert channel.pending == truth.pending[number]
    for measurement in channel.measurements:
        statistics_space, bins_space, zoom_space, kind = PLACES[measurement.kind]
        row = key(geometry, kind, number)
        found = measurement.statistics
        where = f"ch{number} {measurement.kind}"
        on_chip = NEEDED.get(measurement.kind, Feature(0)) in features
        assert measurement.on_chip == on_chip, where
        if not on_chip:
            continue
        expected = truth.statistics[statistics_space][row]
        assert found.count == expected.count, where
        assert found.sum_ticks == expected.sum_ticks, where
        if Feature.SUM_SQUARES in features:
            assert found.sum_sq_ticks2 == expected.sum_sq_ticks2, where
        if expected.count:
            suffixes = ("ticks", "index", "time_ticks")[: 3 if Feature.EXTREMES in features else 1]
            for name in ("min", "max"):
                for suffix in suffixes:
                    label = f"{name}_{suffix}"
                    assert getattr(found, label) == getattr(expected, label), f"{where} {label}"
        assert np.array_equal(measurement.bins.counts, truth.bins[bins_space][row]), where
        if Feature.ZOOM in features:
            assert measurement.zoom is not None
            assert np.array_equal(measurement.zoom.counts, truth.bins[zoom_space][row]), where


def assert_equals_truth(outcome: Outcome) -> golden.Results:
    """Assert that the whole run is what the golden model makes of the pins; return that."""
    truth, result = outcome.golden(), outcome.result
    for channel in result.channels:
        assert_channel_equals(channel, truth)
    for entry in result.accounting.sources:
        assert entry.generated == truth.generated[entry.source]
    if result.events is not None and not result.accounting.lost_on_link:
        events = truth.events
        kept = np.isin(events.index, result.events["index"])
        for name in ("time_ticks", "source", "polarity", "index"):
            assert np.array_equal(result.events[name], getattr(events, name)[kept]), name
    assert result.valid, result.invalid_reasons
    return truth
