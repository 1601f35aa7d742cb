# SPDX-License-Identifier: Apache-2.0
"""Computes the figures of a run from its result."""
