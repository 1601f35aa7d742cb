# SPDX-License-Identifier: Apache-2.0
"""Which strikes a link carries: frames of 250 events of 4 bytes, with 34 bytes around them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.identity import Identity
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import Stream, Trigger
from plexor.run.plan.carried import carried_hz, check_carried, events_a_strike, most_events_s

EVENTS = Identity(
    Geometry(features=Feature.EVENTS, upload_depth=1024, board="small"), gateware_hash=1
)
LINK = Fraction(800_000)
"""8 Mbaud, ten bits a byte: 193,424 events a second, by docs/stalls.md."""


def settings(rate, *channels, strike=None, **more):
    strike = replace(strike or Stimulus(), period_s=1 / Fraction(rate))
    return Settings(strikes=(strike,), channels=channels, stream=Stream.LIVE, **more)


def test_a_link_carries_frames_of_250_events_with_their_header_and_ends():
    assert int(most_events_s(LINK)) == 193_423


@pytest.mark.parametrize(
    ("channels", "all_edges", "active"),
    [
        ((Channel(0),), 4, 2),
        ((Channel(0), Channel(1)), 6, 3),
        ((Channel(0), Channel(1, reference="ch0")), 6, 3),
        # What is answered from must be there, and of either edge both are active.
        ((Channel(0, reference="strike0.fall"),), 4, 3),
        ((Channel(0, either=True),), 4, 3),
        # No strike of this output brings it.
        ((Channel(0), Channel(1, reference="strike1")), 4, 2),
        ((), 2, 1),
    ],
)
def test_each_channel_answers_a_strike_with_a_pulse(channels, all_edges, active):
    asked = settings(1000, *channels)
    assert events_a_strike(asked) == all_edges
    assert events_a_strike(replace(asked, active_only=True)) == active
    assert carried_hz(asked, LINK) == most_events_s(LINK) / all_edges


def test_more_than_the_link_carries_is_refused_with_what_it_does_carry():
    check_carried(settings(48_000, Channel(0)), EVENTS, LINK)
    with pytest.raises(
        ValueError, match=r"rate: 400,000 events a second.*small carries 193,42"
    ) as e:
        check_carried(settings(100_000, Channel(0)), EVENTS, LINK)
    assert "strike at 48.3 kHz at most, 96.7 kHz with --edges active" in str(e.value)
    assert "with --edges active" in str(e.value)
    check_carried(settings(96_000, Channel(0), active_only=True), EVENTS, LINK)


@pytest.mark.parametrize("end", [{"count": 480}, {"time_s": Fraction(480, 100_000)}])
def test_what_its_fifo_takes_besides_is_not_refused(end):
    """Of 4 events a strike at 100 kHz the link leaves half: 480 strikes leave less than 1,024."""
    check_carried(settings(100_000, Channel(0), **end), EVENTS, LINK)
    more = {name: 3 * value for name, value in end.items()}
    with pytest.raises(ValueError, match="events a second"):
        check_carried(settings(100_000, Channel(0), **more), EVENTS, LINK)


@pytest.mark.parametrize("end", [{}, {"count": 5000}])
def test_each_strike_of_a_burst_brings_its_events(end):
    burst = Stimulus(burst=5, spacing_s=Fraction(1, 10**6))
    check_carried(settings(9_600, Channel(0), strike=burst, **end), EVENTS, LINK)
    with pytest.raises(ValueError, match=r"rate: 240,000 events a second"):
        check_carried(settings(12_000, Channel(0), strike=burst, **end), EVENTS, LINK)


def test_of_strikes_that_wait_for_a_trigger_it_is_not_known_how_many_there_are():
    waits = Stimulus(trigger=Trigger.GATE)
    check_carried(settings(100_000, Channel(0), strike=waits), EVENTS, LINK)


def test_instruments_that_match_and_links_of_no_known_rate_are_not_asked():
    fast = settings(10_000_000, Channel(0))
    matches = replace(EVENTS.geometry, features=Feature.EVENTS | Feature.MATCH)
    check_carried(fast, replace(EVENTS, geometry=matches), LINK)
    check_carried(fast, EVENTS, None)
