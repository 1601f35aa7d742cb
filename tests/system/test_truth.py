# SPDX-License-Identifier: Apache-2.0
"""Planted truth: what the chip counts is what the simulator saw at the pins, to the last bit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import Outcome, assert_equals_truth, run
from wire import assert_words_equal_truth, final_words, frames_of

from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import bin_of
from plexor_hdl.build import boards

NS = Fraction(1, 1_000_000_000)
US = 1000 * NS
PERIOD = 2 * US

DISTRIBUTIONS = {
    "fixed": "fixed:300.123ns",
    "uniform": "uniform:100ns:900ns",
    "normal": "normal:500ns:100ns",
    "lognormal": "lognormal:200ns:0.5",
    "exponential": "exponential:300ns",
    "list": "list:{folder}/latencies",
    "mixture": "0.9*normal:200ns:5ns+0.09*uniform:500ns:900ns+0.01*fixed:1500001ps",
}
GRIDS = {"grid": 1_000_000, "free": 0}
QUICK = ("list", "mixture")
"""In an order, and of several kinds at once."""
FULL_STRIKES = 72_000
"""Of 14 runs: over 10**6 strikes."""
EVENTS = ("icebreaker", "hx8k-evn", "pico-ice")
"""Boards whose host matches and counts."""


def settings(count: int, period: Fraction = PERIOD) -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=period, width_s=300 * NS),),
        channels=(Channel(0, zoom_rise_s=200 * NS), Channel(1, reference="ch0.fall")),
        timeout_s=100 * US,
        count=count,
    )


def planted(distribution: str, grid_fs: int, folder: Path) -> str:
    """Return a device whose pins tell every draw: no response is dropped or too short to see."""
    (folder / "latencies").write_text("50000\n1\n999999\n123456\n0\n700001\n")
    latency = DISTRIBUTIONS[distribution].format(folder=folder)
    return (
        f"synthetic:seed=3,grid={grid_fs}fs,latency={latency},ch0.width=uniform:20ns:90ns,"
        "ch1.latency=uniform:0:60ns,ch1.width=40ns"
    )


def assert_planted(outcome: Outcome, number: int, references_ps: np.ndarray) -> np.ndarray:
    """Assert that response n answers reference n, to the tick; return the errors in ps.

    Reckoned from the truth log alone: no matcher, no golden model.
    """
    responses_ps = outcome.edges_ps(number)
    assert len(responses_ps) == len(references_ps)
    tick_fs = outcome.result.tick_fs
    ticks = -(-responses_ps * 1000 // tick_fs) - -(-references_ps * 1000 // tick_fs)
    rise = outcome.result.channels[number].measurement(Kind.RISE)
    found = rise.statistics
    assert found.count == len(ticks)
    assert (found.min_ticks, found.max_ticks) == (ticks.min(), ticks.max())
    assert (found.sum_ticks, found.sum_sq_ticks2) == (ticks.sum(), (ticks * ticks).sum())
    bits = rise.bins.mantissa_bits
    bins = [bin_of(value, bits) for value in ticks.tolist()]
    assert np.array_equal(rise.bins.counts, np.bincount(bins, minlength=len(rise.bins.counts)))
    places = np.clip(ticks - rise.zoom.first_ticks + 1, 0, len(rise.zoom.counts) - 1)
    assert np.array_equal(rise.zoom.counts, np.bincount(places, minlength=len(rise.zoom.counts)))
    return ticks * tick_fs / 1000 - (responses_ps - references_ps)


def assert_both_planted(outcome: Outcome, strikes: int, on_grid: bool) -> None:
    strikes_ps = outcome.edges_ps(SOURCE_STRIKE)
    assert len(strikes_ps) == strikes
    for number, references in ((0, strikes_ps), (1, outcome.edges_ps(0, level=0))):
        errors = assert_planted(outcome, number, references)
        if on_grid:
            assert not errors.any()
        else:
            assert abs(errors).max() < outcome.result.tick_fs / 1000 + 1  # strikes: to whole ps
            assert errors.any()


def measure_planted(distribution: str, grid: str, strikes: int, folder: Path) -> None:
    device = planted(distribution, GRIDS[grid], folder)
    outcome = run(device, settings(strikes), folder)
    truth = assert_equals_truth(outcome)
    assert_words_equal_truth(final_words(frames_of(outcome.wire)), truth)
    assert_both_planted(outcome, strikes, grid == "grid")


@pytest.mark.parametrize("grid", ["free", pytest.param("grid", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "distribution",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.full) for n in DISTRIBUTIONS],
)
def test_on_chip_results_equal_the_truth_of_every_distribution(distribution, grid, tmp_path):
    measure_planted(distribution, grid, 1000, tmp_path)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_million_strikes_equal_the_truth(distribution, grid, tmp_path):
    measure_planted(distribution, grid, FULL_STRIKES, tmp_path)


@pytest.mark.parametrize("strikes", [1000, pytest.param(100_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("board", EVENTS)
@pytest.mark.parametrize(
    "distribution",
    [pytest.param(n, marks=() if n == "mixture" else pytest.mark.full) for n in DISTRIBUTIONS],
)
def test_what_a_host_makes_of_events_equals_the_truth(distribution, board, strikes, tmp_path):
    device = planted(distribution, GRIDS["free"], tmp_path)
    outcome = run(device, settings(strikes, 40 * US), tmp_path, geometry=boards.simulated(board))
    assert outcome.result.valid, outcome.result.invalid_reasons
    assert_both_planted(outcome, strikes, on_grid=False)
