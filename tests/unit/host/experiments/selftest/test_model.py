# SPDX-License-Identifier: Apache-2.0
"""Findings: told once each, and any of them fails the whole."""

from plexor.experiments.selftest.model import Finding, SelfTest, SelftestPart, check

ONE, OTHER = Finding("ch3", "is stuck"), Finding("link", "loses data")


def selftest(*checks):
    return SelfTest("S1", 7, "sim", True, "2026-11-21T08:00:00Z", checks)


def test_a_finding_that_is_there_twice_is_told_once_and_in_its_first_place():
    found = check("link", "40 exchanges", [OTHER, ONE, OTHER])
    assert found.findings == (OTHER, ONE)
    assert not found.passed


def test_a_self_test_passes_where_every_part_does():
    good, bad = SelftestPart("link", ""), SelftestPart("idle", "", (ONE,))
    assert selftest(good, good).passed
    assert not selftest(good, bad, good).passed
    assert selftest(bad, good, SelftestPart("memories", "", (OTHER,))).findings == (ONE, OTHER)
