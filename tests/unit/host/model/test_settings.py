# SPDX-License-Identifier: Apache-2.0
"""References, labels and roundings as a user names and reads them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.settings import (
    NO_DEADLINE_TICKS,
    AppliedSetting,
    Channel,
    Stimulus,
    parse_edges,
    parse_reference,
)
from plexor.protocol.memory import VALUE_MOST
from plexor.protocol.registers import Trigger, register


@pytest.mark.parametrize(
    ("text", "source", "polarity"),
    [("strike0", 8, 1), ("strike7.fall", 15, 0), ("ch3.rise", 3, 1), ("load", 16, 1)],
)
def test_references_name_a_source_and_an_edge(text, source, polarity):
    assert parse_reference(text) == (source, polarity)


@pytest.mark.parametrize(
    "text",
    [
        *("", "strike", "strike8", "ch8", "ch-1", "ch1.up", "ch1.rise.fall", "Strike 0", " ch1"),
        *("load0", "load.", "step", "ch1\n", "ch\u0661"),
    ],
)
def test_any_other_text_is_refused_with_the_forms_there_are(text):
    with pytest.raises(
        ValueError, match="must be strike0 to strike7, ch0 to ch7 or load"
    ) as caught:
        parse_reference(text)
    assert str(caught.value).startswith(f"reference: {text!r}; ")


def test_every_source_has_both_edges():
    found = {
        parse_reference(f"{name}{edge}")
        for name in (*(f"ch{n}" for n in range(8)), *(f"strike{n}" for n in range(8)), "load")
        for edge in (".rise", ".fall")
    }
    assert found == {(source, polarity) for source in range(17) for polarity in (0, 1)}


def test_a_channel_without_a_name_is_called_by_its_number():
    assert (Channel(3).label, Channel(3, "isr").label) == ("ch3", "isr")


def test_a_roundings_error_is_exact_and_signed():
    echo = AppliedSetting("width", Fraction(1, 3), Fraction(1, 4))
    assert echo.error_s == Fraction(-1, 12)


@pytest.mark.parametrize(
    ("ways", "found"),
    [
        ([], (False, False)),
        (["invert"], (True, False)),
        (["edge=rise"], (False, False)),
        (["edge=fall"], (True, False)),
        (["edge=either"], (False, True)),
    ],
)
def test_one_option_says_which_edges_are_answers(ways, found):
    assert parse_edges("a=ch0", ways) == found


@pytest.mark.parametrize(
    ("ways", "says"),
    [
        (["invert", "edge=fall"], "invert and edge=fall both say which edge answers"),
        (["edge=up"], "'edge=up'; must be one of invert, edge=rise, edge=fall, edge=either"),
    ],
)
def test_two_that_say_it_and_another_text_are_refused(ways, says):
    with pytest.raises(ValueError, match=says):
        parse_edges("a=ch0", ways)


def test_no_latency_that_an_instrument_tells_is_beyond_the_greatest_deadline():
    assert NO_DEADLINE_TICKS == VALUE_MOST == 2**31 - 1


def test_an_output_lasts_whole_bursts_and_at_least_one():
    """In 2.5 ms a period of 1 ms begins three times; beside a single strike it begins once."""
    output = Stimulus(period_s=Fraction(1, 1000), burst=4, spacing_s=Fraction(1, 10**5))
    assert [output.lasting(s).count for s in (Fraction(5, 2000), 0)] == [12, 4]
    assert (output.is_periodic, replace(output, period_s=None).is_periodic) == (True, False)
    assert not replace(output, trigger=Trigger.GATE).is_periodic


def test_what_nobody_says_of_an_output_or_a_channel_is_what_its_registers_are_reset_to():
    """docs/PROTOCOL.md has a column of reset values."""
    output, channel = Stimulus(), Channel(0)
    assert output.trigger_code == register("code", "trigger_code").reset
    for name in ("trigger", "trigger_source", "invert", "seed"):
        assert getattr(output, name) == register("stimulus", name).reset
    assert output.phase_s == register("stimulus", "phase_ticks").reset
    assert channel.filter_s == register("channel", "filter_ticks").reset
    for name in ("invert", "either"):
        assert getattr(channel, name) == register("channel", name).reset
