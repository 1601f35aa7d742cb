"""Sweeps: the highest rate that a device sustains, how sure that is, and what it costs to know."""
