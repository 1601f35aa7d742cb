"""Figures as text for a terminal."""
