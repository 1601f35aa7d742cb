"""Tools of the house: what `make` calls. None of it is installed."""
