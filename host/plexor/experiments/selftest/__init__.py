# SPDX-License-Identifier: Apache-2.0
"""Tests an instrument itself: link, registers, memories, every channel and strike output."""
