# SPDX-License-Identifier: Apache-2.0
"""Turns sample words into one stream of numbered events."""
