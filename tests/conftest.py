"""What every test may count on."""

import signal

# A shell starts what it puts in the background with SIGINT ignored, and all that this starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
