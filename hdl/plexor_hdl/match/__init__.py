# SPDX-License-Identifier: Apache-2.0
"""Finds the strike that each response answers."""
