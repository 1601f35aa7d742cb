# SPDX-License-Identifier: Apache-2.0
"""Bins and RMS errors of a front-end, against arithmetic and against random edges."""

import math
import random

import pytest
from tools.gateware.skew import bins, steps

TIMES_PS = [500.0 * phase for phase in range(8)]


def test_even_phases_have_the_rms_of_a_uniform_error():
    even = bins(TIMES_PS, [700] * 8, 4000)
    assert even.widths_ps == (500,) * 8
    # The standard deviation of a uniform distribution is its width over the root of 12.
    assert even.rms_ps() == pytest.approx(500 / math.sqrt(12))
    assert even.raw_rms_ps() == pytest.approx(500 / math.sqrt(12))
    assert even.dnl == (0,) * 8


def test_a_late_phase_widens_the_bin_after_its_sample():
    late = bins(TIMES_PS, [0, 0, 100, 0, 0, 0, 0, 0], 4000)
    # Phase 2 sees its pin 100 ps late: its sample is of 100 ps before.
    assert late.widths_ps == (500, 400, 600, 500, 500, 500, 500, 500)
    assert late.widest_ps == 600


def test_a_late_phase_delays_its_step():
    assert steps(TIMES_PS, [0, 0, 100, 0, 0, 0, 0, 0], 4000).widths_ps[1:3] == (600, 400)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rms_errors_are_those_of_random_edges(seed):
    rnd = random.Random(seed)
    uneven = bins(TIMES_PS, [rnd.uniform(0, 450) for _ in TIMES_PS], 4000)
    edges, starts, start = sorted(rnd.uniform(0, 4000) for _ in range(200_000)), [], 0.0
    for width in uneven.widths_ps:
        starts.append(start)
        start += width
    middle, raw, number = [], [], 0
    for edge in edges:
        while number < 7 and edge >= starts[number + 1]:
            number += 1
        middle.append(starts[number] + uneven.widths_ps[number] / 2 - edge)
        raw.append((number + 0.5) * 500 - edge)
    mean = sum(raw) / len(raw)
    assert uneven.rms_ps() == pytest.approx(_rms(middle), rel=0.01)
    assert uneven.raw_rms_ps() == pytest.approx(_rms([error - mean for error in raw]), rel=0.01)


def _rms(errors):
    return math.sqrt(sum(error**2 for error in errors) / len(errors))
