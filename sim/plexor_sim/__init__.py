"""The simulated instrument, its golden model and its devices under test."""
