"""Tests an instrument itself: link, registers, memories, every channel and strike output."""
