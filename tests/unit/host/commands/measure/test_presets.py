"""Presets: options by a name, and those beside them that win."""

from fractions import Fraction

import pytest

from plexor.commands.measure import command
from plexor.commands.measure.presets import PRESETS

from .test_strikes import strikes_of


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
