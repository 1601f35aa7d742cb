"""What an instrument can say about itself: link, registers, memories, every channel and strike."""
