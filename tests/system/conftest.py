# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest
from tools.scope_bench.browser import browser

from .coded import measured

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def chromium():
    """Return a browser without a window."""
    with browser() as found:
        yield found


@pytest.fixture(scope="session")
def coded_folder(tmp_path_factory):
    """A run of a device that sends codes."""
    return measured(tmp_path_factory.mktemp("coded") / "run")
