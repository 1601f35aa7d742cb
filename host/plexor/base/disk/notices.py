# SPDX-License-Identifier: Apache-2.0
"""Notices about files for the user, one line each; the command line prints them."""

from __future__ import annotations

import logging

_LOGGER = logging.getLogger("plexor")


def say(line: str) -> None:
    """Tell the user one line, by the logger `plexor`."""
    _LOGGER.warning("%s", line)
