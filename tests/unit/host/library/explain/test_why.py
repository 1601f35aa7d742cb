# SPDX-License-Identifier: Apache-2.0
"""`Run.why` and its document."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.run import Run

from ...figures.explain.test_why import EVERY, late_run


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
