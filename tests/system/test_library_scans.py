# SPDX-License-Identifier: Apache-2.0
"""Scans from Python on the simulated instrument: planted knees and windows, one link."""

from fractions import Fraction

import plexor

SERVICE = "synthetic:after=none,ch0.after=strike0,ch0.service=20us,ch0.queue=1,ch0.latency=300ns"
KNEE_HZ = 50_000
"""A device that takes 20 µs for each strike serves so many in a second."""


def test_an_instrument_sweeps_scans_phases_and_measures(tmp_path):
    steps = []
    with plexor.open("sim:", dut=SERVICE) as instrument:
        sweep = instrument.sweep(
            low="30k",
            high="90k",
            criteria="missed<10%",
            resolution="50%",
            points=2,
            width="1us",
            channels="A=ch0",
            executor="local:1",
            out=tmp_path / "s",
            on_step=lambda step, taken, expected: steps.append(step),
        )
        phase = instrument.phase(
            against="strike1",
            period="2us",
            points=20,
            repeats=1,
            rate="20k",
            channels="A=ch0",
        )
        run = instrument.run(rate="20k", count=50, width="1us", channels="A=ch0")
    (knee,) = sweep.knees
    # Of 55.6 kHz a tenth is lost, which is the most that may be.
    assert knee.bracket.passing_hz <= KNEE_HZ / Fraction(9, 10)
    assert knee.bracket.failing_hz >= KNEE_HZ
    assert len(steps) == len(sweep.steps) == sweep.to_arrow().num_rows
    assert plexor.load(tmp_path / "s").result == sweep.result
    (channel,) = phase.channels
    assert [entry.strikes for entry in channel.bins] == [1] * 20
    assert {entry.max_ticks for entry in channel.bins} == {600}  # of half a nanosecond
    assert (run["A"].answered, run["A"].max_s) == (50, 300e-9)
    assert all(found.simulated for found in (sweep, phase, run))
