# SPDX-License-Identifier: Apache-2.0
"""Bytes to a run's result and back: links, the instrument at their end, and its frames."""
