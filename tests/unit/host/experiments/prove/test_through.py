# SPDX-License-Identifier: Apache-2.0
"""Delays through wires, from strikes and edges whose truth is planted."""

from types import SimpleNamespace

import numpy as np
import pytest

from plexor.experiments.calibration.observation import LoopedEdges
from plexor.experiments.prove.through import WireDelay, delay, missing, spread_ps
from plexor.model.calibration import SIGMAS, Calibration, ChannelInstants, Instants

TICK_FS, PHASES = 500_000, 8
DEVICE = SimpleNamespace(
    identity=SimpleNamespace(tick_fs=TICK_FS, geometry=SimpleNamespace(phases=PHASES))
)
LATE_PS = (-90, 40, -20, 60, 10, -60, 80, -20)
"""By how much later than its tick each phase samples; their mean is 0."""


def echo_of(delay_ps, late_ps=LATE_PS, jitter_ps=0.0, count=64):
    """Return what flip-flops that are that late see of strikes at each phase."""
    strikes = np.arange(count, dtype=np.int64) * 801
    jitter = np.random.default_rng(5).normal(0, jitter_ps, count) if jitter_ps else np.zeros(count)
    at_ps = strikes * 500 + delay_ps + jitter
    first = (at_ps // 500).astype(np.int64) - 2
    seen = []
    for start, when in zip(first, at_ps, strict=True):
        ticks = (start + step for step in range(6))
        seen.append(next(n for n in ticks if n * 500 + late_ps[n % PHASES] >= when))
    return LoopedEdges(count, count, strikes, np.array(seen))


def calibration(error_ps=0):
    bins = Instants(LATE_PS, (error_ps,) * PHASES, 20_000)
    channels = tuple(ChannelInstants(number, bins, bins) for number in range(2))
    return Calibration("s", 1, "b", False, TICK_FS, "", 0, channels, ())


@pytest.mark.parametrize("delay_ps", [0, 260, 499, 3000, 13_777])
@pytest.mark.parametrize("known", [True, False])
def test_a_planted_delay_is_within_its_error(delay_ps, known):
    own = calibration() if known else None
    late = LATE_PS if known else (0,) * PHASES
    found = delay({(0, 1): echo_of(delay_ps, late)}, (0, 1), DEVICE, own)
    assert abs(found.value_ps - delay_ps) <= found.error_ps <= 250


def test_uneven_bins_leave_less_than_even_ones():
    even = delay({(0, 1): echo_of(3000, (0,) * PHASES)}, (0, 1), DEVICE, None)
    uneven = delay({(0, 1): echo_of(3000)}, (0, 1), DEVICE, calibration())
    assert uneven.error_ps < even.error_ps == 250


def test_what_the_bins_may_be_off_is_part_of_the_error():
    sure = delay({(0, 1): echo_of(3000)}, (0, 1), DEVICE, calibration())
    doubtful = delay({(0, 1): echo_of(3000)}, (0, 1), DEVICE, calibration(20))
    assert doubtful.error_ps == sure.error_ps + SIGMAS * 20


def test_a_longer_wire_is_longer_by_the_difference_and_both_errors():
    assert WireDelay(18_000, 200) - WireDelay(13_000, 250) == WireDelay(5000, 450)


def test_each_channels_rms_is_the_spread_over_the_root_of_two():
    # Jitter far above a bin: half of its square is each channel's.
    found = {(0, 1): echo_of(3000, count=4000), (1, 1): echo_of(3000, jitter_ps=4000, count=4000)}
    rms = spread_ps(found, (1, 1), (0, 1), DEVICE, calibration())
    assert rms == pytest.approx(4000 / 2**0.5, rel=0.05)


def test_a_pin_that_misses_strikes_or_sees_none_is_named():
    nothing = np.zeros(0, np.int64)
    found = {
        (0, 1): LoopedEdges(64, 64, nothing, nothing),
        (0, 0): LoopedEdges(64, 63, nothing, nothing),
        (3, 1): LoopedEdges(0, 0, nothing, nothing),
    }
    assert missing(found) == [
        "ch0: its pin sees 63 edges down of 64 strikes; is the wire there?",
        "ch3: its pin sees 0 edges up of 0 strikes; is the wire there?",
    ]
