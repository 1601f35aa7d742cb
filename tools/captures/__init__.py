# SPDX-License-Identifier: Apache-2.0
"""Reads captures of others as Plexor does, and compares each edge with other readers'."""
