# SPDX-License-Identifier: Apache-2.0
"""Builds of the matcher."""

import pytest

from ..matcher_bench import FULL, LEAN, SILENT


@pytest.fixture(params=[FULL, LEAN, SILENT], ids=["full", "events", "silent"])
def build(request):
    """Return a build, with all features or few, its limits in registers or in memories."""
    return request.param
