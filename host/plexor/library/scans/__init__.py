"""Sweeps, phase scans and burst scans."""
