# SPDX-License-Identifier: Apache-2.0
"""Deliberate faults in the gateware and random faults in the host. Tests must catch them."""
