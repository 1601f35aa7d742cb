"""From a run's result to its figures."""
