# SPDX-License-Identifier: Apache-2.0
"""Systems side by side, as a terminal shows them."""

import re

import pytest

from .planted import CE30, CENET, GOLDEN, US, systems, written


def test_the_table_reads_as_written_here():
    sweeps = [("s1", CE30), ("s2", CENET)]
    assert written(systems(*sweeps), sweeps, interval_s=5 * US) == GOLDEN


@pytest.mark.parametrize("width", [40, 64, 100])
def test_the_table_fits_its_terminal(width):
    sweeps = [("s1", CE30), ("s2", CENET)]
    for line in written(systems(*sweeps), sweeps, interval_s=US, width=width).splitlines():
        assert len(line) <= width


def test_without_the_reference_nothing_of_it_is_there():
    text = written(systems(("s1", CE30)), [("s1", CE30)], reference=False)
    assert "eference" not in text
    assert "CE 3.0" not in text


def test_colour_says_nothing_that_is_not_written():
    sweeps = [("s1", CE30), ("s2", CENET)]
    painted = written(systems(*sweeps), sweeps, interval_s=5 * US, colour=True)
    assert painted != GOLDEN
    assert re.sub(r"\x1b\[\d+m", "", painted) == GOLDEN
