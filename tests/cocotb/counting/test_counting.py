# SPDX-License-Identifier: Apache-2.0
"""Bins and records of dense random values; dense_values.py has the claims."""

from pathlib import Path

import pytest

from plexor_hdl.results.results import Results

from ..bench import check
from .shapes import geometry_of

HERE = Path(__file__).parent


def counted(channels: int, values: int) -> None:
    """Run the claims of dense_values.py with so many values."""
    environment = {"CHANNELS": str(channels), "COUNT": str(values)}
    results = Results(geometry_of(channels))
    check(results, f"counting_{channels}", HERE / "dense_values.py", environment=environment)


@pytest.mark.full
@pytest.mark.parametrize("values", [5_000, 20_000])
def test_dense_values_leave_the_golden_models_memories(values):
    counted(2, values)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_a_million_values_leave_the_golden_models_memories():
    counted(8, 1_000_000)
