import sys
from pathlib import Path

import pytest
from tools.scope_bench.browser import browser

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def chromium():
    """Return a browser without a window."""
    with browser() as found:
        yield found
