"""Shows that the twin is the gateware: random runs on both, and faults planted in the twin."""
