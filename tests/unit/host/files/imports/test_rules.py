# SPDX-License-Identifier: Apache-2.0
"""Rules of matching: exact times, what was asked and what is applied, and a sensible time-out."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.rules import matching, ticks_within
from plexor.files.imports.signals import ChannelSignal, ImportRules, StrikeSignal
from plexor.model.results import EVENT_DTYPE
from plexor.protocol.registers import Policy

NS = Fraction(1, 10**9)
WANTED = ImportRules(channels=(ChannelSignal("A", "a"),), strikes=(StrikeSignal("s"),))


def strikes(*times):
    events = np.zeros(len(times), EVENT_DTYPE)
    for place, time in enumerate(times):
        events[place] = (time, place, 8, 1)
    return events


def taken(wanted, events=None, tick_fs=10**6):
    """Return the times that are applied, in ticks."""
    found = matching(wanted, strikes() if events is None else events, tick_fs)
    return {entry.name: entry.taken_s * 10**15 / tick_fs for entry in found.echo}


def test_times_become_ticks_and_the_rounding_is_kept():
    wanted = replace(
        WANTED,
        policy=Policy.WINDOW,
        timeout_s=Fraction(2501, 10**10),
        window_min_s=7 * NS,
        early_s=3 * NS,
    )
    found = matching(wanted, strikes(), 10**6)
    assert [(e.block, e.name, e.value) for e in found.registers] == [
        ("matcher", "policy", Policy.WINDOW)
    ]
    assert taken(wanted) == {"timeout": 250, "window": 7, "early": 3}
    assert found.echo[0].name == "timeout"
    assert (found.echo[0].asked_s, found.echo[0].taken_s) == (wanted.timeout_s, 250 * NS)


@pytest.mark.parametrize(
    ("times", "ticks"),
    [
        ((0, 1000, 2010, 2990, 9000), 1005),  # one gap is no period
        ((0,), 10**8),  # 100 ms, if nothing tells a period
        ((), 10**8),
        ((0, 3 * 10**9, 6 * 10**9), 3 * 10**9),
    ],
)
def test_the_time_out_is_the_median_period(times, ticks):
    assert taken(WANTED, strikes(*times))["timeout"] == ticks


def test_a_time_out_has_a_tick_at_least_and_62_bits_at_most():
    assert taken(replace(WANTED, timeout_s=Fraction(0)))["timeout"] == 1
    assert taken(replace(WANTED, timeout_s=Fraction(3600)), tick_fs=1000)["timeout"] == 36 * 10**14
    # 2^62 - 1 ps are 53.4 days.
    with pytest.raises(
        UsageError, match=r"^timeout: 1e\+07 s; at most 4[0-9.e+]+ s with .* 0\.001"
    ):
        matching(replace(WANTED, timeout_s=Fraction(10**7)), strikes(), 1000)


def test_a_deadline_may_be_negative_and_long():
    assert ticks_within("A.deadline", -5 * NS, 10**6) == -5
    assert ticks_within("A.deadline", Fraction(10), 1000) == 10**13
