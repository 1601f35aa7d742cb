"""Stored results of any kind, read as objects that show themselves."""
