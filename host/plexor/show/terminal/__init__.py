# SPDX-License-Identifier: Apache-2.0
"""Figures as text for a terminal."""
