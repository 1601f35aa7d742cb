"""Builds bitstreams from boards' files, and checks the resolution of their front-ends."""
