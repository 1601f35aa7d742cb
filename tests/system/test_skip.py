# SPDX-License-Identifier: Apache-2.0
"""Skipping idle clocks: the same run with every clock evaluated gives the same bits.

With `--prove` the simulator evaluates what it skips too, and ends with an error at the first skip
that leaves any of the core's registers or memories other than that does.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bench import SMALL, assert_equals_truth, run

from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.protocol.registers import Stream
from plexor_hdl.build import boards
from plexor_sim.serve import GATEWARE

US = Fraction(1, 1_000_000)
DUT = "synthetic:latency=uniform:1us:9us,width=1500ns"
PLAIN = Settings(
    strikes=(Stimulus(period_s=60 * US, width_s=2 * US),),
    channels=(Channel(0), Channel(1)),
    count=40,
)


def striking(**changes) -> Settings:
    return replace(PLAIN, strikes=(replace(PLAIN.strikes[0], **changes),))


def stepping(*periods: int, **changes) -> Settings:
    """Return a table of steps of ten strikes each, with these periods in microseconds."""
    steps = tuple(TableStep(each * US, 10, width_s=US, guard_s=50 * US) for each in periods)
    return replace(PLAIN, strikes=(Stimulus(),), count=None, table=steps, **changes)


CASES = {
    "periodic": PLAIN,
    "fraction": striking(period_s=Fraction(100, 3) * US),
    "dither": striking(dither_s=16384 * US / 1000),
    "bursts": striking(burst=3, spacing_s=4 * US),
    "fast bursts": striking(burst=3, spacing_s=Fraction(4, 1000) * US, width_s=None),
    "poisson": striking(poisson=True),
    "long pulses": striking(width_s=40 * US),
    "dump": replace(PLAIN, stream=Stream.OFF),
    "time": replace(PLAIN, count=None, time_s=1234567 * US / 1000),
    "threshold": replace(PLAIN, latency_over_s=Fraction(85, 10) * US),
    "missed": replace(PLAIN, timeout_s=8 * US, stop_on_missed=True),
    "reports": replace(PLAIN, report_s=150 * US),
    "table": stepping(60, 20, 300),
    "table, dump": stepping(20, 33, stream=Stream.OFF),
    "table, reports": stepping(40, 70, 15, report_s=150 * US),
    "seldom": replace(striking(period_s=1234 * US), count=12),
    "two outputs": replace(
        PLAIN, strikes=(*PLAIN.strikes, Stimulus(output=1, period_s=77 * US, width_s=US))
    ),
}


SHORT = ("table, reports",)
"""Case of `make test`: steps between which the instrument reports."""
ALL = [(name, boards.simulated(), name in SHORT) for name in CASES]
ALL += [(name, SMALL, False) for name in CASES]


@pytest.mark.parametrize(
    ("name", "geometry"),
    [
        pytest.param(
            name,
            geometry,
            marks=() if is_short else pytest.mark.full,
            id=f"{name}-{geometry.samples}",
        )
        for name, geometry, is_short in ALL
    ],
)
def test_skipping_idle_clocks_changes_nothing(name, geometry, tmp_path):
    outcomes = []
    for arguments in (("--prove",), ("--no-skip",)):
        outcome = run(
            DUT, CASES[name], tmp_path, geometry=geometry, arguments=arguments, core=GATEWARE
        )
        assert_equals_truth(outcome)
        outcomes.append(outcome.result)
    skipped, every = outcomes
    assert skipped.end_ticks - skipped.start_ticks == every.end_ticks - every.start_ticks
    for one, other in zip(skipped.channels, every.channels, strict=True):
        assert one.classes == other.classes
        for left, right in zip(one.measurements, other.measurements, strict=True):
            assert left.bins == right.bins
            assert left.zoom == right.zoom
            assert left.statistics.sum_sq_ticks2 == right.statistics.sum_sq_ticks2
    ends = [[step.end_ticks - r.start_ticks for step in r.steps] for r in (skipped, every)]
    assert ends[0] == ends[1]
    assert len(ends[0]) == len(CASES[name].table)
    if skipped.events is not None:
        for name_ in ("source", "polarity", "index"):
            assert np.array_equal(skipped.events[name_], every.events[name_])
        since = [r.events["time_ticks"] - r.start_ticks for r in (skipped, every)]
        assert np.array_equal(*since)
