"""Rules of matching: exact times, what was asked and what is applied, and a sensible time-out."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.errors import UsageError
from plexor.imports.rules import in_register, matching
from plexor.imports.wanted import ChannelSignal, StrikeSignal, Wanted
from plexor.model.results import EVENT_DTYPE
from plexor.protocol.registers import Policy

NS = Fraction(1, 10**9)
WANTED = Wanted(channels=(ChannelSignal("A", "a"),), strikes=(StrikeSignal("s"),))


def strikes(*times):
    events = np.zeros(len(times), EVENT_DTYPE)
    for place, time in enumerate(times):
        events[place] = (time, place, 8, 1)
    return events


def written(wanted, events=None, tick_fs=10**6):
    found = matching(wanted, strikes() if events is None else events, tick_fs)
    return {entry.name: entry.value for entry in found.registers}


def test_times_become_ticks_and_the_rounding_is_kept():
    wanted = replace(
        WANTED,
        policy=Policy.WINDOW,
        timeout_s=Fraction(2501, 10**10),
        window_min_s=7 * NS,
        early_s=3 * NS,
    )
    found = matching(wanted, strikes(), 10**6)
    assert {(e.block, e.copy, e.name): e.value for e in found.registers} == {
        ("matcher", 0, "policy"): Policy.WINDOW,
        ("matcher", 0, "timeout_ticks"): 250,
        ("matcher", 0, "window_min_ticks"): 7,
        ("matcher", 0, "early_ticks"): 3,
    }
    assert found.echo[0].name == "timeout"
    assert (found.echo[0].asked_s, found.echo[0].taken_s) == (wanted.timeout_s, 250 * NS)


@pytest.mark.parametrize(
    ("times", "ticks"),
    [
        ((0, 1000, 2010, 2990, 9000), 1000),  # one gap is no period
        ((0,), 10**9),  # a second, if nothing tells a period
        ((), 10**9),
        ((0, 3 * 10**9), 10**9),
    ],
)
def test_the_time_out_is_the_median_period_and_a_second_at_most(times, ticks):
    expected = int(np.median(np.diff(times))) if len(times) == 5 else ticks
    assert written(WANTED, strikes(*times))["timeout_ticks"] == expected


def test_a_short_tick_bounds_the_time_out():
    assert written(WANTED, tick_fs=1000)["timeout_ticks"] == (1 << 31) - 1
    assert written(replace(WANTED, timeout_s=Fraction(0)))["timeout_ticks"] == 1


def test_a_time_that_no_register_holds_is_refused_with_the_greatest():
    wanted = replace(WANTED, timeout_s=Fraction(1))
    with pytest.raises(
        UsageError, match=r"^timeout: 1 s; at most 2\.147 ms with .* tick of 0\.001"
    ):
        matching(wanted, strikes(), 1000)


def test_deadlines_are_signed():
    assert in_register("channel", "deadline_ticks", "A.deadline", -5 * NS, 10**6) == -5
    with pytest.raises(UsageError, match=r"A\.deadline: 10 s; at most 2\.147 s"):
        in_register("channel", "deadline_ticks", "A.deadline", Fraction(10), 10**6)
