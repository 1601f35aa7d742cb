# SPDX-License-Identifier: Apache-2.0
"""A self-test's text for a terminal: each part, each defect, and the end."""

import pytest

from plexor.experiments.selftest.model import Finding, SelfTest, SelftestPart
from plexor.show.terminal.selftest import selftest_text

GOOD = SelftestPart("link", "40 exchanges")
BAD = SelftestPart("loopback", "8 strikes", (Finding("ch3", "is stuck"), Finding("ch4", "is late")))


def test_every_defect_is_below_its_part_and_the_end_counts_them():
    found = SelfTest("S1", 0xAB, "ulx3s", False, "", (GOOD, BAD))
    assert selftest_text(found, width=100, colour=False).splitlines() == [
        "Self-test of S1, gateware 00000000000000ab · measured on ulx3s",
        "",
        "pass  link: 40 exchanges",
        "FAIL  loopback: 8 strikes",
        "      ch3: is stuck",
        "      ch4: is late",
        "",
        "FAIL: 2 defects found",
    ]


@pytest.mark.parametrize(
    ("checks", "end"),
    [
        ((GOOD,), "PASS: no defects found"),
        ((SelftestPart("idle", "", BAD.findings[:1]),), "FAIL: 1 defect found"),
    ],
)
def test_a_simulated_one_says_so_and_ends_with_its_verdict(checks, end):
    lines = selftest_text(
        SelfTest("S1", 0xAB, "", True, "", checks), width=100, colour=False
    ).splitlines()
    assert lines[0].endswith(" · simulated")
    assert lines[-1] == end
