"""A schedule that the device, the host, or both carry out. Pure, but for the line."""
