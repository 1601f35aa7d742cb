"""A run from its start to its result, whatever happens on the way."""
