"""Which strike each response answers."""
