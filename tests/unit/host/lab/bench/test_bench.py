# SPDX-License-Identifier: Apache-2.0
"""A suite's run: reasons, exit codes, document, frames."""

from dataclasses import replace

import pytest

from plexor.base.errors import ExitCode, UsageError
from plexor.library.run import Run
from plexor_lab.bench.bench import Bench
from plexor_lab.bench.frame import parse

from ...plain_text import columns_and_colour
from ...runs import run
from .planted import DONE, Script, announced, begin, report, suite_run


def bench(script, suite="kernel", iterations=2, **options):
    return Bench(script.run(), suite, iterations=iterations, **options)


def test_a_whole_run_proves_its_figures():
    found = bench(suite_run())
    assert found.reasons == ()
    assert found.exit_code() == ExitCode.PASS


def reported(*counters):
    return suite_run(counters=counters)


@pytest.mark.parametrize(
    ("script", "iterations", "reason"),
    [
        (suite_run(), 3, "2 samples; must be 3 or more"),
        (reported(4), 2, "2 operations came, and the firmware counted 4"),
        (suite_run().say([begin(1)]), 2, None),
        (Script().say(announced(3, 1)).lasts(1, 9), 1, "did not say that its tests are done"),
        (Script().lasts(1, 9).say([begin(1)]), 1, "1 code of a begin or an end has no partner"),
        (Script().say(DONE), 1, "no operation was seen"),
    ],
)
def test_what_is_missing_makes_the_figures_invalid(script, iterations, reason):
    found = bench(script, iterations=iterations)
    if reason is None:
        assert found.reasons == ()
    else:
        assert any(reason in each for each in found.reasons)
        assert found.exit_code() == ExitCode.INVALID


def test_codes_that_are_missing_make_the_figures_invalid():
    measured = suite_run().run()
    codes = measured.result.codes.copy()
    codes["gap"][-3] = True
    found = Bench(Run(replace(measured.result, codes=codes)), "kernel", iterations=1)
    assert any("missing or in doubt at 1 place" in each for each in found.reasons)


def test_firmware_of_another_suite_is_refused_by_name():
    with pytest.raises(UsageError, match="says that it is kernel; osbench was asked for"):
        bench(suite_run(), "osbench")


def test_a_suite_that_there_is_not_is_refused():
    with pytest.raises(UsageError, match="suite: 'dhrystone'; must be one of osbench"):
        bench(suite_run(), "dhrystone")


def test_a_run_without_codes_is_refused():
    result, _ = run()
    with pytest.raises(UsageError, match="has no codes"):
        Bench(Run(result), "kernel")


def test_a_kept_run_knows_its_suite_and_its_iterations():
    found = Bench(suite_run().run(suite="kernel", iterations="3"))
    assert (found.suite.name, found.iterations) == ("kernel", 3)
    assert any("must be 3 or more" in each for each in found.reasons)


def test_the_document_has_all_samples_and_exact_figures():
    found = bench(suite_run()).document()
    assert (found["suite"], found["valid"], found["exit_code"]) == ("kernel", True, 0)
    test = found["tests"][1]
    assert test["samples_ticks"] == [140, 170]
    assert (test["base_ticks"], test["mean_ticks"]) == (40, "115")
    assert test["counters"] == [2]
    assert test["worst"]["sample"] == 1
    assert test["worst"]["ticks"] == 170


def test_frames_have_the_times_in_nanoseconds_and_the_base():
    (frame,) = parse(bench(suite_run()).frames())
    assert (frame.group, frame.test, frame.base_ticks, frame.iterations) == (1, 1, 40, 1)
    tick_ns = suite_run().run().tick_fs / 10**6
    assert (frame.min_ns, frame.max_ns) == (round(100 * tick_ns), round(130 * tick_ns))


def test_two_counters_of_a_test_are_kept_apart():
    script = Script().say(announced(3, 2)).lasts(1, 9).lasts(1, 9).say(report(1, 1, 1)).say(DONE)
    assert bench(script).figures[0].counters == (1, 1)


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Bench.text) == (100, False)


def test_the_document_has_the_percentiles_that_the_samples_carry_and_none_for_the_others():
    """As in test_operations: a percentile q needs 2 samples at least on each side of it."""
    few = bench(suite_run()).document()["tests"][1]["percentiles_ticks"]
    assert few["p99"] is None
    script = Script().say(announced(3, 1000))
    for _ in range(1000):
        script.lasts(1, 100)
    many = bench(script.say(DONE), iterations=1000).document()["tests"][0]["percentiles_ticks"]
    assert many["p99"] == "100"
