# SPDX-License-Identifier: Apache-2.0
"""Runs in an archive: added by many writers, asked by many readers, watched for changes."""
