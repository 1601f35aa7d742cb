"""A schedule on one time base, as the library has it."""
