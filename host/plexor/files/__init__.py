# SPDX-License-Identifier: Apache-2.0
"""Runs on disk: kept, imported from captures, archived."""
