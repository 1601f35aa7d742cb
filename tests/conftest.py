"""What every test may count on."""

import signal

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, nothing else.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# A shell starts what it puts in the background with SIGINT ignored, and all that this starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
