"""The commands that search: sweeps of rates, phases and bursts."""
