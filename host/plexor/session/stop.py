"""The request to stop a run that is under way."""

from __future__ import annotations


class Stop:
    """A request to stop, made by a signal handler or by another thread.

    It takes no lock, unlike `threading.Event`: a handler may interrupt itself.
    """

    def __init__(self) -> None:
        self._asked = False

    @property
    def asked(self) -> bool:
        """Whether somebody has asked."""
        return self._asked

    def ask(self) -> None:
        """Ask for the stop; asking again changes nothing."""
        self._asked = True
