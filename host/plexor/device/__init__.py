"""An instrument at the end of a link."""
