"""The live page: a server on this machine, and what it sends to browsers."""
