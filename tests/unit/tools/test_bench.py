# SPDX-License-Identifier: Apache-2.0
"""`make bench`: what it says of figures, whatever they are."""

from __future__ import annotations

import pytest
from tools.bench import (
    Figure,
    against,
    core_figure,
    machine,
    recording_rate,
    table,
)
from tools.bench_core import Pace, parse


def paces() -> tuple[Pace, Pace, Pace]:
    """Return a run's pace, the same with every clock evaluated, and cocotb's."""
    return (
        Pace(clocks=6_000_000, wall_s=3, cpu_s=2, evaluated=1_000_000),
        Pace(clocks=1_000_000, wall_s=4, cpu_s=2),
        Pace(clocks=200_000, wall_s=9, cpu_s=2),
    )


def test_a_ratio_is_of_cpu_seconds_and_not_of_wall_time():
    figure = core_figure("synthetic", *paces(), strikes=960)
    assert figure.per_wall_s == 2_000_000
    assert figure.per_cpu_s == 3_000_000
    assert [base.ratio for base in figure.baselines] == [6, 30]


def test_each_figure_stands_beside_its_baselines():
    lines = table([core_figure("synthetic", *paces(), strikes=960)]).splitlines()
    assert "synthetic" in lines[1]
    assert "2.000 M" in lines[1]
    assert "3.000 M" in lines[1]
    assert "--no-skip" in lines[2]
    assert "cocotb" in lines[3]
    assert "960 strikes" in lines[4]
    assert "0.500 M of these" in lines[4]


@pytest.mark.parametrize(
    ("rate", "says"), [(4.999e6, "not reached"), (5e6, "5 M a CPU s: reached")]
)
def test_a_figure_that_falls_short_is_said_to(rate, says):
    assert says in table([Figure("some", "events", rate, rate, 5e6)])


def test_a_ratio_that_falls_short_is_said_to():
    figure = Figure("some", "events", 1e6, 1e6, None, (against("other", 1e6, 5e5, 30),))
    assert "2.0  30: not reached" in table([figure])


def test_without_an_aim_nothing_is_said_of_one():
    assert "reached" not in table([Figure("some", "events", 1e6, 1e6, None)])


def test_figures_of_a_simulator_are_read():
    text = "clocks 600\nevaluated 100\nwall_s 0.5\ncpu_s 0.25\n"
    assert parse(text) == Pace(600, 0.5, 0.25, 100)


def test_figures_that_are_cut_off_are_an_error():
    with pytest.raises(ValueError, match="cpu_s"):
        parse("clocks 600\nevaluated 100\nwall_s 0.5\n")


def test_every_value_of_the_recording_baseline_is_recorded():
    assert recording_rate(range(1, 2000)) > 0


def test_a_value_that_hdrhistogram_does_not_take_is_an_error():
    with pytest.raises(ValueError, match="of 2 recorded"):
        recording_rate([1, 1 << 40])


def test_the_machine_is_named():
    found = machine()
    assert found["cores"]
    assert found["cpu"]
