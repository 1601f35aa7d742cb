# SPDX-License-Identifier: Apache-2.0
"""docs/boards.md has the bins of each board as the rules compute them today."""

from pathlib import Path

from tools import bins

PAGE = Path(__file__).parents[2] / "docs" / "boards.md"


def test_the_table_of_bins_is_up_to_date():
    assert bins.table() in PAGE.read_text(), "`.venv/bin/python -m tools.bins` prints it"
