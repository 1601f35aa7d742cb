"""Turns registers and triggers into the samples of strike pins."""
