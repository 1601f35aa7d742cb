# SPDX-License-Identifier: Apache-2.0
"""Presets: options by a name, and those beside them that win."""

from fractions import Fraction

import click
import pytest

from plexor import cli
from plexor.commands.measure import command
from plexor.commands.measure.presets import PRESETS, overridden, preset_option

from .test_options import strikes_of


@pytest.mark.parametrize(
    ("beside", "period", "width", "duty"),
    [
        ("", 200_000, 40_000, None),
        ("--rate 1k", 1_000_000, 40_000, None),
        ("--width 1us", 200_000, 1000, None),
        ("--duty 50%", 200_000, None, Fraction(1, 2)),
    ],
)
def test_a_preset_gives_options_and_those_beside_it_win(bench, beside, period, width, duty):
    (strike,) = strikes_of(bench(), f"--preset cots5k --count 5 {beside}")
    ns = Fraction(1, 10**9)
    assert strike.period_s == period * ns
    assert strike.width_s == (None if width is None else width * ns)
    assert strike.duty == duty


def test_every_preset_names_options_that_exist():
    known = {parameter.name for parameter in command.measure.params}
    for preset in PRESETS.values():
        assert set(preset.options) <= known


@click.command()
@preset_option
@click.option("--rate")
@click.option("--width")
@click.option("--duty")
@click.pass_context
def struck(context, **given):
    return given, overridden(context)


@pytest.mark.parametrize(
    ("arguments", "given", "gone"),
    [
        ("", (None, None, None), []),
        ("--preset cots5k", ("5k", "40us", None), []),
        ("--rate 1k --preset cots5k", ("1k", "40us", None), []),
        ("--preset cots5k --duty 1/2", ("5k", "40us", "1/2"), ["width"]),
        # Both are the user's own: which one is meant is not for the preset to say.
        ("--preset cots5k --duty 1/2 --width 1us", ("5k", "1us", "1/2"), []),
        ("--duty 1/2", (None, None, "1/2"), []),
    ],
)
def test_what_a_preset_gives_gives_way_to_what_stands_in_for_it(arguments, given, gone):
    found, old = struck.main(arguments.split(), standalone_mode=False)
    assert (found["rate"], found["width"], found["duty"]) == given
    assert old == gone


def test_a_preset_that_there_is_not_is_one_line_with_those_there_are(capsys):
    assert cli.main(["measure", "--preset", "nosuch"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "'nosuch'" in err
    assert all(name in err for name in PRESETS)
