"""Calibrations: measure where an instrument's bins end, to picoseconds; store them."""
