# SPDX-License-Identifier: Apache-2.0
"""The longest burst that a server with a queue survives, as arithmetic has it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from plexor.experiments.burst.scan import BurstGoal, BurstSteps
from plexor.experiments.criterion import parse_criterion
from plexor.experiments.pool import Workers, parse_executor
from plexor.experiments.stepping import stepped
from plexor.experiments.store import StepStore
from plexor.model.settings import Channel, Settings, Stimulus

NS = Fraction(1, 10**9)
MOST = 8


def survives(service_ns: int, queue: int, spacing_ns: int) -> int:
    """Return how many strikes find room in a device that is idle at first.

    Strike k, from 0, comes at k x spacing. By then 1 + floor(k x spacing / service) of those
    before it are or were being served, if they kept it busy, and the rest wait. It is lost once
    the queue is full of them.
    """
    assert spacing_ns < service_ns
    lost = 1
    while lost - 1 - lost * spacing_ns // service_ns < queue:
        lost += 1
    return lost


def scanned(service_ns: int, queue: int, low_ns: int, high_ns: int, points: int):
    wanted = BurstGoal(
        "sim:",
        f"synthetic:after=none,ch0.after=strike0,ch0.service={service_ns}ns,"
        f"ch0.queue={queue},ch0.latency=200ns,ch0.width=50ns",
        Settings(strikes=(Stimulus(),), channels=(Channel(0, "A"),)),
        low_ns * NS,
        high_ns * NS,
        points,
        60_000 * NS,
        MOST,
        parse_criterion("missed<10%@90%"),
    )
    with Workers(parse_executor("local:1")) as workers:
        found = stepped(BurstSteps(wanted), workers, StepStore(None))
    assert found.error is None
    assert len(found.result.limits) == points
    return found.result.limits


def test_the_bracket_is_the_longest_burst_that_finds_room():
    service_ns, queue = 1503, 2
    for limit in scanned(service_ns, queue, 400, 1000, 2):
        expected = survives(service_ns, queue, int(limit.spacing_s / NS))
        assert 1 < expected < MOST
        assert (limit.lengths.passing, limit.lengths.failing) == (expected, expected + 1)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("queue", [0, 1, 2, 5, 8])
@pytest.mark.parametrize("service_ns", [1201, 2999])
def test_the_brackets_are_the_longest_bursts_that_find_room(service_ns, queue):
    for limit in scanned(service_ns, queue, 300, 1100, 6):
        # Spacings are taken in whole ticks.
        expected = survives(service_ns, queue, round(limit.spacing_s / NS))
        assert limit.lengths.passing == min(expected, MOST)
        assert limit.lengths.failing == (expected + 1 if expected < MOST else None)
