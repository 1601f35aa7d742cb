# SPDX-License-Identifier: Apache-2.0
"""Turns measured values and decisions into histograms, statistics and counts."""
