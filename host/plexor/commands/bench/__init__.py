"""`plexor bench`."""
