# SPDX-License-Identifier: Apache-2.0
"""Signals and their options from text, and what cannot be matched."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.signals import (
    ChannelSignal,
    ImportRules,
    StrikeSignal,
    parse_channel_signal,
    parse_strike_signal,
)

US = Fraction(1, 10**6)
ISR = ChannelSignal("ISR", "irq")


def test_texts_become_signals():
    assert parse_strike_signal("trig") == StrikeSignal("trig")
    assert parse_strike_signal("top.trig:invert") == StrikeSignal("top.trig", True)
    assert parse_channel_signal("ISR=irq") == ISR
    assert parse_channel_signal("T=h[0]:after=ch0.fall,deadline=5us,invert") == ChannelSignal(
        "T", "h[0]", True, "ch0.fall", 5 * US
    )
    assert parse_channel_signal("T=h:edge=either") == ChannelSignal("T", "h", either=True)
    assert parse_channel_signal("T=h:edge=fall") == ChannelSignal("T", "h", True)


def test_a_name_with_colons_ends_with_one_or_has_them_doubled():
    assert parse_strike_signal("a::trig") == StrikeSignal("a::trig")
    assert parse_strike_signal("a::trig:invert") == StrikeSignal("a::trig", True)
    assert parse_strike_signal("a:b:") == StrikeSignal("a:b")
    assert parse_channel_signal("R=a::r") == ChannelSignal("R", "a::r")
    assert parse_channel_signal("R=a:b:") == ChannelSignal("R", "a:b")
    assert parse_channel_signal("R=a b:invert") == ChannelSignal("R", "a b", True)


@pytest.mark.parametrize("text", ["", ":invert", "a:up"])
def test_a_strike_that_is_none_says_what_is_right(text):
    with pytest.raises(ValueError, match="must be SIGNAL or SIGNAL:invert"):
        parse_strike_signal(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("irq", "did you mean irq=irq[?]"),
        ("=irq", "must be NAME=SIGNAL"),
        ("ISR=", "must be NAME=SIGNAL"),
        (
            "ISR=irq:filter=1us",
            "'filter=1us' is not an option; must be after=, edge=, deadline= or",
        ),
        ("ISR=irq:after=x", "reference: 'x'"),
        ("ISR=irq:edge=up", "'edge=up'; must be one of invert, edge=rise, edge=fall, edge=either"),
        ("ISR=irq:deadline=5", "'5'; must be a number with a unit"),
    ],
)
def test_a_channel_that_is_none_says_what_is_right(text, line):
    with pytest.raises(ValueError, match=line):
        parse_channel_signal(text)


def test_a_deadline_of_all_is_for_channels_without_one():
    assert ISR.due(US).deadline_s == US
    assert parse_channel_signal("a=b:deadline=2us").due(US).deadline_s == 2 * US


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        (ImportRules(channels=()), "channel: none; name at least one"),
        (ImportRules(channels=(ISR, ISR)), "channel: ISR is given twice"),
        (
            ImportRules(channels=tuple(ChannelSignal(str(n), "a") for n in range(9))),
            "channel: 9 signals; at most 8",
        ),
        (
            ImportRules(channels=(ISR,), strikes=(StrikeSignal("a"),) * 9),
            "strike: 9 signals; at most 8",
        ),
        (
            ImportRules(channels=(ChannelSignal("A", "a", reference="strike1"),)),
            "A: after=strike1; must be one of ",
        ),
        (
            ImportRules(
                channels=(ChannelSignal("A", "a", reference="strike1"),),
                strikes=(StrikeSignal("s"),),
            ),
            "A: after=strike1; must be one of strike0",
        ),
        (
            ImportRules(channels=(ChannelSignal("A", "a", reference="ch1"),)),
            "A: after=ch1; must be one of ",
        ),
        (
            ImportRules(channels=(ChannelSignal("A", "a", reference="ch0"), ISR)),
            "A: after=ch0; must be one of ch1",
        ),
        (
            ImportRules(
                channels=(ChannelSignal("A", "a", reference="load"),),
                strikes=(StrikeSignal("s"),),
            ),
            "A: after=load; must be one of strike0",
        ),
        (ImportRules(channels=(ISR,), timeout_s=-US), "timeout: -1 µs; must be 0 or more"),
    ],
)
def test_what_cannot_be_matched_is_refused(wanted, line):
    with pytest.raises(UsageError, match=line):
        wanted.check()


def test_without_strikes_a_device_runs_by_itself():
    ImportRules(channels=(ISR, ChannelSignal("T", "t", reference="ch0.fall"))).check()


def test_what_follows_a_signal_that_toggles_follows_each_of_its_edges():
    first = ChannelSignal("A", "a", either=True)
    ImportRules(channels=(first, ChannelSignal("B", "b", reference="ch0"))).check()
    with pytest.raises(UsageError, match=r"B: after=ch0.fall; with edge=either .* must be after=c"):
        ImportRules(channels=(first, ChannelSignal("B", "b", reference="ch0.fall"))).check()


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ({"step_s": Fraction(0)}, "step: 0 s; must be above 0"),
        ({"step_s": -US}, "step: -1 µs; must be above 0"),
        ({"window_min_s": -US}, "window: -1 µs; must be 0 or more"),
        ({"early_s": -US}, "early: -1 µs; must be 0 or more"),
        ({"from_s": US, "to_s": US}, "until: 1 µs; must be after 1 µs"),
        ({"from_s": 2 * US, "to_s": US}, "until: 1 µs; must be after 2 µs"),
    ],
)
def test_a_time_that_cannot_be_is_refused(wanted, line):
    with pytest.raises(UsageError, match=line):
        ImportRules(channels=(ISR,), **wanted).check()


def test_the_least_and_the_first_time_are_taken():
    zero = {"timeout_s": Fraction(0), "window_min_s": Fraction(0), "early_s": Fraction(0)}
    ImportRules(channels=(ISR,), step_s=US, from_s=Fraction(0), to_s=US, **zero).check()
    ImportRules(channels=(ISR,), from_s=US).check()
    ImportRules(channels=(ISR,), to_s=Fraction(0)).check()
