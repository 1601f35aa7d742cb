# SPDX-License-Identifier: Apache-2.0
"""Keeps runs on disk, and turns them into documents."""
