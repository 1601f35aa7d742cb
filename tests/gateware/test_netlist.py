# SPDX-License-Identifier: Apache-2.0
"""The ECP5's netlist, as placed and routed, measures what its pins saw: to the tick.

Its block RAMs give the inverse of what a design may hope for where the guide says unknown.
"""

from fractions import Fraction

import pytest

from plexor.model.settings import Channel, Settings, Stimulus, TableStep

from .pins import (
    FIRST,
    PLANTED,
    RUNS,
    assert_planted,
    assert_snapshots,
    assert_steps,
    class_counts,
    measured,
    stepped,
)

BOARD = "ulx3s-25f"
BAUD = 12_500_000
"""Ten clocks a bit, to which the gateware sets itself: most of a run's time goes to the link."""


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_netlist_measures_what_its_pins_saw(tmp_path):
    assert_planted(*measured(BOARD, PLANTED, FIRST, tmp_path, BAUD))


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", RUNS)
def test_the_netlist_measures_by_every_policy(name, tmp_path):
    result, _ = measured(BOARD, *RUNS[name], tmp_path, BAUD)
    print([class_counts(channel) for channel in result.channels])
    assert result.strikes >= 80


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_netlist_takes_snapshots_while_it_runs_a_sweep_table(tmp_path):
    us = Fraction(1, 1_000_000)
    steps = tuple(
        TableStep(period * us, 10_000 // period, width_s=us, guard_s=20 * us)
        for period in (100, 50, 25)
    )
    asked = Settings(
        strikes=(Stimulus(),),
        channels=(Channel(0, deadline_s=7 * us), Channel(1, reference="strike0")),
        timeout_s=20 * us,
        report_s=1000 * us,
        table=steps,
    )
    planted = (
        "seed=9,latency=uniform:1000000:9000000,ch1.after=strike0,ch1.latency=2000000,ch1.drop=0.1"
    )
    result, golden, wire = stepped(BOARD, planted, asked, tmp_path, BAUD)
    assert_steps(result, golden)
    taken = assert_snapshots(wire, golden)
    print(taken, [class_counts(channel) for channel in result.channels])
    assert taken >= 2
