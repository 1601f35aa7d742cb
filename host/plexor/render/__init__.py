"""A run's figures as text for a terminal, as pictures, and as one page."""
