# SPDX-License-Identifier: Apache-2.0
"""Values of the command line: read exactly, or refused with the value that is wrong."""

from fractions import Fraction

import click
import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.base.units import parse_duration, parse_rate
from plexor.cli.options import Budgeted
from plexor.cli.parameters import Parsed, no_run_options, option_name, usage
from plexor.cli.specs import command
from plexor.library.specs.options import Less

US = Fraction(1, 10**6)


@click.command()
@click.option("--deadline", type=Parsed("time", parse_duration), default=3 * US)
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


def test_a_refused_value_names_its_option_once():
    @click.command()
    @click.option("--rate", type=Parsed("rate", parse_rate))
    def rated(rate):
        return rate

    with pytest.raises(click.BadParameter) as refused:
        rated.main(["--rate", "20m"], standalone_mode=False)
    assert refused.value.format_message().startswith(
        "Invalid value for '--rate': '20m': no unit m; did you mean 20M?"
    )


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


@command(f"{__name__}:checked", less=Less, judged=Budgeted)
def shown():
    pass


def checked(**_):
    no_run_options("sweep")


def test_what_is_for_runs_is_refused_if_the_command_line_has_it_and_not_as_a_default():
    assert shown.main([], standalone_mode=False) is None
    assert shown.main([], standalone_mode=False, default_map={"budget": ["b.toml"]}) is None
    with pytest.raises(click.UsageError, match=r"^--budget applies only to runs; this is a sweep"):
        shown.main(["--budget", "b.toml"], standalone_mode=False)
