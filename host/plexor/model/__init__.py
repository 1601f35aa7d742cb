"""Settings, identity, results and calibrations: the data that all rooms share."""
