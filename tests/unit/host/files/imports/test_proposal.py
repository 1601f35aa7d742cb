# SPDX-License-Identifier: Apache-2.0
"""Which signal strikes: the one that the others follow, although its first rise was not seen."""

import numpy as np
import pytest

from plexor.files.imports.edges import edges_of
from plexor.files.imports.proposal import proposed


def proposal(start=0, **signals):
    """Return what is proposed of signals, given as the level at the start and times of changes."""
    edges = {}
    for name, (first, *times) in signals.items():
        levels = [(first + number) % 2 for number in range(len(times) + 1)]
        edges[name] = edges_of(np.array([start, *times], np.int64), np.array(levels, np.uint8))
    return proposed(edges, start)


def pulses(lead, width, count=10, period=1000, first=0):
    """Return the changes of pulses that rise `lead` behind each period's begin."""
    return [period * n + lead + part for n in range(first, first + count) for part in (0, width)]


TRIG, IRQ = pulses(100, 50), pulses(130, 30)


def test_what_rises_first_strikes():
    assert proposal(irq=(0, *IRQ), trig=(0, *TRIG)) == ("trig", ("irq",))


@pytest.mark.parametrize("start", [110, 140, 155])
def test_a_strike_that_is_high_at_the_start_still_strikes(start):
    """From 110 the answer is still to come, at 140 it is high too, at 155 it alone is."""

    def cut(times):
        first = sum(time <= start for time in times) % 2
        return (first, *(time for time in times if time > start))

    assert proposal(start, irq=cut(IRQ), trig=cut(TRIG)) == ("trig", ("irq",))


def test_a_single_strike_that_was_high_at_the_start_is_followed():
    """It rises once more, long after the answer to the one that was not seen."""
    assert proposal(trig=(1, 20, 1000, 1020), irq=(0, 30, 60)) == ("trig", ("irq",))


def test_a_response_that_rests_high_is_no_strike():
    """It falls 30 behind the strike; its rise is 60 behind it, and 940 before the next one."""
    assert proposal(trig=(0, *TRIG), irq_n=(1, *IRQ)) == ("trig", ("irq_n",))


def test_two_that_rest_high_strike_in_the_order_of_their_rises():
    assert proposal(b=(1, *pulses(120, 90)), a=(1, *pulses(100, 80))) == ("a", ("b",))


def test_a_chain_begins_at_the_one_that_nothing_precedes():
    task = pulses(160, 20)
    found = proposal(110, task=(0, *task), irq=(0, *IRQ), trig=(1, *TRIG[1:]))
    assert found == ("trig", ("irq", "task"))


def test_a_clock_is_neither():
    clock = list(range(5, 10_000, 10))
    assert proposal(clk=(1, *clock), irq=(0, *IRQ), trig=(1, *TRIG[1:])) == ("trig", ("irq",))


def test_one_signal_under_two_names_answers_once():
    assert proposal(a=(0, *TRIG), b=(0, *IRQ), c=(0, *IRQ)) == ("a", ("b",))
    assert proposal(a=(0, *TRIG), b=(0, *TRIG)) == (None, ())


def test_rises_at_the_same_time_are_in_the_order_of_the_file():
    assert proposal(a=(0, 10, 20), b=(0, 10, 30, 50)) == ("a", ("b",))
