"""The gateware of Plexor, in Amaranth."""

SKIP_BITS = 8
SKIP_CLOCKS = 16
"""Clocks that one unit of a simulated instrument's `skip` and `quiet` stands for (skip.py)."""
