# SPDX-License-Identifier: Apache-2.0
"""What a phase scan is asked, as what it is to find out: exact, or refused."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.scans.phase_spec import PhaseSpec, check, wanted_of
from plexor.library.specs.options import Target

US = Fraction(1, 10**6)


def asked(link="sim:", dut=None, **options):
    """Return the options of a scan at 5 kHz, read as they are given."""
    given = {"against": "ch2", "rate": "5k", **options}
    return PhaseSpec.of(given), Target(link=link, dut=dut)


def test_what_is_wanted_is_exact_and_complete():
    found = wanted_of(
        *asked(
            against="strike1",
            period="20us",
            step=2e-7,
            repeats="3",
            threshold="1us",
            width="0.5us",
            timeout="9us",
            load="cpu",
            seed=4,
            channels=["A=ch0", "B=ch1"],
        )
    )
    assert (found.against, found.rate_hz, found.period_s) == ("strike1", 5000, 20 * US)
    assert (found.step_s, found.points, found.repeats) == (US / 5, None, 3)
    assert (found.threshold_s, found.width_s, found.timeout_s) == (US, US / 2, 9 * US)
    assert (found.load, found.seed, found.span_s) == ("cpu", 4, None)
    assert [channel.label for channel in found.channels] == ["A", "B"]


def test_what_is_not_asked_for_has_its_default():
    found = wanted_of(*asked())
    assert (found.step_s, found.points, found.repeats) == (None, 100, 8)
    assert (found.period_s, found.threshold_s, found.timeout_s) == (None, None, None)
    assert [channel.label for channel in found.channels] == ["ISR", "TASK"]


def test_the_reference_is_no_response_pin():
    assert [channel.label for channel in wanted_of(*asked(against="ch0.fall")).channels] == ["TASK"]
    ours = wanted_of(*asked(against="strike1", period="20us"))
    assert [channel.label for channel in ours.channels] == ["ISR", "TASK"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"step": "1us", "points": 5},
            "<step> and <points> both set the steps of the phase; give one of them",
        ),
        ({"step": 0}, "<step>: must be above 0"),
        ({"span": 0}, "<span>: must be above 0"),
        ({"against": "strike1", "period": 0}, "<period>: must be above 0"),
        ({"against": "strike1"}, "<against> strike1: give its <period> too"),
        (
            {"period": "20us"},
            "<period> is for another output; the period of ch2 is measured",
        ),
        (
            {"against": "strike1", "period": "20us", "span": "20us"},
            "<span> is for a reference without a period; the phases of strike1 cover its period",
        ),
        ({"link": "tcp://h:1"}, "channels: name the device's response pins, such as ISR=ch0"),
        (
            {"link": "tcp://h:1", "channels": "ch0", "dut": "bare"},
            "dut bare: is for sim: links; tcp://h:1 has a device of its own",
        ),
        (
            {"link": "file:x", "channels": "ch0"},
            "link: 'file:x': is a recording; a scan needs an instrument",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_the_names_of_the_caller(options, message):
    with pytest.raises(UsageError) as refused:
        check(*asked(**options, naming=lambda name: f"<{name}>"))
    assert str(refused.value) == message


@pytest.mark.parametrize("text", ["ch0", "ch7.fall", "strike1", "strike7"])
def test_a_reference_is_a_channel_or_another_output(text):
    assert asked(against=text)[0].against == text


@pytest.mark.parametrize("text", ["strike0", "load", "ch8", "tick", ""])
def test_what_is_no_reference_is_refused_with_it(text):
    with pytest.raises(UsageError, match=f"^against: .*{text!r}"):
        asked(against=text)
