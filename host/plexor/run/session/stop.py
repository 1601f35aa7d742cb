# SPDX-License-Identifier: Apache-2.0
"""A request to stop a run."""

from __future__ import annotations


class Stop:
    """A request to stop, made by a signal handler or another thread.

    It takes no lock, unlike `threading.Event`, because a handler may interrupt itself.
    """

    def __init__(self) -> None:
        self._asked = False

    @property
    def asked(self) -> bool:
        """Whether a stop was requested."""
        return self._asked

    def ask(self) -> None:
        """Request a stop. Further requests have no effect."""
        self._asked = True
