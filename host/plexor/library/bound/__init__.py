"""The bound of a service: evaluated, and checked against what was measured."""
