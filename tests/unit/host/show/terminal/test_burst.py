# SPDX-License-Identifier: Apache-2.0
"""A burst scan's text for a terminal."""

import re

from plexor.show.terminal.burst import burst_text

from ..scans_to_draw import NAME, burst_result, limit


def test_a_burst_scan_says_what_survives_and_where_it_ends():
    text = burst_text(burst_result(limit(1, 0), limit(2, 4), limit(4, 64)), width=200, colour=False)
    rows = [re.split(r"\s{2,}", line)[1:4] for line in text.splitlines() if NAME in line[:12]]
    assert rows[:3] == [["1 µs", "-", "1"], ["2 µs", "4", "5"], ["4 µs", "64", "-"]]
    assert "4 µs: survives bursts of 64, the longest tried" in text
    assert "1 µs: loses single strikes a period apart" in text
