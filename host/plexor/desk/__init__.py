"""The user's own machine: boards, drivers, loads and speed."""
