# SPDX-License-Identifier: Apache-2.0
"""Shows that the twin is the gateware: random runs on both, and faults planted in the twin."""
