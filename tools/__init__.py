"""Tools for working on the project, called by `make`. None is installed."""
