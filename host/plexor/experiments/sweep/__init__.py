# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the highest rate that a device sustains, how certain it is, and what it costs to find."""
