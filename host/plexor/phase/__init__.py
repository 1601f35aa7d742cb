"""Phase scans: phases of a device's tick, or of another stimulus, in which a strike must wait."""
