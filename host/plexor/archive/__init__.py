"""Runs in an archive: added by many writers, asked by many readers, watched for changes."""
