"""What a caller may ask: options, declared once, and their values."""
