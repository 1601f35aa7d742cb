# SPDX-License-Identifier: Apache-2.0
"""Texts of channels, strikes and conditions: read exactly, or refused with the value."""

import re
from fractions import Fraction

import pytest

from plexor.library.specs.texts import (
    Start,
    parse_action,
    parse_channel,
    parse_clock,
    parse_code_port,
    parse_duty,
    parse_jumpers,
    parse_source,
    parse_start,
    parse_stop,
    parse_strike,
)
from plexor.model.codes import Codes, Port
from plexor.model.settings import Stall
from plexor.protocol.frames import SOURCE_CODE
from plexor.protocol.registers import Trigger

US = Fraction(1, 10**6)


def test_conditions_duties_and_channels_are_parsed_exactly():
    assert parse_stop("latency > 1.5us").over_s == Fraction(15, 10**7)
    assert parse_stop("missed").over_s is None
    assert parse_duty("20%") == parse_duty("0.2") == parse_duty("1/5") == Fraction(1, 5)
    assert parse_channel("ch3").label == "ch3"
    assert parse_channel("my pin=ch3").label == "my pin"


def test_a_stall_names_its_source_and_a_code_its_number():
    assert parse_stop("stall:code>1ms").stall == Stall(SOURCE_CODE, Fraction(1, 1000))
    assert parse_stop("stall:ch2 > 5us").stall == Stall(2, 5 * US)
    assert parse_stop("code=0x43").code == 0x43
    assert parse_stop("code = 67").code == 67


@pytest.mark.parametrize("source", ["", "codes", "ch8", "strike9", "18"])
def test_what_is_no_source_is_refused_with_it(source):
    with pytest.raises(ValueError, match=f"source: {source!r}"):
        parse_stop(f"stall:{source}>1ms")


@pytest.mark.parametrize(
    "text",
    [
        *("late", "", "missed ", "latency", "latency<5us", "p99>5us"),
        *("stall>1ms", "stall:code", "code=", "code=run", "code=-1", "code=65536", "node=5"),
    ],
)
def test_what_is_no_condition_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}.*missed, latency>TIME"):
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


def test_pins_are_known_in_either_case_and_names_keep_theirs():
    channel = parse_channel("Task=CH1:after=Strike1.FALL")
    assert (channel.name, channel.number, channel.reference) == ("Task", 1, "strike1.fall")
    assert parse_channel("CH3") == parse_channel("ch3")
    assert parse_source("CH1") == parse_source("ch1")
    assert parse_jumpers("STRIKE0=Ch2") == ((0, 2),)


def test_a_channel_is_what_its_options_say_and_no_more():
    bare = parse_channel("ch7")
    assert (bare.number, bare.name, bare.invert, bare.reference) == (7, "", False, "strike0")
    assert (bare.filter_s, bare.deadline_s, bare.enable) == (0, None, True)
    full = parse_channel("TASK=ch1:after=ch0.fall,deadline=50us,filter=0.02us,invert")
    assert (full.number, full.name, full.invert, full.reference) == (1, "TASK", True, "ch0.fall")
    assert (full.filter_s, full.deadline_s) == (US / 50, 50 * US)
    assert not full.either


@pytest.mark.parametrize(
    ("way", "invert", "either"),
    [("rise", False, False), ("fall", True, False), ("either", False, True)],
)
def test_the_edge_that_answers_is_that_of_the_pin(way, invert, either):
    channel = parse_channel(f"A=ch0:edge={way}")
    assert (channel.invert, channel.either) == (invert, either)


@pytest.mark.parametrize("options", ["invert,edge=fall", "edge=rise,edge=either"])
def test_a_channel_that_says_twice_which_edge_answers_is_refused(options):
    with pytest.raises(ValueError, match="both say which edge answers; must be one of invert, "):
        parse_channel(f"A=ch0:{options}")


@pytest.mark.parametrize("text", ["", "ISR", "ISR=", "=ch0", "ch-1", "ch0:", "A=B=ch0"])
def test_what_is_no_channel_is_refused_with_it(text):
    with pytest.raises(
        ValueError,
        match=f"{text!r}( names no channel)?; (must be NAME=ch0 to NAME=ch7|did you mean)",
    ):
        parse_channel(text)


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("late", "'late'"),
        ("invert=1", "'invert=1'"),
        ("invert,", "''"),
        ("after=ch9", "'ch9'"),
        ("after=", "''"),
        ("edge=up", "'edge=up'; must be one of invert, edge=rise, edge=fall, edge=either"),
        ("edge=", "'edge='"),
        ("deadline=5", "'5'"),
        ("filter=", "''"),
    ],
)
def test_an_option_of_a_channel_that_is_wrong_is_named(option, wrong):
    with pytest.raises(ValueError, match=wrong):
        parse_channel(f"A=ch0:{option}")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("run", Start()),
        ("gate", Start(Trigger.GATE)),
        ("strike0", Start(Trigger.STRIKE, 0)),
        ("strike7", Start(Trigger.STRIKE, 7)),
        ("code:0x43", Start(Trigger.CODE, code=0x43)),
        ("code:7", Start(Trigger.CODE, code=7)),
        ("missed", Start(Trigger.MISSED)),
        ("latency>50us", Start(Trigger.LATENCY, over_s=50 * US)),
        ("latency > 1ms", Start(Trigger.LATENCY, over_s=1000 * US)),
    ],
)
def test_a_start_is_the_run_the_gate_another_output_or_a_code(text, start):
    assert parse_start(text) == start


@pytest.mark.parametrize(
    "text",
    ["", "Runs", "strike8", "strike", "ch0", "strike0 ", "code", "code:", "code:x", "code:65536"],
)
def test_what_is_no_start_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}; must be run, gate, strike0 to strike7"):
        parse_start(text)


def test_a_strike_is_what_its_options_say_and_no_more():
    once = parse_strike("1:width=2us")
    assert (once.output, once.width_s, once.period_s, once.count) == (1, 2 * US, None, 0)
    assert (once.trigger, once.poisson, once.invert) == (Trigger.RUN, False, False)
    full = parse_strike("7:rate=3,count=7,duty=1/5,phase=7us,dither=1us,poisson,seed=9,active-low")
    assert (full.output, full.period_s, full.count) == (7, Fraction(1, 3), 7)
    assert full.duty == Fraction(1, 5)
    assert (full.phase_s, full.dither_s, full.seed) == (7 * US, US, 9)
    assert (full.poisson, full.invert) == (True, True)
    later = parse_strike("0:burst=3,spacing=2us,start=strike1")
    assert (later.burst, later.spacing_s, later.trigger_source) == (3, 2 * US, 1)


@pytest.mark.parametrize("text", ["", "1", "1:", "8:rate=1", "x:rate=1", ":rate=1"])
def test_what_is_no_strike_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}; must be an output from 0 to 7"):
        parse_strike(text)


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("speed=3", "'speed=3' is not an option"),
        ("rate", "'rate' is not an option"),
        ("poisson=1", "'poisson=1' is not an option"),
        ("rate=0", "'0'"),
        ("width=5", "'5'"),
        ("seed=0", "'0'"),
        ("seed=18446744073709551616", "'18446744073709551616'"),
        ("seed=-1", "'-1'"),
        ("start=ch0", "'ch0'"),
        ("duty=20%", "a duty is a part of the period"),
    ],
)
def test_an_option_of_a_strike_that_is_wrong_is_named(option, wrong):
    with pytest.raises(ValueError, match=wrong):
        parse_strike(f"1:{option}")


def test_a_jumper_is_an_output_and_a_channel_and_several_are_parted_by_commas():
    assert parse_jumpers("strike0=ch2") == ((0, 2),)
    assert parse_jumpers("strike0=ch1, strike7=ch7") == ((0, 1), (7, 7))


@pytest.mark.parametrize("text", ["", "strike0", "strike8=ch0", "strike0=ch8", "ch0=strike0"])
def test_what_is_no_jumper_is_refused_with_it(text):
    for given in (text, f"strike0=ch1,{text}"):
        with pytest.raises(ValueError, match=f"{text!r}; must be strikeN=chM"):
            parse_jumpers(given)


def test_a_clock_is_a_channel_with_1_pps_or_with_a_rate():
    assert parse_clock("ch7") == (7, 1)
    assert parse_clock("ch0=10M") == (0, 10**7)
    for text in ("", "7", "ch8", "ch1=", "strike0"):
        with pytest.raises(ValueError, match=f"{text!r}; must be ch0 to ch7 for 1 PPS"):
            parse_clock(text)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("change", Codes(port=Port())),
        ("change:8", Codes(port=Port(), bits=8)),
        ("ch4", Codes(port=Port(strobe=4))),
        (
            "change:9,settle=32ns,skew=16ns",
            Codes(port=Port(None, Fraction(32, 10**9), Fraction(16, 10**9)), bits=9),
        ),
        ("ch4,without=enter+exit+13", Codes(port=Port(strobe=4, without=(8, 9, 13)))),
    ],
)
def test_a_code_port_is_what_its_text_says(text, codes):
    assert parse_code_port(text) == codes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("port", "'port'; must be change or the strobe's channel"),
        ("ch8", "'ch8'; must be change or the strobe's channel"),
        ("change:4", "4 bits; must be 6 to 16"),
        ("change,settle=3", "'3'; must be a number with a unit"),
        ("change,speed=3ns", "'speed=3ns'; must be settle=TIME, skew=TIME, without=CLASS"),
        ("ch4,settle=24ns", "'settle=24ns'; must be without=CLASS"),
        ("change,without=leave", "'leave'; must be run, ready"),
        ("change,without=16", "'16'; must be run, ready"),
        ("change,without=0", "'0'; must be run, ready"),
        ("chan", "the bits of a code if they are not 8: change, change:16, ch4"),
    ],
)
def test_a_code_port_that_cannot_be_is_one_line(text, said):
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        parse_code_port(text)
    assert "\n" not in str(caught.value)


def test_an_action_is_a_condition_and_a_command():
    found = parse_action("latency > 50us: sh -c 'echo a:b'")
    assert (found.condition, found.over_s) == ("latency > 50us", 50 * US)
    assert found.command == ("sh", "-c", "echo a:b")
    assert parse_action("missed:true").over_s is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("missed", "'missed'; must be latency>TIME:COMMAND or missed:COMMAND"),
        ("missed:", "'missed:'; must be latency>TIME:COMMAND"),
        ("stall:code>1ms:true", "'stall:code>1ms:true'; must be latency>TIME:COMMAND"),
        ("code=3:true", "'code=3:true'; must be"),
        ("latency>5:true", "'5'"),
        ("missed:no-such-command", "'no-such-command' is no command here; must be"),
        ("missed:sh 'a", "No closing quotation; must be"),
    ],
)
def test_what_is_no_action_is_refused_with_what_is_right(text, wrong):
    with pytest.raises(ValueError, match=wrong):
        parse_action(text)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("ch0=ISR", "ISR=ch0"),
        ("ISR:ch0", "ISR=ch0"),
        ("ISR=0", "ISR=ch0"),
        ("3", "ch3"),
        ("CH1=My Task", "My Task=ch1"),
    ],
)
def test_a_channel_that_is_written_another_way_is_refused_with_what_was_meant(text, right):
    with pytest.raises(ValueError, match=f"^channel: {text!r}; did you mean {right}[?]$"):
        parse_channel(text)
    parse_channel(right)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A=ch0,B=ch1", "are 2 channels; give each by itself"),
        ("ch9", ": there is no ch9; must be ch0 to ch7"),
        ("A=ch0:deadlin=5us", "is not an option; did you mean deadline?"),
        ("A=ch0:deadline=5", "deadline: '5'; must be a number with a unit, such as 5us"),
    ],
)
def test_what_is_wrong_with_a_channel_is_said_in_a_few_words(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_channel(text)


def test_a_channel_is_read_with_spaces_and_in_any_case_and_keeps_its_own_name():
    assert parse_channel(" My ISR = CH2 : Edge = Fall , Deadline = 50 us") == parse_channel(
        "My ISR=ch2:edge=fall,deadline=50us"
    )
    assert parse_channel("My ISR=CH2").name == "My ISR"
