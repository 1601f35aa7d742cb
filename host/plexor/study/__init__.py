"""Published studies, and systems side by side."""
