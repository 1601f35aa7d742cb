# SPDX-License-Identifier: Apache-2.0
"""Widths and gaps of what a phase scan found."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.experiments.phase.model import MaskedWindow
from plexor.model.results import Accounting

from ...show.scans_to_draw import MASKS, phase_result

WINDOW = MaskedWindow(
    *(Fraction(900), Fraction(5, 2), Fraction(1100), Fraction(3)),
    *(20, 20, 0, 1, 90, None, 0.001),
)


def test_a_window_that_wraps_is_as_wide_as_any_and_its_errors_add_up():
    assert WINDOW.width_ticks == 200
    assert WINDOW.width_error_ticks == Fraction(11, 2)


def test_steps_without_a_strike_are_counted():
    (scan, *_) = phase_result(MASKS["missed, then late"], step=100).scans
    bins = tuple(replace(entry, strikes=n % 3) for n, entry in enumerate(scan.bins))
    assert replace(scan, bins=bins).empty_phases == -(-len(bins) // 3)


@pytest.mark.parametrize(("received", "complete"), [(10, True), (9, False)])
def test_a_scan_is_complete_where_each_event_came(received, complete):
    books = Accounting(10, received, 0, 10 - received)
    result = replace(phase_result(MASKS["missed, then late"]), accounting=books)
    assert result.complete == complete
