"""The instrument as a LiteX core."""
