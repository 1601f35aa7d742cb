# SPDX-License-Identifier: Apache-2.0
"""Values of the command line: read exactly, or refused with the value that is wrong."""

from fractions import Fraction

import click
import pytest

from plexor.commands.parameters import (
    DURATION,
    STRICT_KEYS,
    budget_option,
    key_option,
    no_run_options,
    option_name,
    parse_key,
    usage,
)
from plexor.commands.specs import asks
from plexor.errors import StoreError, UsageError
from plexor.library.specs.options import Less

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


@click.command()
@click.option("--from", "low")
@click.option("--stop-on")
def named(**_):
    return [option_name(name) for name in ("low", "stop_on", "active_low", "strike")]


def test_a_message_names_an_option_as_the_command_line_has_it():
    assert named.main([], standalone_mode=False) == [
        "--from",
        "--stop-on",
        "--active-low",
        "--strike",
    ]
    assert option_name("both_ways") == "--both-ways"


def test_a_refusal_of_the_library_becomes_one_of_the_command_line():
    with pytest.raises(click.UsageError, match=r"^rate: '0'$"), usage():
        raise UsageError("rate: '0'")
    with pytest.raises(StoreError), usage():
        raise StoreError("x")


@click.command()
@asks(less=Less)
@budget_option
def shown(**_):
    no_run_options("sweep")


def test_what_is_for_runs_is_refused_if_the_command_line_has_it_and_not_as_a_default():
    assert shown.main([], standalone_mode=False) is None
    assert shown.main([], standalone_mode=False, default_map={"budget": "b.toml"}) is None
    with pytest.raises(click.UsageError, match=r"^--budget applies only to runs; this is a sweep"):
        shown.main(["--budget", "b.toml"], standalone_mode=False)


def strictly(*keys, strict=True):
    """Return the keys that a command with --key gets."""
    got = []

    @click.command()
    @key_option
    def command(keys):
        got.extend(keys)

    words = [word for key in keys for word in ("--key", key)]
    command.main([*words, *(["--strict"] if strict else [])], standalone_mode=False)
    return got


@pytest.mark.parametrize("name", STRICT_KEYS)
def test_strict_names_the_keys_that_are_missing_or_empty(name):
    others = [f"{key}=x" for key in STRICT_KEYS if key != name]
    for keys in (others, [*others, f"{name}= "]):
        with pytest.raises(click.BadParameter, match=f"^{name}: missing; --strict needs --key"):
            strictly(*keys)
    assert len(strictly(*others, strict=False)) == len(others)
    assert len(strictly(*others, f"{name}=y")) == len(STRICT_KEYS)


def test_strict_needs_the_five_keys_of_a_report():
    assert STRICT_KEYS == ("os", "board", "build", "driver", "test")
