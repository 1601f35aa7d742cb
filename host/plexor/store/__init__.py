"""Runs on disk and as documents."""
