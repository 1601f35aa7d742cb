# SPDX-License-Identifier: Apache-2.0
"""A checked bound: its exit code, its text and its document."""

import pytest

from plexor.base.errors import InvalidRunError
from plexor.library.run import Run
from plexor_lab.bound.bound import Bound
from plexor_lab.bound.check import KEY, BoundCheck, at_own_n
from plexor_lab.bound.spec import OfRun

from ...plain_text import columns_and_colour
from .createthread import EXAMPLES, MEASURED_NS, PLATFORMS, N, platform_file

MODEL = EXAMPLES / "createthread.toml"


def checked(run, n=N, **options):
    return Bound(MODEL, platform_file(2)).check(run, n=n, **options)


@pytest.mark.parametrize("number", PLATFORMS)
def test_the_study_is_safe_on_each_platform(number):
    found = Bound(MODEL, platform_file(number)).check_value(f"{MEASURED_NS[number]}ns", n=N)
    assert (found.outcome, found.exit_code()) == ("pass", 0)


def test_an_estimate_to_the_cycle_is_unsafe_and_ends_with_1():
    bound = Bound(EXAMPLES / "createthread.csv", EXAMPLES / "memory.toml", EXAMPLES / "map.toml")
    found = bound.check_value("14137ns", n=N)
    assert (found.outcome, found.exit_code()) == ("fail", 1)
    document = found.document()
    assert (document["outcome"], document["exit_code"]) == ("fail", 1)
    assert (document["estimate_ns"], document["measured_ns"]) == ("126895/9", "14137")
    assert (document["margin_ns"], document["mark"]["over"]) == ("-338/9", "43/50")


# Ticks of the runs are of 1 ns, and the estimate is 14,182 ns.
@pytest.mark.parametrize(
    ("latencies", "other", "outcome", "code"),
    [
        ([14_137, 9_000], {}, "pass", 0),
        ([14_182, 9_000], {}, "pass", 0),
        ([14_183, 9_000], {}, "fail", 1),
        ([14_137, None], {}, "too few", 4),
        ([14_183, None], {}, "fail", 1),
        ([14_137, 9_000], {"invalid_reasons": ("the clock was lost",)}, "not comparable", 4),
        ([14_183, 9_000], {"invalid_reasons": ("the clock was lost",)}, "not comparable", 4),
    ],
)
def test_a_run_is_safe_unsafe_or_proves_nothing(run_of, latencies, other, outcome, code):
    found = checked(Run(run_of([latencies], **other)))
    assert (found.outcome, found.exit_code()) == (outcome, code)


def test_missed_strikes_do_not_touch_on_widths(run_of):
    run = Run(run_of([[1000, None, 1000]], widths=[[14_182, 0, 14_137]]))
    assert checked(run, kind="on-width").outcome == "pass"
    run = Run(run_of([[1000, None, 1000]], widths=[[14_183, 0, 14_137]]))
    assert checked(run, kind="on-width").outcome == "fail"


def test_the_document_says_what_was_measured_and_how(run_of):
    found = checked(Run(run_of([[14_137, 9_000]]))).document()
    assert found["schema"] == "plexor.bound-check/2"
    assert (found["over_measured"], found["over_estimate"]) == ("45/14137", "45/14182")
    assert found["n"] == N
    assert found["measured"] == {
        "what": "latency of ISR",
        "provenance": "simulated",
        "tick_fs": 10**6,
        "samples": 2,
        "missed": 0,
        "invalid_reasons": [],
    }


def test_the_text_is_that_of_the_terminal(run_of):
    assert "SAFE: nothing that was measured" in checked(Run(run_of([[14_137]]))).text()


def test_latencies_of_unknown_strikes_prove_nothing(run_of):
    with pytest.raises(InvalidRunError, match="ISR: its answers may be those of other strikes"):
        checked(Run(run_of([[None, 9000, 14_137]])))


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(BoundCheck.text) == (100, False)


def test_the_n_of_the_run_is_taken_where_the_options_have_none(run_of):
    plain, keyed = Run(run_of([[1000]])), Run(run_of([[1000]], device={KEY: "7"}))
    assert at_own_n(keyed, OfRun()).n == 7
    assert at_own_n(keyed, OfRun(n=3)).n == 3
    assert at_own_n(plain, OfRun(n=3)).n == 3
    assert at_own_n(plain, OfRun()).n is None
