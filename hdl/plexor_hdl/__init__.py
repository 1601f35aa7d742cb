# SPDX-License-Identifier: Apache-2.0
"""The gateware of Plexor, in Amaranth."""
