# SPDX-License-Identifier: Apache-2.0
"""Ends of runs and triggers, worked by hand."""

import pytest

from plexor.protocol.geometry import TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import StopOn, Trigger
from plexor_sim.golden.edges import PinEdges
from plexor_sim.golden.ending import latency_trigger, planned_end_ticks
from plexor_sim.golden.instrument import measure
from plexor_sim.golden.settings import Settings

GEOMETRY = Geometry(samples=8, strikes=3)
TEN = {
    "enable": 1,
    "interval_ticks": 100,
    "width_ticks": 5,
    "phase_ticks": 3,
    "strike_count": 10,
}


def end(start=80, stimulus=None, **control):
    return planned_end_ticks(GEOMETRY, Settings.of(control=control, stimulus=stimulus or {}), start)


@pytest.mark.parametrize(("run_time", "expected"), [(800, 880), (801, 888)])
def test_a_time_limit_is_rounded_up_to_clocks(run_time, expected):
    assert end(stop_on=StopOn.TIME, run_time_ticks=run_time) == expected


@pytest.mark.parametrize(("settle", "expected"), [(63, 1048), (64, 1056), (71, 1056), (72, 1064)])
def test_a_run_of_strikes_ends_two_clocks_after_its_last_has_settled(settle, expected):
    # The last strike is at 80 + 3 + 900 = 983, in the clock from 976 on.
    assert end(stimulus={0: TEN}, stop_on=StopOn.STRIKES, settle_ticks=settle) == expected


@pytest.mark.parametrize(("width", "expected"), [(1, 1040), (5, 1048), (9, 1048), (10, 1056)])
def test_a_run_of_strikes_ends_no_less_than_eight_clocks_after_the_last_is_over(width, expected):
    # Active up to 983, in the clock from 976 on; to 987 and 991, from 984 on; to 992.
    stimulus = {0: TEN | {"width_ticks": width}}
    assert end(stimulus=stimulus, stop_on=StopOn.STRIKES, settle_ticks=0) == expected


def test_endless_stimuli_do_not_hold_up_the_end():
    stimulus = {0: TEN, 1: TEN | {"strike_count": 0}}
    assert end(stimulus=stimulus, stop_on=StopOn.STRIKES) == 1048
    assert end(stimulus={1: stimulus[1]}, stop_on=StopOn.STRIKES) is None


def test_a_triggered_stimulus_holds_up_the_end():
    slow = TEN | {"interval_ticks": 200}
    stimulus = {0: slow, 2: TEN | {"trigger": Trigger.STRIKE, "strike_count": 1}}
    # Struck at 1883: in the clock from 1880 on, TRIGGER_CLOCKS later, phase 3, five ticks wide.
    assert end(stimulus=stimulus, stop_on=StopOn.STRIKES) == 1880 + 8 * TRIGGER_CLOCKS + 64


def test_an_end_that_hangs_on_a_gate_is_refused():
    stimulus = {1: TEN | {"trigger": Trigger.GATE}}
    with pytest.raises(ValueError, match=r"stimulus\[1\]"):
        end(stimulus=stimulus, stop_on=StopOn.STRIKES)


def test_the_first_of_two_stop_conditions_ends_the_run():
    both = StopOn.STRIKES | StopOn.TIME
    assert end(stimulus={0: TEN}, stop_on=both, run_time_ticks=160) == 240
    assert end(stimulus={0: TEN}, stop_on=both, run_time_ticks=16_000) == 1048


def test_a_latency_over_the_threshold_triggers_at_its_event():
    settings = Settings.of(
        stimulus={0: TEN},
        channel={0: {"enable": 1}, 1: {"enable": 1}},
        control={"trigger_latency_ticks": 20, "trigger_channels": 0b01},
    )
    # Strikes at 3, 103, 203; channel 1 answers too late first, but may not trigger.
    pins = {
        0: PinEdges.of((23_000, 1), (25_000, 0), (124_000, 1), (126_000, 0), (290_000, 1)),
        1: PinEdges.of((90_000, 1)),
    }
    results = measure(GEOMETRY, settings, 0, 400, pins)
    # 3 s, 8 s, 23, 25, 90, 103 s, 108 s, 124.
    assert latency_trigger(settings, results) == (7, 124)
    high = Settings.of(control={"trigger_latency_ticks": 1000, "trigger_channels": 1})
    assert latency_trigger(high, results) is None
