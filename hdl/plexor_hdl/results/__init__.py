"""Turns measured values and decisions into histograms, statistics and counts."""
