"""Why a run's answers were late."""
