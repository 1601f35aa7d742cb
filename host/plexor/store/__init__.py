"""Keeps runs on disk, and turns them into documents."""
