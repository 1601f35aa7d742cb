# SPDX-License-Identifier: Apache-2.0
"""What the tests of the formats share."""

import pytest

from plexor.show.export.source import ExportSource


@pytest.fixture
def every_latency_is_written(monkeypatch):
    """Have planted runs, which are too short to tell whose answer is whose, taken as they are."""
    monkeypatch.setattr(ExportSource, "unpaired", ())
