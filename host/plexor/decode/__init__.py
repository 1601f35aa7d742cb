"""Decodes frames, collects them, and accounts for every event of a run."""
