"""Kept scans, of each kind."""

import pytest

from . import kept_scans


@pytest.fixture(params=kept_scans.KINDS)
def folder(request, tmp_path):
    """Return a folder in which a scan was kept."""
    return kept_scans.keep(request.param, tmp_path)
