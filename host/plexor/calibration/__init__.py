"""Where an instrument's bins end, to picoseconds: measured, stored, applied to runs."""
