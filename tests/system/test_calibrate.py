# SPDX-License-Identifier: Apache-2.0
"""A planted front-end is found by calibration; runs are corrected to what pins did in ps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import ICE40, TRUTH, Outcome, simulator
from planted import Planted

from plexor.experiments.calibration.from_events import loopback_settings
from plexor.experiments.calibration.run import CalibrationGoal, calibrate
from plexor.figures.analyse.analyse import analyse
from plexor.model.calibration import Calibration
from plexor.model.results import Kind, RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.front_end import front_end_options

US = Fraction(1, 10**6)
STRIKES = 3000
EDGES = 10_000
DUT = (
    "synthetic:seed=5,ch0.latency=uniform:200ns:900ns,ch0.width=uniform:20ns:60ns,"
    "ch1.after=strike0,ch1.latency=uniform:300ns:700ns"
)


# Bins of 110 to 1770 ps, and of 50 to 940 ps at two ticks a nanosecond.
FRONT_ENDS = {
    "iCE40": Planted(
        ICE40,
        (
            (-450, -140, 170, 440),
            (100, -350, 420, -100),
            (-200, 300, -100, 0),
            (60, -60, 250, -250),
        ),
        ((-300, 200, -400, 350), (0, 0, 0, 0), (150, -150, -350, 350), (400, -400, 20, -20)),
        (0, 730, 210, 1100),
        1430,
        (2100, 2830, 2310, 3200),
        870,
    ),
    "ECP5": Planted(
        Geometry(channels=2, strikes=1, samples=16, tick_fs=500_000, phases=8),
        ((-230, -180, -110, -30, 40, 110, 180, 220), (240, -200, 30, 120, -240, 10, 200, -90)),
        ((90, -220, 200, -110, 240, -180, 130, 0), (-90, 220, -200, 110, -240, 180, -130, 0)),
        (340, 0),
        2760,
        (4340, 4000),
        1230,
    ),
}


@dataclass(frozen=True)
class Calibrated:
    planted: Planted
    calibration: Calibration
    outcome: Outcome
    looped: RunResult
    """Strikes looped back."""


@pytest.fixture(
    scope="module",
    params=["iCE40", pytest.param("ECP5", marks=pytest.mark.full)],
    name="calibrated",
)
def one_calibrated(request: pytest.FixtureRequest, tmp_path_factory) -> Calibrated:
    """Return a front-end, its calibration, and a run that has it."""
    planted = FRONT_ENDS[request.param]
    log: Path = tmp_path_factory.mktemp("truth") / "truth.bin"
    arguments = ("--front-end", planted.options, "--truth", str(log))
    settings = Settings(
        strikes=(Stimulus(period_s=2 * US, width_s=US / 2),),
        channels=(Channel(0), Channel(1)),
        count=STRIKES,
    )
    with simulator(DUT, planted.geometry, arguments) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            found = calibrate(device, CalibrationGoal(EDGES))
            # As if place and route had no corners, so that bins alone are uncertain.
            calibration = replace(found, detours=planted.detours)
            looped, result = (
                replace(measure(device, wanted), calibration=calibration)
                for wanted in (loopback_settings(planted.geometry, 0), settings)
            )
        server.close()
    truth = np.fromfile(log, TRUTH)
    # Loopback strikes too, but before the run.
    begun = result.start_ticks * result.tick_fs // 1000
    outcome = Outcome(result, truth[truth["time_ps"] >= begun])
    return Calibrated(planted, calibration, outcome, looped)


def latencies_ps(outcome: Outcome, number: int) -> np.ndarray:
    """Return the true latencies at the pads, from the log: every strike is answered in turn."""
    strikes, responses = outcome.edges_ps(SOURCE_STRIKE), outcome.edges_ps(number)
    assert len(strikes) == len(responses) == STRIKES
    return responses - strikes


def test_instants_are_found_within_their_standard_error(calibrated):
    for entry in calibrated.calibration.channels:
        for way in (entry.rise, entry.fall):
            assert way.edges >= EDGES
            assert max(way.error_ps) < calibrated.planted.tick_ps / 30
    deviations = calibrated.planted.deviations(calibrated.calibration)
    assert deviations.max() < 4
    assert np.sqrt(np.mean(np.square(deviations))) < 1.5


def test_the_pad_delay_is_within_its_bound_and_well_within_a_tick(calibrated):
    error_ps = max(max(entry.rise.error_ps) for entry in calibrated.calibration.channels)
    for true_ps, found, bound in calibrated.planted.delays(calibrated.calibration):
        assert abs(found - true_ps) <= bound + 4 * error_ps
        assert abs(found - true_ps) < calibrated.planted.tick_ps / 2


def test_looped_back_strikes_have_their_detours_latency_once_the_delay_is_taken_off(calibrated):
    tick_ps = calibrated.planted.tick_ps
    delay_ps = calibrated.planted.output_ps
    report = analyse(calibrated.looped)
    for number, channel in enumerate(report.corrected):
        found = channel.kinds[Kind.RISE].values_ps - calibrated.planted.detours[number].least_ps
        assert set(np.rint(found / tick_ps).tolist()) <= {-1, 0, 1}
        assert abs(found.mean()) < tick_ps / 2
        # Before, it is the delay: more than a tick.
        least = report.channels[number].kinds[Kind.RISE].min_ticks
        assert least * tick_ps > delay_ps - tick_ps > tick_ps / 5


def test_corrected_latencies_have_nearly_the_least_error_that_the_bins_allow(calibrated):
    report = analyse(calibrated.outcome.result)
    for number, channel in enumerate(report.corrected):
        true_ps = latencies_ps(calibrated.outcome, number)
        error = channel.kinds[Kind.RISE].values_ps - true_ps
        ideal = calibrated.planted.ideal_rms_ps(number)
        assert float(np.sqrt(np.mean(error.astype(float) ** 2))) < 1.1 * ideal
        assert channel.edge_rms_ps == pytest.approx(ideal, rel=0.03)


def test_whole_ticks_less_the_same_delay_are_worse(calibrated):
    """Or the test above would show nothing."""
    report = analyse(calibrated.outcome.result)
    figures = report.channels[0].kinds[Kind.RISE]
    delay = calibrated.planted.output_ps + calibrated.planted.input_ps[0]
    ticks_ps = (figures.samples.value_ticks - 0.5) * calibrated.planted.tick_ps - delay
    error = ticks_ps - latencies_ps(calibrated.outcome, 0)
    ideal = calibrated.planted.ideal_rms_ps(0)
    assert float(np.sqrt(np.mean((error - error.mean()) ** 2))) > 1.1 * ideal


def test_widths_are_corrected_for_both_their_edges(calibrated):
    outcome = calibrated.outcome
    found = analyse(outcome.result).corrected[0].kinds[Kind.WIDTH].values_ps
    true_ps = outcome.edges_ps(0, 0) - outcome.edges_ps(0)
    error = (found - true_ps).astype(float)
    widest = calibrated.planted.tick_ps * 1.75
    assert abs(error.mean()) < calibrated.planted.tick_ps / 2
    assert error.std() < widest / np.sqrt(6)


def test_the_ticks_are_those_of_a_run_without_calibration(calibrated):
    report = analyse(calibrated.outcome.result)
    for number, channel in enumerate(report.channels):
        chip = calibrated.outcome.result.channels[number].measurement(Kind.RISE).statistics
        assert (channel.kinds[Kind.RISE].min_ticks, channel.kinds[Kind.RISE].max_ticks) == (
            chip.min_ticks,
            chip.max_ticks,
        )
    assert report.valid, report.invalid_reasons


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_eight_channels_and_a_hundred_thousand_edges_of_each_are_within_a_few_ps(tmp_path):
    geometry = boards.simulated()
    options = front_end_options("sampler=seed:11,spread_ps=240", geometry)
    with simulator("synthetic", geometry, ("--front-end", options)) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            calibration = calibrate(device, CalibrationGoal(50_000))
    rows = dict(item.split("=") for item in options.split(","))
    deviations = []
    for entry in calibration.channels:
        for name, way in (("rise", entry.rise), ("fall", entry.fall)):
            late = np.array([int(n) for n in rows[f"{name}.{entry.number}"].split(":")])
            off = np.array(way.late_ps) - (late - late.mean())
            assert way.edges >= 50_000
            assert max(way.error_ps) <= 10
            deviations += (np.abs(off) / np.array(way.error_ps)).tolist()
    # Of 128 numbers of a normal law one lies beyond 4 standard deviations in 120 calibrations.
    assert max(deviations) < 4.5
    assert np.sqrt(np.mean(np.square(deviations))) < 1.2
