# SPDX-License-Identifier: Apache-2.0
"""What a user must know of files, one line each, which the command line prints."""

from __future__ import annotations

import logging

_LOGGER = logging.getLogger("plexor")


def say(line: str) -> None:
    """Tell the user one line, by the logger `plexor`."""
    _LOGGER.warning("%s", line)
