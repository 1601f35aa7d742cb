# SPDX-License-Identifier: Apache-2.0
"""`Run.why` and its document."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.explain.why import Why
from plexor.library.run import Run

from ...figures.explain.test_why import EVERY, late_run
from ...plain_text import columns_and_colour


def test_a_run_explains_its_late_answers_as_text_and_document():
    found = Run(late_run()).why()
    assert "each 25 answers, exactly" in found.text()
    channel = found.document()["channels"][0]
    assert channel["clusters"][0]["recurrence"] == {
        "law": "either",
        "every": EVERY,
        "exact": True,
        "period_ticks": pytest.approx(EVERY * 1000),
        "period_error_ticks": pytest.approx(0, abs=1),
    }
    assert channel["answers"] == 20 * EVERY


def test_a_limit_is_a_time_with_a_unit():
    run = Run(late_run())
    assert run.why(over="51ns").over_ticks == 51
    with pytest.raises(UsageError, match="must be a number with a unit"):
        run.why(over="51")


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Why.text) == (100, False)
