"""Commands that explain a stored run."""
