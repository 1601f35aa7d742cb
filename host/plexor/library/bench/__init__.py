"""Suites of benchmarks of a kernel, measured from outside."""
