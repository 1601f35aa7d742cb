# SPDX-License-Identifier: Apache-2.0
"""The simulated instrument, its golden model and its devices under test."""
