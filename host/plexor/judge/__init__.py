"""Budgets, comparisons and verdicts."""
