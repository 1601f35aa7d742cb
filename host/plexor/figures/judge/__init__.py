# SPDX-License-Identifier: Apache-2.0
"""Budgets, comparisons and verdicts."""
