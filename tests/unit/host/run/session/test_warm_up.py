# SPDX-License-Identifier: Apache-2.0
"""A warm-up is the run that follows, shorter; what it counts is kept."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.settings import Channel, Settings, Stall, Stimulus
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Stream, Trigger
from plexor.run.session.warm_up import warmed, warming_of

RUN = Settings(
    strikes=(
        Stimulus(0, Fraction(1, 10_000), count=10**6),
        Stimulus(1, Fraction(1, 1000), burst=3, spacing_s=Fraction(1, 10**5)),
    ),
    channels=(Channel(0, "A"),),
    stream=Stream.OFF,
    load=True,
    latency_over_s=Fraction(1, 1000),
    stop_on_missed=True,
    stall=Stall(0, Fraction(1)),
    stop_code=3,
    warm_up_s=Fraction(5, 1000),
)


def test_it_strikes_as_the_run_for_its_time_and_nothing_else_ends_it():
    """5 ms are 50 strikes of 100 µs, and five bursts of three."""
    warming = warming_of(RUN, Fraction(5, 1000))
    assert [each.count for each in warming.strikes] == [50, 15]
    assert (warming.time_s, warming.latency_over_s, warming.stop_on_missed) == (None, None, False)
    assert (warming.stall, warming.stop_code, warming.warm_up_s) == (None, None, None)
    assert (warming.stream, warming.load, warming.channels) == (Stream.OFF, True, RUN.channels)


@pytest.mark.parametrize(
    "strikes",
    [
        (),
        (Stimulus(1, None, trigger=Trigger.CODE),),
        (RUN.strikes[0], Stimulus(1, Fraction(1, 1000), trigger=Trigger.GATE)),
    ],
    ids=["none", "by a code", "never ends once it has started"],
)
def test_it_ends_by_time_where_strikes_do_not_end_it(strikes):
    warming = warming_of(replace(RUN, strikes=strikes), Fraction(5, 1000))
    assert warming.time_s == Fraction(5, 1000)


def test_at_least_one_strike_is_made():
    assert warming_of(RUN, Fraction(1, 10**6)).strikes[0].count == 1


def test_what_it_counted_is_kept(run_of):
    found = warmed(run_of([[1000, 3000, None]]))
    (channel,) = found.channels
    assert (found.strikes, channel.strikes, channel.classes[ResponseClass.MISSED]) == (3, 3, 1)
    assert (channel.rise.min_ticks, channel.rise.max_ticks) == (1000, 3000)
    assert found.accounting.holds
