"""Connects the instrument's words to a board's pins: sampler, serialiser, clocks."""
