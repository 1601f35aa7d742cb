"""Executes commands, holds registers, and controls runs."""
