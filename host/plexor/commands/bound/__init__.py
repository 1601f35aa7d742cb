"""The commands about what a service takes at most."""
