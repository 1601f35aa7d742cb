# SPDX-License-Identifier: Apache-2.0
"""The HX8K's bitstream, turned back into Verilog, measures what its pins saw: to the tick."""

import pytest

from .pins import FIRST, PLANTED, RUNS, assert_planted, class_counts, measured

BOARD = "hx8k-evn"


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_bitstream_measures_what_its_pins_saw(tmp_path):
    assert_planted(*measured(BOARD, PLANTED, FIRST, tmp_path))


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", RUNS)
def test_the_bitstream_measures_by_every_policy(name, tmp_path):
    result, _ = measured(BOARD, *RUNS[name], tmp_path)
    print([class_counts(channel) for channel in result.channels])
    assert result.strikes >= 80
