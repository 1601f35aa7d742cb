"""From frames to the result of a run: decoded, collected, accounted for."""
