"""The user's own machine: drivers, programs, loads and speed."""
