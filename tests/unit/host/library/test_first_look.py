# SPDX-License-Identifier: Apache-2.0
"""A first look places each channel's window of one-tick bins where most of its latencies are."""

from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import plexor
from plexor.base.errors import InvalidRunError
from plexor.library.first_look import LONGEST_S, first_of, look_of, zoomed
from plexor.library.run_spec import RunSpec
from plexor.model.settings import Channel, Settings, Stall, Stimulus
from plexor.protocol.registers import Stream
from plexor.run.session.stop import Stop

from ..fake_device import FakeDevice
from ..scenario import Scenario


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([1000], 970),
        ([1000, 1001, 2000], 970),
        ([500, 990, 1000, 1061, 1062], 965),
        ([3], 1),
        (list(range(2000, 2062)), 2000),
    ],
)
def test_a_window_has_most_of_the_values_in_its_middle(values, first):
    assert first_of(np.array(values), 62) == first
    best = max(sum(begin <= value < begin + 62 for value in values) for begin in range(1, 2100))
    assert sum(first <= value < first + 62 for value in values) == best


def test_a_look_is_short_has_all_events_and_no_other_end():
    asked = Settings(
        strikes=(Stimulus(0, Fraction(1, 10_000), count=10**6), Stimulus(1, Fraction(1, 50))),
        channels=(Channel(0, "A"),),
        stream=Stream.OFF,
        latency_over_s=Fraction(1, 1000),
        stop_on_missed=True,
        stall=Stall(0, Fraction(1)),
        stop_code=3,
    )
    look = look_of(asked)
    assert (look.time_s, look.stream, look.keep_events) == (Fraction(1, 20), Stream.LIVE, True)
    assert (look.latency_over_s, look.stop_on_missed, look.stall, look.stop_code) == (
        *(None, False),
        *(None, None),
    )
    assert look_of(replace(asked, strikes=())).time_s == LONGEST_S
    assert look_of(replace(asked, time_s=Fraction(1, 1000))).time_s == Fraction(1, 1000)


def test_each_channel_gets_its_own_window_unless_it_has_one(run_of):
    look = run_of([[1000, 1001, 1002], [5000, 5001, 9000]])
    channels = tuple(Channel(number, name) for number, name in enumerate("AB"))
    window = (1 << look.identity.geometry.zoom_bits) - 2
    tick_s = Fraction(look.tick_fs, 10**15)
    found = zoomed(Settings(channels=channels), look).channels
    firsts = [channel.zoom_rise_s / tick_s for channel in found]
    assert firsts[0] <= 1000
    assert firsts[0] + window > 1002
    assert firsts[1] <= 5000
    assert firsts[1] + window > 5001
    own = Settings(channels=(replace(channels[0], zoom_rise_s=Fraction(1, 10)), channels[1]))
    assert zoomed(own, look).channels[0].zoom_rise_s == Fraction(1, 10)


def test_without_latencies_there_is_no_window_and_lost_events_are_said(run_of):
    settings = Settings(channels=(Channel(0, "A"),))
    silent = replace(settings, channels=(Channel(5, "E"),))
    assert zoomed(silent, run_of([[1000]])) == silent
    with pytest.raises(InvalidRunError, match="zoom auto: the first look lost events of"):
        zoomed(settings, replace(run_of([[1000]]), events=None))


def test_on_widths_periods_and_falls_have_windows_too(run_of):
    look = run_of([[1000, 1001, 1002]], widths=300, period=20_000)
    window = (1 << look.identity.geometry.zoom_bits) - 2
    tick_s = Fraction(look.tick_fs, 10**15)
    (found,) = zoomed(Settings(channels=(Channel(0, "A"),)), look).channels
    for first_s, values in (
        (found.zoom_fall_s, (1300, 1302)),
        (found.zoom_width_s, (300, 300)),
        (found.zoom_period_s, (20_001, 20_001)),
    ):
        assert first_s / tick_s <= values[0]
        assert first_s / tick_s + window > values[1]


@pytest.mark.parametrize("stopped", [True, False])
def test_a_look_that_is_stopped_begins_no_run(monkeypatch, run_of, stopped):
    look = replace(run_of([[1000]]), interrupted=stopped)
    seen = []

    def measured(device, settings, on_progress=None, *, stop=None):
        seen.append(stop)
        return look

    stop = Stop()
    settings = Settings(channels=(Channel(0, "A"),))
    with FakeDevice(Scenario([50])) as fake, plexor.open(fake.uri) as instrument:
        monkeypatch.setattr("plexor.run.session.session.measure", measured)
        with pytest.raises(KeyboardInterrupt) if stopped else nullcontext():
            instrument.zoomed(settings, RunSpec(zoom="auto"), stop)
    assert seen == [stop]
