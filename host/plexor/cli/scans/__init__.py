# SPDX-License-Identifier: Apache-2.0
"""The commands that search: sweeps of rates, phases and bursts."""
