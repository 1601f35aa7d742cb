# SPDX-License-Identifier: Apache-2.0
"""Periods, on-widths and fall latencies over 1.074 s: exact from events, else over the limit."""

from fractions import Fraction

import pytest

import plexor

WIDE_S, LATENCY_S = 1.2, 5e-6
DUT = "synthetic:latency=5us,width=1200ms"


@pytest.mark.full
def test_a_pulse_per_two_seconds_is_exact_from_events(tmp_path):
    with plexor.open(dut=DUT) as instrument:
        run = instrument.run(channels=["R=ch0"], rate="0.5", width="1ms", count=2)
    assert run.valid
    reading = run["R"]
    tick_s = run.tick_fs / 1e15
    for kind, seconds in (("width", WIDE_S), ("fall", LATENCY_S + WIDE_S), ("period", 2.0)):
        known = reading.statistics(kind)
        assert abs(known.max_ticks * tick_s - seconds) <= tick_s


def test_without_events_a_long_pulse_is_over_the_limit():
    with plexor.open(dut=DUT) as instrument:
        run = instrument.run(channels=["R=ch0"], rate="0.5", width="1ms", count=1, mode="dump")
    assert run.valid
    known = run["R"].statistics("width")
    assert (known.count, known.min_ticks, known.max_ticks) == (1, None, None)
    assert "over 1.074 s" in run.text()
    limit_s = Fraction((1 << 31) - 1) * run.tick_fs / 10**15
    assert run["R"].percentile(50, "width").over_s == pytest.approx(float(limit_s))
