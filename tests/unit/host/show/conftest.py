# SPDX-License-Identifier: Apache-2.0
"""Runs for what draws them."""

import pytest

from .runs_to_draw import all_runs


@pytest.fixture(scope="session")
def runs(run_of):
    """Return runs of every kind that must be drawn."""
    return all_runs(run_of)
