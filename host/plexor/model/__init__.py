"""What is asked of a run, and what it measured: the data that every room shares."""
