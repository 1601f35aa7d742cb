"""From measured values and decisions to histograms, statistics and counts."""
