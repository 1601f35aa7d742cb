"""The host of Plexor: from a link's bytes to figures."""
