# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of kernel calls: times per operation, and reports of them."""
