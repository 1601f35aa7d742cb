# SPDX-License-Identifier: Apache-2.0
"""`plexor.Bound`: the study's figures by the files that ship, and what is refused."""

from fractions import Fraction

import pytest

import plexor
from plexor.base.errors import InvalidRunError, UsageError
from plexor.library.run import Run
from plexor_lab.bound.bound import Bound

from .createthread import (
    BLOCKED_NS,
    EXAMPLES,
    MEASURED_NS,
    PLATFORMS,
    TOTAL_NS,
    N,
    platform_file,
)

MODEL = EXAMPLES / "createthread.toml"


def bound(platform=1):
    return Bound(MODEL, platform_file(platform))


def said(call, *arguments, error=UsageError, **options):
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("number", PLATFORMS)
def test_a_bound_is_computed_from_two_files(number):
    found = plexor.Bound(str(MODEL), str(platform_file(number)))
    assert (found.total_ns(N), found.blocked_ns(N)) == (TOTAL_NS[number], BLOCKED_NS[number])


def test_a_map_is_the_third():
    found = Bound(EXAMPLES / "createthread.csv", EXAMPLES / "memory.toml", EXAMPLES / "map.toml")
    assert found.total_ns(N) == Fraction(126_895, 9)


@pytest.mark.parametrize("number", PLATFORMS)
def test_a_measured_time_is_checked_to_the_nanosecond(number):
    measured = MEASURED_NS[number]
    assert bound(number).check_value(f"{measured}ns", n=N).outcome == "pass"
    assert bound(number).check_value(f"{TOTAL_NS[number]}ns", n=N).outcome == "pass"
    assert bound(number).check_value(f"{TOTAL_NS[number]}.001ns", n=N).outcome == "fail"


@pytest.fixture
def run(run_of):
    """Return a run whose ISR answers in at most 3,000 ticks of 1 ns and is high for at most 700."""
    widths = [[100, 700, 50], [10, 10, 10]]
    return Run(run_of([[1000, 3000, 2000], [9000, 9000, 9000]], widths=widths))


def test_a_run_is_checked_by_the_maximum_of_a_channels_latency_or_on_width(run):
    found = bound(2)
    latency = found.check(run, n=N, channel="ISR").verdict.measured
    assert latency.max_ns * 10**6 == 3000 * run.tick_fs
    assert (latency.samples, latency.missed) == (3, 0)
    width = found.check(run, n=N, channel="ISR", kind="on-width").verdict.measured
    assert width.max_ns * 10**6 == 700 * run.tick_fs
    assert width.missed is None


def test_the_only_channel_needs_no_name(run_of):
    assert bound().check(Run(run_of([[1000]])), n=N).verdict.measured.what == "latency of ISR"


def test_of_several_channels_one_must_be_named(run):
    assert said(bound().check, run, n=N) == (
        "channel: is missing; this run has ISR, TASK; name one"
    )
    assert "there is none; this run has ISR" in said(bound().check, run, n=N, channel="X")


def test_what_is_compared_is_latency_or_on_width(run):
    assert said(bound().check, run, n=N, channel="ISR", kind="period") == (
        "kind: 'period'; must be one of latency, on-width"
    )


def test_n_is_that_of_the_call_or_else_that_of_the_runs_key(run_of):
    run = Run(run_of([[1000]], device={"N": "13"}))
    assert bound().check(run).verdict.estimate_ns == TOTAL_NS[1]
    assert bound().check(run, n=0).verdict.estimate_ns == 41_752


def test_an_n_that_is_missing_or_is_none_is_refused(run_of):
    assert said(bound().check_value, "1us").startswith("n: is missing; CreateThread takes longer")
    for n in (-1, True, 1.5):
        assert said(bound().check_value, "1us", n=n).startswith(f"n: {n!r}; must be a whole number")
        assert said(bound().evaluate, n).startswith(f"n: {n!r}; must be a whole number from 0")
    run = Run(run_of([[1000]], device={"N": "many"}))
    assert said(bound().check, run).startswith("n: 'many'; must be a whole number from 0")


def test_a_service_without_n_needs_none(tmp_path):
    (tmp_path / "m.csv").write_text("section,repetition,blocking,m\na,2,no,3\n")
    (tmp_path / "p.csv").write_text("region,kind,ns\nm,,5\n")
    found = Bound(tmp_path / "m.csv", tmp_path / "p.csv").check_value("30ns")
    assert (found.n, found.verdict.estimate_ns, found.outcome) == (None, 30, "pass")


@pytest.mark.parametrize("measured", ["0", "-1us", 0, "5", "x"])
def test_a_measured_time_that_is_none_is_refused(measured):
    assert "must be" in said(bound().check_value, measured, n=N)


def test_a_channel_without_a_response_proves_nothing(run_of):
    run = Run(run_of([[None, None]]))
    assert said(bound().check, run, n=N, error=InvalidRunError) == (
        "ISR: has no latency; nothing can be checked"
    )


def test_each_n_is_evaluated_once():
    assert bound().evaluate(13, 0, 13).ns == (13, 0)
