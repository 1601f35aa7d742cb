# SPDX-License-Identifier: Apache-2.0
"""Two runs of a suite are compared test by test."""

from dataclasses import replace
from fractions import Fraction

import pytest

import plexor
from plexor.base.errors import ApartError
from plexor.files.store.run_folder import save
from plexor.library.run import Run
from plexor_lab.bench.compared import compared

from .planted import DONE, Script, suite_run

NS = Fraction(1, 10**9)


def suite(script, name="kernel", iterations=1):
    """Return the run of a script, with the keys of a suite."""
    run = script.run()
    keys = {"suite": name, "iterations": str(iterations)}
    return Run(replace(run.result, device=run.result.device | keys))


def lasting(*ticks, name="kernel"):
    script = Script()
    for each in ticks:
        script.lasts(1, each)
    return suite(script.say(DONE), name)


def test_times_of_a_test_are_compared_exactly(tmp_path):
    for name, run in (("a", lasting(100, 300)), ("b", lasting(100, 500))):
        save(run.result, tmp_path / name)
    found = {e.figure: e for e in plexor.compare(tmp_path / "a", tmp_path / "b").differences}
    assert (found["max"].before, found["max"].after) == (300 * NS, 500 * NS)
    assert (found["mean"].before, found["mean"].after) == (200 * NS, 300 * NS)
    assert (found["variance"].unit, found["variance"].ratio) == ("s²", 4)
    assert len({entry.channel for entry in found.values()}) == 1


def test_suites_of_other_names_are_refused():
    with pytest.raises(ApartError, match="one is a suite kernel, the other a suite threadmetric"):
        plexor.compare(lasting(100), lasting(100, name="threadmetric"))


def test_what_makes_a_suite_invalid_makes_the_comparison_so():
    short = suite(Script().lasts(1, 100).say(DONE), iterations=3)
    (reason,) = plexor.compare(lasting(100), short).invalid_reasons
    assert reason.startswith("B is an INVALID RUN: yield, until")
    assert reason.endswith("1 sample; must be 3 or more, as asked for")


def test_a_run_with_such_a_key_of_its_own_is_a_run(run_of):
    own = Run(run_of([[1000]], device={"suite": "nightly"}))
    assert compared(own) is None
    assert "max" in {entry.figure for entry in plexor.compare(own, own).differences}


def test_a_whole_suite_compares_with_itself():
    run = suite(suite_run())
    assert {entry.change for entry in plexor.compare(run, run).differences} <= {0, None}
