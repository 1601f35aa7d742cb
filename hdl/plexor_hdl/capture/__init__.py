"""From sample words to one stream of numbered events."""
