# SPDX-License-Identifier: Apache-2.0
"""What was meant by a word or a number that is none, by what people type."""

import pytest

from plexor.base.meant import nearest, path_meant, suggestion
from plexor.base.units import parse_count, parse_duration, parse_part, parse_rate, parse_velocity

MEANT = {
    parse_rate: {
        "20 kh": "20 kHz",
        "20kh": "20kHz",
        "20hertz": "20Hz",
        "20mhz": "20MHz",
        "20kHz,": "20kHz",
        "\u201c20k\u201d": "20k",
        "1,5k": "1.5k",
        "1,000": "1_000 or 1.000",
        "1.000,5": "1_000.5",
    },
    parse_duration: {
        "1,5 ms": "1.5 ms",
        "50usec": "50us",
        "5 m": "5 ms or 5 min",
        "\u22125us": "-5us",
        "3 seconds": "3 s",
    },
    parse_count: {"1,000,000": "1_000_000"},
    parse_part: {"0,2": "0.2"},
    parse_velocity: {"90kmh": "90km/h"},
}


@pytest.mark.parametrize(
    ("parse", "text", "right"),
    [(parse, text, right) for parse, texts in MEANT.items() for text, right in texts.items()],
)
def test_a_number_that_is_none_is_refused_with_what_was_meant(parse, text, right):
    with pytest.raises(ValueError, match=r".") as caught:
        parse(text)
    assert str(caught.value).startswith(repr(text))
    assert str(caught.value).endswith(f"; did you mean {right}?")
    for one in right.split(" or "):
        parse(one)


def test_a_time_is_no_rate_and_the_other_is_named():
    with pytest.raises(ValueError, match=r"^'50us' is a time; .* one each 50us is 20kHz$"):
        parse_rate("50us")
    with pytest.raises(ValueError, match=r"^'20 kHz' is a rate; .* period of that is 50us$"):
        parse_duration("20 kHz")


@pytest.mark.parametrize("text", ["", "soon", "5weeks", "1s 2s", "-", "5 5"])
def test_of_what_is_far_from_all_nothing_is_guessed(text):
    with pytest.raises(ValueError, match=r"must be a number with a unit"):
        parse_duration(text)


def test_the_nearest_word_is_found_in_any_case_and_no_far_one():
    known = ["freertos", "bare", "synthetic"]
    assert nearest("FreeRTOSS", known) == "freertos"
    assert nearest("BARE", known) == "bare"
    assert nearest("syn", known) == "synthetic"
    assert nearest("zephyr", known) is None
    assert suggestion("sythetic", known) == "; did you mean synthetic?"
    assert suggestion("zephyr", known) == ""


def test_a_name_beside_a_path_that_is_not_there_is_meant(tmp_path):
    (tmp_path / "idle").mkdir()
    assert path_meant(tmp_path / "idel") == f"; did you mean {tmp_path / 'idle'}?"
    assert path_meant(tmp_path / "loaded") == ""
    assert path_meant(tmp_path / "nowhere" / "idle") == ""
