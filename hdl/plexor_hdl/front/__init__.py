"""Between the instrument's words and a board's pins: sampler, serialiser, clocks."""
