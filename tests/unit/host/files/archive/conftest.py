# SPDX-License-Identifier: Apache-2.0
"""Archives for tests: merged sooner, and not kept from a machine that ends."""

import pytest

from plexor.base.disk import atomic
from plexor.files.archive import merge

FAN_IN = 3


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Merge few files; leave out the waits for a disk, which are most of an addition's time."""
    monkeypatch.setattr(merge, "FAN_IN", FAN_IN)
    monkeypatch.setattr(atomic, "sync", lambda path: None)
