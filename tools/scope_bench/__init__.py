# SPDX-License-Identifier: Apache-2.0
"""Measures the live page in a browser: frames, latency and memory."""
