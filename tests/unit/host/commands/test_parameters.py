"""Values of the command line: read exactly, or refused with the value that is wrong."""

from fractions import Fraction

import click
import pytest

from plexor.commands.parameters import DURATION, parse_key

US = Fraction(1, 10**6)


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
