# SPDX-License-Identifier: Apache-2.0
"""Presets: options by a name, and those beside them that win."""

from fractions import Fraction

import pytest

from plexor import cli
from plexor.cli.measure.presets import PRESETS, Preset
from plexor.cli.specs import command
from plexor.library.run_spec import RunSpec

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


def test_every_preset_names_options_of_a_run_and_texts_that_it_reads():
    for preset in PRESETS.values():
        RunSpec.of(preset.options)


def struck(asked, preset):
    return preset.applied(asked)


@command(f"{__name__}:struck", asked=RunSpec, preset=Preset)
def striking():
    pass


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("", (None, None, None)),
        ("--preset cots5k", ("5k", "40us", None)),
        ("--rate 1k --preset cots5k", ("1k", "40us", None)),
        ("--preset cots5k --duty 1/2", ("5k", None, "1/2")),
        # Both are the user's own: which one is meant is not for the preset to say.
        ("--preset cots5k --duty 1/2 --width 1us", ("5k", "1us", "1/2")),
        ("--duty 1/2", (None, None, "1/2")),
    ],
)
def test_what_a_preset_gives_gives_way_to_what_stands_in_for_it(arguments, given):
    found = striking.main(arguments.split(), standalone_mode=False)
    rate, width, duty = given
    assert found == RunSpec(rate=rate, width=width, duty=duty)


def test_a_preset_overrides_the_defaults_file():
    found = striking.main(["--preset=cots5k"], standalone_mode=False, default_map={"rate": "1k"})
    assert found.rate == 5000


def test_a_preset_that_there_is_not_is_one_line_with_those_there_are(capsys):
    assert cli.main(["measure", "--preset", "nosuch"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "'nosuch'" in err
    assert all(name in err for name in PRESETS)
