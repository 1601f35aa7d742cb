"""Phase scans: at which phases of a device's tick, or of another stimulus, a strike has to wait."""
