"""The command that runs a schedule on one time base."""
