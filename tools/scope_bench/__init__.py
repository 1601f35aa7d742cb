"""Measures the live page in a browser: frames, latency and memory."""
