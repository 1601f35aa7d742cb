# SPDX-License-Identifier: Apache-2.0
"""What a table is asked: a measure of jitter that there is, and an interval above 0."""

from fractions import Fraction

import pytest

from plexor import cli
from plexor.base.errors import UsageError
from plexor_lab.study.spec import Jitter, TableSpec


def test_a_jitter_is_named_or_given():
    assert TableSpec().jitter is Jitter.SPAN_128
    assert TableSpec(jitter="rms").jitter is TableSpec(jitter=Jitter.RMS).jitter is Jitter.RMS
    with pytest.raises(UsageError, match="jitter: 'span'; must be one of jitter128, peak-to-peak"):
        TableSpec(jitter="span")


def test_an_interval_is_above_0():
    assert TableSpec(interval="1ms").interval == Fraction(1, 1000)
    with pytest.raises(UsageError, match="interval: '0s'; must be above 0, such as 10us"):
        TableSpec(interval="0s")


def test_the_help_says_what_a_table_shows_without_options(capsys):
    assert cli.main(["lab", "table", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "[default: jitter128]" in said
    assert "[default: reference]" in said
