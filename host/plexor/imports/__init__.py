"""Captures of other instruments, made into runs."""
