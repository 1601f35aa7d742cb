"""The files of a bound: models, platforms, maps, logs and measured services."""
