# SPDX-License-Identifier: Apache-2.0
"""Decodes frames, collects them, and accounts for every event of a run."""
