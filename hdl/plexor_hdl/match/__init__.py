"""Finds the strike that each response answers."""
