# SPDX-License-Identifier: Apache-2.0
"""Figures of a table that are shown when they are asked for. Documents always have them."""

COLUMNS = ("variance", "jitter128")
