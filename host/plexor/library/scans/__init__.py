# SPDX-License-Identifier: Apache-2.0
"""Sweeps, phase scans and burst scans."""
