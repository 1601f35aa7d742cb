"""From registers and triggers to the samples of strike pins."""
