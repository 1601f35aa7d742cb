# SPDX-License-Identifier: Apache-2.0
"""Channels of a burst scan."""

from ...show.scans_to_draw import burst_result, limit


def test_channels_are_there_once_in_the_order_of_their_first_limit():
    found = burst_result(
        limit(1, 0, channel="TASK"), limit(1, 4, channel="ISR"), limit(2, 8, channel="TASK")
    )
    assert found.channels == ("TASK", "ISR")
