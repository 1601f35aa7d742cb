# SPDX-License-Identifier: Apache-2.0
"""Burst tolerance: how many strikes in a row a device answers, at what spacing."""
