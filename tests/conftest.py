"""What every test may count on."""

import gc
import signal

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, nothing else.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# Amaranth makes millions of objects for a core. To look for cycles among them takes a fifth of
# the time.
gc.set_threshold(100_000, 50, 100)

# A shell starts what it puts in the background with SIGINT ignored, and all that this starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = "tests/gateware/test_boards.py"
"""A test of minutes on one core: the others run beside it only if it begins first."""


def pytest_collection_modifyitems(items):
    """Put the long tests first."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
