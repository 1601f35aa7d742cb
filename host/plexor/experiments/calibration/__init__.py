# SPDX-License-Identifier: Apache-2.0
"""Calibrations: measure where an instrument's bins end, to picoseconds; store them."""
