"""From events and memories to the link."""
