# SPDX-License-Identifier: Apache-2.0
"""What explains a run, together: its views by name, its page and its picture."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.explain.explanation import Explanation
from plexor.library.run import Run

from ...coded import coded_run
from ...figures.explain.test_why import late_run
from .test_coded import NAMES, PLANTED


def test_its_document_has_the_views_that_there_are():
    result = late_run()
    why = Run(result).why()
    found = Explanation(result, why)
    assert list(found.views) == ["why"]
    assert found.document() == {"why": why.document()}
    assert found.page().endswith("</html>\n")


def test_its_picture_is_that_of_the_timeline():
    result = coded_run(PLANTED, 12_000, NAMES)
    lanes = Run(result).timeline()
    assert Explanation(result, timeline=lanes).picture() == lanes.picture()
    with pytest.raises(UsageError, match="is of the timeline"):
        Explanation(late_run(), Run(late_run()).why()).picture()
