"""The twin: the instrument emulated event by event, in C++."""
