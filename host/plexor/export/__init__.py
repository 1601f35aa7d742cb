"""Runs written as files that other tools read."""
