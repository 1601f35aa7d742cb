# SPDX-License-Identifier: Apache-2.0
"""Masked windows, planted or a kernel's own, found by phase scans of the Verilated instrument.

What is expected comes from the simulator's log of the pins: a marker is high while strikes wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import SMALL, TRUTH, simulator

from plexor.experiments.phase.model import MaskedWindow, PhaseResult
from plexor.experiments.phase.run import PhaseGoal, run
from plexor.model.settings import Channel
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

US = Fraction(1, 1_000_000)
PS = Fraction(1, 10**12)
LATENCY_PS = 1_300_000
REFERENCE, MARKER = 1, 2
"""Pins of the synthetic device."""
STEP_S = US / 10
STEP_PS = 100_000


@dataclass(frozen=True)
class Scanned:
    """A scan, and all edges of all pins."""

    result: PhaseResult
    truth: np.ndarray

    def edges_ps(self, source: int, level: int = 1) -> np.ndarray:
        chosen = (self.truth["source"] == source) & (self.truth["level"] == level)
        return self.truth["time_ps"][chosen]


def scanned(
    dut: str, wanted: PhaseGoal, folder: Path, geometry: Geometry | None = SMALL
) -> Scanned:
    log = folder / "truth.bin"
    with simulator(dut, geometry, ("--truth", str(log))) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            result, _ = run(device, wanted)
        server.close()
    assert result.invalid_reasons == ()
    assert result.complete
    return Scanned(result, np.fromfile(log, TRUTH))


def planted(period_ps: int, start_ps: int, width_ps: int, more: str = "") -> str:
    """Return a device in which strikes of phases from `start_ps` on wait, with tick and marker."""
    masked_ps = (start_ps + LATENCY_PS) % period_ps
    return (
        f"synthetic:after=none,ch0.after=strike0,ch0.width=100ns,ch0.latency={LATENCY_PS}ps,"
        f"ch0.mask={period_ps}ps:{width_ps}ps:{masked_ps}ps,"
        f"ch{REFERENCE}.tick={period_ps}ps,ch{REFERENCE}.width=300ns,"
        f"ch{MARKER}.tick={period_ps}ps:{masked_ps}ps,ch{MARKER}.width={width_ps}ps,"
        f"ch{MARKER}.gap=1ps{more}"
    )


def assert_found(scan: Scanned, reference: int, period_ps: int, more_ps: int = 0) -> MaskedWindow:
    """Assert that the one window is that of the marker, to a phase step in start and in width."""
    (found,) = scan.result.scans
    (window,) = found.windows
    tick_ps = scan.result.tick_fs // 1000
    begins, ends = scan.edges_ps(MARKER), scan.edges_ps(MARKER, 0)
    width_ps = int(ends[0] - begins[0])
    start_ps = int(begins[-2] - LATENCY_PS - scan.edges_ps(reference)[0]) % period_ps
    off_ps = window.start_ticks * tick_ps - start_ps
    off_ps = (off_ps + period_ps // 2) % period_ps - period_ps // 2
    slack_ps = STEP_PS + 2 * tick_ps + more_ps
    assert abs(off_ps) <= slack_ps
    assert abs(window.width_ticks * tick_ps - width_ps) <= slack_ps
    assert window.delay_ticks is not None
    assert 0 <= width_ps - window.delay_ticks * tick_ps <= slack_ps
    return window


POSITIONS = [
    (600_000, 500_000),
    (2_000_000, 2_500_000),
    (4_500_000, 900_000),
    (4_950_000, 3_000_000),
]
"""Start and width in a period of 5 µs; the last two wrap around it."""


@pytest.mark.parametrize(
    ("start_ps", "width_ps"),
    [*(pytest.param(*each, marks=pytest.mark.full) for each in POSITIONS[:3]), POSITIONS[3]],
)
def test_a_window_is_found_against_a_devices_own_tick(start_ps, width_ps, tmp_path):
    period_ps = 5_000_731
    scan = scanned(
        planted(period_ps, start_ps, width_ps),
        PhaseGoal((Channel(0, "A"),), "ch1", Fraction(100_000), 5, STEP_S),
        tmp_path,
    )
    assert_found(scan, REFERENCE, period_ps)
    reference = scan.result.scans[0].reference
    assert abs(reference.period_ticks * 1000 - period_ps) < 10
    assert scan.result.scans[0].empty_phases == 0


@pytest.mark.parametrize(
    ("start_ps", "width_ps"),
    [POSITIONS[1], pytest.param(*POSITIONS[3], marks=pytest.mark.full)],
)
def test_a_window_is_found_against_another_output_at_exact_phases(start_ps, width_ps, tmp_path):
    period_ps = 5_000_000
    scan = scanned(
        planted(period_ps, start_ps, width_ps),
        PhaseGoal((Channel(0, "A"),), "strike1", Fraction(100_000), 2, STEP_S, period_s=5 * US),
        tmp_path,
    )
    assert_found(scan, SOURCE_STRIKE + 1, period_ps)
    (found,) = scan.result.scans
    phases_ps = (
        scan.edges_ps(SOURCE_STRIKE)[:, None] - scan.edges_ps(SOURCE_STRIKE + 1)[None, :]
    ) % period_ps
    assert (phases_ps[:, 0] == np.arange(100) % 50 * STEP_PS).all()
    assert [entry.strikes for entry in found.bins] == [2] * 50


def test_a_window_longer_than_the_time_out_has_missed_strikes(tmp_path):
    start_ps, width_ps, period_ps = 1_000_000, 3_000_000, 5_000_000
    wanted = PhaseGoal((Channel(0, "A"),), "ch1", Fraction(100_000), 5, STEP_S, timeout_s=3 * US)
    scan = scanned(planted(period_ps, start_ps, width_ps), wanted, tmp_path)
    (window,) = scan.result.scans[0].windows
    tick_ps = scan.result.tick_fs // 1000
    assert abs(window.start_ticks * tick_ps - start_ps) <= STEP_PS + 2 * tick_ps
    assert abs(window.width_ticks * tick_ps - width_ps) <= STEP_PS + 2 * tick_ps
    # A strike that waits for more than 3 µs less the latency is missed: those of the first 1.3 µs.
    missed = [entry for entry in scan.result.scans[0].bins if entry.missed]
    assert abs(len(missed) * STEP_PS - (width_ps + LATENCY_PS - 3_000_000)) <= 2 * STEP_PS


def test_a_device_that_masks_nothing_has_no_window(tmp_path):
    dut = (
        "synthetic:after=none,ch0.after=strike0,ch0.latency=uniform:300ns:500ns,"
        "ch0.width=1ns,ch1.tick=5000731ps,ch1.width=300ns"
    )
    wanted = PhaseGoal((Channel(0, "A"),), "ch1", Fraction(100_000), 8, STEP_S)
    assert scanned(dut, wanted, tmp_path).result.scans[0].windows == ()


LOCKED = [
    # Clock and tick of the device in ps, points or none for steps of 100 ns, repeats.
    (10_000, 10_000_000, 100, 8),
    (16_000, 10_000_000, None, 3),
    (12_500, 20_000_000, 50, 8),
    (12_500, 20_000_000, 64, 8),
    (12_500, 20_000_000, 80, 8),
]
"""Steps of phase that a device's clock locks with, where its tick is made of it."""


@pytest.mark.parametrize(
    ("clock_ps", "period_ps", "points", "repeats"),
    [LOCKED[0], *(pytest.param(*each, marks=pytest.mark.full) for each in LOCKED[1:])],
)
def test_the_one_window_planted_is_found_where_tick_and_clock_are_locked(
    clock_ps, period_ps, points, repeats, tmp_path
):
    start_ps, width_ps = 3_000_000, 1_250_000
    step_s = None if points else STEP_S
    wanted = PhaseGoal((Channel(0, "A"),), "ch1", Fraction(50_000), repeats, step_s, points)
    dut = planted(period_ps, start_ps, width_ps, f",clock={clock_ps}ps")
    scan = scanned(dut, wanted, tmp_path)
    (window,) = scan.result.scans[0].windows
    tick_ps = scan.result.tick_fs // 1000
    begins, ends = scan.edges_ps(MARKER), scan.edges_ps(MARKER, 0)
    true_ps = int(begins[-2] - LATENCY_PS - scan.edges_ps(REFERENCE)[0]) % period_ps
    for value, error, truth_ps in (
        (window.start_ticks, window.start_error_ticks, true_ps),
        (window.end_ticks, window.end_error_ticks, true_ps + int(ends[0] - begins[0])),
    ):
        # A strike is seen at the clock's next edge, and answered at one.
        assert abs(value * tick_ps - truth_ps) <= error * tick_ps + 2 * clock_ps + tick_ps
    assert window.chance < 1e-6


HEALTHY = [
    "ch0.latency=300ns",
    "ch0.latency=uniform:300ns:500ns",
    "ch0.latency=normal:400ns:20ns",
    "ch0.latency=lognormal:300ns:0.5",
    "ch0.latency=300ns,ch0.drop=0.01",
    "ch0.latency=300ns,clock=10ns",
    "ch0.latency=300ns,clock=16ns",
    "ch0.latency=300ns,clock=100ns",
    "ch0.latency=300ns,clock=1us",
    "ch0.latency=lognormal:300ns:0.5,clock=20ns,ch0.drop=0.01",
]


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_at_most_5_percent_of_simulated_scans_without_a_window_have_one(tmp_path):
    scans = [(device, points) for device in HEALTHY for points in (100, 50, 64)]
    found = 0
    for number, (device, points) in enumerate(scans):
        dut = (
            f"synthetic:after=none,ch0.after=strike0,ch0.width=1ns,seed={number + 1},"
            f"ch1.tick=10us,ch1.width=300ns,{device}"
        )
        wanted = PhaseGoal((Channel(0, "A"),), "ch1", Fraction(50_000), 8, points=points)
        found += bool(scanned(dut, wanted, tmp_path).result.scans[0].windows)
    print(f"{found} of {len(scans)} scans")
    assert found <= 0.05 * len(scans)


CRITICAL_PS = 1499 * 20_000
"""The longest time that the load `critical` spends with interrupts off, but for some 70 cycles."""


def assert_critical(strikes_a_step: int, folder: Path) -> None:
    """Assert that a scan sizes the longest critical section that was struck, by its marker pin."""
    span_s = 40 * US
    wanted = PhaseGoal(
        (Channel(0, "ISR"),),
        f"ch{MARKER}",
        Fraction(12_500),
        strikes_a_step,
        US,
        threshold_s=6 * US,
        width_s=US,
        span_s=span_s,
        load="on",
    )
    dut = f"freertos:load=critical,critical_pin={MARKER},phase=1234ps,ppm=37"
    scan = scanned(dut, wanted, folder, None)
    (found,) = scan.result.scans
    begins, ends = scan.edges_ps(MARKER), scan.edges_ps(MARKER, 0)
    strikes = scan.edges_ps(SOURCE_STRIKE)
    own = np.searchsorted(begins, strikes, side="right") - 1
    own = np.where(own < 0, 0, own)
    inside = (strikes >= begins[own]) & (strikes < ends[own])
    longest_ps = int((ends[own] - strikes)[inside].max())
    assert CRITICAL_PS * 0.9 < longest_ps < CRITICAL_PS + 100 * 20_000
    window = found.windows[0]
    tick_ps = scan.result.tick_fs // 1000
    # Interrupts go off some cycles before the marker rises and on some after it has fallen.
    assert abs(window.delay_ticks * tick_ps - longest_ps) <= 1_000_000
    assert window.start_ticks * tick_ps <= 1_000_000
    assert abs(window.end_ticks * tick_ps - longest_ps) <= 1_000_000 + (
        window.end_error_ticks * tick_ps
    )


def test_the_critical_section_of_a_kernel_is_found_and_sized(tmp_path):
    assert_critical(24, tmp_path)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_the_critical_section_of_a_kernel_is_found_and_sized_by_many_strikes(tmp_path):
    assert_critical(200, tmp_path)
