# SPDX-License-Identifier: Apache-2.0
"""Pulses that no pad of the boards carries are named, those asked for and those that came."""

from dataclasses import replace

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.pulses import short_pulses
from plexor.model.settings import RegisterWrite


def asked(run, **values):
    """Return the run with registers of output 0."""
    changed = {("stimulus", 0, name): value for name, value in values.items()}
    kept = [w for w in run.registers if (w.block, w.copy, w.name) not in changed]
    more = [RegisterWrite(block, copy, name, v) for (block, copy, name), v in changed.items()]
    return replace(run, registers=(*kept, *more))


STRIKES = {"enable": 1, "width_ticks": 100, "burst_count": 1, "interval_ticks": 1000}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, None),
        # Ticks of 1 ns: 2 are too short, 3 are not.
        ({"width_ticks": 2}, "strike0: pulses of 2 ns; "),
        ({"width_ticks": 3}, None),
        ({"width_ticks": 998}, "strike0: gaps between pulses of 2 ns; "),
        ({"width_ticks": 997}, None),
        # A sequence of one strike has no interval; the pulses of one burst have their spacing.
        ({"width_ticks": 998, "strike_count": 1}, None),
        ({"width_ticks": 998, "strike_count": 2}, "strike0: gaps between pulses of 2 ns; "),
        ({"burst_count": 3, "spacing_ticks": 101}, "strike0: gaps between pulses of 1 ns; "),
        ({"burst_count": 3, "spacing_ticks": 103}, None),
        ({"enable": 0, "width_ticks": 1}, None),
    ],
)
def test_an_outputs_pulses_are_told_where_a_pad_does_not_carry_them(run_of, values, told):
    run = asked(run_of([[1000, 2000, 3000]]), **(STRIKES | values))
    assert run.identity.tick_fs == 1_000_000
    lines = list(short_pulses(analyse(run)))
    assert len(lines) == (told is not None)
    if told is not None:
        assert lines[0].startswith(told)
        assert lines[0].endswith("an LVCMOS33 pad carries 200 MHz, pulses of 2.5 ns and more")
