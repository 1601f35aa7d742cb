# SPDX-License-Identifier: Apache-2.0
"""Self-tests from Python: what is tested, and what was found."""

from fractions import Fraction

import pytest

from plexor.base.errors import ExitCode, UsageError
from plexor.experiments.selftest.model import Finding, SelfTest, SelftestPart
from plexor.library.upkeep import selftest as module
from plexor.library.upkeep.selftest import SelfTested, selftested

from ...plain_text import columns_and_colour

DEVICE = object()
GOOD = SelfTest("S1", 7, "ulx3s", True, "2026", (SelftestPart("link", "40 words"),))
BAD = SelfTest(
    *("S1", 7, "ulx3s", True, "2026"),
    (
        SelftestPart("link", "40 words"),
        SelftestPart("idle inputs", "2 held low", (Finding("ch3", "3 edges"),)),
    ),
)


@pytest.fixture
def found(monkeypatch):
    """Return a function that sets what a self-test finds; it returns what was asked."""

    def set_found(result):
        asked = []

        def selftest(device, wanted, report):
            asked.append((device, wanted))
            report("link")
            return result

        monkeypatch.setattr(module, "selftest", selftest)
        return asked

    return set_found


def test_a_good_instrument_passes(found):
    found(GOOD)
    test = selftested(DEVICE)
    assert (test.passed, test.findings, test.exit_code()) == (True, (), ExitCode.PASS)
    assert test.document()["passed"] is True
    assert [check.name for check in test.checks] == ["link"]


def test_a_defect_is_told_by_its_place(found):
    found(BAD)
    test = selftested(DEVICE)
    assert (test.passed, test.exit_code()) == (False, ExitCode.BUDGET)
    assert [finding.subject for finding in test.findings] == ["ch3"]
    assert test.document()["checks"][1]["findings"] == [{"subject": "ch3", "text": "3 edges"}]
    assert "3 edges" in test.text()
    assert max(map(len, test.text(width=60).splitlines())) <= 60


@pytest.mark.parametrize(
    ("jumpers", "wiring"),
    [
        ((), {}),
        ("strike0=ch2", {0: [2]}),
        (["strike0=ch2", (0, 1), "strike1=ch0"], {0: [2, 1], 1: [0]}),
    ],
)
def test_jumpers_a_rate_and_a_listener_reach_the_instrument(found, jumpers, wiring):
    asked, lines = found(GOOD), []
    selftested(DEVICE, jumpers=jumpers, link_rate="300k", on_line=lines.append)
    ((device, wanted),) = asked
    assert device is DEVICE
    assert (wanted.wiring, wanted.bytes_s) == (wiring, Fraction(300_000))
    assert lines == ["link"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jumpers": "strike9=ch0"}, "jumpers: jumper: 'strike9=ch0'; must be strikeN=chM"),
        ({"jumpers": ["strike0=ch0", "strike1=ch0"]}, "jumpers: ch0 is given twice"),
        ({"link_rate": "fast"}, "link_rate: .*'fast'"),
    ],
)
def test_what_cannot_be_tested_is_refused_before_anything_is(found, options, message):
    asked = found(GOOD)
    with pytest.raises(UsageError, match=f"^{message}"):
        selftested(DEVICE, **options)
    assert asked == []


def test_a_pin_that_there_is_not_is_refused_by_the_option(monkeypatch):
    def selftest(*_):
        raise ValueError("strike1: this instrument has strike0 alone")

    monkeypatch.setattr(module, "selftest", selftest)
    with pytest.raises(UsageError, match=r"^--jumper: strike1: this instrument has strike0"):
        selftested(DEVICE, jumpers="strike1=ch0", naming=lambda name: "--jumper")


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(SelfTested.text) == (100, False)
