"""Sends events and memories to the link."""
