# SPDX-License-Identifier: Apache-2.0
"""Clocks and resets of a manifest: what is wrong in any of them is told with the others."""

from __future__ import annotations

from plexor_sim.design.clocks import clock_named, clocks_of, random_of, resets_of

CLOCKS = [{"port": "a", "period_ps": 4_800}, {"port": "b", "period_ps": 2_400, "jitter_ps": 100}]


def test_each_clock_says_what_is_wrong_with_it_by_its_number() -> None:
    faults: list[str] = []
    wrong = [{"port": "a"}, {"port": "b", "period_ps": 2_400, "jitter_ps": 101, "ppm": 100_001}]
    clocks_of(wrong, faults)
    assert faults == [
        "[clock 1]: needs port and period_ps, which must be at least 2",
        "clock 2.ppm: 100001; must be -100000 to 100000",
        "clock 2.jitter_ps: 101; must be at most 100, a 24th of the period",
    ]


def test_a_jitter_of_a_24th_of_the_period_is_taken() -> None:
    faults: list[str] = []
    assert [clock.jitter_ps for clock in clocks_of(CLOCKS, faults)] == [0, 100]
    assert faults == []


def test_a_reset_and_a_random_input_are_of_a_clock_that_there_is() -> None:
    faults: list[str] = []
    clocks = clocks_of(CLOCKS, faults)
    (reset,) = resets_of([{"port": "r", "clock": "b"}], clocks, faults)
    assert reset.clock == 1
    assert random_of({"data": "b"}, clocks, faults) == {"data": 1}
    assert faults == []
    assert clock_named("reset.clock", "c", clocks, faults) == 0
    assert faults == ["reset.clock: 'c' is no clock; must be a or b"]
