# SPDX-License-Identifier: Apache-2.0
"""A device's codes, as tasks, interrupts and functions. Pure."""
