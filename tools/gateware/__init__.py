"""From a board's file to its bitstream, and what its front-end resolves."""
