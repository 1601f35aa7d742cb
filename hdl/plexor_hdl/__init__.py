"""The gateware of Plexor, in Amaranth."""
