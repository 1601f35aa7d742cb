# SPDX-License-Identifier: Apache-2.0
"""The user's own machine: drivers, programs, loads and speed."""
