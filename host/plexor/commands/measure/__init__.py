"""`plexor measure`: settings from options, a run, its figures."""
