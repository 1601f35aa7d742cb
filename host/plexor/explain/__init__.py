"""What is behind a run's late answers. Pure."""
