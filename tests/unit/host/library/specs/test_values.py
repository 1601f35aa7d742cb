# SPDX-License-Identifier: Apache-2.0
"""Values of options: texts or numbers, read exactly, or refused with their option."""

from fractions import Fraction

import pytest

import plexor
from plexor.base.errors import UsageError
from plexor.figures.judge.budget_file import load as load_budget
from plexor.library.run import Run
from plexor.library.specs.options import channels, duty
from plexor.library.specs.values import (
    choice,
    count,
    each,
    flag,
    hertz,
    plain,
    read,
    seconds,
    seed,
    velocity,
    whole,
)
from plexor.model.settings import Channel

US = Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("10us", 10 * US),
        (10e-6, 10 * US),
        (0.1, Fraction(1, 10)),
        (1e-30, Fraction(1, 10**30)),
        (3, Fraction(3)),
        (0, Fraction(0)),
        ("0", Fraction(0)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_a_time_is_a_text_with_a_unit_or_a_number_of_seconds(value, exact):
    assert seconds(value) == exact


@pytest.mark.parametrize("value", ["10", "us", float("nan"), float("inf"), True, None, []])
def test_what_is_no_time_is_refused(value):
    with pytest.raises(ValueError, match=r"must be|did you mean"):
        seconds(value)


@pytest.mark.parametrize(
    ("value", "exact"),
    [("20k", 20_000), (20e3, 20_000), (3, 3), (0.1, Fraction(1, 10)), (Fraction(1, 3),) * 2],
)
def test_a_rate_is_a_text_or_a_number_of_hertz(value, exact):
    assert hertz(value) == exact


@pytest.mark.parametrize("value", [0, -1, Fraction(-1), "0", "10us", float("inf"), True, None])
def test_what_is_no_rate_is_refused(value):
    with pytest.raises(ValueError, match=r"must be|did you mean"):
        hertz(value)


@pytest.mark.parametrize(("value", "exact"), [("10k", 10_000), (7, 7), (1e4, 10_000)])
def test_a_count_is_a_text_or_a_number(value, exact):
    assert count(value) == exact


@pytest.mark.parametrize("value", [0, -1, 1.5, "", "many", True, None])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(ValueError, match=r"must be|did you mean"):
        count(value)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("20%", Fraction(1, 5)),
        (0.2, Fraction(1, 5)),
        ("1/3", Fraction(1, 3)),
        (Fraction(1, 3),) * 2,
    ],
)
def test_a_part_lies_between_0_and_1(value, exact):
    assert duty(value) == exact


@pytest.mark.parametrize("value", [0, 1, 2, Fraction(2), "120%", None, -0.1])
def test_what_is_no_part_is_refused(value):
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        duty(value)


@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_a_flag_is_true_or_false_and_nothing_like_it(value):
    assert [flag(True), flag(False)] == [True, False]
    with pytest.raises(ValueError, match="must be True or False"):
        flag(value)


def test_a_whole_number_has_both_its_ends():
    reader = whole(2, 5)
    assert [reader(2), reader(5), reader("3")] == [2, 5, 3]
    for value in (1, 6, 2.0, "6", "-3", "²", True, None):
        with pytest.raises(ValueError, match="must be a whole number from 2 to 5"):
            reader(value)
    assert seed((1 << 64) - 1) == (1 << 64) - 1
    with pytest.raises(ValueError, match="must be a whole number from 1 to 18446744073709551615"):
        seed(0)


def test_a_choice_is_one_of_its_names():
    assert choice(["a", "b"])("b") == "b"
    with pytest.raises(ValueError, match="'c'; must be one of a, b"):
        choice(["a", "b"])("c")


def test_one_entry_or_several_may_be_texts_or_read_already():
    numbers = each(Fraction, Fraction)
    assert numbers("1/2") == (Fraction(1, 2),)
    assert numbers(Fraction(1, 2)) == (Fraction(1, 2),)
    assert numbers(["1/2", Fraction(3)]) == (Fraction(1, 2), Fraction(3))
    assert numbers([]) == ()
    assert channels(["ISR=ch0", Channel(3)])[1] == Channel(3)


READERS = {"rate": hertz, "width": seconds}


def test_options_are_read_by_their_readers_and_none_is_left_out():
    assert read({"rate": "1k", "width": None}, READERS) == {"rate": 1000}
    assert plain("stop_on") == "stop_on"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rat": 1}, "rat: no such option; must be one of rate, width"),
        ({"rate": "q"}, "rate: 'q'; must be"),
        ({"width": "q"}, "width: 'q'; must be"),
        ({"width": "1us"}, "rate: is missing; it must be given"),
        ({"rate": None}, "rate: is missing; it must be given"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_option(options, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        read(options, READERS, ["rate"])


@pytest.mark.parametrize(
    "call",
    [
        lambda run: plexor.load("a\0b"),
        lambda run: plexor.compare("a\0b", run),
        lambda run: plexor.import_capture("a\0b.vcd", channels=["R=r"], strikes=["s"]),
        lambda run: plexor.Archive("a\0b"),
        lambda run: plexor.open("sim:", record="a\0b"),
        lambda run: plexor.open("sim:a\0b"),
        lambda run: plexor.open("file:a\0b"),
        lambda run: plexor.open("sim:", dut="a\0b.toml"),
        lambda run: run.save("a\0b"),
        lambda run: run.export("a\0b.csv"),
        lambda run: run.export("a.csv", budget="a\0b.toml"),
        lambda run: load_budget("a\0b.toml"),
    ],
    ids=range(12),
)
def test_a_name_of_a_file_with_a_nul_is_one_line(call, run_of):
    with pytest.raises(plexor.PlexorError) as caught:
        call(Run(run_of([[1000, 2000]])))
    said = str(caught.value)
    assert "NUL" in said or "null" in said
    assert "\n" not in said
    assert "\0" not in said


@pytest.mark.parametrize(
    ("value", "exact"),
    [("36km/h", 10), ("1100m/s", 1100), (Fraction(1, 3), Fraction(1, 3))],
)
def test_a_velocity_is_a_text_with_a_unit_or_exact_metres_a_second(value, exact):
    assert velocity(value) == exact


@pytest.mark.parametrize("value", ["0m/s", Fraction(0), Fraction(-1), 10, None])
def test_what_is_no_velocity_is_refused(value):
    with pytest.raises(ValueError, match=r"must be|did you mean"):
        velocity(value)
