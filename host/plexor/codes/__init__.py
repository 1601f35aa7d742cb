"""What a device was doing: codes of its own, as tasks, interrupts and functions. Pure."""
