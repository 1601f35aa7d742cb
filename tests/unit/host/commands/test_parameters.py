"""Values of the command line: read exactly, or refused with the value that is wrong."""

from fractions import Fraction

import click
import pytest

from plexor.commands.parameters import (
    DURATION,
    parse_channel,
    parse_duty,
    parse_key,
    parse_stop,
)

US = Fraction(1, 10**6)


def test_conditions_duties_and_channels_are_parsed_exactly():
    assert parse_stop("latency > 1.5us").over_s == Fraction(15, 10**7)
    assert parse_stop("missed").over_s is None
    assert parse_duty("20%") == parse_duty("0.2") == parse_duty("1/5") == Fraction(1, 5)
    assert parse_channel("ch3").label == "ch3"
    assert parse_channel("my pin=ch3").label == "my pin"


@pytest.mark.parametrize("text", ["late", "", "missed ", "latency", "latency<5us", "p99>5us"])
def test_what_is_no_condition_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}.*missed or latency>TIME"):
        parse_stop(text)


@pytest.mark.parametrize("limit", ["", "5", "5q", "us"])
def test_a_condition_whose_limit_is_no_time_is_refused_with_the_limit(limit):
    with pytest.raises(ValueError, match=repr(limit)):
        parse_stop(f"latency>{limit}")


@pytest.mark.parametrize("text", ["1/1000000", "99.9999%", "1e-9"])
def test_a_duty_may_come_near_0_and_1(text):
    assert 0 < parse_duty(text) < 1


@pytest.mark.parametrize("text", ["0", "1", "0%", "100%", "5/5", "-0.2", "120%", "1/0", "half", ""])
def test_a_duty_that_is_not_between_0_and_1_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}; must lie between 0 and 1"):
        parse_duty(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("os=FreeRTOS", ("os", "FreeRTOS")),
        (" os = a=b ", ("os", "a=b")),
        ("os=", ("os", "")),
    ],
)
def test_a_description_is_split_at_its_first_sign(text, key):
    assert parse_key(text) == key


@pytest.mark.parametrize("text", ["os", "", "=FreeRTOS", "  =x"])
def test_a_description_without_a_name_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}; must be NAME=TEXT"):
        parse_key(text)


def test_a_channel_is_what_its_options_say_and_no_more():
    bare = parse_channel("ch7")
    assert (bare.number, bare.name, bare.invert, bare.reference) == (7, "", False, "strike0")
    assert (bare.filter_s, bare.deadline_s, bare.enable) == (0, None, True)
    full = parse_channel("TASK=ch1:after=ch0.fall,deadline=50us,filter=0.02us,invert")
    assert (full.number, full.name, full.invert, full.reference) == (1, "TASK", True, "ch0.fall")
    assert (full.filter_s, full.deadline_s) == (US / 50, 50 * US)


@pytest.mark.parametrize("text", ["", "ISR", "ISR=", "=ch0", "ISR=ch8", "ch-1", "ch0:", "A=B=ch0"])
def test_what_is_no_channel_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}; must be NAME=ch0 to NAME=ch7"):
        parse_channel(text)


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("late", "'late'"),
        ("invert=1", "'invert=1'"),
        ("invert,", "''"),
        ("after=ch9", "'ch9'"),
        ("after=", "''"),
        ("deadline=5", "'5'"),
        ("filter=", "''"),
    ],
)
def test_an_option_of_a_channel_that_is_wrong_is_named(option, wrong):
    with pytest.raises(ValueError, match=wrong):
        parse_channel(f"A=ch0:{option}")


@click.command()
@click.option("--deadline", type=DURATION, default=3 * US)
def echo(deadline):
    return deadline


def test_a_value_that_is_read_already_is_taken_as_it_is():
    assert echo.main([], standalone_mode=False) == 3 * US
    assert echo.main(["--deadline", "1.5us"], standalone_mode=False) == Fraction(15, 10**7)


def test_a_refused_value_names_its_option():
    with pytest.raises(click.BadParameter) as refused:
        echo.main(["--deadline", "7"], standalone_mode=False)
    assert "--deadline" in refused.value.format_message()
    assert "'7'" in refused.value.format_message()
