# SPDX-License-Identifier: Apache-2.0
"""What a link carries, simulated bit by bit: nearly what is computed, and never more."""

from fractions import Fraction

import pytest
from tools.carried import Carried, carried

from plexor_hdl.build import boards


def test_events_a_second_are_those_of_the_core_clock():
    assert Carried(10, 250, 1_000_000).events_s(Fraction(120 * 10**6)) == 30_000


@pytest.mark.full
def test_a_link_that_is_busy_carries_full_frames_without_a_gap():
    found = carried(boards.simulated("hx8k-evn"), 10, frames=400)
    # 250 events in a frame of 1,034 bytes, each of ten bits of ten clocks.
    most = Fraction(250 * found.clocks, 1034 * 100)
    assert 0.97 * most - 250 <= found.events <= most + 250
