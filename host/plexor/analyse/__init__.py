"""Computes the figures of a run from its result."""
