"""Commands, registers, and the course of a run."""
