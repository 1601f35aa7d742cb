"""The ECP5's netlist, as placed and routed, measures what its pins saw: to the tick.

Its block RAMs give the inverse of what a design may hope for where the guide says unknown.
"""

import pytest

from .pins import FIRST, PLANTED, RUNS, assert_planted, class_counts, measured

BOARD = "ulx3s-25f"
BAUD = 12_500_000
"""Ten clocks a bit, to which the gateware sets itself: most of a run's time goes to the link."""


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_netlist_measures_what_its_pins_saw(tmp_path):
    assert_planted(*measured(BOARD, PLANTED, FIRST, tmp_path, BAUD))


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", RUNS)
def test_the_netlist_measures_by_every_policy(name, tmp_path):
    result, _ = measured(BOARD, *RUNS[name], tmp_path, BAUD)
    print([class_counts(channel) for channel in result.channels])
    assert result.strikes >= 80
