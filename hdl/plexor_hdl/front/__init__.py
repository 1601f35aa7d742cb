# SPDX-License-Identifier: Apache-2.0
"""Connects the instrument's words to a board's pins: sampler, serialiser, clocks."""
