"""Benchmarks of kernel calls: times per operation, and reports of them."""
