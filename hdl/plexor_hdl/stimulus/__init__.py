# SPDX-License-Identifier: Apache-2.0
"""Turns registers and triggers into the samples of strike pins."""
