# SPDX-License-Identifier: Apache-2.0
"""What a device was doing: codes of its own, as tasks, interrupts and functions. Pure."""
