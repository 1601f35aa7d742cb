# SPDX-License-Identifier: Apache-2.0
"""`plexor measure` alone strikes at a usual rate until Ctrl-C; a recording and a rate do not."""

from fractions import Fraction

import pytest

from plexor import cli


@pytest.mark.parametrize("more", [[], ["--dut", "bare"], ["--width", "5us"], ["--load", "cpu"]])
def test_where_nothing_says_how_often_it_strikes_each_millisecond_without_an_end(
    bench, capsys, run_of, more
):
    asked = bench(run_of([[1000, 2000]], interrupted=True))
    assert cli.main(["measure", *more]) == 0
    assert "interrupted" in capsys.readouterr().out
    assert asked["endless"]
    (strike,) = asked["settings"].strikes
    assert (strike.period_s, strike.count) == (Fraction(1, 1000), 0)
    assert asked["settings"].time_s is None


@pytest.mark.parametrize(
    "more", [["--rate", "1k"], ["--stop-on", "missed"], ["--strike", "1:rate=1k"], ["--count", "9"]]
)
def test_where_something_says_so_an_end_must_be_said_too(bench, capsys, more):
    assert "settings" not in bench()
    assert cli.main(["measure", *more]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_run_with_an_end_that_was_stopped_ends_as_interrupted(bench, run_of):
    asked = bench(run_of([[1000, 2000]], interrupted=True))
    assert cli.main(["measure", "--rate", "1k", "--time", "1s"]) == 130
    assert not asked["endless"]
