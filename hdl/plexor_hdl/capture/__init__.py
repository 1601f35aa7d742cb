"""Turns sample words into one stream of numbered events."""
